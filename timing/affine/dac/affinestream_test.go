// SPDX-License-Identifier: Apache-2.0

package dac

import (
	"fmt"
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

// Each stream has the instructions that section 4 gives it (figure 7): of a removed address, a guard, loads and a branch that
// depends on data. Guards and accesses that are left have their places among the recorded ones.
func TestStreamsHaveTheirInstructions(t *testing.T) {
	register := func(n uint16, words uint8) trace.Operand {
		return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: n, Words: words, Virtual: fmt.Sprint("r", n)}}
	}
	predicate := func(n uint16) trace.Operand {
		return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Number: n, Words: 1, Virtual: fmt.Sprint("p", n)}}
	}
	guarded := func(in trace.Instruction, p trace.Operand) trace.Instruction {
		in.Guard = trace.Guard{Present: true, Register: p.Register}
		return in
	}
	op := func(name, typ string, class trace.OpClass, operands ...trace.Operand) trace.Instruction {
		parts := strings.Split(name, ".")
		return trace.Instruction{Opcode: parts[0], Modifiers: parts[1:], Types: []string{typ}, Class: class, Operands: operands, Destinations: 1}
	}
	imm := func(v int64) trace.Operand { return trace.Operand{Kind: trace.OperandImmediate, Value: v} }
	tid, address, x, y, p, q := register(0, 1), register(1, 1), register(2, 1), register(3, 1), predicate(0), predicate(1)
	at := trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: address.Register}
	load := func(to trace.Operand) trace.Instruction {
		in := op("ld.global", "u32", trace.ClassLoad, to, at)
		in.Space, in.LaneBytes = trace.SpaceGlobal, 4
		return in
	}
	gather := op("ld.global", "u32", trace.ClassLoad, y, trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: x.Register})
	gather.Space, gather.LaneBytes = trace.SpaceGlobal, 4
	k := &trace.Kernel{Name: "streams", RegistersPerThread: 4, Instructions: []trace.Instruction{
		0:  op("mov", "u32", trace.ClassMove, tid, trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"}),
		1:  op("mul.lo", "u32", trace.ClassIntMul, address, tid, imm(4)),
		2:  op("setp.lt", "u32", trace.ClassIntAdd, p, tid, imm(24)),
		3:  load(x),
		4:  guarded(op("add", "u32", trace.ClassIntAdd, x, x, imm(1)), p),
		5:  guarded(op("add", "u32", trace.ClassIntAdd, address, address, imm(64)), p),
		6:  guarded(load(y), p),
		7:  gather,
		8:  op("setp.eq", "u32", trace.ClassIntAdd, q, y, imm(0)),
		9:  guarded(trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: 2}}}, q),
		10: op("add", "u32", trace.ClassIntAdd, address, address, imm(128)),
		11: load(y),
		12: {Opcode: "ret", Class: trace.ClassExit},
	}}
	k.Blocks = []trace.BasicBlock{
		{First: 0, Count: 10, Successors: []uint32{2, 1}, PostDominator: 2}, {First: 10, Count: 1, Successors: []uint32{2}, PostDominator: 2},
		{First: 11, Count: 2, PostDominator: trace.NoBlock},
	}
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	c := compile(affine.Compile(k))
	text := func(block uint32) (list []string) {
		b := c.rewriting.Kernel.Blocks[block]
		for i := b.First; i < b.First+b.Count; i++ {
			in, r := &c.rewriting.Kernel.Instructions[i], c.roles[i]
			line := fmt.Sprintf("%d: ", c.rewriting.Origin[i])
			if in.Guard.Present {
				line += "@" + in.Guard.Register.Virtual + " "
			}
			line += in.Name()
			for n, o := range in.Operands {
				if n == int(in.Destinations) {
					line += " <-"
				}
				switch o.Kind {
				case trace.OperandRegister:
					line += " " + o.Register.Virtual
				case trace.OperandAddress:
					if line += " [" + o.Symbol; o.HasBase {
						line += o.Register.Virtual
					}
					line += "]"
				}
			}
			for name, has := range map[string]bool{" data": r.data, " decides": r.decides, fmt.Sprint(" predicate of ", int(r.predicate)-1): r.predicate > 0} {
				if has {
					line += name
				}
			}
			list = append(list, strings.TrimSpace(line))
		}
		return list
	}
	for b, want := range map[uint32][]string{
		0: {
			"3: ld.global.u32 r2 <- [deq.data] data", "4: @p0 add.u32 r2 <- r2 predicate of 2", "6: @p0 ld.global.u32 r3 <- [deq.data] data",
			"7: ld.global.u32 r3 <- [r2]", "8: setp.eq.u32 p1 <- r3", "9: @p1 bra <- decides",
		},
		1: nil,
		2: {"11: ld.global.u32 r3 <- [deq.data] data", "12: ret"},
	} {
		if diff := cmp.Diff(want, text(b)); diff != "" {
			t.Errorf("block %d of the non-affine stream (-want +got):\n%s", b, diff)
		}
	}
	for b, want := range map[uint32][]string{
		0: {
			"0: mov.u32 r0 <-", "1: mul.lo.u32 r1 <- r0", "2: setp.lt.u32 p0 <- r0", "3: enq.data <- [r1]", "2: enq.pred <- p0",
			"5: add.u32 r1 <- r1 p0", "6: enq.data <- [r1] p0", "9: bra <- decides",
		},
		1: {"10: add.u32 r1 <- r1"},
		2: {"11: enq.data <- [r1]", "12: ret"},
	} {
		if diff := cmp.Diff(want, text(c.affineFrom+b)); diff != "" {
			t.Errorf("block %d of the affine stream (-want +got):\n%s", b, diff)
		}
	}
	if diff := cmp.Diff([]string{"2: setp.lt.u32 <- r0"}, text(c.compares[2])); diff != "" {
		t.Errorf("what the lanes compare (-want +got):\n%s", diff)
	}
	parts := []blockParts{
		{guards: 3, accesses: 3, keptGuards: []uint32{0, 2}, keptAccesses: []uint32{0, 1, 2}, removed: 4, loads: 3, affineLoads: 2, decides: true},
		{removed: 1, empty: true},
		{accesses: 1, keptAccesses: []uint32{0}, loads: 1, affineLoads: 1},
	}
	if diff := cmp.Diff(parts, c.blocks, cmp.AllowUnexported(blockParts{})); diff != "" {
		t.Errorf("what the blocks take (-want +got):\n%s", diff)
	}
}

// A predicate computation that stays dequeues its predicate, under no guard: it has no sources left.
func TestADequeueOfAPredicateHasNoSources(t *testing.T) {
	to := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Number: 1, Words: 1}}
	from := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: 7, Words: 1}}
	in := &trace.Instruction{Opcode: "setp", Modifiers: []string{"lt"}, Types: []string{"s32"}, Class: trace.ClassIntAdd, Destinations: 1, Line: 5,
		Operands: []trace.Operand{to, from, from}, Guard: trace.Guard{Present: true, Register: to.Register}}
	want := trace.Instruction{Opcode: "deq", Modifiers: []string{"pred"}, Class: trace.ClassPredicate, Destinations: 1, Line: 5, Operands: []trace.Operand{to}}
	if diff := cmp.Diff(want, dequeuing(in, &affine.Fate{Dequeue: affine.Predicate})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := dequeued(3, &affine.Fate{Dequeue: affine.Predicate}); got != 4 {
		t.Errorf("it dequeues the predicate of instruction %d", got-1)
	}
}
