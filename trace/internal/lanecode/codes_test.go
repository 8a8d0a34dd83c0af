// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// Codes of all lengths, whose low bits lie one after the other from the lowest bit of the first byte on, are read as they were
// written: by all lanes together and by some. Wide ones lie between narrow ones, up to the last byte.
func TestCodesOfAllLengthsAreReadAsTheyWereWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	for round := range 300 {
		var classes, open []byte
		var want [][WarpLanes]uint64
		var masks []uint32
		at := 0
		put := func(code uint64) { // by the format: exact below 8, else the bit length, and two bits behind the leading one
			class, low := byte(code), 0
			if code >= 8 {
				length := bits.Len64(code)
				low = length - 3
				class = byte(8 + 4*(length-4) + int(code>>low&3))
			}
			classes = append(classes, class)
			for b := range low {
				if at%8 == 0 {
					open = append(open, 0)
				}
				open[at/8] |= byte(code>>b&1) << (at % 8)
				at++
			}
		}
		for range 6 {
			mask, widest := AllWarpLanes, 1+r.IntN(64)
			if r.IntN(3) == 0 {
				mask = r.Uint32()
			}
			var codes [WarpLanes]uint64
			for l := range codes {
				if mask>>l&1 != 0 {
					codes[l] = r.Uint64() >> (64 - r.IntN(widest+1))
					put(codes[l])
				}
			}
			want, masks = append(want, codes), append(masks, mask)
		}
		reader := NewCodeReader(classes, open)
		for i, mask := range masks {
			var codes [WarpLanes]uint64
			if reader.Take(mask, &codes); codes != want[i] {
				t.Fatalf("round %d, execution %d of lanes %#x: %x, want %x", round, i, mask, codes, want[i])
			}
		}
		if err := reader.Check(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}
