// SPDX-License-Identifier: Apache-2.0

package array

import "runtime"

// Elementwise operations on long arrays wait until the result is read. Then an
// expression is computed as a whole, some thousand elements at a time. What lies between
// its operations stays in the processor's caches and takes no memory. Elements are those
// of one operation after the other, to the bit.

const (
	// deferFrom is the least length of an array that waits. A shorter one costs more as an
	// expression than it saves.
	deferFrom = 4096
	// maxOperations bounds an expression; what is used twice counts twice.
	maxOperations = 400
	// maxHeldPart is the part of a program's memory that operands of an expression may take while
	// it waits. A slice counts as a whole: it lies in its array's memory, but may come to need its own.
	maxHeldPart = 8
)

// expression is an elementwise operation that waits, or its result.
type expression struct {
	typ     Type
	length  int
	space   *Space
	compute func(dst, a, b storage)
	inputs  [2]input
	// source, in the place of compute, gives elements from a place on. one is the element that
	// all are equal to.
	source func(dst storage, from int)
	one    storage
	within interval
	size   int    // operations in it, this one included
	held   uint64 // bytes of arrays that it keeps; what is used twice counts twice
	users  int    // arrays and expressions that have had it
	runs   int    // how many times it was computed
	result storage

	step, readers int // while it is computed: its place among the steps from 1 on, and who reads it
}

// input is an operand: elements, or an expression.
type input struct {
	array  *Array // whose elements they are: keeps their memory booked
	data   storage
	from   *expression
	repeat bool // data is one element, to be repeated
	entire bool // an operation needs all elements at a time
}

// inputOf makes an array an operand that no later change of the array reaches.
func inputOf(a *Array, repeat bool) input {
	if a.waiting != nil && a.waiting.result == nil {
		a.waiting.users++
		return input{from: a.waiting}
	}
	data := a.values()
	if !a.frozen { // see share
		a.shared = true
	}
	return input{array: a, data: data, repeat: repeat}
}

// waits reports whether an operation on so many elements waits.
func (s *Space) waits(n int) bool { return n >= deferFrom && !s.literal }

// result makes an array of what compute gives, at once or when it is read. Where repeat is
// false, compute gets an operand of one element as it is.
func (s *Space) result(t Type, shape []int, compute func(dst, a, b storage), repeat bool, operands ...*Array) (*Array, error) {
	n, err := Elements(shape)
	if err != nil {
		return nil, err
	}
	if !s.waits(n) {
		return s.immediate(t, shape, compute, operands)
	}
	if err := s.room(uint64(n) * uint64(t.Bytes())); err != nil {
		return nil, err
	}
	var inputs [2]input
	for i, o := range operands {
		inputs[i] = inputOf(o, repeat && o.Len() == 1)
	}
	return s.wait(t, shape, n, compute, inputs), nil
}

// wait makes an array of n elements that compute gives when it is read.
func (s *Space) wait(t Type, shape []int, n int, compute func(dst, a, b storage), inputs [2]input) *Array {
	e := &expression{typ: t, length: n, space: s, compute: compute, inputs: inputs, size: 1, users: 1}
	for _, in := range inputs {
		if in.from != nil {
			e.size += in.from.size
			e.held += in.from.held
		} else if in.array != nil {
			e.held += in.array.ByteSize()
		}
	}
	out := book(&Array{typ: t, shape: shape, space: s, waiting: e}, n)
	if e.size >= maxOperations || e.held > s.limit/maxHeldPart {
		out.values()
	}
	return out
}

// sourced makes an array of what source gives, at once or when it is read. one is the element
// that all are equal to, or nil.
func (s *Space) sourced(t Type, shape []int, source func(dst storage, from int), one storage) (*Array, error) {
	n, err := Elements(shape)
	if err != nil {
		return nil, err
	}
	if !s.waits(n) {
		out, err := newArray(s, t, shape)
		if err == nil {
			source(out.data, 0)
		}
		return out, err
	}
	if err := s.room(uint64(n) * uint64(t.Bytes())); err != nil {
		return nil, err
	}
	e := &expression{typ: t, length: n, space: s, source: source, one: one, size: 1, users: 1}
	return book(&Array{typ: t, shape: shape, space: s, waiting: e}, n), nil
}

func (s *Space) immediate(t Type, shape []int, compute func(dst, a, b storage), operands []*Array) (*Array, error) {
	out, err := newArray(s, t, shape)
	if err != nil {
		return nil, err
	}
	var data [2]storage
	for i, o := range operands {
		data[i] = o.values()
	}
	compute(out.data, data[0], data[1])
	return out, nil
}

// values are the array's elements, computed if they have waited.
func (a *Array) values() storage {
	if e := a.waiting; e != nil {
		if e.result == nil {
			e.evaluate()
		}
		a.data, a.waiting, a.within = e.result, nil, e.within
		a.shared = a.shared || e.users > 1
	}
	return a.data
}

// keep has the result of an expression stay, besides that of the one that is wanted. Its
// array may be gone, so its memory is booked until the expression is gone.
func (e *expression) keep() storage {
	size := uint64(e.length) * uint64(e.typ.Bytes())
	e.space.used.Add(int64(size))
	runtime.AddCleanup(e, give, claim{e.space.used, size})
	return kinds[e.typ].make(e.length)
}

// finish ends a computation. What has a result needs its operands no more.
func (e *expression) finish(result storage) {
	e.step, e.readers = 0, 0
	e.runs++
	if result != nil {
		e.result, e.inputs, e.source = result, [2]input{}, nil
	}
}
