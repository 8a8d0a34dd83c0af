// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"slices"

	"github.com/warptape/warptape/trace"
)

// match finds the chains of a block, in the order of their last compute
// instruction or store. A load and an intermediate result have one use, so that no
// instruction is in two chains.
func (f *finder) match(v *values) []Chain {
	var found []Chain
	for n := range v.list {
		i := int32(v.first + n)
		var c Chain
		var ok bool
		if f.stores(i) {
			c, ok = f.copies(v, i)
		} else if f.computes(&f.kernel.Instructions[i]) && !f.widens(v, i) {
			c, ok = f.compute(v, i)
		}
		if ok {
			found = append(found, c)
		}
	}
	return found
}

// copies matches a store of what a load has brought.
func (f *finder) copies(v *values, store int32) (Chain, bool) {
	place := slices.Index(f.names.reads[store], f.valueName(store))
	from := v.at(store).reads[place]
	if from < 0 || !v.only(from) || !f.loads(from) && !f.widens(v, from) {
		return Chain{}, false
	}
	b := builder{f: f, v: v}
	b.load(from)
	return b.end(Copy, store), true
}

// valueName is the name of the register that a store writes to memory.
func (f *finder) valueName(store int32) int32 {
	return f.names.number(f.kernel.Instructions[store].Operands[1].Register)
}

// storeOf is the store that is the only one to read what i computes, as its value;
// false without one.
func (f *finder) storeOf(v *values, i int32) (int32, bool) {
	s := v.at(i).user
	if !v.only(i) || s < 0 || !f.stores(s) {
		return 0, false
	}
	name := f.valueName(s)
	times := 0
	for place, r := range f.names.reads[s] {
		if v.at(s).reads[place] == i {
			times++
			if r != name {
				return 0, false
			}
		}
	}
	return s, times == 1
}

// compute matches the patterns whose last ALU instruction is i.
func (f *finder) compute(v *values, i int32) (Chain, bool) {
	in := &f.kernel.Instructions[i]
	sources := f.operands(v, i)
	b := builder{f: f, v: v}
	n := b.take(sources)
	if in.Operands[0].Register.File == trace.FilePredicate {
		return b.predicate(n, i)
	}
	if adds(in) && len(sources) == 3 {
		if c, ok := f.multiplyAdd(v, i, sources); ok {
			return c, true
		}
	}
	store, stored := f.storeOf(v, i)
	if n.computed == 1 && n.loaded == 1 && n.immediate == 0 && n.other == 0 {
		return b.combined(i, store, stored)
	}
	if n.computed > 0 || n.other > 0 {
		return Chain{}, false
	}
	b.compute(i)
	switch {
	case n.loaded == 2 && n.immediate == 0 && stored:
		return b.end(AddTwo, store), true
	case n.loaded == 2 && n.immediate == 0:
		return b.end(Combine, -1), true
	case n.loaded == 1 && n.immediate == 1 && stored:
		return b.end(Scale, store), true
	case n.loaded == 1 && n.immediate == 0 && stored:
		return b.end(Unary, store), true
	}
	return Chain{}, false
}

// multiplyAdd matches a multiply-add. It may be of two loads with a product that
// goes back for the addition at the core (section 5). Or it is of one load with
// an immediate and another load, g and f of the last two patterns in one
// instruction.
func (f *finder) multiplyAdd(v *values, i int32, sources []operand) (Chain, bool) {
	b := builder{f: f, v: v}
	factors, addend := sources[:2], sources[2]
	if addend.kind == loaded && (addend.from == factors[0].from || addend.from == factors[1].from) {
		return Chain{}, false // the core would need a factor, too
	}
	if factors[0].kind == loaded && factors[1].kind == loaded && factors[0].from != factors[1].from {
		b.take(factors)
		b.compute(i)
		c := b.end(Combine, -1)
		c.Split = true
		return c, true
	}
	n := b.take(factors)
	if n.loaded != 1 || n.immediate != 1 || addend.kind != loaded {
		return Chain{}, false
	}
	b.take(sources[2:])
	b.compute(i)
	if store, ok := f.storeOf(v, i); ok {
		return b.end(ScaleAddStored, store), true
	}
	return b.end(ScaleCombine, -1), true
}

// builder gathers the members of a chain.
type builder struct {
	f        *finder
	v        *values
	chain    Chain
	distinct []int32 // sources from loads that have been taken
}

// kinds counts operands.
type kinds struct{ loaded, immediate, computed, other int }

// take adds the loads among sources and counts each value once.
func (b *builder) take(sources []operand) kinds {
	var n kinds
	for i, o := range sources {
		switch o.kind {
		case loaded:
			if !slices.Contains(b.distinct, o.from) {
				n.loaded++
				b.load(o.from)
			}
		case immediate:
			n.immediate++
		case computed:
			if !slices.ContainsFunc(sources[:i], func(p operand) bool { return p.kind == computed && p.from == o.from }) {
				n.computed++
			}
		default:
			n.other++
		}
	}
	return n
}

// load adds a load, with the conversion that widens it if from is that.
func (b *builder) load(from int32) {
	b.distinct = append(b.distinct, from)
	if !b.f.loads(from) {
		b.chain.Members = append(b.chain.Members, uint32(from))
		from = b.v.at(from).reads[0]
	}
	b.chain.Members = append(b.chain.Members, uint32(from))
	b.chain.Loads = append(b.chain.Loads, uint32(from))
}

func (b *builder) compute(i int32) {
	b.chain.Members = append(b.chain.Members, uint32(i))
	b.chain.Compute = append(b.chain.Compute, uint32(i))
}

// end makes the chain; store is -1 for none.
func (b *builder) end(p Pattern, store int32) Chain {
	c := &b.chain
	c.Pattern, c.Store = p, NoStore
	if store >= 0 {
		c.Store = uint32(store)
		c.Members = append(c.Members, uint32(store))
	}
	slices.Sort(c.Members)
	slices.Sort(c.Loads)
	slices.Sort(c.Compute)
	return *c
}

// predicate matches comparisons.
func (b *builder) predicate(n kinds, i int32) (Chain, bool) {
	if n.computed > 0 || n.other > 0 {
		return Chain{}, false
	}
	b.compute(i)
	switch {
	case n.loaded == 2 && n.immediate == 0:
		return b.end(Compare, -1), true
	case n.loaded == 1 && n.immediate == 1:
		return b.end(CompareImm, -1), true
	}
	return Chain{}, false
}

// combined matches an instruction on a load and on g(b,i).
func (b *builder) combined(i, store int32, stored bool) (Chain, bool) {
	inner := int32(-1)
	for _, o := range b.f.operands(b.v, i) {
		if o.kind == computed {
			inner = o.from
		}
	}
	n := b.take(b.f.operands(b.v, inner))
	if b.f.kernel.Instructions[inner].Operands[0].Register.File == trace.FilePredicate || n != (kinds{loaded: 1, immediate: 1}) {
		return Chain{}, false
	}
	b.compute(inner)
	b.compute(i)
	if stored {
		return b.end(ScaleAddStored, store), true
	}
	return b.end(ScaleCombine, -1), true
}
