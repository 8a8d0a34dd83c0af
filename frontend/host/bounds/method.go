// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// check looks at a call before it is made.
type check func(b *Budget, receiver starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error

// methods are those that can make much of little, by name. The interpreter's types do
// not share names with ours, and those of ours that have one of these are left alone.
var methods = map[string]check{
	"join": checkJoin, "replace": checkReplace, "format": checkFormat,
	"split": checkSplit, "rsplit": checkSplit, "splitlines": checkSplit,
	"elems": nil, "upper": checkCase, "lower": checkCase, "title": checkCase, "capitalize": checkCase,
	"extend": checkElements, "update": checkKeys(checkElements), "union": checkKeys(checkElements), "difference": checkKeys(checkElements),
	"intersection": checkKeys(checkElements), "symmetric_difference": checkKeys(checkElements), "issubset": checkKeys(checkElements), "issuperset": checkKeys(checkElements),
	"get": checkKey, "pop": checkKey, "setdefault": checkKey, "add": checkKey, "discard": checkKey, "remove": checkKey, "index": checkKey,
	"items": checkCopy, "keys": checkCopy, "values": checkCopy,
}

// attribute is x.name, with a check in front of it where it is one of methods.
func attribute(thread *starlark.Thread, x starlark.Value, name string) (starlark.Value, error) {
	has, ok := x.(starlark.HasAttrs)
	if !ok {
		return nil, fmt.Errorf("%s has no .%s field or method", x.Type(), name)
	}
	v, err := has.Attr(name)
	if err != nil || v == nil {
		if err == nil {
			err = fmt.Errorf("%s has no .%s field or method", x.Type(), name)
		}
		return nil, err
	}
	switch x.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set:
		if f, ok := v.(*starlark.Builtin); ok && methods[name] != nil {
			return checked(f, x, methods[name]), nil
		}
	}
	return v, nil
}

// checked puts a check in front of a function.
func checked(f *starlark.Builtin, receiver starlark.Value, look check) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		b := budgetOf(thread)
		b.Note()
		if err := look(b, receiver, args, kwargs); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		return f.CallInternal(thread, args, kwargs)
	})
}

func checkJoin(b *Budget, receiver starlark.Value, args starlark.Tuple, _ []starlark.Tuple) error {
	separator, ok := receiver.(starlark.String)
	if !ok || len(args) != 1 {
		return nil
	}
	list, ok := args[0].(starlark.Indexable)
	if !ok {
		return b.iterables(args, nil, valueBytes)
	}
	n := uint64(list.Len())
	if err := b.work(n); err != nil {
		return err
	}
	bytes := uint64(len(separator)) * n
	for i := range list.Len() {
		s, ok := list.Index(i).(starlark.String)
		if !ok {
			return nil // the interpreter says so
		}
		bytes += uint64(len(s))
	}
	return b.room(2 * bytes)
}

func checkReplace(b *Budget, receiver starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s, ok := receiver.(starlark.String)
	if !ok || len(args) < 2 {
		return nil
	}
	from, isString := args[0].(starlark.String)
	to, ok := args[1].(starlark.String)
	if !ok || !isString {
		return nil
	}
	count := uint64(len(s)) + 1
	if from != "" {
		count = uint64(strings.Count(string(s), string(from)))
	}
	return b.room(uint64(len(s)) + count*uint64(len(to)))
}

func checkFormat(b *Budget, receiver starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s, ok := receiver.(starlark.String)
	if !ok {
		return nil
	}
	values := append(starlark.Tuple(nil), args...)
	for _, pair := range kwargs {
		values = append(values, pair[1])
	}
	return b.text(uint64(len(s)), max(uint64(strings.Count(string(s), "{")), 1), values...)
}

// checkSplit counts a piece for each byte: empty pieces are possible.
func checkSplit(b *Budget, receiver starlark.Value, args starlark.Tuple, _ []starlark.Tuple) error {
	s, ok := receiver.(starlark.String)
	if !ok {
		return nil
	}
	pieces := uint64(len(s)) + 1
	if len(args) > 0 {
		if separator, ok := args[0].(starlark.String); ok && separator != "" {
			pieces = uint64(strings.Count(string(s), string(separator))) + 1
		}
	}
	return b.room(pieces * (3 * valueBytes))
}

func checkCase(b *Budget, receiver starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) error {
	return b.room(4 * length(receiver)) // a letter's other case can be longer
}

func checkElements(b *Budget, receiver starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
	if _, ok := receiver.(*starlark.List); ok {
		return b.iterables(args, kwargs, valueBytes+boxBytes)
	}
	return b.iterables(append(starlark.Tuple{receiver}, args...), kwargs, entryBytes)
}

func checkCopy(b *Budget, receiver starlark.Value, _ starlark.Tuple, _ []starlark.Tuple) error {
	return b.room(length(receiver) * (3*valueBytes + boxBytes))
}

// iterables checks a call that makes something of all elements of its arguments.
func (b *Budget) iterables(args starlark.Tuple, kwargs []starlark.Tuple, bytes uint64) error {
	n := uint64(len(kwargs))
	for _, v := range args {
		n += length(v)
	}
	if err := b.work(n); err != nil {
		return err
	}
	return b.room(n * bytes)
}
