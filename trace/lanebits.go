package trace

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

// scatterBits spreads the low bits of v over the set positions of mask (x86
// PDEP). Bits for which mask has no position are lost.
func scatterBits(v, mask uint32) uint32 {
	var out uint32
	for ; mask != 0 && v != 0; mask &= mask - 1 {
		if v&1 != 0 {
			out |= mask & -mask
		}
		v >>= 1
	}
	return out
}

// bitWriter packs values of a fixed width without gaps, from bit 0 of byte 0 up.
type bitWriter struct {
	data    []byte
	pending uint64
	filled  uint // bits in pending, below 64
}

func (w *bitWriter) put(v uint64, width uint) {
	v &= 1<<width - 1
	w.pending |= v << w.filled
	if w.filled += width; w.filled >= 64 {
		w.data = binary.LittleEndian.AppendUint64(w.data, w.pending)
		w.filled -= 64
		w.pending = v >> (width - w.filled)
	}
}

func (w *bitWriter) bytes() []byte {
	for ; w.filled > 0; w.filled -= min(w.filled, 8) {
		w.data = append(w.data, byte(w.pending))
		w.pending >>= 8
	}
	return w.data
}

func (w *bitWriter) reset() { w.data, w.pending, w.filled = w.data[:0], 0, 0 }

// bitReader is the inverse of bitWriter. After the end of the data it yields zeros;
// its owner compares what was read with what there was.
type bitReader struct {
	data []byte
	at   uint64 // bits read
}

// wideBits is how many bits a load of eight bytes from any bit on is sure to have.
const wideBits = 56

// next reads a value of up to 64 bits.
func (r *bitReader) next(width uint) uint64 {
	if i := r.at >> 3; width <= wideBits && i < uint64(len(r.data)) && uint64(len(r.data))-i >= 8 {
		v := binary.LittleEndian.Uint64(r.data[i:]) >> (r.at & 7) & (1<<width - 1)
		r.at += uint64(width)
		return v
	}
	return r.slow(width)
}

// slow reads bits that an eight-byte load does not reach, a byte at a time.
func (r *bitReader) slow(width uint) (v uint64) {
	for got := uint(0); got < width; {
		n := min(width-got, uint(8-r.at&7))
		if i := r.at >> 3; i < uint64(len(r.data)) {
			v |= uint64(r.data[i]) >> (r.at & 7) & (1<<n - 1) << got
		}
		r.at += uint64(n)
		got += n
	}
	return v
}
