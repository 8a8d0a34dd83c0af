// SPDX-License-Identifier: Apache-2.0

package lanes

import "encoding/binary"

// ClampBits limits t to what a number of some bits holds.
func ClampBits(t int64, width int, signed bool) int64 {
	if signed {
		return max(-(1 << (width - 1)), min(1<<(width-1)-1, t))
	}
	return max(0, min(1<<width-1, t))
}

// Extend widens the low bits of v to 64 bits.
func Extend(v uint64, bits int, signed bool) uint64 {
	shift := 64 - bits
	if signed {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}

// LoadRaw is the number of width bytes, little-endian, at the start of b.
func LoadRaw(b []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// StoreRaw writes the low width bytes of v at the start of b.
func StoreRaw(b []byte, width int, v uint64) {
	switch width {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// ExtendWord is a 32-bit number as a wide one.
func ExtendWord(v uint32, signed bool) int64 { return int64(Extend(uint64(v), 32, signed)) }
