// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// The parts that a copy is cut into hold each of its half words once, none is empty, and
// none crosses a line of 32 bytes.
func TestACopyIsCutIntoPartsOfLines(t *testing.T) {
	for _, c := range []struct {
		address uint64
		bytes   uint32
		parts   int
	}{{64, 32, 1}, {64, 64, 2}, {80, 16, 1}, {80, 48, 2}, {80, 32, 2}, {16, 128, 5}} {
		var moved trace.BulkCopy
		moved.Add(c.address, c.bytes)
		seen := map[uint64]bool{}
		parts := linesOf(&moved)
		for _, p := range parts {
			if p.Address%pieceBytes != 0 || p.HalfWords == 0 || p.HalfWords>>(pieceBytes/2) != 0 {
				t.Errorf("%+v: part %#x with half words %#x", c, p.Address, p.HalfWords)
			}
			for k := range uint64(pieceBytes / 2) {
				if at := p.Address + 2*k; p.HalfWords>>k&1 != 0 {
					if seen[at] || at < c.address || at >= c.address+uint64(c.bytes) {
						t.Errorf("%+v: half word at %#x, again: %v", c, at, seen[at])
					}
					seen[at] = true
				}
			}
		}
		if len(seen) != int(c.bytes/2) || len(parts) != c.parts {
			t.Errorf("%+v: %d half words in %d parts", c, len(seen), len(parts))
		}
	}
}
