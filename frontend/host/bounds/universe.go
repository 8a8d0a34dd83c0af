// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"go.starlark.net/starlark"
)

// Universe has the interpreter's functions that can take much, with checks in front of
// them, and the functions that Rewrite calls. Programs get them as predeclared names,
// which hide the interpreter's own.
func Universe() starlark.StringDict {
	all := operators()
	for name, look := range map[string]check{
		"print": checkText, "str": checkText, "repr": checkText, "fail": checkText,
		"list": making(valueBytes + boxBytes), "tuple": making(valueBytes + boxBytes), "sorted": ordering(making(3*(valueBytes+boxBytes)), true),
		"reversed": making(valueBytes + boxBytes), "enumerate": making(4*valueBytes + boxBytes), "bytes": making(2),
		"set": checkKeys(making(entryBytes)), "dict": checkPairs,
		"min": ordering(making(0), false), "max": ordering(making(0), false), "all": making(0), "any": making(0),
		"zip": checkZip, "int": checkInt,
	} {
		all[name] = checked(starlark.Universe[name].(*starlark.Builtin), starlark.None, look)
	}
	all["getattr"] = starlark.NewBuiltin("getattr", getattr)
	return all
}

func checkText(b *Budget, _ starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
	values := append(starlark.Tuple(nil), args...)
	for _, pair := range kwargs {
		values = append(values, pair[1])
	}
	return b.text(uint64(len(values)), 1, values...)
}

// making is for functions that go through all elements and keep so many bytes for each.
func making(bytes uint64) check {
	return func(b *Budget, _ starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
		return b.iterables(args, kwargs, bytes)
	}
}

// checkZip counts rows: as many as the shortest argument has.
func checkZip(b *Budget, _ starlark.Value, args starlark.Tuple, _ []starlark.Tuple) error {
	rows, columns := ^uint64(0), uint64(len(args))
	for _, v := range args {
		if _, ok := v.(starlark.Sequence); ok {
			rows = min(rows, length(v))
		}
	}
	if rows == ^uint64(0) {
		return nil
	}
	if err := b.work(rows * columns); err != nil {
		return err
	}
	return b.room(rows * (3*valueBytes + columns*(valueBytes+boxBytes)))
}

// checkInt bounds the digits that are read: it takes more than linear time.
func checkInt(b *Budget, _ starlark.Value, args starlark.Tuple, _ []starlark.Tuple) error {
	if len(args) > 0 {
		if s, ok := args[0].(starlark.String); ok {
			return b.work(uint64(len(s)) * uint64(len(s)) / 4096)
		}
	}
	return nil
}

// getattr is the interpreter's, but for the checks in front of methods.
func getattr(thread *starlark.Thread, f *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) >= 2 {
		if name, ok := args[1].(starlark.String); ok && methods[string(name)] != nil {
			if v, err := attribute(thread, args[0], string(name)); err == nil {
				return v, nil
			}
		}
	}
	return starlark.Universe["getattr"].(*starlark.Builtin).CallInternal(thread, args, kwargs)
}
