// SPDX-License-Identifier: Apache-2.0

package tinycache

import "github.com/warptape/warptape/timing/counters"

// firstCounter is the ID of the first of the counters, in the order of the
// constants below.
var firstCounter = counters.Register(Key,
	counters.Declaration{Name: "tinycache_reads", Unit: counters.Accesses, Meaning: "lanes that looked a load up"},
	counters.Declaration{Name: "tinycache_read_hits", Unit: counters.Accesses, Meaning: "lanes whose data were there or on their way"},
	counters.Declaration{Name: "tinycache_read_half_word_misses", Unit: counters.Accesses, Meaning: "lanes that found the line without all half-words (rh(i)), and had it fetched"},
	counters.Declaration{Name: "tinycache_writes", Unit: counters.Accesses, Meaning: "lanes that looked a store up"},
	counters.Declaration{Name: "tinycache_write_hits", Unit: counters.Accesses, Meaning: "lanes whose store found its line"},
	counters.Declaration{Name: "tinycache_probes", Unit: counters.Accesses, Meaning: "lanes whose access passes by the cache, after a look for its line"},
	counters.Declaration{Name: "tinycache_unallocated", Unit: counters.Accesses, Meaning: "lanes that found every line of the set on its way, and bypassed the tinyCache"},
	counters.Declaration{Name: "tinycache_line_fills", Unit: counters.Accesses, Meaning: "lines written into lanes' caches"},
	counters.Declaration{Name: "tinycache_coalesced_fills", Unit: counters.Accesses, Meaning: "lines fetched: lanes of a warp access that miss the same line share it"},
	counters.Declaration{Name: "tinycache_line_evictions", Unit: counters.Accesses, Meaning: "dirty lines read out of lanes' caches"},
	counters.Declaration{Name: "tinycache_merged_evictions", Unit: counters.Accesses, Meaning: "lines written back: half-words of lanes that evict the same line together are merged"},
	counters.Declaration{Name: "tinycache_flushes", Unit: counters.Accesses, Meaning: "evictions of everything in an SM, at barriers, fences and block ends"},
)

func init() {
	counters.RegisterFree(map[string]string{
		"tinycache_read_hits":             "the lookup is charged: tinycache_reads",
		"tinycache_read_half_word_misses": "the lookup and the fill are charged",
		"tinycache_write_hits":            "the lookup is charged: tinycache_writes",
		"tinycache_unallocated":           "the lookup is charged, and the access where it goes",
		"tinycache_merged_evictions":      "lines read are charged, and the store where it goes",
		"tinycache_flushes":               "the lines evicted are charged",
	})
}

const (
	countRead counters.ID = iota
	countReadHit
	countHalfWordMiss
	countWrite
	countWriteHit
	countProbe
	countUnallocated
	countLineFill
	countCoalescedFill
	countLineEviction
	countMergedEviction
	countFlush
)

// count adds n to one of the counters.
func (p *port) count(which counters.ID, n int) { p.counts[firstCounter+which] += uint64(n) }
