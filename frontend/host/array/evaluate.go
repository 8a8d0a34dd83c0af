// SPDX-License-Identifier: Apache-2.0

package array

import "sync"

// blockLength is how many elements are computed at a time. Blocks of a few operations fit
// into a cache of the second level.
const blockLength = 2048

// blocks are free ones of each type.
var blocks [typeEnd]sync.Pool

// place is how an operand or a result lies.
type place uint8

const (
	nowhere place = iota // there is none
	single               // one element, which goes with all, or all elements at a time
	inBlock              // the elements that are being computed
	whole                // all elements
)

// operand is an operand or a result of a step.
type operand struct {
	typ   Type
	place place
	data  storage
}

// at gives elements from, ..., to-1.
func (o *operand) at(from, to int) storage {
	switch {
	case o.place == whole:
		return kinds[o.typ].window(o.data, from, to)
	case o.place == inBlock && to-from < blockLength:
		return kinds[o.typ].window(o.data, 0, to-from)
	}
	return o.data
}

// step is an operation of an expression that is being computed.
type step struct {
	of       *expression
	out      operand
	operands [2]operand
}

// evaluation computes an expression, and with it what it is made of.
type evaluation struct {
	steps []step
	apart bool               // the result is used block by block
	free  [typeEnd][]operand // blocks that no later step reads
	taken []operand          // all blocks
}

// evaluate computes the result. An operation that was computed before, as a part of another
// expression, may be computed again. Then its result stays if something new reads it, and in
// any case at the third time. So no operation is computed more than three times.
func (e *expression) evaluate() {
	var v evaluation
	v.prepare(e)
	for from := 0; from < e.length; from += blockLength {
		v.block(from, min(from+blockLength, e.length))
	}
	v.end()
}

// inBlocks computes an expression for the first time and keeps nothing of it: use gets some
// elements and the place of the first. It stops when use reports false, which inBlocks reports too.
func (e *expression) inBlocks(use func(part storage, from int) bool) bool {
	v := evaluation{apart: true}
	v.prepare(e)
	result, ok := &v.steps[len(v.steps)-1].out, true
	for from := 0; from < e.length; from += blockLength {
		to := min(from+blockLength, e.length)
		v.block(from, to) // to the end: what stays has to be whole
		ok = ok && use(result.at(from, to), from)
	}
	v.end()
	return ok
}

func (v *evaluation) prepare(e *expression) {
	v.add(e)
	for i := range v.steps {
		v.place(&v.steps[i], e)
	}
}

// block computes the elements from, ..., to-1.
func (v *evaluation) block(from, to int) {
	for i := range v.steps {
		s := &v.steps[i]
		if s.of.source != nil {
			s.of.source(s.out.at(from, to), from)
			continue
		}
		s.of.compute(s.out.at(from, to), s.operands[0].at(from, to), s.operands[1].at(from, to))
	}
}

// add appends what an expression needs and then the expression, each once.
func (v *evaluation) add(e *expression) {
	for _, in := range e.inputs {
		if f := in.from; f != nil && f.result == nil {
			if f.step == 0 {
				v.add(f)
			}
			f.readers++
			if f.runs == 1 && e.runs == 0 {
				f.runs = 2 // stays: see evaluate
			}
		}
	}
	v.steps = append(v.steps, step{of: e})
	e.step = len(v.steps)
}

// place decides where a step's result goes, and frees blocks that it reads last.
func (v *evaluation) place(s *step, wanted *expression) {
	e := s.of
	switch {
	case e == wanted && !v.apart:
		s.out = operand{e.typ, whole, kinds[e.typ].make(e.length)}
	case e.runs >= 2:
		s.out = operand{e.typ, whole, e.keep()}
	default:
		s.out = v.reuse(e.typ)
	}
	for i := range e.inputs {
		s.operands[i] = v.operand(&e.inputs[i])
	}
}

func (v *evaluation) operand(in *input) operand {
	if in.from != nil {
		return v.computed(in.from)
	}
	if in.array == nil {
		return operand{}
	}
	t := in.array.typ
	switch {
	case in.repeat:
		o := v.fresh(t) // no step writes to it
		kinds[t].repeat(o.data, in.data)
		return o
	case in.array.Len() == 1 || in.entire:
		return operand{t, single, in.data}
	}
	return operand{t, whole, in.data}
}

// computed is the result of an expression, of an earlier step if need be.
func (v *evaluation) computed(e *expression) operand {
	if e.result != nil {
		return operand{e.typ, whole, e.result}
	}
	o := v.steps[e.step-1].out
	if e.readers--; e.readers == 0 && o.place == inBlock {
		v.free[o.typ] = append(v.free[o.typ], o)
	}
	return o
}

// reuse takes a block that no later step reads.
func (v *evaluation) reuse(t Type) operand {
	last := len(v.free[t]) - 1
	if last < 0 {
		return v.fresh(t)
	}
	o := v.free[t][last]
	v.free[t] = v.free[t][:last]
	return o
}

// fresh takes a block that no other step has.
func (v *evaluation) fresh(t Type) operand {
	o := operand{t, inBlock, blocks[t].Get()}
	if o.data == nil {
		o.data = kinds[t].make(blockLength)
	}
	v.taken = append(v.taken, o)
	return o
}

// end hands out results and gives the blocks back.
func (v *evaluation) end() {
	for i := range v.steps {
		s := &v.steps[i]
		if s.out.place == whole {
			s.of.finish(s.out.data)
		} else {
			s.of.finish(nil)
		}
	}
	for _, o := range v.taken {
		blocks[o.typ].Put(o.data)
	}
}
