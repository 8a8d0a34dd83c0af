// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"slices"

	"github.com/warptape/warptape/trace/internal/columns"
)

const (
	// batch is how many pairs of codes are packed before there is room for more.
	batch = 1 << 11
	// pairBytes is the most that a pair adds, of those that assembly packs.
	pairBytes = 8
)

// PackOpen appends the open bits of codes.
func PackOpen(w *columns.BitWriter, codes []uint64, classes []byte) {
	codes = codes[:len(classes)]
	for availableBits && len(classes) >= 2 {
		flush(w)
		pairs := min(len(classes)/2, batch)
		start := len(w.Data)
		w.Data = slices.Grow(w.Data, pairBytes*(pairs+1))
		room := w.Data[start : start+pairBytes*(pairs+1)]
		n, left, filled, undone := packOpenBMI2(&room[0], &codes[0], &classes[0], uint64(pairs), &openBits, w.Pending, uint64(w.Filled))
		w.Data, w.Pending, w.Filled = w.Data[:start+int(n)], left, uint(filled)
		done := 2 * (pairs - int(undone))
		if undone > 0 { // this pair has too many bits
			packOpen(w, codes[done:done+2], classes[done:done+2])
			done += 2
		}
		codes, classes = codes[done:], classes[done:]
	}
	packOpen(w, codes, classes)
}

// flush appends the whole bytes of what is pending.
func flush(w *columns.BitWriter) {
	for ; w.Filled >= 8; w.Filled -= 8 {
		w.Data = append(w.Data, byte(w.Pending))
		w.Pending >>= 8
	}
}

func packOpen(w *columns.BitWriter, codes []uint64, classes []byte) {
	codes = codes[:len(classes)]
	for i, class := range classes {
		w.Put(codes[i], uint(openBits[class]))
	}
}
