// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"encoding/binary"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
)

// What loads make of words of single precision: ties, a carry into the exponent, numbers that are
// infinite or none, and subnormal ones.
func TestLoadsRoundAndFlush(t *testing.T) {
	single, rounded := TensorElement{Type: ptx.F32}, TensorElement{Type: ptx.TF32}
	for _, c := range []struct{ word, rounded, flushed, both uint32 }{
		{0x3f80_0000, 0x3f80_0000, 0x3f80_0000, 0x3f80_0000}, // 1
		{0x3f80_1000, 0x3f80_0000, 0x3f80_1000, 0x3f80_0000}, // a tie, even below
		{0x3f80_1001, 0x3f80_2000, 0x3f80_1001, 0x3f80_2000}, // above the tie
		{0x3f80_3000, 0x3f80_4000, 0x3f80_3000, 0x3f80_4000}, // a tie, even above
		{0xbf80_3000, 0xbf80_4000, 0xbf80_3000, 0xbf80_4000},
		{0x3fff_f000, 0x4000_0000, 0x3fff_f000, 0x4000_0000}, // all ones: the next exponent
		{0x7f7f_ffff, 0x7f80_0000, 0x7f7f_ffff, 0x7f80_0000}, // beyond the largest
		{0xff80_0000, 0xff80_0000, 0xff80_0000, 0xff80_0000},
		{0x7f80_0001, 0x7f80_0001, 0x7f80_0001, 0x7f80_0001}, // a NaN that rounding would make infinite
		{0x807f_ffff, 0x8080_0000, 0x8000_0000, 0x8000_0000}, // the largest subnormal number
		{0x0000_1000, 0x0000_0000, 0x0000_0000, 0x0000_0000},
		{0x0000_1001, 0x0000_2000, 0x0000_0000, 0x0000_0000},
	} {
		for e, want := range map[TensorElement]uint32{single: c.word, rounded: c.rounded, {Type: ptx.F32, Flush: true}: c.flushed, {Type: ptx.TF32, Flush: true}: c.both} {
			b := binary.LittleEndian.AppendUint32(nil, c.word)
			if e.Load(b); binary.LittleEndian.Uint32(b) != want {
				t.Errorf("a load of .%s makes %#08x of %#08x, want %#08x", e, binary.LittleEndian.Uint32(b), c.word, want)
			}
		}
	}
}

// The numbers are those of tensormap.replace (PTX ISA 9.7.9.26, table of elemtype).
func TestTensorElementsHaveTheirNumbers(t *testing.T) {
	for number, want := range []string{"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32.ftz", "f64", "bf16", "tf32", "tf32.ftz"} {
		e, ok := TensorElementOf(uint64(number))
		if !ok || e.String() != want || e.Number() != number {
			t.Errorf("number %d is %s (%v) with number %d, want %s", number, e, ok, e.Number(), want)
		}
	}
	if e, ok := TensorElementOf(13); ok || e.Number() >= 0 {
		t.Errorf("number 13 is %s", e)
	}
}
