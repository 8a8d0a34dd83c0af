package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
)

// TestPartsOfLinesAreTheirBytes compares with bit by bit.
func TestPartsOfLinesAreTheirBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		size := 16 << random.IntN(4)
		part := seam.LinePart{Address: random.Uint64N(1<<40) &^ uint64(size-1), HalfWords: random.Uint64() & random.Uint64()}
		if random.IntN(4) == 0 {
			part.HalfWords = ^uint64(0)
		}
		if size < 128 {
			part.HalfWords &= 1<<(size/2) - 1
		}
		var want cache.Bytes
		for i := range size {
			if part.HalfWords>>(i/2)&1 != 0 {
				want = want.Or(cache.Range(int(part.Address%128)+i, 1))
			}
		}
		if got := bytesOf(part); got != want {
			t.Fatalf("%+v: %x, want %x", part, got, want)
		}
	}
}
