// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/warpset"
)

// youngest takes the ready warp that arrived last, which no published scheduler
// does: old warps starve until the young ones wait.
type youngest struct{}

func (youngest) Pick(candidates warpset.Set, ages *sm.Ages) int {
	best := candidates.Lowest()
	for rest := candidates; !rest.Empty(); rest = rest.Rest() {
		if w := rest.Lowest(); ages[w] > ages[best] {
			best = w
		}
	}
	return best
}

// A name that is registered is a word of the key sm.scheduler.
func init() {
	sm.Policies.Register("youngest", func(*arch.SM) sm.Policy { return youngest{} })
}
