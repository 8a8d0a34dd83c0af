// SPDX-License-Identifier: Apache-2.0

package pcg

import (
	"math/rand/v2"
	"testing"
)

func TestNumbersAreThoseOfTheStandardLibrary(t *testing.T) {
	for _, seeds := range [][2]uint64{{0, 0}, {1, 2}, {^uint64(0), ^uint64(0)}, {1 << 63, 12345}} {
		want, s := rand.NewPCG(seeds[0], seeds[1]), New(seeds[0], seeds[1])
		for i := range 1000 {
			s = s.Next()
			if w := want.Uint64(); s.Number() != w {
				t.Fatalf("number %d of seeds %v is %d, want %d", i, seeds, s.Number(), w)
			}
		}
	}
}
