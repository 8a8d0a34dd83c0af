package trace

import (
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
)

func functionsKernel() *Kernel {
	k := &Kernel{Name: "k", File: "k.ptx", Blocks: []BasicBlock{{Count: 2, PostDominator: NoBlock}, {First: 2, Count: 3, PostDominator: NoBlock}, {First: 5, Count: 1, PostDominator: NoBlock}}}
	for i := range 6 {
		k.Instructions = append(k.Instructions, Instruction{Opcode: "op", Class: ClassIntAdd, Line: uint32(i + 10)})
	}
	k.Functions = []Function{{Name: "f", First: 2, Count: 3, FirstLine: 1, Source: ".func f()"}, {Name: "g", First: 5, Count: 1, FirstLine: 4}}
	return k
}

func TestFunctionsOfAKernelSurviveTheFormat(t *testing.T) {
	k := functionsKernel()
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	if again := kernelFromProto(kernelToProto(k)); !reflect.DeepEqual(again, k) {
		t.Errorf("read back: %+v, want %+v", again, k)
	}
	for i, want := range []string{"", "", "f", "f", "f", "g"} {
		if got := k.FunctionName(i); got != want {
			t.Errorf("instruction %d is of %q, want %q", i, got, want)
		}
	}
	if m := kernelToProto(&Kernel{Name: "k"}); m.Functions != nil {
		t.Error("a kernel without functions writes some")
	}
}

func TestFunctionsOutsideTheTableAreRefused(t *testing.T) {
	for name, functions := range map[string][]Function{
		"empty":        {{Name: "f", First: 2}},
		"beyond":       {{Name: "f", First: 2, Count: 5}},
		"wraps around": {{Name: "f", First: 2, Count: ^uint32(0)}},
		"overlap":      {{Name: "f", First: 2, Count: 3}, {Name: "g", First: 4, Count: 1}},
		"not in order": {{Name: "f", First: 4, Count: 1}, {Name: "g", First: 2, Count: 1}},
		"far outside":  {{Name: "f", First: ^uint32(0), Count: 1}},
	} {
		k := functionsKernel()
		k.Functions = functions
		if err := k.Validate(); err == nil || !strings.Contains(err.Error(), `kernel "k": function`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFunctionsOfAKernelAreBoundedBeforeTheyAreDecoded(t *testing.T) {
	m := &wtapepb.Kernel{}
	for range maxKernelInstructions + 1 {
		m.Functions = append(m.Functions, &wtapepb.Function{})
	}
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkMessageSize(wtapepb.FrameKind_FRAME_KIND_KERNEL, raw); err == nil || !strings.Contains(err.Error(), "want at most 262144") {
		t.Errorf("%d functions: %v", len(m.Functions), err)
	}
}
