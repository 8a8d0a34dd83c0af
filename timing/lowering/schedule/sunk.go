// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// Raise puts what LLVM has sunk into the parts around stores in front of the first of these stores, where the
// program has it, one chain behind the other. From then on no such store goes before the last value is there, so
// that all of them are live at a time. It gives how many values are.
func (s *Scheduler) Raise(b *ir.Block) int {
	chains, first := sunken(b, len(s.general))
	if len(chains) < 2 {
		return 0
	}
	s.table.list(b.Ops)
	g := s.graph(0)
	g.build(b.Ops, &s.table, 0, s.scratch)
	s.Steps += g.edges()
	order := (&raiser{g: g, chains: chains, first: first}).order()
	if order == nil {
		return 0
	}
	for _, c := range chains {
		b.Ops[c[len(c)-1]].Stored = true
	}
	b.Ops[first].Behind = true
	permute(b.Ops, order)
	return len(chains)
}

// sunken gives the chains that LLVM has sunk into parts with a store, and the place of the first
// of these stores. A chain makes what is stored, and has its places in ascending order. There are
// none where such a part has several stores: then it is a side of the program's own.
func sunken(b *ir.Block, registers int) (chains [][]int32, first int32) {
	first = -1
	if !slices.ContainsFunc(b.Parts, func(p ir.Part16) bool { return p.Sunk }) {
		return nil, first
	}
	makers := make([]int32, registers) // by register: the last operation that makes it, from 1 on
	taken, stores := make([]bool, len(b.Ops)), make([]bool, len(b.Parts))
	for i := range b.Ops {
		op := &b.Ops[i]
		if op.Effect == ir.Stores && b.Parts[op.Part].Sunk {
			if first < 0 {
				first = int32(i)
			}
			if stores[op.Part] {
				return nil, first
			}
			stores[op.Part] = true
			if c := sunkChain(b, makers, taken, op); len(c) > 0 {
				chains = append(chains, c)
			}
		}
		for _, r := range op.Dst {
			makers[r] = int32(i) + 1
		}
	}
	return chains, first
}

// sunkChain is what a store's part makes for its value.
func sunkChain(b *ir.Block, makers []int32, taken []bool, store *ir.Op) (list []int32) {
	add := func(o *ir.Operand) {
		if o.Kind != ir.Reg {
			return
		}
		at := makers[o.Register] - 1
		if at < 0 || taken[at] || b.Ops[at].Part != store.Part || b.Ops[at].Guard.Kind == ir.Reg || b.Ops[at].Partial || b.Ops[at].Effect > ir.Loads {
			return
		}
		taken[at] = true
		list = append(list, at)
	}
	for k := range store.Src {
		add(&store.Src[k])
	}
	for n := 0; n < len(list); n++ {
		op := &b.Ops[list[n]]
		for k := range op.Src {
			add(&op.Src[k])
		}
		add(&op.Base)
	}
	slices.Sort(list)
	return list
}

// raiser puts chains in front of the first store.
type raiser struct {
	g      *graph
	chains [][]int32
	first  int32
	of     []int32 // by operation: its chain, from 1 on
}

// order is the new order; nil where a chain needs another, or something that lies behind the first
// store. Where sums share values, the vendor's order is another.
func (r *raiser) order() []int32 {
	n := r.g.length()
	r.of = make([]int32, n)
	for number, c := range r.chains {
		for _, i := range c {
			r.of[i] = int32(number) + 1
		}
	}
	if !r.apart() {
		return nil
	}
	late, order := r.late(), make([]int32, 0, n)
	for i := range r.first {
		if r.of[i] == 0 && !late[i] {
			order = append(order, i)
		}
	}
	for _, c := range r.chains {
		order = append(order, c...)
	}
	for i := range n {
		if r.of[i] == 0 && (i >= r.first || late[i]) {
			order = append(order, i)
		}
	}
	return order
}

// apart reports whether chains need nothing of each other, and nothing that stays behind the first store.
func (r *raiser) apart() bool {
	for i := range r.g.length() {
		if r.of[i] == 0 {
			continue
		}
		for _, before := range r.g.before(i) {
			if r.of[before] != r.of[i] && (r.of[before] > 0 || before >= r.first) {
				return false
			}
		}
	}
	return true
}

// late says of what lies in front of the first store whether no chain needs it, and it only computes.
func (r *raiser) late() []bool {
	late := make([]bool, r.first)
	for i := r.first - 1; i >= 0; i-- {
		op := &r.g.ops[i]
		late[i] = r.of[i] == 0 && op.Effect == ir.Pure && !op.Memory && op.Keep == nil && op.Code.Class != trace.ClassNop
		for _, next := range r.g.behind(i) {
			late[i] = late[i] && r.of[next] == 0 && (next >= r.first || late[next])
		}
	}
	return late
}
