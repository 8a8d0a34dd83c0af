// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// The affine warp does not come to barriers (section 4.2): in its stream one does nothing, for
// no condition.
func TestABarrierOfTheAffineStreamDoesNothing(t *testing.T) {
	in := &trace.Instruction{Opcode: "bar", Class: trace.ClassBarrier, Destinations: 1, Operands: []trace.Operand{{Kind: trace.OperandImmediate}}, Guard: trace.Guard{Present: true}}
	if got := controlling(in, new(affine.Fate)); got.Class != trace.ClassNop || got.Operands != nil || got.Destinations != 0 || got.Guarded() {
		t.Errorf("%+v", got)
	}
}

// An enqueue reads the address of the access and its condition, and no data. That of a
// predicate reads the predicate.
func TestAnEnqueueReadsWhatItSends(t *testing.T) {
	data := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: 7, Words: 1}}
	address := trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: trace.Register{Number: 3, Words: 2}}
	condition := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Number: 1, Words: 1}}
	for _, guarded := range []bool{false, true} {
		in := &trace.Instruction{Opcode: "st", Class: trace.ClassStore, Operands: []trace.Operand{address, data}, Guard: trace.Guard{Present: guarded, Register: condition.Register}}
		want := []trace.Operand{address}
		if guarded {
			want = append(want, condition)
		}
		if diff := cmp.Diff(want, enqueuing(in, &affine.Fate{Enqueue: affine.Address}).Operands); diff != "" {
			t.Errorf("guarded: %v (-want +got):\n%s", guarded, diff)
		}
	}
	compare := &trace.Instruction{Opcode: "setp", Operands: []trace.Operand{condition, data}, Destinations: 1}
	if diff := cmp.Diff([]trace.Operand{condition}, enqueuing(compare, &affine.Fate{Enqueue: affine.Predicate}).Operands); diff != "" {
		t.Errorf("a predicate (-want +got):\n%s", diff)
	}
}

// A unit sleeps when no thread block has anything for it.
func TestUnitsWithoutWorkSleep(t *testing.T) {
	for slot := range 8 {
		e := &engine{kernel: new(compiled), blocks: make([]blockState, 8), addressing: 1 << slot, predicating: 1 << slot}
		for b := range e.blocks {
			e.blocks[b].addresses, e.blocks[b].predicates = ring.New[work](4), ring.New[work](4)
		}
		if next := e.step(5); next != clock.Never {
			t.Errorf("thread block in slot %d: the next cycle is %d", slot, next)
		}
	}
}

// A thread block cannot end before what the affine warp enqueues for it: its warps dequeue that.
// A replay in which one has says so.
func TestAThreadBlockThatEndsBeforeItsAddressesIsABug(t *testing.T) {
	address := trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: trace.Register{Number: 0, Words: 2, Virtual: "a"}}
	k := &trace.Kernel{Name: "early", RegistersPerThread: 3, Instructions: []trace.Instruction{
		{Opcode: "mov", Types: []string{"u64"}, Class: trace.ClassMove, Destinations: 1, Operands: []trace.Operand{{Kind: trace.OperandRegister, Register: address.Register}, {Kind: trace.OperandImmediate, Value: 4096}}},
		{Opcode: "ld", Modifiers: []string{"global"}, Types: []string{"u32"}, Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Destinations: 1, Operands: []trace.Operand{{Kind: trace.OperandRegister, Register: trace.Register{Number: 2, Words: 1, Virtual: "x"}}, address}},
		{Opcode: "ret", Class: trace.ClassExit},
	}, Blocks: []trace.BasicBlock{{Count: 2, Successors: []uint32{1}, PostDominator: 1}, {First: 2, Count: 1, PostDominator: trace.NoBlock}}}
	plan := affine.Compile(k)
	evaluator, err := affine.NewEvaluator(plan, &trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for b, want := range []string{"BUG: kernel early, SM 0: thread block in slot 2 has ended before the affine warp has enqueued for it", ""} {
		e := &engine{chip: new(chip), sm: assistedSM{SM: new(sm.SM)}, counts: new(counters.Set), evaluator: evaluator, kernel: &compiled{plan: plan, blocks: make([]blockParts, 2)}}
		e.passOver(2, []uint32{uint32(b)})
		if err := e.chip.failure; (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("without the visit of block %d: %v", b, err)
		}
	}
}
