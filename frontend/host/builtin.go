// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// function is the Go side of something that a host program calls.
type function func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

// builtin names errors after the function, and charges for the call.
func (r *run) builtin(name string, f function) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		// Where a run ends in the call, or behind it, the error names this line.
		// Loading a module takes the time that analysing its kernels does, reading a file
		// that of its size, and both touch the recording only at their end.
		r.budget.Note()
		if name != loadModule && name != readData {
			if !r.gate.enter() {
				return nil, fmt.Errorf("%s: the run has ended", name)
			}
			defer r.gate.leave()
		}
		r.space.Work(deviceCallWork)
		v, err := f(args, kwargs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return v, nil
	})
}

// loadModule is the function that goes through the gate by itself.
const loadModule = "gpu.module"

// unpack is starlark.UnpackArgs without the name, which builtin puts in front
// of all errors.
func unpack(args starlark.Tuple, kwargs []starlark.Tuple, pairs ...any) error {
	if err := starlark.UnpackArgs("", args, kwargs, pairs...); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), ": "))
	}
	return nil
}

// deviceCallWork is what a call costs in elements of work, so that a loop over
// nothing but calls ends as well.
const deviceCallWork = 1 << 16

// members makes a module of functions that are out of bounds at the top level.
func (r *run) members(module string, functions map[string]function) *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: module, Members: starlark.StringDict{}}
	for name, f := range functions {
		full := module + "." + name
		m.Members[name] = r.builtin(full, func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if !r.running {
				return nil, errors.New("call it inside main, not at the top level")
			}
			return f(args, kwargs)
		})
	}
	return m
}
