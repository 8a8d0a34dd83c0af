// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"strings"
)

// A bulk copy (ClassBulk) moves many bytes for one thread. Its access holds no lane
// addresses but 32 words that say what it moved, whatever lanes executed it; with
// no lane there is no access, as of other memory instructions:
//
//   - word 0: the number of runs in bits 0..7. Of a copy that completes an mbarrier, the
//     thread blocks to which it goes in bits 8..23, by rank, and none for that of the
//     mbarrier's address. In bits 24..55 the bytes that it takes off the tx-count, and bit
//     56, which older traces lack. Bit 57 where its lanes complete several mbarriers
//   - word 1: one more than the address, in shared memory, of the mbarrier that the
//     copy completes; 0 without one
//   - three words for each run: the address of its first piece, the bytes of a piece
//     (bits 0..31) and the number of pieces (32..63), and the distance of pieces
//
// Addresses of runs are in the instruction's space. What lies beyond a tensor is not
// among them, because it is not read.

// BulkRun is a number of pieces that lie a stride apart.
type BulkRun struct {
	Address uint64 `json:"address"`
	Bytes   uint32 `json:"bytes"` // of a piece
	Count   uint32 `json:"count"`
	Stride  uint64 `json:"stride"`
}

// MaxBulkRuns is the most runs of one copy that an access holds. Of a copy of more
// pieces the last run has as many bytes as all that are left, in one piece.
const MaxBulkRuns = 10

// BulkCopy is what one execution of a bulk copy moved.
type BulkCopy struct {
	Runs []BulkRun `json:"runs"`
	// Barrier is the address of an mbarrier in shared memory, if HasBarrier.
	Barrier    uint64 `json:"mbarrier,omitempty"`
	HasBarrier bool   `json:"-"`
	// TxBytes are what the copy takes off the tx-count of the mbarrier, in each thread block of
	// the cluster whose bit is in Blocks; with none, in that of the mbarrier's address.
	// What lies beyond a tensor counts. Counted says that they are known.
	TxBytes uint32 `json:"tx_bytes,omitempty"`
	Blocks  uint16 `json:"thread_blocks,omitempty"`
	Counted bool   `json:"-"`
	// Several says that lanes complete several mbarriers, and Barrier is the last.
	Several bool `json:"several_mbarriers,omitempty"`
}

// Completes notes what a lane's copy does to an mbarrier; blocks as in Blocks.
func (b *BulkCopy) Completes(barrier uint64, blocks uint16, bytes uint32) {
	b.Several = b.Several || b.HasBarrier && (b.Barrier != barrier || b.Blocks != blocks)
	b.Barrier, b.HasBarrier, b.Counted = barrier, true, true
	b.Blocks = blocks
	b.TxBytes += bytes
}

// Reset makes it a copy of nothing; the runs' memory is kept.
func (b *BulkCopy) Reset() { *b = BulkCopy{Runs: b.Runs[:0]} }

// Bits of word 0.
const (
	bulkBlocksShift = 8
	bulkBytesShift  = 24
	bulkCounted     = 1 << 56
	bulkSeveral     = 1 << 57
)

// Add adds a piece behind those before.
func (b *BulkCopy) Add(address uint64, bytes uint32) {
	n := len(b.Runs)
	if n > 0 {
		r := &b.Runs[n-1]
		next := r.Address + uint64(r.Count)*r.Stride
		switch {
		case r.Bytes == bytes && r.Count == 1:
			r.Stride, r.Count = address-r.Address, 2
			return
		case r.Bytes == bytes && address == next:
			r.Count++
			return
		case n == MaxBulkRuns:
			r.Bytes, r.Count, r.Stride = r.Bytes*r.Count+bytes, 1, 0
			return
		}
	}
	b.Runs = append(b.Runs, BulkRun{Address: address, Bytes: bytes, Count: 1})
}

// Words are the words of an access.
func (b *BulkCopy) Words() (words [WarpSize]uint64) {
	words[0] = uint64(len(b.Runs))
	if b.HasBarrier {
		words[1] = b.Barrier + 1
	}
	if b.Counted {
		words[0] |= uint64(b.Blocks)<<bulkBlocksShift | uint64(b.TxBytes)<<bulkBytesShift | bulkCounted
	}
	if b.Several {
		words[0] |= bulkSeveral
	}
	for i, r := range b.Runs {
		at := words[2+3*i:]
		at[0], at[1], at[2] = r.Address, uint64(r.Bytes)|uint64(r.Count)<<32, r.Stride
	}
	return words
}

// SetWords takes the copy from the words of an access; the runs' memory is reused.
// Words that no writer makes give no more than MaxBulkRuns runs.
func (b *BulkCopy) SetWords(words *[WarpSize]uint64) {
	b.Runs = b.Runs[:0]
	b.Barrier, b.HasBarrier = words[1]-1, words[1] != 0
	b.Blocks, b.TxBytes = uint16(words[0]>>bulkBlocksShift), uint32(words[0]>>bulkBytesShift)
	b.Counted, b.Several = words[0]&bulkCounted != 0, words[0]&bulkSeveral != 0
	for i := range min(words[0]&0xff, MaxBulkRuns) {
		at := words[2+3*i:]
		b.Runs = append(b.Runs, BulkRun{Address: at[0], Bytes: uint32(at[1]), Count: uint32(at[1] >> 32), Stride: at[2]})
	}
}

// MaxBulkBytes is more than a copy can move, since one side is shared memory.
const MaxBulkBytes = 1 << 20

// Pieces gives what the copy moved, piece by piece. It ends at MaxBulkBytes, and at
// as many pieces, which a damaged trace may go beyond.
func (b *BulkCopy) Pieces(yield func(address, bytes uint64) bool) {
	left := uint64(MaxBulkBytes)
	for _, r := range b.Runs {
		for i := range uint64(r.Count) {
			n := uint64(r.Bytes)
			if max(n, 1) > left || !yield(r.Address+i*r.Stride, n) {
				return
			}
			left -= max(n, 1)
		}
	}
}

// String is the copy as dumps show it.
func (b *BulkCopy) String() string {
	var s strings.Builder
	for _, r := range b.Runs {
		fmt.Fprintf(&s, " 0x%x+%d", r.Address, r.Bytes)
		if r.Count != 1 {
			fmt.Fprintf(&s, " x%d stride %d", r.Count, int64(r.Stride))
		}
	}
	if b.HasBarrier {
		fmt.Fprintf(&s, " mbarrier 0x%x", b.Barrier)
	}
	if b.Counted {
		fmt.Fprintf(&s, " tx %d", b.TxBytes)
	}
	if b.Blocks != 0 {
		fmt.Fprintf(&s, " thread blocks %04x", b.Blocks)
	}
	if b.Several {
		s.WriteString(", and other mbarriers")
	}
	return s.String()
}

// Bytes is what the copy moved.
func (b *BulkCopy) Bytes() (n uint64) {
	for _, r := range b.Runs {
		n += uint64(r.Bytes) * uint64(r.Count)
	}
	return n
}
