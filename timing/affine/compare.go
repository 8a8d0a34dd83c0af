// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// comparePredicate executes a setp, whose bit vectors the predicate expansion unit
// makes (section 4.3).
func (e *Evaluator) comparePredicate(i uint32, in *trace.Instruction, lanes *Lanes) (int, error) {
	o := &e.plan.operations[i]
	to := &e.predicates[in.Operands[0].Register.Number]
	if lanes.contains(&e.alive) {
		to.wrapped = false
	}
	a, err := e.source(in, 1)
	if err != nil {
		return 0, err
	}
	b, err := e.source(in, 2)
	if err != nil {
		return 0, err
	}
	for rest := lanes.Active; rest != 0; rest &= rest - 1 {
		to.cases[bits.TrailingZeros64(rest)] = ScalarCase
	}
	tuples := max(a.count(), b.count())
	for x := range a.count() {
		for y := range b.count() {
			left, right := a.at(x), b.at(y)
			e.compareTuples(o, left, right, lanes, to)
		}
	}
	return min(tuples, maxTuples), nil
}

func (s *source) count() int {
	if s.register == nil {
		return 1
	}
	return s.register.n
}

// at is a version of an operand; of a constant for all threads.
func (s *source) at(n int) *version {
	if s.register == nil {
		return &version{tuple: s.fixed, all: true}
	}
	return &s.register.items[n]
}

// compareTuples sets the bits of the threads that have both tuples.
func (e *Evaluator) compareTuples(o *operation, a, b *version, lanes *Lanes, to *bitVector) {
	for rest := lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		mask := lanes.Masks[w]
		if !a.all {
			mask &= a.lanes.Masks[w]
		}
		if !b.all {
			mask &= b.lanes.Masks[w]
		}
		if mask == 0 {
			continue
		}
		result, how := e.compareWarp(w, &a.tuple, &b.tuple, o, o.compare)
		to.cases[w] = max(to.cases[w], how)
		to.lanes.set(w, to.lanes.Masks[w]&^mask|result&mask)
		to.wrapped = to.wrapped || a.tuple.Wrapped || b.tuple.Wrapped
	}
}

// logic executes an operation on bit vectors.
func (e *Evaluator) logic(in *trace.Instruction, o *operation, lanes *Lanes) {
	to := &e.predicates[in.Operands[0].Register.Number]
	wrapped := false
	for k := 1; k < len(in.Operands); k++ {
		if p := &in.Operands[k]; p.Kind == trace.OperandRegister {
			wrapped = wrapped || e.predicates[p.Register.Number].wrapped
		}
	}
	to.wrapped = wrapped || to.wrapped && !lanes.contains(&e.alive)
	for rest := lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		to.cases[w] = EndsCase // bit vectors are combined a warp at a time
		v := e.predicateOf(&in.Operands[1], w)
		var u uint32
		if len(in.Operands) > 2 {
			u = e.predicateOf(&in.Operands[2], w)
		}
		switch o.code {
		case codePredicateAnd:
			v &= u
		case codePredicateOr:
			v |= u
		case codePredicateXor:
			v ^= u
		case codePredicateNot:
			v = ^v
		}
		mask := lanes.Masks[w]
		to.lanes.set(w, to.lanes.Masks[w]&^mask|v&mask)
	}
}

// compareWarp compares two tuples for all threads of a warp, and says in which of the
// three cases of section 4.3. The first is a scalar comparison for the thread block.
// The second takes the first and the last thread, when they agree and no thread
// between them can differ, because the difference changes by a constant from thread
// to thread. The third goes thread by thread.
func (e *Evaluator) compareWarp(w int, a, b *Tuple, o *operation, c comparison) (uint32, Case) {
	lineA, okA := e.lineOf(w, a)
	lineB, okB := e.lineOf(w, b)
	if !okA || !okB {
		return e.compareLanes(w, a, b, o, c), LanesCase
	}
	last := int64(31 - bits.LeadingZeros32(e.full[e.warps[w].warp]))
	firstA, firstB := extend(lineA.start, o.bits, o.signed), extend(lineB.start, o.bits, o.signed)
	if lineA.step == 0 && lineB.step == 0 {
		return spread(c.holds(firstA, firstB, o)), ScalarCase
	}
	endA, endB := lineA.start+lineA.step*last, lineB.start+lineB.step*last
	lastA, lastB := extend(endA, o.bits, o.signed), extend(endB, o.bits, o.signed)
	straight := lastA-firstA == endA-lineA.start && lastB-firstB == endB-lineB.start
	before, after := order(firstA, firstB, o), order(lastA, lastB, o)
	if straight && before == after && before != 0 {
		return spread(c.holds(firstA, firstB, o)), EndsCase
	}
	if straight && c != equal && c != notEqual && c.holds(firstA, firstB, o) == c.holds(lastA, lastB, o) {
		return spread(c.holds(firstA, firstB, o)), EndsCase
	}
	return e.compareLanes(w, a, b, o, c), LanesCase
}

func spread(holds bool) uint32 {
	if holds {
		return ^uint32(0)
	}
	return 0
}

// compareLanes is the fall-back on the lanes.
func (e *Evaluator) compareLanes(w int, a, b *Tuple, o *operation, c comparison) uint32 {
	var mask uint32
	for lane := range trace.WarpSize {
		p := e.place(w, lane)
		if c.holds(extend(a.At(&p), o.bits, o.signed), extend(b.At(&p), o.bits, o.signed), o) {
			mask |= 1 << lane
		}
	}
	return mask
}

// order is -1, 0 or 1 as a is less, equal or greater.
func order(a, b int64, o *operation) int {
	if a == b {
		return 0
	}
	isLess := a < b
	if !o.signed && o.bits == 64 {
		isLess = uint64(a) < uint64(b)
	}
	if isLess {
		return -1
	}
	return 1
}

// holds reports whether a comparison holds.
func (c comparison) holds(a, b int64, o *operation) bool {
	r := order(a, b, o)
	switch c {
	case equal:
		return r == 0
	case notEqual:
		return r != 0
	case less:
		return r < 0
	case lessEqual:
		return r <= 0
	case greater:
		return r > 0
	}
	return r >= 0
}

// place is where a thread of the batch is.
func (e *Evaluator) place(w, lane int) Point {
	p := e.places[e.warps[w].warp][lane]
	p[3], p[4], p[5] = e.index[w][0], e.index[w][1], e.index[w][2]
	return p
}

// line is a value that changes by a constant from thread to thread of a warp.
type line struct{ start, step int64 }

// lineOf gives the values of a tuple in a warp as a line; false when they are none.
// They are none for a mod-type tuple, or where threadIdx.y changes within the warp and
// the value does not go on by the same step.
func (e *Evaluator) lineOf(w int, t *Tuple) (line, bool) {
	if t.Divisor != 0 {
		return line{}, false
	}
	o := &t.Offsets
	if !e.rows[e.warps[w].warp] && (o[1] != o[0]*e.extent[0] || e.extent[2] > 1 && o[2] != o[1]*e.extent[1]) {
		return line{}, false
	}
	p := e.place(w, 0)
	return line{t.At(&p), o[0]}, true
}
