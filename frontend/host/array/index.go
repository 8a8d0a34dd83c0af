// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"math/bits"
	"unsafe"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/trace/hugepages"
)

// Iterate goes over the elements in row-major order.
func (a *Array) Iterate() starlark.Iterator { return &iterator{array: a} }

type iterator struct {
	array *Array
	next  int
}

func (it *iterator) Next(p *starlark.Value) bool {
	if it.next >= it.array.Len() {
		return false
	}
	*p = it.array.Element(it.next)
	it.next++
	return true
}

func (it *iterator) Done() {}

// Index gives element i in row-major order.
func (a *Array) Index(i int) starlark.Value { return a.Element(i) }

// Slice cuts elements out of an array, in row-major order: a copy of one
// dimension.
func (a *Array) Slice(start, end, step int) starlark.Value {
	// The interface has no room for an error. A slice is at most as long as
	// its array, so it is booked even beyond the limit, and the next array pays.
	if step == 1 {
		end = max(start, end)
		if start == 0 && end == a.Len() {
			return a.share([]int{end})
		}
		return a.part(start, end)
	}
	n := 0
	if step > 0 && start < end || step < 0 && start > end {
		n = (end-start-min(1, max(-1, step)))/step + 1
	}
	out := allocate(a.space, a.typ, []int{n}, n)
	kinds[a.typ].stride(out.data, a.values(), start, step)
	return out
}

// Get makes a[i] and a[row, column] work.
func (a *Array) Get(key starlark.Value) (starlark.Value, bool, error) {
	i, err := a.offset(key)
	if err != nil {
		return nil, false, err
	}
	return a.Element(i), true, nil
}

// SetKey makes a[i] = v and a[row, column] = v work.
func (a *Array) SetKey(key, v starlark.Value) error {
	if err := a.checkMutable(); err != nil {
		return err
	}
	i, err := a.offset(key)
	if err != nil {
		return err
	}
	s, err := fromStarlark(a.typ, v)
	if err != nil {
		return err
	}
	kinds[a.typ].store(a.own(), i, s)
	return nil
}

// offset is the row-major position of an index: one number counts elements of
// the whole array, a tuple has one number a dimension.
func (a *Array) offset(key starlark.Value) (int, error) {
	tuple, ok := key.(starlark.Tuple)
	if !ok {
		return position(key, a.Len())
	}
	if len(tuple) != len(a.shape) {
		return 0, fmt.Errorf("%d indexes for %s", len(tuple), a.describe())
	}
	at := 0
	for d, k := range tuple {
		i, err := position(k, a.shape[d])
		if err != nil {
			return 0, err
		}
		at = at*a.shape[d] + i
	}
	return at, nil
}

func position(key starlark.Value, n int) (int, error) {
	i, err := starlark.AsInt32(key)
	if err != nil {
		return 0, fmt.Errorf("an index must be an int, not %s", key.Type())
	}
	if i < -n || i >= n {
		return 0, fmt.Errorf("index %d out of range: %d elements", i, n)
	}
	if i < 0 {
		i += n
	}
	return i, nil
}

func (a *Array) gather(index []int, shape []int) (*Array, error) {
	out, err := newArray(a.space, a.typ, shape)
	if err != nil {
		return nil, err
	}
	kinds[a.typ].gather(out.data, a.values(), index)
	return out, nil
}

// indexes checks that every element of a is a position among n elements. The
// positions may be a's own memory: they hold until a changes.
func (a *Array) indexes(n int) ([]int, error) {
	if a.typ.Float() {
		return nil, fmt.Errorf("indexes must be integers, not %s", a.typ)
	}
	if own, ok := a.values().([]int64); ok && allWithin(own, n) {
		return positions(own), nil
	}
	out := positionsIn(hugepages.Back(make([]int, 0, a.Len())), a.values(), n)
	if i := len(out); i < a.Len() {
		return nil, fmt.Errorf("index %v at %d out of range: %d elements", a.Element(i), i, n)
	}
	return out, nil
}

// positions are numbers that are known to be positions, in their own memory where that can be.
func positions(s []int64) []int {
	if bits.UintSize == 64 {
		return unsafe.Slice((*int)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
	}
	out := make([]int, len(s))
	for i, v := range s {
		out[i] = int(v)
	}
	return out
}
