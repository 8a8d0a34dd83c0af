// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"encoding/binary"
	"math/bits"
)

// SmallHashes looks for strings of six bytes, from a place on and before another, whose hashes have so many
// zeros at the top: the product of the factor and the string in the upper bytes of a word. It returns a
// place, and which of the eight strings from there on are such ones: 0 at the end of what it looks at.
// It leaves out what is nearer to the end than 16 bytes.
func SmallHashes(data []byte, from int, factor uint64, zeros uint) (at int, which uint64) {
	to := len(data) - 15
	if from >= to {
		return from, 0
	}
	if available {
		i, which := smallHashesAVX2(&data[0], uint64(from), uint64(to), factor, uint64(zeros))
		return int(i), which
	}
	return smallHashes(data, from, to, factor, zeros)
}

func smallHashes(data []byte, from, to int, factor uint64, zeros uint) (at int, which uint64) {
	for ; from < to; from += 8 {
		bytes := (*[16]byte)(data[from:])
		for i := range 8 {
			hash := binary.LittleEndian.Uint64(bytes[i:]) << 16 * factor
			if bits.LeadingZeros64(hash) >= int(zeros) {
				which |= 1 << i
			}
		}
		if which != 0 {
			break
		}
	}
	return from, which
}
