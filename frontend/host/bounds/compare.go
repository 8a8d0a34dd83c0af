// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"errors"
	"fmt"
	"math/bits"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

const (
	// maxWalk is how many values one step of the interpreter may go through when it
	// compares, hashes or freezes. A value that lies in others at several places
	// counts at each.
	maxWalk = 1 << 25
	// maxKeyDepth is how many levels of tuples in each other a key has.
	maxKeyDepth = 10_000
)

// walk counts the values that the interpreter goes through when it compares, hashes or
// freezes one. It goes into a value as often as it lies in others.
type walk struct {
	left, depth int
	stopped     func() bool
	// seen are the values that freezing goes into once; nil for comparisons.
	seen map[starlark.Value]bool
}

var errWide = errors.New("values lie in each other too often")

func (w *walk) value(v starlark.Value, depth int) error {
	if w.left--; w.left < 0 || w.left%(1<<16) == 0 && w.stopped() {
		return errWide
	}
	if depth > w.depth {
		return nil
	}
	switch v := v.(type) {
	case starlark.Tuple:
		for _, e := range v {
			if err := w.value(e, depth+1); err != nil {
				return err
			}
		}
	case *starlark.List:
		if w.enters(v) {
			for i := range v.Len() {
				if err := w.value(v.Index(i), depth+1); err != nil {
					return err
				}
			}
		}
	case *starlark.Dict:
		if w.enters(v) {
			return w.dict(v, depth)
		}
	case *starlark.Set:
		if w.enters(v) {
			for e := range v.Elements() {
				if err := w.value(e, depth+1); err != nil {
					return err
				}
			}
		}
	case *starlarkstruct.Struct:
		return w.structure(v, depth)
	}
	return nil
}

func (w *walk) enters(v starlark.Value) bool {
	if w.seen == nil {
		return true
	}
	known := w.seen[v]
	w.seen[v] = true
	return !known
}

func (w *walk) dict(v *starlark.Dict, depth int) error {
	for key, value := range v.Entries() {
		if err := w.value(key, depth+1); err != nil {
			return err
		}
		if err := w.value(value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) structure(v *starlarkstruct.Struct, depth int) error {
	for _, name := range v.AttrNames() {
		field, err := v.Attr(name)
		if err != nil {
			return err
		}
		if err := w.value(field, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether a value has others in it.
func holds(v starlark.Value) bool {
	switch v.(type) {
	case starlark.Tuple, *starlark.List, *starlark.Dict, *starlark.Set, *starlarkstruct.Struct:
		return true
	}
	return false
}

// nodes counts the values that comparing or hashing goes through, down to a depth.
func (b *Budget) nodes(v starlark.Value, depth int) (int, error) {
	if !holds(v) {
		return 1, nil
	}
	most := b.mostWalk()
	w := walk{left: most, depth: depth, stopped: b.stopped.Load}
	err := w.value(v, 0)
	return most - w.left, err
}

// mostWalk is how many values the program may go through at once: as many as it may take
// steps.
func (b *Budget) mostWalk() int {
	if b.thread.Steps >= b.steps {
		return 0
	}
	return int(min(maxWalk, b.steps-b.thread.Steps))
}

// comparable charges for comparing one value with others, so many times.
func (b *Budget) comparable(times int, values ...starlark.Value) error {
	most := b.mostWalk()
	least := most + 1
	for _, v := range values {
		if n, err := b.nodes(v, starlark.CompareLimit); err == nil {
			least = min(least, n)
		}
	}
	if high, n := bits.Mul64(uint64(least), uint64(times)); high != 0 || n > uint64(most) {
		b.Note()
		return fmt.Errorf("%w to be compared: this goes through more than %d of them", errWide, most)
	}
	if least*times == 1 {
		return nil
	}
	return b.work(uint64(least * times))
}

// hashable checks a key of a dictionary or an element of a set.
func (b *Budget) hashable(key starlark.Value) error {
	switch key.(type) {
	case starlark.Tuple, *starlarkstruct.Struct:
	default:
		return nil // hashed at once, or not hashable
	}
	n, err := b.nodes(key, maxKeyDepth)
	if err != nil {
		b.Note()
		return fmt.Errorf("%w to be a key: it has more than %d of them", errWide, b.mostWalk())
	}
	return b.work(uint64(n))
}

// Freezable checks that values can be frozen: the interpreter freezes a tuple as often as
// it lies in others.
func (b *Budget) Freezable(values starlark.StringDict) error {
	most := b.mostWalk()
	w := walk{left: most, depth: maxKeyDepth, stopped: b.stopped.Load, seen: map[starlark.Value]bool{}}
	for _, name := range values.Keys() {
		if err := w.value(values[name], 0); err != nil {
			return fmt.Errorf("%s: %w to be kept: it has more than %d of them", name, err, most)
		}
	}
	return nil
}

// compare is x op y.
func compare(op syntax.Token) func(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	return func(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
		if holds(x) && holds(y) {
			if err := budgetOf(thread).comparable(1, x, y); err != nil {
				return nil, err
			}
		}
		holds, err := starlark.Compare(op, x, y)
		return starlark.Bool(holds), err
	}
}

// contains is x in y, or not in.
func contains(op syntax.Token) func(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
	return func(thread *starlark.Thread, x, y starlark.Value) (starlark.Value, error) {
		b := budgetOf(thread)
		var err error
		switch y.(type) {
		case *starlark.List, starlark.Tuple:
			err = b.among(x, y)
		case *starlark.Dict, *starlark.Set:
			err = b.hashable(x)
		}
		if err != nil {
			return nil, err
		}
		is, err := starlark.Binary(syntax.IN, x, y)
		if err != nil || op == syntax.IN {
			return is, err
		}
		return !is.Truth(), nil
	}
}

// among checks that a value can be compared with all elements of a sequence.
func (b *Budget) among(x, y starlark.Value) error {
	n := starlark.Len(y)
	if n == 0 {
		return nil
	}
	if !holds(x) {
		return b.work(uint64(n))
	}
	if all, err := b.nodes(y, starlark.CompareLimit+1); err == nil {
		return b.work(uint64(all))
	}
	return b.comparable(n, x)
}

// key is what an index or the key of an entry is.
func key(thread *starlark.Thread, v starlark.Value) (starlark.Value, error) {
	return v, budgetOf(thread).hashable(v)
}

// checkKey is for methods of dictionaries and sets that take a key first.
func checkKey(b *Budget, receiver starlark.Value, args starlark.Tuple, _ []starlark.Tuple) error {
	if len(args) == 0 {
		return nil
	}
	if _, ok := receiver.(*starlark.List); ok {
		return b.among(args[0], receiver)
	}
	return b.hashable(args[0])
}

// checkKeys is for what makes keys of all elements of its arguments.
func checkKeys(look check) check {
	return func(b *Budget, receiver starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
		if err := look(b, receiver, args, kwargs); err != nil {
			return err
		}
		if _, ok := receiver.(*starlark.List); ok {
			return nil // extend
		}
		for _, v := range args {
			if err := b.elementKeys(v); err != nil {
				return err
			}
		}
		return nil
	}
}

// elementKeys checks the elements of a sequence as keys; those of dictionaries and sets
// are keys already.
func (b *Budget) elementKeys(v starlark.Value) error {
	list, ok := v.(starlark.Indexable)
	if _, text := v.(starlark.String); !ok || text {
		return nil
	}
	for i := range list.Len() {
		if err := b.hashable(list.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkPairs is for dict, which takes pairs of keys and values.
func checkPairs(b *Budget, receiver starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
	if err := making(entryBytes)(b, receiver, args, kwargs); err != nil {
		return err
	}
	for _, v := range args {
		list, ok := v.(starlark.Indexable)
		if !ok {
			continue
		}
		for i := range list.Len() {
			if pair, ok := list.Index(i).(starlark.Indexable); ok && pair.Len() > 0 {
				if err := b.hashable(pair.Index(0)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ordering is for functions that compare the elements of their argument with each other,
// or what key= makes of them.
func ordering(look check, log bool) check {
	return func(b *Budget, receiver starlark.Value, args starlark.Tuple, kwargs []starlark.Tuple) error {
		if err := look(b, receiver, args, kwargs); err != nil {
			return err
		}
		rounds := 1
		if log && len(args) > 0 {
			rounds = bits.Len64(length(args[0]))
		}
		for _, pair := range kwargs {
			if f, ok := pair[1].(starlark.Callable); ok && pair[0] == starlark.String("key") {
				pair[1] = measured(f, rounds)
				return nil
			}
		}
		values := starlark.Value(args)
		if len(args) == 1 {
			values = args[0]
		}
		list, ok := values.(starlark.Indexable)
		if !ok {
			return nil
		}
		for i := range list.Len() {
			if e := list.Index(i); holds(e) {
				if err := b.comparable(rounds, e); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// measured checks what a key function gives before it is compared.
func measured(f starlark.Callable, rounds int) *starlark.Builtin {
	return starlark.NewBuiltin(f.Name(), func(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		v, err := starlark.Call(thread, f, args, kwargs)
		if err == nil && holds(v) {
			err = budgetOf(thread).comparable(rounds, v)
		}
		return v, err
	})
}
