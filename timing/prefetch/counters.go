// SPDX-License-Identifier: Apache-2.0

package prefetch

import "github.com/warptape/warptape/timing/counters"

// The counters of the prefetchers of a level, in the order of declare, from First on.
const (
	Trainings counters.ID = iota
	Proposals
	Issued
	Useful
	Late
	Useless
	EvictedUnused
	Redundant
	Dropped
)

// L1Counters and L2Counters are the first counters of the two levels.
var L1Counters, L2Counters counters.ID

func declare(level, of string) []counters.Declaration {
	return []counters.Declaration{
		{Name: level + "_prefetch_trainings", Unit: counters.Accesses, Meaning: "reads of lines that the prefetchers of " + of + " were told of"},
		{Name: level + "_prefetch_proposals", Unit: counters.Accesses, Meaning: "lines that they proposed, and that were looked up: the sum of those that were issued, redundant and dropped"},
		{Name: level + "_prefetches", Unit: counters.Requests, Meaning: "lines that they asked for: the sum of those that were useful, late and useless, and of those without a reader when the run ends"},
		{Name: level + "_prefetch_useful", Unit: counters.Requests, Meaning: "prefetched lines that were there when the first read wanted them: over " + level + "_prefetches, the accuracy"},
		{Name: level + "_prefetch_late", Unit: counters.Requests, Meaning: "prefetched lines that were on their way when the first read wanted them"},
		{Name: level + "_prefetch_useless", Unit: counters.Requests, Meaning: "prefetched lines that left the cache before a read wanted them"},
		{Name: level + "_prefetch_evicted_unused", Unit: counters.Requests, Meaning: "of the useless ones those that made room for another line"},
		{Name: level + "_prefetch_redundant", Unit: counters.Requests, Meaning: "proposed lines that were in the cache, or on their way to it"},
		{Name: level + "_prefetch_dropped", Unit: counters.Requests, Meaning: "proposed lines without a free MSHR or a place in the queue or the set, or outside of the memory that the read was of"},
	}
}

func init() {
	L1Counters = counters.Register(key, append(declare("l1", "the L1s"), declare("l2", "the L2 slices")...)...)
	L2Counters = L1Counters + Dropped + 1
	for _, level := range []string{"l1", "l2"} {
		counters.RegisterFree(map[string]string{
			level + "_prefetch_trainings":      "the table of the policy is charged, where it has one",
			level + "_prefetch_useful":         "the read is charged",
			level + "_prefetch_late":           "the read is charged",
			level + "_prefetch_useless":        "the prefetch is charged",
			level + "_prefetch_evicted_unused": "the prefetch is charged",
			level + "_prefetch_redundant":      "the proposal is charged",
			level + "_prefetch_dropped":        "the proposal is charged",
		})
	}
}
