// SPDX-License-Identifier: Apache-2.0

package messages_test

import (
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/limits"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

func teslaKernel() *trace.Kernel {
	k := testtraces.FunctionsKernel()
	k.Functions = nil
	k.Tesla = &trace.Tesla{
		Words: []uint32{1, 2, 3, 4, 5, 1 << 31}, WarpsPerBlock: 2, RegistersPerThread: 8, Syncs: []trace.TeslaSync{{Instruction: 1, Block: 2}, {Instruction: 3, Block: 1}},
		RecordedIn:  trace.TeslaConfiguration{Multiprocessors: 1, Processors: 8, WarpSlots: 16, BlockSlots: 4, Parameters: 7, WarpWidth: 64, InstructionAddressBits: 10, RegisterAddressBits: 9, ConstantAddressBits: 6, SharedAddressBits: 11},
		SharedWords: 5, ConstantWords: 6, AddressesWrap: true,
		Dependences: []trace.TeslaDependence{{On: trace.TeslaRows, Reason: "lanes"}, {On: trace.TeslaTiming, Reason: "warps"}, {On: trace.TeslaWarp, Reason: "lanes of one"}, {On: trace.TeslaWidth, Reason: "width"}},
	}
	return k
}

func TestTheTeslaPartSurvivesTheFormat(t *testing.T) {
	k := teslaKernel()
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	raw, err := proto.Marshal(messages.FromKernel(k))
	if err != nil {
		t.Fatal(err)
	}
	m := new(wtapepb.Kernel)
	if err := proto.Unmarshal(raw, m); err != nil {
		t.Fatal(err)
	}
	if again := messages.ToKernel(m); !reflect.DeepEqual(again, k) {
		t.Errorf("read back: %+v, want %+v", again.Tesla, k.Tesla)
	}
	if m := messages.FromKernel(testtraces.FunctionsKernel()); m.Tesla != nil {
		t.Error("a kernel without the part writes one")
	}
	m.Tesla.RecordedIn.WarpWidth = 0 // of a trace from before there were others
	if width := messages.ToKernel(m).Tesla.RecordedIn.WarpWidth; width != trace.WarpSize {
		t.Errorf("a trace that does not say it has warps of %d", width)
	}
}

func TestABadTeslaPartIsRefused(t *testing.T) {
	for want, change := range map[string]func(*wtapepb.Tesla){
		"5 words for 6 instructions":                 func(m *wtapepb.Tesla) { m.Words = m.Words[:5] },
		"SSY 1: instruction 6":                       func(m *wtapepb.Tesla) { m.SyncInstruction[1] = 6 },
		"SSY 0: instruction 1 or basic block 3":      func(m *wtapepb.Tesla) { m.SyncBlock[0] = 3 },
		"SSY 1: instruction 3 or basic block 429496": func(m *wtapepb.Tesla) { m.SyncBlock = m.SyncBlock[:1] },
		"dependence 1 is on 0":                       func(m *wtapepb.Tesla) { m.Dependences[1].On = 77 },
		"is 4294967295":                              func(m *wtapepb.Tesla) { m.RecordedIn.Processors = ^uint32(0) },
	} {
		m := messages.FromKernel(teslaKernel())
		m.Tesla = proto.CloneOf(m.Tesla)
		change(m.Tesla)
		if err := messages.ToKernel(m).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestDependencesAreBoundedBeforeTheyAreDecoded(t *testing.T) {
	m := messages.FromKernel(teslaKernel())
	for range limits.TeslaDependences {
		m.Tesla.Dependences = append(m.Tesla.Dependences, &wtapepb.TeslaDependence{})
	}
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := messages.CheckSize(wtapepb.FrameKind_FRAME_KIND_KERNEL, raw); err == nil {
		t.Error("accepted")
	}
}
