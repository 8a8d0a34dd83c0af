// SPDX-License-Identifier: Apache-2.0

package join

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// drawn is a block of accesses to shared memory by two bases, with what computes between.
func drawn(draw *rand.Rand) (*ir.Function, []ir.Op) {
	f := new(ir.Function)
	for range 24 {
		f.NewRegister(trace.FileGeneral, 1)
	}
	some := func() ir.Register { return ir.Register(2 + draw.IntN(22)) }
	var ops []ir.Op
	for i := range 40 + draw.IntN(300) {
		value := some()
		op := ir.Op{Code: ir.IADD3, Dst: []ir.Register{value}, Src: []ir.Operand{ir.RegOperand(some())}, Covers: []uint32{uint32(i)}}
		if draw.IntN(4) > 0 {
			op = ir.Op{Code: ir.LDL, Effect: ir.Loads, Memory: true, Space: trace.SpaceShared, Bytes: 4, Base: ir.RegOperand(ir.Register(draw.IntN(2))), Offset: int64(4 * draw.IntN(256)),
				Covers: []uint32{uint32(i)}, Accesses: make([]ir.Access, 1), Keep: &trace.Instruction{Opcode: "ld"}, Dst: []ir.Register{value}}
			op.Aligned = []uint8{4, 2, 3, 2}[op.Offset/4%4]
		}
		switch {
		case op.Memory && draw.IntN(3) == 0:
			op.Effect, op.Keep, op.Dst, op.Src = ir.Stores, &trace.Instruction{Opcode: "st"}, nil, []ir.Operand{ir.RegOperand(value)}
		case draw.IntN(60) == 0:
			op.Effect, op.Memory = ir.Ordered, false
		case draw.IntN(40) == 0:
			op.Dst[0] = ir.Register(draw.IntN(2)) // a base
		}
		ops = append(ops, op)
	}
	return f, ops
}

// slowNear lists the accesses that can come to operation i by comparing each with all between.
func slowNear(j *joiner, i, step int) []int {
	first := &j.ops[i]
	list, between := []int{i}, []int{}
	if j.changes(first, first) {
		return list
	}
	for n, at := 0, i+step; n < window && at >= 0 && at < len(j.ops); n, at = n+1, at+step {
		op := &j.ops[at]
		if op.Code == nil {
			continue
		}
		if op.Effect == first.Effect && j.joinable(op) && alike(first, op) && !slices.ContainsFunc(between, func(at int) bool { return !passes(&j.ops[at], op) }) {
			list = append(list, at)
		}
		if op.Effect == ir.Ordered || op.Effect == ir.Ends || j.changes(op, first) {
			break
		}
		between = append(between, at)
	}
	return list
}

// passes reports whether an access can pass one operation.
func passes(m, op *ir.Op) bool {
	found := false
	for _, r := range op.Dst {
		found = found || slices.Contains(m.Dst, r)
		m.EachRead(func(x ir.Register) { found = found || x == r })
	}
	op.EachRead(func(x ir.Register) { found = found || slices.Contains(m.Dst, x) })
	if m.Effect == ir.Stores || m.Effect == ir.Loads && op.Effect == ir.Stores {
		found = found || !apart(m, op)
	}
	return !found
}

// slowJoin is Join for one block, with these lists.
func slowJoin(f *ir.Function, ops []ir.Op) []ir.Op {
	j := joiner{f: f, ops: ops}
	from := func(i, step int, wanted ir.Effect) {
		if j.ops[i].Effect != wanted || !j.joinable(&j.ops[i]) {
			return
		}
		near := slowNear(&j, i, step)
		for _, bytes := range []int64{widest, widest / 2} {
			if chunk := j.chunk(&j.ops[i], near, bytes); chunk != nil {
				j.join(i, chunk, bytes)
				return
			}
		}
	}
	for i := range ops {
		from(i, 1, ir.Loads)
	}
	for i := len(ops) - 1; i >= 0; i-- {
		from(i, -1, ir.Stores)
	}
	return slices.DeleteFunc(ops, func(op ir.Op) bool { return op.Code == nil })
}

// Accesses are joined as they are where each is compared with all operations that it passes.
func TestJoinedAsWithASearchThroughAllBetween(t *testing.T) {
	gone := 0
	for seed := range uint64(300) {
		f, ops := drawn(rand.New(rand.NewPCG(seed, 28)))
		want := slowJoin(f, slices.Clone(ops))
		b := &ir.Block{Ops: ops}
		f.Blocks = []*ir.Block{b}
		gone += Join(f)
		alike := func(a, b ir.Op) bool {
			return slices.Equal(a.Covers, b.Covers) && a.Bytes == b.Bytes && a.Offset == b.Offset
		}
		if !slices.EqualFunc(b.Ops, want, alike) {
			t.Fatalf("seed %d: other accesses are joined", seed)
		}
	}
	if gone < 100 {
		t.Errorf("%d accesses are gone", gone)
	}
}

// A neighbour is found as far as the window goes, and no farther.
func TestNeighboursAreLookedForInTheWindow(t *testing.T) {
	for between, want := range map[int]int{0: 1, window - 1: 1, window: 0} {
		f := new(ir.Function)
		for range 4 {
			f.NewRegister(trace.FileGeneral, 1)
		}
		access := func(n int) ir.Op {
			return ir.Op{Code: ir.LDL, Effect: ir.Loads, Memory: true, Space: trace.SpaceShared, Bytes: 4, Base: ir.RegOperand(0), Offset: int64(4 * n), Aligned: uint8(4 - 2*n),
				Covers: []uint32{uint32(n)}, Accesses: make([]ir.Access, 1), Keep: &trace.Instruction{Opcode: "ld"}, Dst: []ir.Register{ir.Register(1 + n)}}
		}
		b := &ir.Block{Ops: []ir.Op{access(0)}}
		for range between {
			b.Ops = append(b.Ops, ir.Op{Code: ir.IADD3, Dst: []ir.Register{3}})
		}
		b.Ops = append(b.Ops, access(1))
		f.Blocks = []*ir.Block{b}
		if got := Join(f); got != want {
			t.Errorf("%d operations between: %d accesses are gone, want %d", between, got, want)
		}
	}
}
