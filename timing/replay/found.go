package replay

import (
	"math"
	"strings"

	"github.com/warptape/warptape/timing/counters"
)

// level is where the data of a read were found.
type level int

const (
	levelL1 level = iota
	levelL2
	levelLLC
	levelDRAM
	levels
)

// found gives the share of reads that each level served, in percent: data that are
// on their way to a level when they are asked for again count as found there, as
// they move once (Opportunistic computing, Fig. 2(a)). Reads of textures, constants
// and instructions that reach L2 count there in the proportions of the others. All
// are NaN where nothing was read.
func found(s *Section) [levels]float64 {
	l1, l2 := s.count(counters.L1Read), s.count(counters.L2Read)
	if l1+l2 == 0 {
		nan := math.NaN()
		return [levels]float64{nan, nan, nan, nan}
	}
	var f [levels]float64
	rest := 100.0
	take := func(at level, hits, reads float64) {
		if reads > 0 {
			f[at] = rest * hits / reads
			rest -= f[at]
		}
	}
	take(levelL1, s.count(counters.L1ReadHit)+s.count(counters.L1ReadMerge), l1)
	take(levelL2, l2-s.count(counters.L2ReadMiss), l2)
	llc := s.count(counters.LLCRead)
	take(levelLLC, llc-s.count(counters.LLCReadMiss), llc)
	f[levelDRAM] = rest
	return f
}

func foundIn(name string, at level, formula string) Declaration {
	return Declaration{"found_" + name + "_percent", "data found in " + strings.ToUpper(name), "%", formula, func(s *Section) float64 { return found(s)[at] }}
}
