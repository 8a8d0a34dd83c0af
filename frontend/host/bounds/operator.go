// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The names that Rewrite calls operators by; no program can write them.
const (
	multiplyName  = "$*"
	remainderName = "$%"
	addName       = "$+"
	shiftName     = "$<<"
	addendName    = "$+="
	spreadName    = "$*args"
	attributeName = "$."
	keyName       = "$[]"
)

// bytes that values of a list and entries of a dictionary or set take.
const (
	valueBytes = 16
	entryBytes = 96
	// boxBytes is for a value that is no small integer, as range makes them.
	boxBytes = 48
)

func multiply(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	b := budgetOf(thread)
	if count, ok := x.(starlark.Int); ok {
		if other, ok := y.(starlark.Int); ok {
			return multiplyInts(b, count, other)
		}
		if err := b.repeat(y, count); err != nil {
			return nil, err
		}
	} else if count, ok := y.(starlark.Int); ok {
		if err := b.repeat(x, count); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(syntax.STAR, x, y)
}

func multiplyInts(b *Budget, x, y starlark.Int) (starlark.Value, error) {
	_, small := x.Int64()
	if _, ok := y.Int64(); !small || !ok {
		b.Note()
		if bits := intBits(x) + intBits(y); bits > maxIntBits {
			return nil, fmt.Errorf("the product has up to %d bits: integers that are multiplied have at most %d together", bits, maxIntBits)
		}
	}
	return starlark.Binary(syntax.STAR, x, y)
}

// repeat checks that a sequence can be repeated.
func (b *Budget) repeat(v starlark.Value, count starlark.Int) error {
	size := 1
	switch v.(type) {
	case starlark.String, starlark.Bytes:
	case *starlark.List, starlark.Tuple:
		size = valueBytes
	default:
		return nil
	}
	n, ok := count.Int64()
	if !ok || n <= 0 {
		return nil // nothing, or the interpreter refuses it
	}
	length := uint64(starlark.Len(v))
	if length == 0 {
		return nil
	}
	if bytes := length * uint64(size); uint64(n) > (1<<62)/bytes {
		return fmt.Errorf("a %s of %d elements cannot be repeated %d times", v.Type(), length, n)
	}
	return b.room(length * uint64(size) * uint64(n))
}

func remainder(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	if format, ok := x.(starlark.String); ok {
		b := budgetOf(thread)
		b.Note()
		// A dictionary's values can be used any number of times.
		times := uint64(1)
		if _, ok := y.(starlark.Mapping); ok {
			times = uint64(strings.Count(string(format), "%"))
		}
		if err := b.text(uint64(len(format)), times, y); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(syntax.PERCENT, x, y)
}

// add is for operands that may both be large; numbers are most.
func add(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	if bytes := sequenceBytes(x) + sequenceBytes(y); bytes > roomBytes {
		b := budgetOf(thread)
		b.Note()
		if err := b.room(bytes); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(syntax.PLUS, x, y)
}

// sequenceBytes is what the elements of a sequence of the interpreter take.
func sequenceBytes(v starlark.Value) uint64 {
	switch v := v.(type) {
	case starlark.String:
		return uint64(len(v))
	case starlark.Bytes:
		return uint64(len(v))
	case *starlark.List:
		return uint64(v.Len()) * valueBytes
	case starlark.Tuple:
		return uint64(len(v)) * valueBytes
	}
	return 0
}

func shift(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	if i, ok := x.(starlark.Int); ok {
		if _, small := i.Int64(); !small && intBits(i) > maxIntBits {
			return nil, fmt.Errorf("an integer of %d bits is too large to be shifted: at most %d bits", intBits(i), maxIntBits)
		}
	}
	return starlark.Binary(syntax.LTLT, x, y)
}

// text checks that there is room for a text of so many bytes and that of values, so
// many times.
func (b *Budget) text(bytes, times uint64, values ...starlark.Value) error {
	for _, v := range values {
		n, err := textBytes(v)
		if err != nil {
			return err
		}
		bytes += n * times
	}
	return b.room(2 * bytes) // what is written is copied as it grows
}

// addend checks what is put at the end of a list, which can be any iterable.
func addend(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	if _, ok := v.(starlark.Sequence); ok {
		b := budgetOf(thread)
		n := length(v)
		if err := b.work(n); err != nil {
			return nil, err
		}
		return v, b.room(n * (valueBytes + boxBytes))
	}
	if n := 2 * sequenceBytes(v); n > roomBytes {
		return v, budgetOf(thread).room(n)
	}
	return v, nil
}

// length is how many elements an iterable has, as far as it knows.
func length(v starlark.Value) uint64 {
	if s, ok := v.(starlark.Sequence); ok {
		return uint64(max(s.Len(), 0))
	}
	return 0
}

// operators are the functions that Rewrite calls.
func operators() starlark.StringDict {
	all := starlark.StringDict{
		keyName:       unary("[]", key),
		multiplyName:  binary("*", multiply),
		remainderName: binary("%", remainder),
		addName:       binary("+", add),
		shiftName:     binary("<<", shift),
		addendName:    unary("+=", addend),
		spreadName:    unary("*args", addend),
		attributeName: binary("attribute", func(thread *starlark.Thread, x, name starlark.Value) (starlark.Value, error) {
			return attribute(thread, x, string(name.(starlark.String)))
		}),
	}
	for op, name := range comparisons {
		f := compare(op)
		if op == syntax.IN || op == syntax.NOT_IN {
			f = contains(op)
		}
		all[name] = binary(op.String(), f)
	}
	return all
}

// comparisons are the names of operators that compare.
var comparisons = map[syntax.Token]string{
	syntax.EQL: "$==", syntax.NEQ: "$!=", syntax.LT: "$<", syntax.LE: "$<=", syntax.GT: "$>", syntax.GE: "$>=", syntax.IN: "$in", syntax.NOT_IN: "$not in",
}

func unary(name string, f func(thread *starlark.Thread, v starlark.Value) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return f(thread, args[0])
	})
}

func binary(name string, f func(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return f(thread, args[0], args[1])
	})
}
