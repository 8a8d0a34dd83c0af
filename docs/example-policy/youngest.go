package main

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/sm"
)

// youngest takes the ready warp that arrived last, which no published scheduler
// does: old warps starve until the young ones wait.
type youngest struct{}

func (youngest) Pick(candidates uint64, ages *sm.Ages) int {
	best := bits.TrailingZeros64(candidates)
	for rest := candidates; rest != 0; rest &= rest - 1 {
		if w := bits.TrailingZeros64(rest); ages[w] > ages[best] {
			best = w
		}
	}
	return best
}

// A name that is registered is a word of the key sm.scheduler.
func init() {
	sm.Policies.Register("youngest", func(*arch.SM) sm.Policy { return youngest{} })
}
