// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math"
	"slices"

	"github.com/warptape/warptape/timing/clock"
)

// Four warps of a thread block are a warpgroup, where four divides the number of the first. They
// execute the same products of matrices (PTX ISA 9.7.15.1). Each has a quarter of the rows. A product is complete when the last of them has computed its part, so that none
// of them goes on behind a product that another has yet to begin.

// warpgroupWarps is the number of warps of a warpgroup.
const warpgroupWarps = 4

// products are those of a warp that are not complete, in order.
type products struct {
	list     []product
	complete uint32 // products before these
}

// product is one of a warpgroup, with its group; ended says that this warp's part is computed.
type product struct {
	instruction, group uint32
	ended              bool
}

func (p *products) reset() { *p = products{list: p.list[:0]} }

// ended is how many products have ended, and none before them has not.
func (p *products) ended() uint32 {
	n := slices.IndexFunc(p.list, func(x product) bool { return !x.ended })
	if n < 0 {
		n = len(p.list)
	}
	return p.complete + uint32(n)
}

// multiplies notes that a product of warp w begins, whose end multiplied hears of.
func (s *SM) multiplies(w int, op *operation) {
	p := &s.groups[w].multiplying
	p.list = append(p.list, product{instruction: s.warps[w].index, group: s.groupsOf(w, op).Start()})
}

// multiplied ends the oldest product of warp w that an instruction began.
func (s *SM) multiplied(w int, instruction uint32) {
	list := s.groups[w].multiplying.list
	i := slices.IndexFunc(list, func(p product) bool { return p.instruction == instruction && !p.ended })
	list[i].ended = true
	s.completeProducts(*s.clock+1, w)
}

// completeProducts completes the products of warp w's warpgroup that all its warps have
// computed. A warp that has issued everything, and computed its products, holds up none.
func (s *SM) completeProducts(now clock.Cycle, w int) {
	var warps [warpgroupWarps]int
	group := s.warpgroupOf(w, &warps)
	complete := uint32(math.MaxUint32)
	for _, m := range group {
		p := &s.groups[m].multiplying
		ended := p.ended()
		if !s.warps[m].finished || ended < p.complete+uint32(len(p.list)) {
			complete = min(complete, ended)
		}
	}
	for _, m := range group {
		s.completeUntil(now, m, complete)
	}
}

// completeUntil completes the products of warp w before a number.
func (s *SM) completeUntil(now clock.Cycle, w int, number uint32) {
	g := &s.groups[w]
	p := &g.multiplying
	n := 0
	for ; n < len(p.list) && p.complete < number; n++ {
		g.products.Finish(p.list[n].group)
		p.complete++
	}
	if n > 0 {
		p.list = slices.Delete(p.list, 0, n)
		s.checkGroups(now, w)
	}
}

// warpgroupOf gives the warps of warp w's warpgroup, w among them.
func (s *SM) warpgroupOf(w int, warps *[warpgroupWarps]int) []int {
	rest := s.residents.In(s.warps[w].block).Slots()
	for before := rest.Before(w).Count() / warpgroupWarps * warpgroupWarps; before > 0; before-- {
		rest = rest.Rest()
	}
	n := 0
	for ; n < warpgroupWarps && !rest.Empty(); n++ {
		warps[n] = rest.Lowest()
		rest = rest.Rest()
	}
	return warps[:n]
}
