// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Module is what host programs know as "array": functions that make arrays or
// combine several.
var Module = &starlarkstruct.Module{
	Name: "array",
	Members: starlark.StringDict{
		"zeros":   starlark.NewBuiltin("array.zeros", zeros),
		"full":    starlark.NewBuiltin("array.full", full),
		"arange":  starlark.NewBuiltin("array.arange", arange),
		"ranges":  starlark.NewBuiltin("array.ranges", ranges),
		"concat":  starlark.NewBuiltin("array.concat", concat),
		"where":   starlark.NewBuiltin("array.where", where),
		"minimum": pairBuiltin("array.minimum", opMin),
		"maximum": pairBuiltin("array.maximum", opMax),
		"fma":     starlark.NewBuiltin("array.fma", fusedMultiplyAdd),
		"matmul":  starlark.NewBuiltin("array.matmul", matmul),
		"fft":     starlark.NewBuiltin("array.fft", fft),
		"to_f16":  starlark.NewBuiltin("array.to_f16", toHalf),
		"to_bf16": starlark.NewBuiltin("array.to_bf16", toBfloat),
		"of_bf16": starlark.NewBuiltin("array.of_bf16", ofBfloat),
		"of_f16":  starlark.NewBuiltin("array.of_f16", ofHalf),
	},
}

// Globals are the names of the element types and of the module.
func Globals() starlark.StringDict {
	all := starlark.StringDict{"array": Module}
	for _, t := range Types() {
		all[t.String()] = t
	}
	return all
}

// Dimensions makes a shape of a length or a tuple of lengths.
func Dimensions(v starlark.Value) ([]int, error) {
	tuple, ok := v.(starlark.Tuple)
	if !ok {
		tuple = starlark.Tuple{v}
	}
	return ints(tuple)
}

// zeros(dtype, shape) makes an array of zeros.
func zeros(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var t Type
	var shape starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "dtype", &t, "shape", &shape); err != nil {
		return nil, err
	}
	return newShaped(thread, b, t, shape)
}

func newShaped(thread *starlark.Thread, b *starlark.Builtin, t Type, shape starlark.Value) (*Array, error) {
	dims, err := Dimensions(shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return newArray(spaceOf(thread), t, dims)
}

// full(dtype, shape, value) makes an array of equal elements.
func full(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var t Type
	var shape, element starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "dtype", &t, "shape", &shape, "value", &element); err != nil {
		return nil, err
	}
	s, err := fromStarlark(t, element)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	dims, err := Dimensions(shape)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	one := kinds[t].make(1)
	kinds[t].fill(one, s)
	return value(spaceOf(thread).sourced(t, dims, func(dst storage, _ int) { kinds[t].repeat(dst, one) }, one))
}

// arange(dtype, count, start=0, step=1) counts: start, start+step, ...
func arange(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var t Type
	var count int
	start, step := 0, 1
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "dtype", &t, "count", &count, "start?", &start, "step?", &step); err != nil {
		return nil, err
	}
	out, err := spaceOf(thread).sourced(t, []int{count}, func(dst storage, from int) {
		kinds[t].count(dst, int64(start)+int64(from)*int64(step), int64(step))
	}, nil)
	if first, all := between(int64(start), int64(start)), between(0, int64(count)-1); err == nil && count > 0 {
		out.note(combine(opAdd, first, combine(opMul, all, between(int64(step), int64(step)))).as(t))
	}
	return value(out, err)
}

// ranges(starts, stops) concatenates the integers of the half-open ranges
// starts[k] ... stops[k]: the edges of many vertices at once.
func ranges(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var starts, stops *Array
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &starts, &stops); err != nil {
		return nil, err
	}
	if starts.typ.Float() || starts.typ != stops.typ || starts.Len() != stops.Len() {
		return nil, fmt.Errorf("%s: needs two integer arrays of one type and length, got %s and %s", b.Name(), starts.describe(), stops.describe())
	}
	first, err := starts.convert(I64)
	if err != nil {
		return nil, err
	}
	last, err := stops.convert(I64)
	if err != nil {
		return nil, err
	}
	from, to := first.values().([]int64), last.values().([]int64)
	total := int64(0)
	for i := range from {
		total = min(total+max(0, to[i]-from[i]), 1<<40)
	}
	out, err := newArray(spaceOf(thread), I64, []int{int(total)})
	if err != nil {
		return nil, err
	}
	all := out.data.([]int64)[:0]
	for i := range from {
		for v := from[i]; v < to[i]; v++ {
			all = append(all, v)
		}
	}
	return out, nil
}

// concat(arrays) puts arrays of one type behind each other.
func concat(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var list *starlark.List
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &list); err != nil {
		return nil, err
	}
	var parts []*Array
	total := 0
	for i := range list.Len() {
		part, ok := list.Index(i).(*Array)
		if !ok || i > 0 && part.typ != parts[0].typ {
			return nil, fmt.Errorf("%s: element %d (%s) is not an array of the first one's type", b.Name(), i, list.Index(i).Type())
		}
		parts = append(parts, part)
		total += part.Len()
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%s: the list is empty", b.Name())
	}
	out, err := newArray(spaceOf(thread), parts[0].typ, []int{total})
	if err != nil {
		return nil, err
	}
	k, at := &kinds[out.typ], 0
	for _, part := range parts {
		k.copy(out.data, at, part.values())
		at += part.Len()
	}
	return out, nil
}

// where(mask, a, b) takes from a where the mask is not zero, else from b.
func where(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var mask, yes *Array
	var other starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 3, &mask, &yes, &other); err != nil {
		return nil, err
	}
	no, err := yes.operand(other)
	if err == nil && !slices.Equal(mask.shape, wider(yes, no).shape) {
		err = fmt.Errorf("the mask is %s, the values are %s", mask.describe(), wider(yes, no).describe())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	out, err := mask.like(yes.typ)
	if err != nil {
		return nil, err
	}
	kinds[yes.typ].choose(out.data, yes.values(), no.values(), mask.notZero())
	return out, nil
}

// notZero has 1 or another number where an element is not zero.
func (a *Array) notZero() []uint8 {
	if bytes, ok := a.values().([]uint8); ok {
		return bytes
	}
	out := make([]uint8, a.Len())
	kinds[a.typ].compare(relNe, out, a.values(), kinds[a.typ].make(1))
	return out
}

func pairBuiltin(name string, op operator) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x *Array
		var other starlark.Value
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &other); err != nil {
			return nil, err
		}
		y, err := x.operand(other)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name(), err)
		}
		return binaryOp(op, x, y)
	})
}

// fusedMultiplyAdd(a, b, c) is a*b + c with one rounding, as fma.rn does it.
func fusedMultiplyAdd(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x *Array
	var second, third starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 3, &x, &second, &third); err != nil {
		return nil, err
	}
	if !x.typ.Float() {
		return nil, fmt.Errorf("%s: needs floats, got %s", b.Name(), x.describe())
	}
	y, err := x.operand(second)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	z, err := wider(x, y).operand(third)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	out, err := wider(wider(x, y), z).like(x.typ)
	if err != nil {
		return nil, err
	}
	kinds[x.typ].fma(out.data, x.values(), y.values(), z.values())
	return out, nil
}
