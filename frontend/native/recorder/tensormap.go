// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/wire"
)

// tensorMap gives the bytes of a tensor map (CUDA Driver API, "Tensor Map Object Management").
func (s *session) tensorMap(q *wire.TensorMap) ([]byte, error) {
	m := memory.TensorMap{Address: q.Address, Sizes: q.Sizes, Strides: q.Strides, FillNaN: q.FillNaN, Swizzle: -1}
	var ok bool
	if m.Element, ok = memory.TensorElementOf(uint64(q.Element)); !ok {
		return nil, refuse(errInvalidValue, "a tensor map is refused: its element type %d is not supported", q.Element)
	}
	if q.Swizzle < uint32(len(memory.SwizzleSpans)) {
		m.Swizzle = memory.SwizzleSpans[q.Swizzle]
	}
	m.ElementStrides = small(q.ElementStrides)
	if box := small(q.Box); q.Im2col && len(box) == 2 {
		m.Im2col = &memory.Im2col{Lower: signed(q.Lower), Upper: signed(q.Upper), Channels: box[0], Pixels: box[1]}
	} else {
		m.Box = box
	}
	encoded, err := m.Encode()
	if err != nil {
		return nil, refuse(errInvalidValue, "a tensor map is refused: %w", err)
	}
	return wire.AppendBytes(nil, encoded), nil
}

// small are numbers as a tensor map has them. What is larger is beyond each of its bounds.
func small(numbers []uint64) []uint32 {
	list := make([]uint32, len(numbers))
	for i, n := range numbers {
		list[i] = uint32(min(n, 1<<31))
	}
	return list
}

func signed(numbers []uint64) []int {
	list := make([]int, len(numbers))
	for i, n := range numbers {
		list[i] = int(int64(n))
	}
	return list
}
