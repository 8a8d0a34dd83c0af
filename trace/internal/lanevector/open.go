// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"encoding/binary"
	"slices"
)

// Bits are bits in the order in which they come, from bit 0 of byte 0 up. Pending has those that fill no
// byte or word yet; the bits above are zero.
type Bits struct {
	Data    []byte
	Pending uint64
	Filled  uint
}

const (
	// batch is how many pairs of codes are packed before there is room for more.
	batch = 1 << 11
	// pairBytes is the most that a pair adds, of those that assembly packs.
	pairBytes = 8
)

// PackOpen appends the open bits of codes.
func (b *Bits) PackOpen(codes []uint64, classes []byte) {
	codes = codes[:len(classes)]
	for availableBits && len(classes) >= 2 {
		b.flush()
		pairs := min(len(classes)/2, batch)
		start := len(b.Data)
		b.Data = slices.Grow(b.Data, pairBytes*(pairs+1))
		room := b.Data[start : start+pairBytes*(pairs+1)]
		n, left, filled, undone := packOpenBMI2(&room[0], &codes[0], &classes[0], uint64(pairs), &openBits, b.Pending, uint64(b.Filled))
		b.Data, b.Pending, b.Filled = b.Data[:start+int(n)], left, uint(filled)
		done := 2 * (pairs - int(undone))
		if undone > 0 { // this pair has too many bits
			b.packOpen(codes[done:done+2], classes[done:done+2])
			done += 2
		}
		codes, classes = codes[done:], classes[done:]
	}
	b.packOpen(codes, classes)
}

// flush appends the whole bytes of what is pending.
func (b *Bits) flush() {
	for ; b.Filled >= 8; b.Filled -= 8 {
		b.Data = append(b.Data, byte(b.Pending))
		b.Pending >>= 8
	}
}

func (b *Bits) packOpen(codes []uint64, classes []byte) {
	codes = codes[:len(classes)]
	for i, class := range classes {
		open := uint(openBits[class])
		v := codes[i] & (1<<open - 1)
		b.Pending |= v << (b.Filled & 63)
		if b.Filled += open; b.Filled >= 64 {
			b.Data = binary.LittleEndian.AppendUint64(b.Data, b.Pending)
			b.Filled -= 64
			b.Pending = v >> ((open - b.Filled) & 63)
		}
	}
}

// Bytes appends what is pending.
func (b *Bits) Bytes() []byte {
	b.flush()
	if b.Filled > 0 {
		b.Data = append(b.Data, byte(b.Pending))
		b.Pending, b.Filled = 0, 0
	}
	return b.Data
}
