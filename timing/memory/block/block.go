// SPDX-License-Identifier: Apache-2.0

// Package block has the words in which parts of the memory path speak of bytes. They
// are masks of the bytes of an aligned block, and what an access moves of a line.
package block

import "math/bits"

// Size is the stretch of memory, aligned to itself, that byte and sector
// masks speak about, whatever the line size of a cache: the longest line.
const Size = 128

// Bytes is a mask of the bytes of a block: bit i of word 0 is byte i, of word 1
// byte 64+i.
type Bytes [2]uint64

// Range is the mask of n bytes from offset in the block; what lies beyond the
// block is left out.
func Range(offset, n int) Bytes {
	var b Bytes
	end := min(offset+n, Size)
	b[0] = low(min(end, 64)) &^ low(min(offset, 64))
	b[1] = low(max(end-64, 0)) &^ low(max(offset-64, 0))
	return b
}

// low is the mask of the n lowest bits, n in 0..64.
func low(n int) uint64 { return uint64(1)<<n - 1 }

// Or is the union.
func (b Bytes) Or(c Bytes) Bytes { return Bytes{b[0] | c[0], b[1] | c[1]} }

// AndNot is what b has and c has not.
func (b Bytes) AndNot(c Bytes) Bytes { return Bytes{b[0] &^ c[0], b[1] &^ c[1]} }

// And is the intersection.
func (b Bytes) And(c Bytes) Bytes { return Bytes{b[0] & c[0], b[1] & c[1]} }

// Empty reports whether no byte is in the mask.
func (b Bytes) Empty() bool { return b[0]|b[1] == 0 }

// Count is the number of bytes in the mask.
func (b Bytes) Count() int { return bits.OnesCount64(b[0]) + bits.OnesCount64(b[1]) }

// Transaction is what an access moves of one line.
type Transaction struct {
	Line  uint64 // address of the line
	Bytes Bytes  // of the block that holds the line
}

// First is the lowest byte of a mask that has some.
func (b Bytes) First() int {
	if b[0] != 0 {
		return bits.TrailingZeros64(b[0])
	}
	return 64 + bits.TrailingZeros64(b[1])
}
