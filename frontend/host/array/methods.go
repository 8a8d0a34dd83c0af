// SPDX-License-Identifier: Apache-2.0

package array

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// method is an operation that host programs call as array.name(...).
type method func(a *Array, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

var methods = map[string]method{
	"eq": relationMethod(relEq), "ne": relationMethod(relNe), "lt": relationMethod(relLt),
	"le": relationMethod(relLe), "gt": relationMethod(relGt), "ge": relationMethod(relGe),
	"abs": unaryMethod("abs"), "sqrt": unaryMethod("sqrt"), "floor": unaryMethod("floor"),
	"exp": unaryMethod("exp"), "log": unaryMethod("log"), "sin": unaryMethod("sin"), "cos": unaryMethod("cos"), "erfc": unaryMethod("erfc"),
	"sum": noArguments((*Array).sum), "min": noArguments((*Array).minimum), "max": noArguments((*Array).maximum),
	"any": noArguments((*Array).any), "all": noArguments((*Array).all), "item": noArguments((*Array).item),
	"cumsum": noArguments((*Array).cumsum), "sort": noArguments((*Array).sorted), "unique": noArguments((*Array).unique),
	"copy": noArguments((*Array).copy), "transpose": noArguments((*Array).transpose), "flatten": noArguments((*Array).flatten),
	"nonzero": noArguments((*Array).nonzero), "order": noArguments((*Array).order),
	"reshape": (*Array).reshape, "take": (*Array).take, "put": (*Array).put, "add_at": (*Array).addAt,
	"select": (*Array).choose, "shift": (*Array).shift,
}

// Attr gives shape, dtype and the methods.
func (a *Array) Attr(name string) (starlark.Value, error) {
	switch name {
	case "shape":
		shape := make(starlark.Tuple, len(a.shape))
		for i, d := range a.shape {
			shape[i] = starlark.MakeInt(d)
		}
		return shape, nil
	case "dtype":
		return a.typ, nil
	}
	m, ok := methods[name]
	if !ok {
		return nil, nil
	}
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a.space.Work(uint64(a.Len()))
		v, err := m(a, args, kwargs)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", a.describe(), b.Name(), err)
		}
		return v, nil
	}), nil
}

// AttrNames lists what Attr knows.
func (a *Array) AttrNames() []string {
	names := []string{"shape", "dtype"}
	for name := range methods {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func noArguments(f func(a *Array) (starlark.Value, error)) method {
	return func(a *Array, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if len(args)+len(kwargs) > 0 {
			return nil, fmt.Errorf("takes no arguments")
		}
		return f(a)
	}
}

func relationMethod(rel relation) method {
	return func(a *Array, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		b, err := a.argument(args, kwargs)
		if err != nil {
			return nil, err
		}
		return compare(rel, a, b)
	}
}

func unaryMethod(name string) method {
	return noArguments(func(a *Array) (starlark.Value, error) { return a.unary(name) })
}

// argument unpacks the one operand of an elementwise method.
func (a *Array) argument(args starlark.Tuple, kwargs []starlark.Tuple) (*Array, error) {
	var v starlark.Value
	if err := unpack(args, kwargs, &v); err != nil {
		return nil, err
	}
	return a.operand(v)
}

// unpack takes the arguments of a method, whose name Attr puts in front of all
// errors.
func unpack(args starlark.Tuple, kwargs []starlark.Tuple, vars ...any) error {
	if err := starlark.UnpackPositionalArgs("", args, kwargs, len(vars), vars...); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), ": "))
	}
	return nil
}
