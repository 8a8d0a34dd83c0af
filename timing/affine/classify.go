// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// analysis classifies the values of a kernel.
type analysis struct {
	*values
	k          *trace.Kernel
	operations []operation // code is codeNone for what affine computation does not know
	why        []string    // then
	facts      []fact      // per value
	regions    map[uint32][]uint32
	exits      map[int32][]uint32
	control    [][]uint32
	options    Options
	depth      int           // of the affine SIMT stack
	deep       []bool        // per block: the stack does not reach it
	file       conditionFile // of the conditions that have been asked for
}

// analyse finds the fixed point: types only ever grow, and with them what exceeds the
// stack and the condition registers.
func analyse(g *graph, o Options) *analysis {
	a := &analysis{values: newValues(g), k: g.k, regions: map[uint32][]uint32{}, exits: map[int32][]uint32{}, control: controlDependence(g), options: o, depth: o.stackDepth()}
	a.deep, a.file = make([]bool, len(g.k.Blocks)), conditionFile{entries: a.depth, given: map[condition]bool{}}
	a.operations = make([]operation, len(g.k.Instructions))
	a.why = make([]string, len(g.k.Instructions))
	for i := range g.k.Instructions {
		a.operations[i], a.why[i] = decode(g.k, &g.k.Instructions[i])
	}
	a.facts = make([]fact, len(a.list))
	for id := range a.facts {
		a.facts[id] = nothing
	}
	for more := true; more; {
		a.settle()
		undefined := a.undefine()
		deeper := a.nest()
		more = a.allocate() || deeper || undefined
	}
	return a
}

// undefine refuses what is still unknown when nothing changes any more: on all ways to it, nothing
// has written the register. Only a phi begins such values. It returns whether there were any.
func (a *analysis) undefine() bool {
	found := false
	for id := range a.list {
		if x := &a.list[id]; x.kind == valuePhi && x.same == none && a.facts[id].typ == unknown {
			a.facts[id] = a.refuse(a.k.Blocks[x.block].First, unwrittenReason)
			found = true
		}
	}
	return found
}

// settle evaluates values until none changes.
func (a *analysis) settle() {
	for changed := true; changed; {
		changed = false
		for id := range a.list {
			if a.list[id].same != none || a.facts[id].typ == NonAffine && a.facts[id].zeros == 0 {
				continue
			}
			f := a.facts[id]
			f.join(a.evaluate(valueID(id)))
			if f.typ == NonAffine {
				f.zeros, f.conditions = 0, conditions{}
			}
			if f != a.facts[id] {
				a.facts[id] = f
				changed = true
			}
		}
	}
}

// evaluate is one step of the fixed point.
func (a *analysis) evaluate(id valueID) fact {
	switch x := &a.list[id]; x.kind {
	case valuePhi:
		return a.phi(id)
	case valueMerge:
		return a.merge(x)
	default:
		return a.apply(x.instr)
	}
}

// use is the fact of a value where block b uses it. A value that a loop computes
// anew in every iteration, used behind the loop by threads that left it at different
// times, is divergent and carried by the loop.
func (a *analysis) use(id valueID, b uint32) fact {
	if id == none {
		return fact{typ: NonAffine, cause: cause{text: unwrittenReason}}
	}
	f := a.facts[id]
	for at := a.g.loop[a.list[id].block]; at >= 0 && !a.g.within(b, at); at = a.g.loops[at].parent {
		if a.leavesApart(at) && !a.invariant(id, at, 0) {
			f.conditions.carried = true
		}
	}
	return a.vector(&a.list[id], f)
}

// maxInvariantDepth bounds the search of invariant.
const maxInvariantDepth = 16

// invariant reports whether a value is the same in every iteration of a loop.
func (a *analysis) invariant(id valueID, l int32, depth int) bool {
	if id == none || !a.g.within(a.list[id].block, l) {
		return true
	}
	x := &a.list[id]
	if x.kind != valueOperation || depth > maxInvariantDepth {
		return false
	}
	for _, from := range a.uses[x.instr] {
		if !a.invariant(from, l, depth+1) {
			return false
		}
	}
	return true
}

// operand is the fact of operand k of an instruction.
func (a *analysis) operand(i uint32, k int) fact {
	switch o := &a.k.Instructions[i].Operands[k]; o.Kind {
	case trace.OperandRegister:
		return a.use(a.uses[i][k], a.g.blockOf[i])
	case trace.OperandImmediate:
		return fact{typ: Scalar, zeros: zerosOf(o.Value)}
	case trace.OperandSymbol:
		return fact{typ: Scalar, linked: true}
	case trace.OperandSpecial:
		return special(o.Symbol, i)
	}
	return fact{typ: NonAffine, cause: cause{i, "an operand of a kind that affine computation does not know"}}
}

// zerosOf is how many of the lowest bits of a constant are zero.
func zerosOf(v int64) uint8 { return uint8(bits.TrailingZeros64(uint64(v))) }

// special is the fact of a special register.
func special(name string, i uint32) fact {
	s, ok := specials[name]
	if !ok {
		return fact{typ: NonAffine, cause: cause{i, "%" + name + " is no affine function of threadIdx and blockIdx"}}
	}
	switch {
	case s < dimensions/2:
		return fact{typ: Affine}
	case s < dimensions:
		return fact{typ: Block}
	}
	return fact{typ: Scalar}
}

// merge is the fact of what a guarded instruction leaves: the choice is a divergent
// condition unless all threads make it together.
func (a *analysis) merge(x *value) fact {
	f := a.use(x.in[0], x.block)
	if f.typ == unknown || f.typ == NonAffine {
		return f
	}
	if x.predicate {
		return a.refuse(x.instr, "computes a predicate under a guard")
	}
	p := a.use(a.guards[x.instr], x.block)
	if p.typ == NonAffine {
		return a.refuse(x.instr, "the guard is not affine")
	}
	if x.in[1] == none {
		return f
	}
	f.join(a.use(x.in[1], x.block))
	if !a.agrees(&p) {
		c := condition{place: x.instr, byItself: true}
		if a.file.refuses(c) {
			return a.refuse(x.instr, a.noRegister())
		}
		f.conditions.add(c)
	}
	return f
}

// agrees reports whether all threads have the same value: a predicate that does
// never lets them part.
func (a *analysis) agrees(f *fact) bool {
	return f.typ <= Scalar && !f.conditions.divergent()
}

// address is the fact of the address operand of a memory instruction.
func (a *analysis) address(i uint32, k int) fact {
	o := &a.k.Instructions[i].Operands[k]
	if o.HasBase {
		return a.use(a.uses[i][k], a.g.blockOf[i])
	}
	return fact{typ: Scalar, linked: true}
}
