// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"encoding/binary"
	"math/bits"
)

// gatherBits collects the bits of v at the set positions of mask towards bit 0
// (x86 PEXT).
func gatherBits(v, mask uint32) uint32 {
	var out uint32
	for i := 0; mask != 0; mask &= mask - 1 {
		out |= (v >> bits.TrailingZeros32(mask) & 1) << i
		i++
	}
	return out
}

// ScatterBits spreads the low bits of v over the set positions of mask (x86
// PDEP). Bits for which mask has no position are lost.
func ScatterBits(v, mask uint32) uint32 {
	var out uint32
	for ; mask != 0 && v != 0; mask &= mask - 1 {
		if v&1 != 0 {
			out |= mask & -mask
		}
		v >>= 1
	}
	return out
}

// BitWriter packs values of a fixed width without gaps, from bit 0 of byte 0 up.
type BitWriter struct {
	Data    []byte
	Pending uint64
	Filled  uint // bits in pending, below 64
}

func (w *BitWriter) Put(v uint64, width uint) {
	v &= 1<<width - 1
	w.Pending |= v << w.Filled
	if w.Filled += width; w.Filled >= 64 {
		w.Data = binary.LittleEndian.AppendUint64(w.Data, w.Pending)
		w.Filled -= 64
		w.Pending = v >> (width - w.Filled)
	}
}

func (w *BitWriter) Bytes() []byte {
	for ; w.Filled > 0; w.Filled -= min(w.Filled, 8) {
		w.Data = append(w.Data, byte(w.Pending))
		w.Pending >>= 8
	}
	return w.Data
}

func (w *BitWriter) Reset() { w.Data, w.Pending, w.Filled = w.Data[:0], 0, 0 }

// BitReader is the inverse of BitWriter. After the end of the data it yields zeros;
// its owner compares what was read with what there was.
type BitReader struct {
	Data []byte
	At   uint64 // bits read
}

// WideBits is how many bits a load of eight bytes from any bit on is sure to have.
const WideBits = 56

// Next reads a value of up to 64 bits.
func (r *BitReader) Next(width uint) uint64 {
	if i := r.At >> 3; width <= WideBits && i < uint64(len(r.Data)) && uint64(len(r.Data))-i >= 8 {
		v := binary.LittleEndian.Uint64(r.Data[i:]) >> (r.At & 7) & (1<<width - 1)
		r.At += uint64(width)
		return v
	}
	return r.Slow(width)
}

// Slow reads bits that an eight-byte load does not reach, a byte at a time.
func (r *BitReader) Slow(width uint) (v uint64) {
	for got := uint(0); got < width; {
		n := min(width-got, uint(8-r.At&7))
		if i := r.At >> 3; i < uint64(len(r.Data)) {
			v |= uint64(r.Data[i]) >> (r.At & 7) & (1<<n - 1) << got
		}
		r.At += uint64(n)
		got += n
	}
	return v
}
