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
