// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"math/rand/v2"
	"testing"
)

// Sums over tables by hand: each symbol of each code is counted once, where it belongs.
func TestSymbolsAreCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range 200 {
		var have, want struct {
			plain, odd [256]uint32
			contexts   [MaxContexts][256]uint32
			open       [nibbleTables][1 << nibbleBits]uint32
		}
		n := Lanes + r.IntN(200)
		classes, contexts, codes := make([]byte, n), make([]byte, n), make([]uint64, n)
		most := uint([]int{252, 120, 64, 9, 8}[r.IntN(5)])
		for i := range classes {
			classes[i], contexts[i], codes[i] = byte(r.UintN(most)), byte(r.UintN(MaxContexts)), r.Uint64()
		}
		Count(&have.plain, &have.odd, (*[Lanes]byte)(classes))
		CountContexts(&have.contexts, contexts, classes)
		CountOpen(&have.open, codes, classes)
		for i, class := range classes {
			if i < Lanes && i%2 == 0 {
				want.plain[class]++
			} else if i < Lanes {
				want.odd[class]++
			}
			want.contexts[contexts[i]][class]++
			for open := uint(openBits[class]); open > 0; {
				width := (open-1)%4 + 1
				open -= width
				want.open[open+width-1][codes[i]>>open&(1<<width-1)]++
			}
		}
		if have != want {
			t.Fatalf("%d classes below %d are counted wrongly", n, most)
		}
	}
}

func TestCountsInGoAreThoseOfAssembly(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	var have, want struct {
		plain, odd [256]uint32
		contexts   [MaxContexts][256]uint32
		open       [nibbleTables][1 << nibbleBits]uint32
	}
	classes, contexts, codes := make([]byte, 5000), make([]byte, 5000), make([]uint64, 5000)
	for i := range classes {
		classes[i], contexts[i], codes[i] = byte(r.UintN(maxClass+1)), byte(r.UintN(MaxContexts)), r.Uint64()
	}
	Count(&have.plain, &have.odd, (*[Lanes]byte)(classes))
	CountContexts(&have.contexts, contexts, classes)
	CountOpen(&have.open, codes, classes)
	count(&want.plain, &want.odd, (*[Lanes]byte)(classes))
	countContexts(&want.contexts, contexts, classes)
	countOpen(&want.open, codes, classes)
	if have != want {
		t.Fatal("the counts differ")
	}
}
