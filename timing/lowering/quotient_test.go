// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// crossings is a polygon of some edges against some points, with a division for each edge. What a
// crossing does to the result is lines with the numbers of the result, the predicate and a register.
func crossings(t *testing.T, edges, points int, use string) *trace.Kernel {
	text := "ld.global.u64 d1, [d9]\n"
	for n := range points {
		text += fmt.Sprintf("ld.global.u32 r%d, [d1+%d]\nld.global.u32 r%d, [d1+%d]\nmov.u32 r%d, 0\n", 100+n, 8*n, 200+n, 8*n+4, 300+n)
	}
	for e := range edges {
		text += fmt.Sprintf("ld.global.u32 r1, [d1+%d]\nld.global.u32 r2, [d1+%d]\ndiv.rn.f32 r9, r1, r2\n", 4096+8*e, 4100+8*e)
		for n := range points {
			k := 1000 + 8*(e*points+n) // names are written once, as LLVM writes them
			text += fmt.Sprintf("sub.f32 r%d, r%d, r2\nsub.f32 r%d, r%d, r1\nmul.f32 r%d, r%d, r%d\nsetp.lt.f32 p%d, r%d, 0\n", k, 200+n, k+1, 200+n, k+2, k, k+1, k, k+2)
			text += fmt.Sprintf("fma.rn.f32 r%d, r9, r%d, r1\nsetp.lt.f32 p%d, r%d, r%d\nand.pred p%d, p%d, p%d\n", k+3, k, k+1, 100+n, k+3, k+2, k, k+1)
			text += fmt.Sprintf(use+"\n", n+300, k+2, k+4)
		}
	}
	for n := range points {
		text += fmt.Sprintf("st.global.u32 [d1+%d], r%d\n", 8192+4*n, 300+n)
	}
	return loweringtest.Assemble(t, text+"exit")
}

const (
	guarded  = "@p%[2]d add.s32 r%[1]d, r%[1]d, 1"
	selected = "selp.b32 r%[3]d, 1, 0, p%[2]d\nadd.s32 r%[1]d, r%[1]d, r%[3]d"
)

// notNumbers is a machine of a card whose divisions go through their subroutine.
func notNumbers() lowering.Target {
	return lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 256, NaN: true, Predicate: true}
}

func lowered(t *testing.T, k *trace.Kernel, b lowering.Budget) *lowering.Lowered {
	t.Helper()
	l, err := lowering.Lower(k, notNumbers(), b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// around counts the program's operations of a code in front of the first call of a subroutine, and between it and
// the first operation that reads the quotient.
func around(l *lowering.Lowered, code *ir.Code) (before, behind int) {
	called := false
	for _, op := range l.Function.Blocks[0].Ops {
		switch {
		case op.Code == ir.CALL:
			called = true
		case called && op.Code == ir.FFMA:
			return before, behind
		case op.Code == code && len(op.Covers) > 0 && called:
			behind++
		case op.Code == code && len(op.Covers) > 0:
			before++
		}
	}
	return before, behind
}

// The differences that a quotient multiplies are made in front of the call of its subroutine, where so many registers are
// all threads' anyway. Else they are made behind it, as long as a thread has registers for them.
func TestWhatNeedsNoQuotientGoesFirst(t *testing.T) {
	for _, c := range []struct {
		points, registers int
		before, behind    bool
	}{{8, 0, true, false}, {8, 40, false, false}, {13, 0, false, true}, {24, 0, false, false}} {
		l := lowered(t, crossings(t, 1, c.points, guarded), lowering.Budget{Registers: c.registers})
		before, behind := around(l, ir.FADD)
		if before >= c.points != c.before || behind >= c.points != c.behind || l.SpillBytes > 0 {
			t.Errorf("%d points, %d registers: %d sums are in front of the call and %d behind it, %d bytes spill", c.points, c.registers, before, behind, l.SpillBytes)
		}
	}
}

// Conditions go first as well where they become values, and not where they guard: those of guards would need a
// predicate each. The last three points' stay behind.
func TestConditionsThatBecomeValuesGoFirst(t *testing.T) {
	const points = 12
	l := lowered(t, crossings(t, 1, points, selected), lowering.Budget{})
	_, sums := around(l, ir.FADD)
	if _, compared := around(l, ir.FSETP); sums < 2*(points-3) || compared < points-3 {
		t.Errorf("conditions become values: %d sums and %d comparisons are in front of the first product of %d", sums, compared, points)
	}
	l = lowered(t, crossings(t, 1, points, guarded), lowering.Budget{})
	if before, behind := around(l, ir.FSETP); before+behind > 3 {
		t.Errorf("conditions guard: %d comparisons are in front of the first product of %d", before+behind, points)
	}
}

// Behind the call of a division's subroutine nothing of its caller's is read but what the caller reads itself: the
// subroutine has the operands in registers of its own, and its result takes the place of the quotient.
func TestASubroutineHasItsOperands(t *testing.T) {
	k := loweringtest.Assemble(t, "ld.global.u64 d1, [d9]\nld.global.u32 r1, [d1]\nld.global.u32 r2, [d1+4]\ndiv.rn.f32 r9, r1, r2\nst.global.u32 [d1], r9\nexit")
	ops := lowered(t, k, lowering.Budget{}).Function.Blocks[0].Ops
	call := slices.IndexFunc(ops, func(op ir.Op) bool { return op.Code == ir.CALL })
	if call < 0 {
		t.Fatal("a division without a call")
	}
	before := map[ir.Register]string{}
	for i := range ops[:call] {
		for _, r := range ops[i].Dst {
			before[r] = ops[i].Code.Name
		}
	}
	for i := range ops[call+1:] {
		ops[call+1+i].EachRead(func(r ir.Register) {
			if name := before[r]; (name == ir.FFMA.Name || name == "LDG") && ops[call+1+i].Effect != ir.Stores {
				t.Errorf("operation %d (%s) reads a result of %s", call+1+i, ops[call+1+i].Code.Name, name)
			}
		})
	}
}

// Values flow as they were recorded, whatever goes first, also with few registers.
func TestValuesFlowWhereWhatNeedsNoQuotientGoesFirst(t *testing.T) {
	for _, use := range []string{guarded, selected} {
		for points := 1; points < 20; points += 6 {
			for edges := 1; edges < 4; edges++ {
				for _, registers := range []int{0, 40, 24} {
					k := crossings(t, edges, points, use)
					l := lowered(t, k, lowering.Budget{Registers: registers})
					if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(1, 2)), 4)); err != nil {
						t.Fatalf("%d edges of %d points, %d registers, %s: %v", edges, points, registers, use, err)
					}
				}
			}
		}
	}
}

// The work of what goes first grows with the operations, and not with the divisions times
// the operations.
func TestQuotientsAreLookedForInLinearTime(t *testing.T) {
	few, many := lowered(t, crossings(t, 60, 8, guarded), lowering.Budget{}), lowered(t, crossings(t, 120, 8, guarded), lowering.Budget{})
	if many.Steps > 3*few.Steps {
		t.Errorf("%d steps for 60 divisions, %d for 120", few.Steps, many.Steps)
	}
}

// Conditions that become values lie in general registers from where they are made to where they are read. With several
// divisions five behind each stay predicates. A sum takes the predicate that it counts as its carry: nothing is
// selected for it.
func TestConditionsAreKeptInRegisters(t *testing.T) {
	for _, points := range []int{4, 8, 20} {
		for edges, kept := range map[int]int{1: points, 2: 2 * max(points-5, 0)} {
			counts := map[*ir.Code]int{}
			for _, op := range lowered(t, crossings(t, edges, points, selected), lowering.Budget{}).Function.Blocks[0].Ops {
				counts[op.Code]++
			}
			if counts[ir.Valued] != kept || counts[ir.Unpack] != 0 || counts[ir.SEL] != 0 || counts[ir.P2R] != 0 {
				t.Errorf("%d edges of %d points: %d conditions become values, %d are packed, %d made again, and %d values selected, want %d and 0", edges, points, counts[ir.Valued], counts[ir.P2R], counts[ir.Unpack], counts[ir.SEL], kept)
			}
		}
	}
}

// drawnQuotients is a block with two divisions and random arithmetic behind them, on what was loaded, on quotients, and on
// what was made of either. All of it is stored.
func drawnQuotients(t *testing.T, seed uint64) *trace.Kernel {
	r := rand.New(rand.NewPCG(seed, 26))
	text, known := "ld.global.u64 d1, [d9]\n", []int{}
	for n := range 10 {
		text += fmt.Sprintf("ld.global.u32 r%d, [d1+%d]\n", 100+n, 4*n)
		known = append(known, 100+n)
	}
	draw := func() int { // mostly one of the last
		if r.IntN(4) > 0 {
			return known[len(known)-1-r.IntN(6)]
		}
		return known[r.IntN(len(known))]
	}
	for e := range 2 {
		text += fmt.Sprintf("div.rn.f32 r%d, r%d, r%d\n", 200+e, draw(), draw())
		for n := range 16 {
			to := 300 + 20*e + n
			switch r.IntN(4) {
			case 0:
				text += fmt.Sprintf("sub.f32 r%d, r%d, r%d\n", to, draw(), draw())
			case 1:
				text += fmt.Sprintf("mul.f32 r%d, r%d, r%d\n", to, draw(), draw())
			case 2:
				text += fmt.Sprintf("fma.rn.f32 r%d, r%d, r%d, r%d\n", to, draw(), draw(), draw())
			default:
				text += fmt.Sprintf("add.f32 r%d, r%d, r%d\n", to, 200+e, draw())
			}
			known = append(known, to)
		}
	}
	for n, k := range known[10:] {
		text += fmt.Sprintf("st.global.u32 [d1+%d], r%d\n", 4096+4*n, k)
	}
	return loweringtest.Assemble(t, text+"exit")
}

// Values flow through random arithmetic behind divisions, whatever goes first of it.
func TestValuesFlowBehindDrawnDivisions(t *testing.T) {
	for seed := range uint64(12) {
		for _, registers := range []int{0, 30} {
			k := drawnQuotients(t, seed)
			l := lowered(t, k, lowering.Budget{Registers: registers})
			if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(1, 2)), 4)); err != nil {
				t.Errorf("seed %d, %d registers: %v", seed, registers, err)
			}
		}
	}
}

// A subroutine's move for ordinary numbers has a guard.
func TestAMoveForOrdinaryNumbersHasAGuard(t *testing.T) {
	k := loweringtest.Assemble(t, "ld.global.u64 d1, [d9]\nld.global.u32 r1, [d1]\nld.global.u32 r2, [d1+4]\ndiv.rn.f32 r9, r1, r2\nst.global.u32 [d1], r9\nexit")
	moves, guards := map[string]int{}, 0
	l := lowered(t, k, lowering.Budget{})
	for i := range l.Kernel.Instructions {
		if in := &l.Kernel.Instructions[i]; in.Class == trace.ClassMove && l.Origin[i] == 3 {
			moves[in.Opcode]++
			if in.Guard.Present {
				guards++
			}
		}
	}
	if moves["IMAD.MOV.U32"] != 6 || moves["MOV"] != 1 || guards != 1 {
		t.Errorf("a division moves %v; %d of these have guards", moves, guards)
	}
}
