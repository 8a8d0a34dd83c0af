// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// sunkBlock has stores in parts into which LLVM has sunk what they store, and knows its registers.
type sunkBlock struct {
	f *ir.Function
	b *ir.Block
	// base is of the loaded words, to of the stored ones, and guard is a predicate.
	base, to, guard ir.Register
}

func newSunkBlock() *sunkBlock {
	x := &sunkBlock{f: new(ir.Function), b: &ir.Block{Parts: []ir.Part16{{}}}}
	x.base, x.to, x.guard = x.f.NewRegister(trace.FileGeneral, 1), x.f.NewRegister(trace.FileGeneral, 1), x.f.NewRegister(trace.FilePredicate, 1)
	return x
}

// part begins a part, and add adds an operation to it.
func (x *sunkBlock) part(sunk bool) {
	x.b.Parts = append(x.b.Parts, ir.Part16{Block: uint32(len(x.b.Parts)), Optional: sunk, Sunk: sunk})
}

func (x *sunkBlock) add(op ir.Op) ir.Register {
	op.Part = uint16(len(x.b.Parts) - 1)
	x.b.Ops = append(x.b.Ops, op)
	if len(op.Dst) > 0 {
		return op.Dst[0]
	}
	return 0
}

func (x *sunkBlock) load(space trace.Space, word int) ir.Register {
	return x.add(ir.Op{Code: ir.LDL, Dst: []ir.Register{x.f.NewRegister(trace.FileGeneral, 1)}, Base: ir.RegOperand(x.base), Offset: int64(4 * word), Bytes: 4, Effect: ir.Loads, Memory: true, Space: space})
}

func (x *sunkBlock) sum(of ...ir.Register) ir.Register {
	op := ir.Op{Code: ir.FADD, Dst: []ir.Register{x.f.NewRegister(trace.FileGeneral, 1)}}
	for _, r := range of {
		op.Src = append(op.Src, ir.RegOperand(r))
	}
	return x.add(op)
}

func (x *sunkBlock) store(value ir.Register, word int) {
	x.add(ir.Op{Code: ir.STL, Src: []ir.Operand{ir.RegOperand(value)}, Base: ir.RegOperand(x.to), Offset: int64(4 * word), Bytes: 4, Effect: ir.Stores, Memory: true, Space: trace.SpaceGlobal, Guard: ir.RegOperand(x.guard)})
}

// sums appends n sums, each of the given number of loaded words.
func (x *sunkBlock) sums(n, words int) {
	for k := range n {
		x.part(true)
		sum := x.load(trace.SpaceShared, k*words)
		for w := 1; w < words; w++ {
			sum = x.sum(sum, x.load(trace.SpaceShared, k*words+w))
		}
		x.store(sum, k)
		x.part(false)
	}
}

// wasAt gives where operations of a block were in another.
func wasAt(before, after []ir.Op) (list []int) {
	for i := range after {
		list = append(list, slices.IndexFunc(before, func(op ir.Op) bool { return same(&op, &after[i]) }))
	}
	return list
}

func same(a, b *ir.Op) bool {
	return a.Code == b.Code && slices.Equal(a.Dst, b.Dst) && slices.Equal(a.Src, b.Src) && a.Offset == b.Offset && a.Part == b.Part
}

// What LLVM has sunk goes in front of the first store that it is for.
func TestSunkValuesAreRaised(t *testing.T) {
	for _, c := range []struct {
		why  string
		make func(x *sunkBlock)
		want string // the order of the operations as they were
	}{
		{"two sums of two words", func(x *sunkBlock) { x.sums(2, 2) }, "0 1 2 4 5 6 3 7"},
		{"what no sum needs stays with its store", func(x *sunkBlock) {
			y := x.load(trace.SpaceShared, 9)
			x.sum(y)
			x.sums(2, 1)
		}, "0 2 4 1 3 5"},
		{"sums that share a value behind the first store", func(x *sunkBlock) {
			x.part(true)
			x.store(x.sum(x.load(trace.SpaceShared, 0)), 0)
			x.part(false)
			shared := x.load(trace.SpaceShared, 1)
			x.part(true)
			x.store(x.sum(shared), 1)
			x.part(false)
			x.part(true)
			x.store(x.sum(x.sum(shared)), 2)
		}, ""},
		{"a sum that needs another", func(x *sunkBlock) {
			x.part(true)
			sum := x.sum(x.sum(x.load(trace.SpaceShared, 0)))
			x.store(sum, 0)
			x.part(true)
			x.store(x.sum(sum), 1)
		}, ""},
		{"a single sum stays", func(x *sunkBlock) { x.sums(1, 3) }, ""},
		{"a part with two stores is a side of the program's own", func(x *sunkBlock) {
			x.sums(1, 1)
			x.part(true)
			x.store(x.load(trace.SpaceShared, 1), 1)
			x.store(x.load(trace.SpaceShared, 2), 2)
		}, ""},
		{"a load that may read what was stored stays behind it", func(x *sunkBlock) {
			x.sums(1, 1)
			x.part(true)
			x.store(x.load(trace.SpaceGlobal, 0), 1)
		}, ""},
		{"parts that nothing was sunk into", func(x *sunkBlock) {
			x.sums(2, 2)
			for p := range x.b.Parts {
				x.b.Parts[p].Sunk = false
			}
		}, ""},
	} {
		x := newSunkBlock()
		c.make(x)
		before := slices.Clone(x.b.Ops)
		n, got := New(x.f).Raise(x.b), ""
		if n > 0 {
			got = strings.Trim(fmt.Sprint(wasAt(before, x.b.Ops)), "[]")
		} else if !slices.Equal(wasAt(before, x.b.Ops), wasAt(before, before)) {
			t.Errorf("%s: nothing was raised, and the order is another", c.why)
		}
		if got != c.want {
			t.Errorf("%s: order %s, want %s", c.why, got, c.want)
		}
	}
}

// drawnSums has sums. Each adds words of its own, words of the program in front, and values of
// sums before it.
func drawnSums(draw *rand.Rand) *sunkBlock {
	x := newSunkBlock()
	var known []ir.Register
	for k := range 1 + draw.IntN(4) {
		known = append(known, x.load(trace.SpaceShared, 100+k))
	}
	for n := range 2 + draw.IntN(4) {
		x.part(true)
		sum := x.sum(known[draw.IntN(len(known))])
		for range draw.IntN(6) {
			switch draw.IntN(4) {
			case 0:
				sum = x.sum(sum, known[draw.IntN(len(known))])
			case 1:
				sum = x.sum(sum, x.load(trace.SpaceGlobal, draw.IntN(8)))
			default:
				sum = x.sum(sum, x.load(trace.SpaceShared, draw.IntN(64)))
			}
		}
		if draw.IntN(3) == 0 {
			known = append(known, sum)
		}
		x.store(sum, n)
		if draw.IntN(2) == 0 {
			x.part(false)
			if draw.IntN(2) == 0 {
				known = append(known, x.load(trace.SpaceShared, 200+n))
			}
		}
	}
	return x
}

// Raised or not, no operation passes another that it has to stay behind. When it is raised,
// all stores are behind all of the sums, through every later stage.
func TestRaisedBlocksKeepTheirOrder(t *testing.T) {
	raised := 0
	for seed := range uint64(500) {
		x := drawnSums(rand.New(rand.NewPCG(seed, 41)))
		before := slices.Clone(x.b.Ops)
		order := slowOrder(before)
		s := New(x.f)
		n := s.Raise(x.b)
		values := map[ir.Register]bool{}
		for i := range before {
			if before[i].Effect == ir.Stores {
				values[before[i].Src[0].Register] = true
			}
		}
		for stage := range 3 {
			switch stage {
			case 1:
				s.Pressure(x.b, nil)
			case 2:
				s.Ahead(x.b, nil, Target{Registers: 12, All: 20, InFlight: 3, Latency: 4, Late: 22})
			}
			is := wasAt(before, x.b.Ops)
			if sorted := slices.Sorted(slices.Values(is)); !slices.Equal(sorted, wasAt(before, before)) {
				t.Fatalf("seed %d, stage %d: operations %v", seed, stage, is)
			}
			stored := false
			for a := range is {
				for b := a + 1; b < len(is); b++ {
					if order[is[b]][is[a]] {
						t.Fatalf("seed %d, stage %d: operation %d has passed %d", seed, stage, is[a], is[b])
					}
				}
				op := &x.b.Ops[a]
				stored = stored || op.Effect == ir.Stores
				if n > 0 && stored && len(op.Dst) > 0 && values[op.Dst[0]] {
					t.Fatalf("seed %d, stage %d: sum %d is behind a store", seed, stage, is[a])
				}
			}
		}
		if n > 0 {
			raised++
		}
	}
	if raised < 50 {
		t.Errorf("%d blocks of 500 were raised", raised)
	}
}

// All raised sums are live at the same time. They take a register each, beside those of the loads that go ahead.
func TestRaisedSumsAreLiveAtATime(t *testing.T) {
	const words, inFlight = 40, 10
	for n := 2; n <= 12; n++ {
		x := newSunkBlock()
		x.sums(n, words)
		s := New(x.f)
		if got := s.Raise(x.b); got != n {
			t.Fatalf("%d sums are raised, want %d", got, n)
		}
		s.Pressure(x.b, nil)
		s.Ahead(x.b, nil, Target{Registers: 100, All: 200, InFlight: inFlight, Latency: 4, Late: 22})
		// Both addresses as well, and the load that is needed next.
		if got, want := s.Most(x.b, nil), n+inFlight+3; got > want || got < want-2 {
			t.Errorf("%d sums: %d registers are live, want %d", n, got, want)
		}
	}
}
