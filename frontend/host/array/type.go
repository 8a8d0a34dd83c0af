// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"

	"go.starlark.net/starlark"
)

// Type is an element type. As a Starlark value it is a function: f32(2.5) is a
// scalar, f32([1, 2]) an array, f32(other) a conversion.
type Type uint8

// The element types.
const (
	F32 Type = iota
	F64
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64

	typeEnd
)

// Types lists all element types.
func Types() []Type {
	all := make([]Type, typeEnd)
	for i := range all {
		all[i] = Type(i)
	}
	return all
}

// String is the name as host programs spell it: "f32".
func (t Type) String() string {
	if t < typeEnd {
		return kinds[t].name
	}
	return "type?"
}

// Bytes is the size of an element.
func (t Type) Bytes() int { return kinds[t].bytes }

// Float reports whether t is f32 or f64.
func (t Type) Float() bool { return kinds[t].class == classFloat }

// Name makes Type a starlark.Callable.
func (t Type) Name() string { return t.String() }

// Type makes Type a starlark.Value.
func (t Type) Type() string { return "dtype" }

// Freeze does nothing: types do not change.
func (t Type) Freeze() {}

// Truth is always true.
func (t Type) Truth() starlark.Bool { return true }

// Hash makes types usable as dictionary keys.
func (t Type) Hash() (uint32, error) { return uint32(t), nil }

// CallInternal converts a number, a list of numbers or an array to t.
func (t Type) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var value starlark.Value
	if err := starlark.UnpackPositionalArgs(t.Name(), args, kwargs, 1, &value); err != nil {
		return nil, err
	}
	space := spaceOf(thread)
	switch v := value.(type) {
	case *Array:
		return v.convert(t)
	case starlark.Int, starlark.Float:
		return scalarArray(space, t, v)
	case starlark.Sequence:
		return fromSequence(space, t, v)
	}
	return nil, fmt.Errorf("%s: cannot make one of a %s: give a number, a list of numbers or an array", t, value.Type())
}

func scalarArray(space *Space, t Type, v starlark.Value) (starlark.Value, error) {
	s, err := fromStarlark(t, v)
	if err != nil {
		return nil, err
	}
	out, err := newArray(space, t, []int{})
	if err != nil {
		return nil, err
	}
	kinds[t].store(out.data, 0, s)
	return out, nil
}

func fromSequence(space *Space, t Type, list starlark.Sequence) (starlark.Value, error) {
	out, err := newArray(space, t, []int{list.Len()})
	if err != nil {
		return nil, err
	}
	elements := list.Iterate()
	defer elements.Done()
	var v starlark.Value
	for i := 0; elements.Next(&v); i++ {
		s, err := fromStarlark(t, v)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		kinds[t].store(out.data, i, s)
	}
	return out, nil
}

// Holds reports whether v is a value of the integer type t.
func (t Type) Holds(v int64) bool {
	_, err := intScalar(t, starlark.MakeInt64(v))
	return err == nil
}
