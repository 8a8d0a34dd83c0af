// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

const (
	// maxTextBytes is what the text of one value may have.
	maxTextBytes = 64 << 20
	// maxTextDepth is how many levels of values in each other text shows. The
	// interpreter looks through all levels above for each value.
	maxTextDepth = 256
	// maxIntBits is for integers that are multiplied, or written as text: both take
	// more than linear time.
	maxIntBits = 1 << 20
)

// textBytes is about what the text of a value has; an error where the interpreter
// would take too long, or too much stack, to write it.
func textBytes(v starlark.Value) (uint64, error) {
	m := measure{path: map[starlark.Value]bool{}}
	err := m.value(v, 0)
	return m.bytes, err
}

// measure goes through a value as the interpreter does when it writes it. Lists and
// dictionaries that are on the way already are not entered again, but structs forget
// the way.
type measure struct {
	bytes uint64
	path  map[starlark.Value]bool
}

func (m *measure) value(v starlark.Value, depth int) error {
	if depth > maxTextDepth {
		return fmt.Errorf("this value has more than %d levels of values in each other, too many to be shown as text: show a part of it", maxTextDepth)
	}
	m.bytes += 2
	switch v := v.(type) {
	case starlark.String:
		m.bytes += uint64(len(v))
	case starlark.Bytes:
		m.bytes += uint64(len(v))
	case starlark.Int:
		bits := intBits(v)
		if bits > maxIntBits {
			return fmt.Errorf("an integer of %d bits is too large to be shown as text: at most %d bits", bits, maxIntBits)
		}
		m.bytes += uint64(bits) * 3 / 10
	case *starlark.List:
		return m.container(v, v.Len(), v.Index, depth)
	case starlark.Tuple:
		return m.elements(len(v), v.Index, depth)
	case *starlark.Dict:
		return m.dict(v, depth)
	case *starlark.Set:
		return m.set(v, depth)
	case *starlarkstruct.Struct:
		return m.structure(v, depth)
	default:
		m.bytes += 32 // our own types show their kind and shape
	}
	return m.fits()
}

func (m *measure) fits() error {
	if m.bytes > maxTextBytes {
		return fmt.Errorf("the text of this value has more than %d bytes: show a part of it", maxTextBytes)
	}
	return nil
}

func (m *measure) elements(n int, at func(i int) starlark.Value, depth int) error {
	for i := range n {
		if err := m.value(at(i), depth+1); err != nil {
			return err
		}
	}
	return m.fits()
}

func (m *measure) container(v starlark.Value, n int, at func(i int) starlark.Value, depth int) error {
	if m.path[v] {
		return m.fits()
	}
	m.path[v] = true
	defer delete(m.path, v)
	return m.elements(n, at, depth)
}

func (m *measure) dict(v *starlark.Dict, depth int) error {
	if m.path[v] {
		return m.fits()
	}
	m.path[v] = true
	defer delete(m.path, v)
	for key, value := range v.Entries() {
		if err := m.value(key, depth+1); err != nil {
			return err
		}
		if err := m.value(value, depth+1); err != nil {
			return err
		}
	}
	return m.fits()
}

func (m *measure) set(v *starlark.Set, depth int) error {
	for element := range v.Elements() {
		if err := m.value(element, depth+1); err != nil {
			return err
		}
	}
	return m.fits()
}

func (m *measure) structure(v *starlarkstruct.Struct, depth int) error {
	way := m.path
	m.path = map[starlark.Value]bool{}
	defer func() { m.path = way }()
	for _, name := range v.AttrNames() {
		field, err := v.Attr(name)
		if err != nil {
			return err
		}
		m.bytes += uint64(len(name))
		if err := m.value(field, depth+1); err != nil {
			return err
		}
	}
	return m.fits()
}

// intBits is the length of an integer.
func intBits(v starlark.Int) int {
	if _, ok := v.Int64(); ok {
		return 64
	}
	return v.BigInt().BitLen()
}

// Text is the text of a value for a message: its type where the text would be long.
func Text(v starlark.Value) string {
	if n, err := textBytes(v); err != nil || n > 200 {
		return "a " + v.Type()
	}
	return v.String()
}
