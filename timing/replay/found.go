// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"math"
	"strings"

	"github.com/warptape/warptape/timing/counters"
)

// Found gives the shares of reads that the levels have served, in percent. Data
// that are on their way to a level when they are asked for again count as found
// there, as they move once (Opportunistic computing, Fig. 2(a)). Reads of textures,
// constants and instructions that reach L2 count there in the proportions of the
// others. All are NaN where nothing was read.
type Found struct{ L1, L2, LLC, DRAM float64 }

// FoundIn computes the shares from the counters of a run.
func FoundIn(c *counters.Set) Found {
	l1, l2, llc := float64(c[counters.L1Read]), float64(c[counters.L2Read]), float64(c[counters.LLCRead])
	if l1+l2 == 0 {
		nan := math.NaN()
		return Found{nan, nan, nan, nan}
	}
	rest := 100.0
	take := func(hits, reads float64) float64 {
		if reads == 0 {
			return 0
		}
		share := rest
		if hits < reads { // a quotient of equals may be rounded above what is left
			share = rest * hits / reads
		}
		rest -= share
		return share
	}
	f := Found{
		L1:  take(float64(c[counters.L1ReadHit])+float64(c[counters.L1ReadMerge]), l1),
		L2:  take(l2-float64(c[counters.L2ReadMiss]), l2),
		LLC: take(llc-float64(c[counters.LLCReadMiss]), llc),
	}
	f.DRAM = rest
	return f
}

func foundIn(name string, share func(Found) float64, formula string) Declaration {
	return Declaration{"found_" + name + "_percent", "data found in " + strings.ToUpper(name), "%", formula, func(s *Section) float64 {
		return share(FoundIn((*counters.Set)(&s.Counters)))
	}}
}
