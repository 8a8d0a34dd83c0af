// SPDX-License-Identifier: Apache-2.0

package cache

import "testing"

// Split and Quarters say, of every set of quarters of a block and every set of sectors, what a count byte by
// byte says.
func TestSplitCountsQuartersInsideAndOutsideOfSectors(t *testing.T) {
	for _, size := range []int{32, 64, 128} {
		g := NewGeometry(size)
		for some := range Sectors(1 << (BlockBytes / size)) {
			for touched := range 1 << (BlockBytes / 32) {
				var b Bytes
				inside, outside := 0, 0
				for q := range BlockBytes / 32 {
					if touched>>q&1 == 0 {
						continue
					}
					b[q/2] |= 1 << (q%2*32 + 7*q%32)
					if some>>(q*32/size)&1 != 0 {
						inside++
					} else {
						outside++
					}
				}
				if i, o := g.Split(b, some); i != inside || o != outside || Quarters(b) != i+o {
					t.Fatalf("sectors of %d bytes, %b of them, quarters %b: %d inside and %d outside of %d, want %d and %d", size, some, touched, i, o, Quarters(b), inside, outside)
				}
			}
		}
	}
}

// The sectors of a block lie one behind the other, and are as long as the geometry says.
func TestSectorsAreTheBytesOfTheirStretch(t *testing.T) {
	for _, size := range []int{32, 64, 128} {
		g := NewGeometry(size)
		for s := range BlockBytes / size {
			var want Bytes
			for k := s * size; k < (s+1)*size; k++ {
				want[k/64] |= 1 << (k % 64)
				if got := g.SectorOf(uint64(k)); got != s {
					t.Errorf("sectors of %d bytes: byte %d is in sector %d, want %d", size, k, got, s)
				}
			}
			if got := g.Bytes(s); got != want {
				t.Errorf("sector %d of %d bytes is %x, want %x", s, size, got, want)
			}
		}
	}
}
