// SPDX-License-Identifier: Apache-2.0

package mta

import "github.com/warptape/warptape/timing/counters"

// firstCounter is the ID of the first of the counters, in the order of the
// constants below.
var firstCounter = counters.Register(Key,
	counters.Declaration{Name: "mta_loads", Unit: counters.Accesses, Meaning: "loads of global memory that trained the tables of strides"},
	counters.Declaration{Name: "mta_lookups", Unit: counters.Accesses, Meaning: "lines of loads and stores of global memory looked up in the prefetch buffer"},
	counters.Declaration{Name: "mta_hits", Unit: counters.Accesses, Meaning: "lines of loads that were there"},
	counters.Declaration{Name: "mta_late_hits", Unit: counters.Accesses, Meaning: "lines of loads that were on their way there"},
	counters.Declaration{Name: "mta_prefetches", Unit: counters.Requests, Meaning: "lines asked for early; each is useful, evicted early or invalidated"},
	counters.Declaration{Name: "mta_fills", Unit: counters.Accesses, Meaning: "lines written into the prefetch buffer"},
	counters.Declaration{Name: "mta_useful", Unit: counters.Requests, Meaning: "prefetched lines that a load wanted: over mta_prefetches, the accuracy"},
	counters.Declaration{Name: "mta_early_evictions", Unit: counters.Requests, Meaning: "prefetched lines evicted before a load wanted them (Decoupled affine section 5.1.1)"},
	counters.Declaration{Name: "mta_invalidated", Unit: counters.Requests, Meaning: "prefetched lines overwritten, or left at the end of a kernel, before a load wanted them"},
	counters.Declaration{Name: "mta_redundant", Unit: counters.Requests, Meaning: "predicted lines that were in the buffer or in the L1, or on their way there"},
	counters.Declaration{Name: "mta_throttled", Unit: counters.Requests, Meaning: "predicted lines given up by the throttle"},
	counters.Declaration{Name: "mta_dropped", Unit: counters.Requests, Meaning: "predicted lines without room in the queue or the buffer"},
	counters.Declaration{Name: "mta_warp_lookups", Unit: counters.Accesses, Meaning: "searches of the table of strides of single warps"},
	counters.Declaration{Name: "mta_warp_writes", Unit: counters.Accesses, Meaning: "writes of the table of strides of single warps"},
	counters.Declaration{Name: "mta_promotions", Unit: counters.Accesses, Meaning: "strides found for some warps that hold for all from then on"},
)

func init() {
	counters.RegisterFree(map[string]string{
		"mta_late_hits":       "the lookup is charged, and the fill that it waits for",
		"mta_prefetches":      "requests are charged where they go: network, L2, DRAM",
		"mta_useful":          "the hit is charged",
		"mta_early_evictions": "the fill is charged",
		"mta_invalidated":     "the fill is charged",
		"mta_redundant":       "a search of the tags of a buffer or an L1 less often than loads make one",
		"mta_throttled":       "nothing is done",
		"mta_dropped":         "nothing is done",
	})
}

const (
	countLoad counters.ID = iota
	countLookup
	countHit
	countLateHit
	countPrefetch
	countFill
	countUseful
	countEarlyEviction
	countInvalidated
	countRedundant
	countThrottled
	countDropped
	countWarpLookup
	countWarpWrite
	countPromotion
)

// count adds n to one of the counters.
func (p *port) count(which counters.ID, n int) { p.counts[firstCounter+which] += uint64(n) }
