// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"sort"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// external is a function that compilers leave undefined and the emulator
// provides: the device's runtime, and mathematics in the manner of libdevice.
type external struct {
	params []ptx.Type
	result ptx.Type // TypeNone without one
	// run executes it for one lane; raw values have the bits of their types.
	run func(c *warpContext, lane int, arguments []uint64) (uint64, error)
}

func (e *external) results() int {
	if e.result == ptx.TypeNone {
		return 0
	}
	return 1
}

// externals are the functions by name.
var externals = func() map[string]*external {
	table := make(map[string]*external)
	for name, e := range runtimeFunctions {
		table[name] = e
	}
	addMathFunctions(table)
	return table
}()

// ProvidedFunctions lists the external functions that modules may call without
// defining them, sorted.
func ProvidedFunctions() []string {
	names := make([]string, 0, len(externals))
	for name := range externals {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// provided reports whether the emulator provides the function.
func (t *callTarget) provided() bool { return t.external != nil || t.image != nil }

// callExternal executes a provided function for the lanes in mask, ascending.
func (c *warpContext) callExternal(k *callOperation, t *callTarget, mask uint32) error {
	var frame uint64
	if c.program.calls {
		frame = c.lane(k.frame, true, lanes.FirstLane(mask))
	}
	if t.image != nil {
		return c.callImage(k, t.image, frame, mask)
	}
	c.readValues(k.arguments, nil, frame, mask)
	var arguments [8]uint64
	for m := mask; m != 0; m &= m - 1 {
		i := lanes.FirstLane(m)
		for p := range k.arguments {
			arguments[p] = truncate(c.calls.values[p][i], t.external.params[p].Bits())
		}
		v, err := t.external.run(c, i, arguments[:len(k.arguments)])
		if err != nil {
			return err
		}
		if len(k.results) > 0 {
			c.writePlace(&k.results[0], frame, i, v)
		}
	}
	return nil
}

// genericBytes gives n bytes at a generic address of a lane.
func (c *warpContext) genericBytes(lane int, address uint64, n int, write bool) ([]byte, error) {
	k := accessOperation{space: ptx.SpaceGeneric, width: n, bytes: uint64(n), write: write, verb: "load", instruction: -1}
	if write {
		k.verb = "store"
	}
	c.access.strided, c.access.addresses[lane] = false, address
	return c.resolve(&k, lane)
}

// maxString bounds the strings that functions take.
const maxString = 1 << 16

// genericString reads a string that ends with a zero byte.
func (c *warpContext) genericString(lane int, address uint64) (string, error) {
	var text []byte
	for len(text) < maxString {
		b, err := c.genericBytes(lane, address+uint64(len(text)), 1, false)
		if err != nil {
			return "", err
		}
		if b[0] == 0 {
			break
		}
		text = append(text, b[0])
	}
	return string(text), nil
}
