// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"math/rand/v2"
	"testing"
)

// The pieces of a copy come back from its words, one by one, as long as they make no
// more runs than there is room for. The bytes come back in any case.
func TestBulkCopiesComeBackFromTheirWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b, again BulkCopy
		type piece struct{ address, bytes uint64 }
		var pieces []piece
		total := uint64(0)
		for range 1 + r.IntN(12) { // rows of a box
			address, bytes, stride := r.Uint64N(1<<40), uint64(16*(1+r.IntN(16))), r.Uint64N(1<<20)
			for row := range uint64(1 + r.IntN(20)) {
				p := piece{address + row*stride, bytes}
				pieces = append(pieces, p)
				b.Add(p.address, uint32(p.bytes))
				total += bytes
			}
		}
		b.Barrier, b.HasBarrier = uint64(r.IntN(1<<18)), r.IntN(2) == 0
		words := b.Words()
		again.SetWords(&words)
		if again.Bytes() != total || again.HasBarrier != b.HasBarrier || b.HasBarrier && again.Barrier != b.Barrier {
			t.Fatalf("%d bytes of %d, barrier %v of %v", again.Bytes(), total, again, b)
		}
		if len(b.Runs) == MaxBulkRuns { // the last one may stand for several
			continue
		}
		for address, bytes := range again.Pieces {
			if len(pieces) == 0 || pieces[0] != (piece{address, bytes}) {
				t.Fatalf("piece %#x+%d, want %v", address, bytes, pieces)
			}
			pieces = pieces[1:]
		}
		if len(pieces) != 0 {
			t.Fatalf("%d pieces are missing", len(pieces))
		}
	}
}

// Words that no writer makes end at the most that a copy can move.
func TestDamagedBulkCopiesEnd(t *testing.T) {
	var words [WarpSize]uint64
	for i := range words {
		words[i] = ^uint64(0)
	}
	var b BulkCopy
	for _, bytes := range []uint64{0, 1, 1 << 19, 1<<32 - 1} {
		words[3] = bytes | (1<<32-1)<<32
		b.SetWords(&words)
		n, sum := 0, uint64(0)
		for _, bytes := range b.Pieces {
			n++
			sum += bytes
		}
		if len(b.Runs) > MaxBulkRuns || n > MaxBulkBytes || sum > MaxBulkBytes {
			t.Errorf("%d runs, %d pieces, %d bytes", len(b.Runs), n, sum)
		}
	}
}
