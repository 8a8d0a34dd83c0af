// SPDX-License-Identifier: Apache-2.0

package tesla_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	_ "github.com/warptape/warptape/timing/mechanisms"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/tesla"
	"github.com/warptape/warptape/trace"
)

// heard is what a watcher hears, one word for each issue: cycle, slot of the warp, instruction and lanes.
type heard struct {
	issues      []string
	dispatches  []string
	initialised []string
}

func (*heard) Watches(int) bool                           { return true }
func (*heard) ClockOffset(clock.Cycle)                    {}
func (*heard) Bound(clock.Cycle, int, int, *trace.Kernel) {}
func (*heard) Slots(clock.Cycle, seam.IssueSlots)         {}
func (*heard) Warp(clock.Cycle, seam.WarpSlot)            {}
func (*heard) Block(clock.Cycle, int, int, uint64, bool)  {}
func (*heard) Request(clock.Cycle, seam.Request)          {}

func (h *heard) Dispatched(now clock.Cycle, mp int, block uint64) {
	h.dispatches = append(h.dispatches, fmt.Sprintf("%d:%d:%d", now, mp, block))
}

func (h *heard) Initialised(now clock.Cycle, _, slot, place int, mask uint64, base int) {
	h.initialised = append(h.initialised, fmt.Sprintf("%d:%d:%d:%x:%d", now, slot, place, mask, base))
}

func (h *heard) Entered(now clock.Cycle, _, slot, _ int, instruction uint32, mask uint64) {
	h.issues = append(h.issues, fmt.Sprintf("%d:%d:%d:%x", now, slot, instruction, mask))
}

var _ tesla.Watcher = (*heard)(nil)

// kernel completes one of the machine's language, recorded on the machine of Table 5.1: labels are the basic
// blocks of branches and SSYs by instruction.
func kernel(k *gputest.Kernel, warps int, labels map[uint32]uint32) *gputest.Kernel {
	t := &trace.Tesla{
		Words: make([]uint32, len(k.Instructions)), WarpsPerBlock: warps, RegistersPerThread: 4,
		RecordedIn: trace.TeslaConfiguration{Multiprocessors: 16, Processors: 8, WarpSlots: 16, BlockSlots: 4, Parameters: 8, WarpWidth: 32, InstructionAddressBits: 8, RegisterAddressBits: 9, ConstantAddressBits: 6, SharedAddressBits: 10},
	}
	for i := range uint32(len(k.Instructions)) {
		to, ok := labels[i]
		switch in := &k.Instructions[i]; {
		case ok && in.Class == trace.ClassBranch:
			in.Operands = append(in.Operands, trace.Operand{Kind: trace.OperandBlock, Value: int64(to)})
		case ok:
			in.Opcode = "SSY"
			t.Syncs = append(t.Syncs, trace.TeslaSync{Instruction: i, Block: to})
		}
	}
	k.Tesla = t
	return k
}

// replayed replays a launch on one multiprocessor of 8 processors: 4 rows a warp.
func replayed(t *testing.T, l gputest.Launch) (*heard, *gpu.Run) {
	t.Helper()
	h := new(heard)
	g, err := gpu.New(replaytest.Load(t, "tesla-rtl+set(gpu.sms=1)"), gpu.Options{Watcher: h})
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return h, run
}

// is checks a list of what was heard.
func is(t *testing.T, what string, got []string, want string) {
	t.Helper()
	if !slices.Equal(got, strings.Fields(want)) {
		t.Errorf("%s: %v\nwant %s", what, got, want)
	}
}

func counted(t *testing.T, run *gpu.Run, want map[string]uint64) {
	t.Helper()
	for name, n := range want {
		id, ok := counters.Lookup(name)
		if !ok || run.Total[id] != n {
			t.Errorf("%s is %d, want %d", name, run.Total[id], n)
		}
	}
}

// Two thread blocks of 40 threads, by rules 3.1, 3.2, 3.3, 3.7 and 3.8 of docs/tesla.md. A dispatch takes 10
// cycles, a warp one for each thread and one more, and it is ready in the next. An issue is 4 rows behind another, and 8 cycles behind
// that of the same warp.
func TestDispatchAndIssueFollowTheRules(t *testing.T) {
	k := gputest.NewKernel("k").Op(trace.ClassIntAdd, 1, 0).Exit()
	h, run := replayed(t, gputest.Launch{Kernel: kernel(k, 2, nil), Blocks: 2, Threads: 40})
	is(t, "dispatches", h.dispatches, "0:0:0 52:0:1")
	// 0 + 10 + 32; 8 + 1 later; the second block's from 52 on. Registers: 4 of 4 rows a warp.
	is(t, "warps", h.initialised, "42:0:0:ffffffff:0 51:1:0:ff:16 94:2:1:ffffffff:32 103:3:1:ff:48")
	is(t, "issues", h.issues, "43:0:0:ffffffff 51:0:1:ffffffff 55:1:0:ff 63:1:1:ff "+"95:2:0:ffffffff 103:2:1:ffffffff 107:3:0:ff 115:3:1:ff")
	if run.Cycles != 115+3+4+1 { // behind the last update
		t.Errorf("%d cycles, want %d", run.Cycles, 123)
	}
	counted(t, run, map[string]uint64{"tesla_rows": 8 * 4, "tesla_replays": 0, "tesla_divergences": 0, "tesla_init_cycles": 2 * 51, "issued_warp_instructions": 8, "issued_thread_instructions": 160})
}

// Nested branches whose lanes part, by rule 3.4: those that take a branch go first, at the sync point the others follow, and all
// meet there, which takes no cycle.
func TestLanesPartAndMeetByTheStack(t *testing.T) {
	k := gputest.NewKernel("k").Op(trace.ClassNop, gputest.None) // SSY 6
	k.Branch()                                                   // to 2
	k.Op(trace.ClassIntAdd, 1, 0)
	k.Branch()                         // 1: to 6
	k.Op(trace.ClassNop, gputest.None) // 2: SSY 5
	k.Branch()                         // to 4
	k.Op(trace.ClassIntMul, 1, 0)
	k.Branch()                    // 3: to 5
	k.Op(trace.ClassIntMad, 1, 0) // 4
	k.Block()
	k.Op(trace.ClassIntMinMax, 1, 0) // 5
	k.Block()
	k.Exit() // 6
	record := func(w *gputest.Warp) {
		const outer, inner = 0x0000ffff, 0x000000ff // that take the branches
		w.Visit(0, w.Lanes)
		w.Visit(2, outer)
		w.Visit(4, inner)
		w.Visit(3, outer&^inner)
		w.Visit(5, outer)
		w.Visit(1, ^uint32(outer))
		w.Visit(6, w.Lanes)
	}
	h, run := replayed(t, gputest.Launch{Kernel: kernel(k, 1, map[uint32]uint32{0: 6, 1: 2, 3: 6, 4: 5, 5: 4, 7: 5}), Blocks: 1, Threads: 32, Record: record})
	is(t, "issues", h.issues, "43:0:0:ffffffff 51:0:1:ffffffff 59:0:4:ffff 67:0:5:ffff 75:0:8:ff "+
		"83:0:6:ff00 91:0:7:ff00 99:0:9:ffff 107:0:2:ffff0000 "+"115:0:3:ffff0000 123:0:10:ffffffff")
	counted(t, run, map[string]uint64{"tesla_divergences": 2, "issued_warp_instructions": 11, "issued_thread_instructions": 3*32 + (2*16 + 8 + 2*8 + 16) + 2*16})
}
