// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

func (a *Array) copy() (starlark.Value, error) { return a.convert(a.typ) }

func (a *Array) flatten() (starlark.Value, error) { return a.withShape([]int{a.Len()}) }

func (a *Array) withShape(shape []int) (starlark.Value, error) {
	out, err := a.convert(a.typ)
	if err != nil {
		return nil, err
	}
	out.shape = shape
	return out, nil
}

// reshape gives a copy with other dimensions: a.reshape(rows, columns).
func (a *Array) reshape(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, fmt.Errorf("takes the dimensions, without names")
	}
	shape, err := ints(args)
	if err != nil {
		return nil, err
	}
	n, err := Elements(shape)
	if err != nil {
		return nil, err
	}
	if n != a.Len() {
		return nil, fmt.Errorf("%d elements do not fill shape %v", a.Len(), shape)
	}
	return a.withShape(shape)
}

func ints(values starlark.Tuple) ([]int, error) {
	out := make([]int, len(values))
	for i, v := range values {
		n, err := starlark.AsInt32(v)
		if err != nil {
			return nil, fmt.Errorf("a dimension must be an int below 2^31, not %s", v)
		}
		out[i] = n
	}
	return out, nil
}

func (a *Array) twoDimensions() (rows, columns int, err error) {
	if len(a.shape) != 2 {
		return 0, 0, fmt.Errorf("needs two dimensions: reshape it first")
	}
	return a.shape[0], a.shape[1], nil
}

func (a *Array) transpose() (starlark.Value, error) {
	rows, columns, err := a.twoDimensions()
	if err != nil {
		return nil, err
	}
	index := make([]int, 0, a.Len())
	for c := range columns {
		for r := range rows {
			index = append(index, r*columns+c)
		}
	}
	return a.gather(index, []int{columns, rows})
}

// shift gives an array in which the element at (r, c) is that of a at
// (r+rows, c+columns), or the nearest one inside a: the neighbour of a stencil.
func (a *Array) shift(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var down, right int
	if err := starlark.UnpackArgs("shift", args, kwargs, "rows?", &down, "columns?", &right); err != nil {
		return nil, err
	}
	rows, columns, err := a.twoDimensions()
	if err != nil {
		return nil, err
	}
	src := a.values() // elements of other places are needed
	out, err := a.space.sourced(a.typ, a.shape, func(dst storage, from int) {
		kinds[a.typ].shift(dst, src, rows, columns, down, right, from)
	}, nil)
	if err == nil && out.waiting != nil {
		out.waiting.inputs[0] = inputOf(a, false)
	}
	return value(out, err)
}

func clamp(i, n int) int { return max(0, min(i, n-1)) }

func (a *Array) sorted() (starlark.Value, error) {
	out, err := a.convert(a.typ)
	if err != nil {
		return nil, err
	}
	kinds[a.typ].sort(out.own())
	return out, nil
}

// unique gives the different values in ascending order.
func (a *Array) unique() (starlark.Value, error) {
	v, err := a.sorted()
	if err != nil {
		return nil, err
	}
	ordered := v.(*Array)
	var index []int
	for i := range ordered.Len() {
		if i == 0 || kinds[a.typ].load(ordered.values(), i) != kinds[a.typ].load(ordered.values(), i-1) {
			index = append(index, i)
		}
	}
	return ordered.gather(index, []int{len(index)})
}

// take gathers: a.take(i)[k] is a[i[k]].
func (a *Array) take(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var at *Array
	if err := unpack(args, kwargs, &at); err != nil {
		return nil, err
	}
	if at.typ == I64 && at.waiting != nil && at.Len() <= maxTakeLater && at.interval().positionsIn(a.Len()) {
		return value(a.takeLater(at))
	}
	out, err := a.takeNow(at)
	if err == nil {
		out.note(a.interval())
	}
	return value(out, err)
}

// takeNow is take whose result does not wait.
func (a *Array) takeNow(at *Array) (*Array, error) {
	if e := at.passing(); e != nil {
		out, err := newArray(a.space, a.typ, at.shape)
		if err != nil {
			return nil, err
		}
		k, src := &kinds[a.typ], a.values()
		if e.inBlocks(func(part storage, from int) bool { return k.gatherAt(out.data, src, from, part.([]int64)) }) {
			return out, nil
		}
	}
	index, err := at.indexes(a.Len())
	if err != nil {
		return nil, err
	}
	return a.gather(index, at.shape)
}

// maxTakeLater is the most elements that are taken later. Of more, to take them again for a
// second reader costs more than to keep them: image-histogram takes 1.3 million, and 5 % longer.
const maxTakeLater = 1 << 18

// takeLater is take at positions that wait and are known to be in a: its result waits, too.
func (a *Array) takeLater(at *Array) (*Array, error) {
	if err := a.space.room(uint64(at.Len()) * uint64(a.typ.Bytes())); err != nil {
		return nil, err
	}
	k, all := &kinds[a.typ], inputOf(a.evaluated(), false)
	all.entire = true
	gather := func(dst, index, src storage) {
		if !k.gatherAt(dst, src, 0, index.([]int64)) {
			panic("BUG: an interval of positions is wrong")
		}
	}
	out := a.space.wait(a.typ, at.shape, at.Len(), gather, [2]input{inputOf(at, false), all})
	out.note(a.interval())
	return out, nil
}

// evaluated is the array, whose elements do not wait.
func (a *Array) evaluated() *Array {
	a.values()
	return a
}

// passing is the expression of positions that nothing has computed yet, so that it can be
// computed and used block by block; else nil.
func (at *Array) passing() *expression {
	if e := at.waiting; e != nil && e.result == nil && e.runs == 0 && e.typ == I64 {
		return e
	}
	return nil
}

// put scatters in place: a[i[k]] = v[k], or = v for a number.
func (a *Array) put(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return a.scatter(args, kwargs, kinds[a.typ].put)
}

// addAt scatters in place, adding: a[i[k]] += v[k], for repeated indexes too.
func (a *Array) addAt(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return a.scatter(args, kwargs, kinds[a.typ].addAt)
}

func (a *Array) scatter(args starlark.Tuple, kwargs []starlark.Tuple, write func(dst, src storage, index []int)) (starlark.Value, error) {
	var at *Array
	var value starlark.Value
	if err := unpack(args, kwargs, &at, &value); err != nil {
		return nil, err
	}
	if err := a.checkMutable(); err != nil {
		return nil, err
	}
	e := at.passing()
	if a == at || e != nil && !at.interval().positionsIn(a.Len()) && !e.inBlocks(func(part storage, _ int) bool { return allWithin(part.([]int64), a.Len()) }) {
		e = nil
	}
	parts := e == nil && a != at && at.typ != I64 && a.space.waits(at.Len()) && at.interval().positionsIn(a.Len())
	var index []int // positions that are checked; those of e are checked and not kept
	if e == nil && !parts {
		var err error
		if index, err = at.indexes(a.Len()); err != nil {
			return nil, err
		}
	}
	v, err := at.valuesFor(a, value)
	if err != nil {
		return nil, err
	}
	own := a.own()
	src, single := v.oneOrAll() // which may be a's own
	switch {
	case parts:
		at.scatterTo(own, a, src, single, write)
		return starlark.None, nil
	case e == nil:
	case at.waiting != nil && e.result == nil:
		e.inBlocks(func(part storage, from int) bool {
			s, index := src, part.([]int64)
			if !single {
				s = kinds[a.typ].window(src, from, from+len(index))
			}
			write(own, s, positions(index))
			return true
		})
		return starlark.None, nil
	default: // the values needed all positions
		if index, err = at.indexes(a.Len()); err != nil {
			return nil, err
		}
	}
	if a == at {
		index = slices.Clone(index)
	}
	write(own, src, index)
	return starlark.None, nil
}

// scatterTo writes at positions that are known to be in a target, some at a time. Those of other
// types than i64 would need eight bytes each if they were all at hand.
func (at *Array) scatterTo(own storage, a *Array, src storage, single bool, write func(dst, src storage, index []int)) {
	all, index := at.values(), make([]int, 0, blockLength)
	for from := 0; from < at.Len(); from += blockLength {
		to := min(from+blockLength, at.Len())
		if index = positionsIn(index[:0], kinds[at.typ].window(all, from, to), a.Len()); len(index) < to-from {
			panic("BUG: an interval of positions is wrong")
		}
		part := src
		if !single {
			part = kinds[a.typ].window(src, from, to)
		}
		write(own, part, index)
	}
}

// oneOrAll are the elements, or a single one if it is known that all are equal to it.
func (a *Array) oneOrAll() (s storage, single bool) {
	if e := a.waiting; e != nil && e.one != nil {
		return e.one, true
	}
	return a.values(), a.Len() == 1
}

// valuesFor makes value one number of target's type for each index in at, or
// one for all.
func (at *Array) valuesFor(target *Array, value starlark.Value) (*Array, error) {
	like := &Array{typ: target.typ, shape: at.shape, space: target.space}
	return like.operand(value)
}

// choose keeps the elements where the mask is not zero.
func (a *Array) choose(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var mask *Array
	if err := unpack(args, kwargs, &mask); err != nil {
		return nil, err
	}
	if !slices.Equal(mask.shape, a.shape) {
		return nil, fmt.Errorf("the mask is %s", mask.describe())
	}
	index := mask.positions()
	return a.gather(index, []int{len(index)})
}

// positions are the places of the elements that are not zero.
func (a *Array) positions() []int {
	var index []int
	for i := range a.Len() {
		if !kinds[a.typ].load(a.values(), i).zero() {
			index = append(index, i)
		}
	}
	return index
}

// nonzero gives those places as an i64 array.
func (a *Array) nonzero() (starlark.Value, error) {
	index := a.positions()
	out, err := newArray(a.space, I64, []int{len(index)})
	if err != nil {
		return nil, err
	}
	for i, at := range index {
		out.data.([]int64)[i] = int64(at)
	}
	return out, nil
}
