// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"math"
	"strings"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/host/pcg"
)

// Array is a dense row-major array of any number of dimensions. One without
// dimensions is a scalar: it goes with every element of another operand.
type Array struct {
	typ     Type
	shape   []int
	data    storage     // see values
	waiting *expression // has data, or will
	space   *Space
	booked  *booking // of a small array
	frozen  bool
	shared  bool // another array may have the same data: see own
	partOf  int  // how many elements lie in the memory that data is a part of; 0: as many as in data
	within  interval
}

// New makes an array of zeros; the shape's product is its length.
func New(space *Space, t Type, shape ...int) (*Array, error) { return newArray(space, t, shape) }

func newArray(space *Space, t Type, shape []int) (*Array, error) {
	n, err := Elements(shape)
	if err != nil {
		return nil, err
	}
	size := uint64(n) * uint64(t.Bytes())
	if err := space.room(size); err != nil {
		return nil, err
	}
	return allocate(space, t, shape, n), nil
}

// allocate makes an array of n elements and books its memory.
func allocate(space *Space, t Type, shape []int, n int) *Array {
	return book(&Array{typ: t, shape: shape, data: kinds[t].make(n), space: space}, n)
}

// Elements is how many elements an array of a shape has.
func Elements(shape []int) (int, error) {
	n := 1
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v: a dimension is negative", shape)
		}
		if d > 0 && n > math.MaxInt32*16/d {
			return 0, fmt.Errorf("shape %v: too many elements", shape)
		}
		n *= d
	}
	return n, nil
}

// like makes an uninitialised array of a's shape.
func (a *Array) like(t Type) (*Array, error) { return newArray(a.space, t, a.shape) }

// ElementType is the type of the elements.
func (a *Array) ElementType() Type { return a.typ }

// Shape is the length of each dimension, the outermost first.
func (a *Array) Shape() []int { return a.shape }

// Len is the number of elements.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.shape {
		n *= d
	}
	return n
}

// ByteSize is the size of all elements.
func (a *Array) ByteSize() uint64 { return uint64(a.Len()) * uint64(a.typ.Bytes()) }

// Float gives element i as a float64, exactly for all types but i64 and u64.
func (a *Array) Float(i int) float64 {
	switch s := a.values().(type) {
	case []float32:
		return float64(s[i])
	case []float64:
		return s[i]
	}
	return kinds[a.typ].load(a.values(), i).float()
}

// Element gives element i as a Starlark number.
func (a *Array) Element(i int) starlark.Value { return kinds[a.typ].load(a.values(), i).starlark() }

func (a *Array) describe() string {
	dims := make([]string, len(a.shape))
	for i, d := range a.shape {
		dims[i] = fmt.Sprint(d)
	}
	return fmt.Sprintf("%s[%s]", a.typ, strings.Join(dims, ", "))
}

// shown is how many elements String prints.
const shown = 8

// String is the type, the shape and the first elements.
func (a *Array) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s(", a.describe())
	for i := range min(a.Len(), shown) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.Element(i).String())
	}
	if a.Len() > shown {
		b.WriteString(", ...")
	}
	b.WriteByte(')')
	return b.String()
}

// Type makes Array a starlark.Value.
func (a *Array) Type() string { return "array" }

// Freeze makes the array immutable, as Starlark does with global values once
// a program has been loaded.
func (a *Array) Freeze() {
	a.values() // several threads may read it from now on
	a.frozen = true
}

// Truth is whether the array has elements; of a scalar, whether it is not 0.
func (a *Array) Truth() starlark.Bool {
	if len(a.shape) == 0 {
		return starlark.Bool(!kinds[a.typ].load(a.values(), 0).zero())
	}
	return a.Len() > 0
}

// Hash refuses: arrays can change.
func (a *Array) Hash() (uint32, error) { return 0, fmt.Errorf("an array cannot be a dictionary key") }

func (a *Array) checkMutable() error {
	if a.frozen {
		return fmt.Errorf("cannot change a frozen array: make it inside a function")
	}
	return nil
}

func (a *Array) convert(t Type) (*Array, error) {
	if t == a.typ {
		if err := a.space.room(a.ByteSize()); err != nil {
			return nil, err
		}
		return a.share(a.shape), nil
	}
	convert := kinds[t].convert
	out, err := a.space.result(t, a.shape, func(dst, src, _ storage) { convert(dst, src) }, true, a)
	if err == nil {
		out.note(a.interval().as(t))
	}
	return out, err
}

// cut is a copy of the elements from a place to before another, in another shape.
func (a *Array) cut(from, to int, shape []int) *Array {
	return book(&Array{typ: a.typ, shape: shape, data: kinds[a.typ].cut(a.values(), from, to), space: a.space}, to-from)
}

// share is a copy in another shape. It has a's elements until one of both is written.
func (a *Array) share(shape []int) *Array {
	if !a.frozen { // a frozen array is never written, and may be read by several threads
		a.shared = true
	}
	if a.waiting != nil {
		a.waiting.users++
	}
	return book(&Array{typ: a.typ, shape: shape, data: a.data, waiting: a.waiting, space: a.space, shared: true, partOf: a.partOf}, a.Len())
}

// part is elements from, ..., to-1 as an array. A long one that is a half or more of what its
// memory has stays there until one of both arrays is written. So no array keeps more than twice the memory
// that is booked for it.
func (a *Array) part(from, to int) *Array {
	s, n := a.values(), to-from
	memory := max(a.partOf, a.Len())
	if !a.space.waits(n) || 2*n < memory {
		return a.cut(from, to, []int{n})
	}
	if !a.frozen { // see share
		a.shared = true
	}
	return book(&Array{typ: a.typ, shape: []int{n}, data: kinds[a.typ].window(s, from, to), space: a.space, shared: true, partOf: memory}, n)
}

// own is the array's elements to be written: it parts them from those of other arrays.
func (a *Array) own() storage {
	a.values()
	a.within = interval{}
	if a.shared {
		a.data, a.shared, a.partOf = kinds[a.typ].cut(a.data, 0, a.Len()), false, 0
	}
	return a.data
}

// DrawFloats sets all elements of an f32 or f64 array to random numbers from low on and below high, each
// rounded to its type: the first bits of the next number of g are their place in between.
func (a *Array) DrawFloats(g pcg.Source, low, high float64, bits int) {
	switch s := a.own().(type) {
	case []float32:
		drawFloats(s, g, low, high-low, bits)
	case []float64:
		drawFloats(s, g, low, high-low, bits)
	}
}

// Int32s is the memory of an i32 array.
func (a *Array) Int32s() []int32 { return a.own().([]int32) }

// SetShape gives an array that no program holds yet other dimensions, of as many elements.
func (a *Array) SetShape(shape ...int) error {
	n, err := Elements(shape)
	if err == nil && n != a.Len() {
		err = fmt.Errorf("%d elements do not fill shape %v", a.Len(), shape)
	}
	if err == nil {
		a.shape = shape
	}
	return err
}

// SetFloat sets element i of an f32 or f64 array, rounded to its type.
func (a *Array) SetFloat(i int, v float64) { kinds[a.typ].store(a.own(), i, scalar{f: v}) }

// Int gives element i of an integer array.
func (a *Array) Int(i int) int64 {
	s := kinds[a.typ].load(a.values(), i)
	return s.i | int64(s.u)
}

// DrawInts sets all elements of an integer array to random numbers low ... low+span-1, which it must
// hold: low and the high half of the product of span and the next number of g.
func (a *Array) DrawInts(g pcg.Source, low int64, span uint64) {
	kinds[a.typ].random(a.own(), g, low, span)
	if span-1 < sure && between(low, low).small() {
		a.within = between(low, low+int64(span-1))
	}
}

// SetInt sets element i of an integer array, which must hold v.
func (a *Array) SetInt(i int, v int64) {
	kinds[a.typ].store(a.own(), i, scalar{class: classSigned, i: v, u: uint64(v)})
}
