// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// drawn is a block whose operations compute, compare, load and store with registers of one and
// two words. Predicates are made there, or come from outside. Some operations are
// predicated, some end the block in its middle, and some call.
func drawn(draw *rand.Rand) (*ir.Function, *ir.Block, []ir.Register) {
	f, b := new(ir.Function), new(ir.Block)
	var general, predicates []ir.Register
	for range 4 + draw.IntN(20) {
		general = append(general, f.NewRegister(trace.FileGeneral, uint8(1+draw.IntN(2))))
	}
	for range 1 + draw.IntN(12) {
		predicates = append(predicates, f.NewRegister(trace.FilePredicate, 1))
	}
	some := func(list []ir.Register) ir.Register { return list[draw.IntN(len(list))] }
	compares := draw.IntN(2) == 0 // else all predicates come from outside
	for range draw.IntN(50) {
		op := ir.Op{Code: ir.IADD3, Dst: []ir.Register{some(general)}, Src: []ir.Operand{ir.RegOperand(some(general)), ir.RegOperand(some(general))}}
		switch draw.IntN(12) {
		case 0, 1:
			if compares {
				op.Code, op.Dst[0] = ir.ISETP, some(predicates)
			}
		case 2, 3:
			op.Code, op.Src, op.Base, op.Offset, op.Effect, op.Memory, op.Bytes = ir.LDL, nil, ir.RegOperand(some(general)), int64(4*draw.IntN(4)), ir.Loads, true, 4
			op.Space = []trace.Space{trace.SpaceShared, trace.SpaceGlobal, trace.SpaceLocal, trace.SpaceGeneric, trace.SpaceConst}[draw.IntN(5)]
			if op.Space == trace.SpaceConst {
				op.Effect = ir.Pure
			}
			if draw.IntN(3) == 0 {
				op.Dst = append(op.Dst, some(general))
			}
		case 4, 5:
			op.Code, op.Dst, op.Base, op.Offset, op.Effect, op.Memory, op.Bytes, op.Space = ir.STL, nil, ir.RegOperand(some(general)), int64(4*draw.IntN(4)), ir.Stores, true, 4, trace.SpaceShared
		case 6:
			op.Guard, op.Partial = ir.RegOperand(some(predicates)), true
		case 7:
			if draw.IntN(4) == 0 {
				op = []ir.Op{{Code: ir.BRA, Effect: ir.Ends, Src: []ir.Operand{ir.RegOperand(some(general))}}, {Code: ir.CALL}, {Code: ir.BSYNC}, {Code: ir.IADD3, Effect: ir.Ordered}}[draw.IntN(4)]
			}
		}
		op.Origin = uint32(len(b.Ops))
		b.Ops = append(b.Ops, op)
	}
	var out []ir.Register
	for _, r := range append(slices.Clone(general), predicates...) {
		if draw.IntN(3) == 0 {
			out = append(out, r)
		}
	}
	return f, b, out
}

// weighed is what an order of a block makes live at most, counted from the last operation to the
// first with a set of registers for each.
func weighed(f *ir.Function, ops []ir.Op, out []ir.Register) (most load) {
	made, live := map[ir.Register]bool{}, map[ir.Register]bool{}
	for i := range ops {
		for _, r := range ops[i].Dst {
			made[r] = true
		}
	}
	for _, r := range out {
		live[r] = true
	}
	count := func(set map[ir.Register]bool) (l load) {
		for r, is := range set {
			switch {
			case is && f.Registers[r].File == trace.FileGeneral:
				l.words += int32(f.Registers[r].Words)
			case is && made[r]:
				l.predicates++
			}
		}
		return l
	}
	for i := len(ops) - 1; i >= 0; i-- {
		op, here := &ops[i], count(live)
		for _, r := range op.Dst {
			if !live[r] {
				here = here.plus(count(map[ir.Register]bool{r: true}))
			} else if !op.Partial {
				live[r] = false
			}
		}
		op.EachRead(func(r ir.Register) { live[r] = true })
		most = most.most(here).most(count(live))
	}
	return most
}

// slowPressure is what Pressure does, without shortcuts: it makes the order of every rule to its end,
// weighs it, and takes the first that is better than all before.
func slowPressure(f *ir.Function, b *ir.Block, out []ir.Register) (ops []ir.Op, most load) {
	ops, most = b.Ops, weighed(f, b.Ops, out)
	s := New(f)
	s.table.list(b.Ops)
	s.cut(b.Ops, out)
	for _, by := range rules {
		s.first = zeros(s.first, len(b.Ops))
		s.reorder(by, load{}, math.MaxInt32)
		var other []ir.Op
		for _, i := range s.first {
			other = append(other, b.Ops[i])
		}
		if m := weighed(f, other, out); m.cost() < most.cost() {
			ops, most = other, m
		}
	}
	return ops, most
}

// places are the places that operations had in the block as it was drawn.
func places(ops []ir.Op) (list []uint32) {
	for i := range ops {
		list = append(list, ops[i].Origin)
	}
	return list
}

// Orders that are given up, rules that are left out and a lower bound of the cost change no
// result.
func TestPressureTakesTheBestOfAllRules(t *testing.T) {
	better := 0
	for seed := range uint64(600) {
		f, b, out := drawn(rand.New(rand.NewPCG(seed, 29)))
		want, most := slowPressure(f, b, out)
		before := weighed(f, b.Ops, out)
		got := New(f).Pressure(b, out)
		if !slices.Equal(places(b.Ops), places(want)) || got != int(most.words) {
			t.Fatalf("seed %d: %d registers are live in order %v, want %d in %v", seed, got, places(b.Ops), most.words, places(want))
		}
		if most != before {
			better++
		}
	}
	if better < 100 {
		t.Errorf("%d blocks of 600 got another order", better)
	}
}

// slowGraph lists by brute force what each operation stays in front of: what shares a register
// that one of them writes, or may access the same memory.
func slowGraph(ops []ir.Op) [][]int32 {
	writer, readers := map[ir.Register]int32{}, map[ir.Register][]int32{}
	next := make([][]int32, len(ops))
	edge := func(a, b int32) {
		if a != b && !slices.Contains(next[a], b) {
			next[a] = append(next[a], b)
		}
	}
	for i := range ops {
		op, n := &ops[i], int32(i)
		op.EachRead(func(r ir.Register) {
			if w, ok := writer[r]; ok {
				edge(w, n)
			}
			readers[r] = append(readers[r], n)
		})
		for _, r := range op.Dst {
			if w, ok := writer[r]; ok {
				edge(w, n)
			}
			for _, reader := range readers[r] {
				edge(reader, n)
			}
			writer[r], readers[r] = n, nil
		}
	}
	return next
}

// The lists of what is behind an operation and in front of it are of the same edges, ascending,
// with all those by registers.
func TestGraphsHaveTheOrderByRegisters(t *testing.T) {
	for seed := range uint64(200) {
		f, b, _ := drawn(rand.New(rand.NewPCG(seed, 30)))
		s := New(f)
		for range 2 { // what one graph leaves behind does not get into the next
			s.table.list(b.Ops)
			g := s.graph(0)
			g.build(b.Ops, &s.table, 0, s.scratch)
			edges := 0
			for i, list := range slowGraph(b.Ops) {
				behind := g.behind(int32(i))
				if !slices.IsSorted(behind) || len(slices.Compact(slices.Clone(behind))) < len(behind) {
					t.Fatalf("seed %d: behind operation %d are %v", seed, i, behind)
				}
				for _, next := range list {
					if !slices.Contains(behind, next) {
						t.Errorf("seed %d: operation %d may pass %d", seed, next, i)
					}
				}
				for _, next := range behind {
					if edges++; !slices.Contains(g.before(next), int32(i)) || next <= int32(i) {
						t.Errorf("seed %d: %d is behind %d, and not the other way round", seed, next, i)
					}
				}
			}
			if edges != len(g.previous) || int(g.edges()) != edges {
				t.Errorf("seed %d: %d edges, and %d the other way", seed, edges, len(g.previous))
			}
		}
	}
}

// Operations go to the places that an order gives them.
func TestPermute(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 31))
	for n := range 40 {
		ops, order := make([]ir.Op, n), make([]int32, n)
		for i, from := range draw.Perm(n) {
			ops[i].Origin, order[i] = uint32(i), int32(from)
		}
		want := slices.Clone(order)
		permute(ops, order)
		for i := range ops {
			if ops[i].Origin != uint32(want[i]) {
				t.Errorf("%v: place %d has operation %d", want, i, ops[i].Origin)
			}
		}
	}
}

// first reports by its parts whether a key comes first.
func (k key) first(o key) bool {
	if k.grows <= 0 || o.grows <= 0 {
		if k.grows <= 0 && o.grows <= 0 {
			return k.at < o.at
		}
		return k.grows <= 0
	}
	a, b := []int32{k.net, k.grows, k.useless, k.blocked, k.at}, []int32{o.net, o.grows, o.useless, o.blocked, o.at}
	return slices.Compare(a, b) < 0
}

// Keys as two numbers have the order of their parts.
func TestKeysHaveTheOrderOfTheirParts(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 32))
	some := func(at int32) key {
		wide := []int32{2, 1 << 20}[draw.IntN(2)]
		return key{grows: draw.Int32N(2*wide) - wide/2, net: draw.Int32N(2*wide) - wide, useless: draw.Int32N(2), blocked: draw.Int32N(wide), at: at}
	}
	for range 20000 {
		a, b := some(draw.Int32N(1<<20)), some(draw.Int32N(1<<20))
		if a.at == b.at {
			continue
		}
		x, y := a.entry(), b.entry()
		if x.less(&y) != a.first(b) || y.less(&x) == x.less(&y) || x.operation() != a.at {
			t.Fatalf("%+v and %+v: %v, want %v", a, b, x.less(&y), a.first(b))
		}
	}
}
