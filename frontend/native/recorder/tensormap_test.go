// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/wire"
	"github.com/warptape/warptape/frontend/ptx"
)

// A tensor map has the numbers of the request. Element types and swizzles that there are none of are refused, and so are
// sizes of more than 32 bits.
func TestTensorMapsAreThoseOfTheirRequests(t *testing.T) {
	request := func(change func(q *wire.TensorMap)) *wire.TensorMap {
		q := &wire.TensorMap{Element: 7, Swizzle: 1, Address: 1 << 20, Sizes: []uint64{64, 32}, Strides: []uint64{256}, Box: []uint64{8, 2}, ElementStrides: []uint64{1, 1}}
		change(q)
		return q
	}
	got, err := new(session).tensorMap(request(func(*wire.TensorMap) {}))
	if err != nil || binary.LittleEndian.Uint64(got) != memory.TensorMapBytes {
		t.Fatalf("%x, %v", got, err)
	}
	var m memory.TensorMap
	if err := m.Decode(bytes.Clone(got[8:])); err != nil {
		t.Fatal(err)
	}
	want := memory.TensorMap{Element: memory.TensorElement{Type: ptx.F32}, Swizzle: 32, Address: 1 << 20, Sizes: []uint64{64, 32}, Strides: []uint64{256}, Box: []uint32{8, 2}, ElementStrides: []uint32{1, 1}}
	if d := cmp.Diff(want, m); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for what, change := range map[string]func(q *wire.TensorMap){
		"the first element type that there is none of": func(q *wire.TensorMap) { q.Element = 13 },
		"an element type far away":                     func(q *wire.TensorMap) { q.Element = 1 << 31 },
		"the first swizzle that there is none of":      func(q *wire.TensorMap) { q.Swizzle = uint32(len(memory.SwizzleSpans)) },
		"a swizzle far away":                           func(q *wire.TensorMap) { q.Swizzle = 1 << 31 },
		"a box of more than 32 bits":                   func(q *wire.TensorMap) { q.Box = []uint64{8 | 1<<32, 2} },
		"a stride of more than 32 bits":                func(q *wire.TensorMap) { q.ElementStrides = []uint64{1, 1 | 1<<32} },
	} {
		if got, err := new(session).tensorMap(request(change)); err == nil {
			t.Errorf("%s: %x", what, got)
		}
	}
}
