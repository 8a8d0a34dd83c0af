// SPDX-License-Identifier: Apache-2.0

package cpu

import "github.com/warptape/warptape/timing/counters"

// cpuCycles is the unit of cycles of the cores' clock.
const cpuCycles counters.Unit = "CPU cycles"

// cpuInstructions is the unit of instructions of a CPU core.
const cpuInstructions counters.Unit = "CPU instructions"

// firstCounter is the ID of the first of the counters, in the order of the
// constants below.
var firstCounter = counters.Register(Key,
	counters.Declaration{Name: "cpu_cycles", Unit: cpuCycles, Meaning: "cycles in which a core had a job or an exception, summed over cores"},
	counters.Declaration{Name: "cpu_instructions", Unit: cpuInstructions, Meaning: "instructions that retired"},
	counters.Declaration{Name: "cpu_loads", Unit: counters.Accesses, Meaning: "addresses read"},
	counters.Declaration{Name: "cpu_forwarded_loads", Unit: counters.Accesses, Meaning: "loads served by an older store of the reorder buffer"},
	counters.Declaration{Name: "cpu_stores", Unit: counters.Accesses, Meaning: "addresses written"},
	counters.Declaration{Name: "cpu_register_reads", Unit: counters.Accesses, Meaning: "source registers"},
	counters.Declaration{Name: "cpu_register_writes", Unit: counters.Accesses, Meaning: "destination registers"},
	counters.Declaration{Name: "cpu_branches", Unit: cpuInstructions, Meaning: "branches fetched"},
	counters.Declaration{Name: "cpu_conditional_branches", Unit: cpuInstructions, Meaning: "conditional branches fetched"},
	counters.Declaration{Name: "cpu_mispredicted_branches", Unit: cpuInstructions, Meaning: "branches whose direction or target was predicted wrongly"},
	counters.Declaration{Name: "cpu_itlb_lookups", Unit: counters.Accesses, Meaning: "pages of instructions looked up in a core's TLB: one for each line fetched"},
	counters.Declaration{Name: "cpu_itlb_misses", Unit: counters.Accesses, Meaning: "pages of instructions that a core's TLB lacked"},
	counters.Declaration{Name: "cpu_dtlb_lookups", Unit: counters.Accesses, Meaning: "pages of data looked up in a core's TLB"},
	counters.Declaration{Name: "cpu_dtlb_misses", Unit: counters.Accesses, Meaning: "lookups of data pages that a core's TLB lacked; those that wait for the same page are not counted again"},
	counters.Declaration{Name: "cpu_dtlb_retries", Unit: counters.Accesses, Meaning: "lookups of data pages again, after a wait"},
	counters.Declaration{Name: "cpu_l1i_reads", Unit: counters.Accesses, Meaning: "lines fetched from the instruction L1"},
	counters.Declaration{Name: "cpu_l1i_misses", Unit: counters.Accesses, Meaning: "lines that the instruction L1 lacked"},
	counters.Declaration{Name: "cpu_l1d_reads", Unit: counters.Accesses, Meaning: "loads that looked the data L1 up"},
	counters.Declaration{Name: "cpu_l1d_read_misses", Unit: counters.Accesses, Meaning: "loads that the data L1 could not serve, for the first time"},
	counters.Declaration{Name: "cpu_l1d_writes", Unit: counters.Accesses, Meaning: "stores performed in the data L1"},
	counters.Declaration{Name: "cpu_l1d_write_misses", Unit: counters.Accesses, Meaning: "stores whose line had to be fetched or made the core's own"},
	counters.Declaration{Name: "cpu_l1i_fills", Unit: counters.Accesses, Meaning: "lines written into the instruction L1"},
	counters.Declaration{Name: "cpu_l1d_fills", Unit: counters.Accesses, Meaning: "lines written into the data L1"},
	counters.Declaration{Name: "cpu_l1d_write_backs", Unit: counters.Accesses, Meaning: "modified lines that left the data L1 for the L2"},
	counters.Declaration{Name: "cpu_l2_reads", Unit: counters.Accesses, Meaning: "lines that an L1 asked the L2 for"},
	counters.Declaration{Name: "cpu_l2_misses", Unit: counters.Accesses, Meaning: "lines that the L2 had to ask the chip for"},
	counters.Declaration{Name: "cpu_l2_fills", Unit: counters.Accesses, Meaning: "lines written into the L2"},
	counters.Declaration{Name: "cpu_l2_upgrades", Unit: counters.Accesses, Meaning: "lines that the L2 had to ask the chip to write"},
	counters.Declaration{Name: "cpu_l2_write_backs", Unit: counters.Accesses, Meaning: "modified lines that left the L2 for the chip"},
	counters.Declaration{Name: "cpu_l2_drops", Unit: counters.Accesses, Meaning: "unmodified lines whose eviction the chip was told"},
	counters.Declaration{Name: "cpu_probes", Unit: counters.Accesses, Meaning: "lookups of the L2 for the directory"},
	counters.Declaration{Name: "cpu_invalidations", Unit: counters.Accesses, Meaning: "probes that took a line away"},
	counters.Declaration{Name: "cpu_downgrades", Unit: counters.Accesses, Meaning: "probes that left an owned line shared"},
	counters.Declaration{Name: "cpu_exceptions", Unit: counters.Accesses, Meaning: "exceptions executed"},
	counters.Declaration{Name: "cpu_exception_cycles", Unit: cpuCycles, Meaning: "cycles in which a core executed exceptions"},
	counters.Declaration{Name: "cpu_exception_loads", Unit: counters.Accesses, Meaning: "loads of exceptions"},
	counters.Declaration{Name: "cpu_fetch_stall_cycles", Unit: cpuCycles, Meaning: "cycles with an empty reorder buffer and something left to fetch"},
	counters.Declaration{Name: "cpu_rob_full_cycles", Unit: cpuCycles, Meaning: "cycles in which nothing was dispatched as the reorder buffer was full"},
	counters.Declaration{Name: "cpu_syncs", Unit: counters.Accesses, Meaning: "locks taken and given back, barriers, fences and atomic accesses"},
	counters.Declaration{Name: "cpu_sync_stall_cycles", Unit: cpuCycles, Meaning: "cycles in which a thread waited to synchronise: for its older instructions, or for other threads"},
	counters.Declaration{Name: "cpu_directory_lookups", Unit: counters.Accesses, Meaning: "requests and evictions of cores at the directory"},
	counters.Declaration{Name: "cpu_cache_to_cache", Unit: counters.Accesses, Meaning: "lines that one core's cache gave another's"},
	counters.Declaration{Name: "cpu_page_walks", Unit: counters.Accesses, Meaning: "page walks for cores"},
)

const (
	countCycles counters.ID = iota
	countInstructions
	countLoad
	countForwarded
	countStore
	countRegisterRead
	countRegisterWrite
	countBranch
	countConditional
	countMispredicted
	countITLB
	countITLBMiss
	countDTLB
	countDTLBMiss
	countDTLBRetry
	countL1I
	countL1IMiss
	countL1DRead
	countL1DReadMiss
	countL1DWrite
	countL1DWriteMiss
	countL1IFill
	countL1DFill
	countL1WriteBack
	countL2Read
	countL2Miss
	countL2Fill
	countL2Upgrade
	countL2WriteBack
	countL2Drop
	countProbe
	countInvalidation
	countDowngrade
	countException
	countExceptionCycles
	countExceptionLoad
	countFetchStall
	countROBFull
	countSync
	countSyncStall
	countDirectory
	countCacheToCache
	countWalk
)

func init() {
	counters.RegisterFree(map[string]string{
		"cpu_cycles":             "what happens in a cycle is charged; clock gating is perfect (GPSim thesis §4.6.1)",
		"cpu_loads":              "the lookups are charged: cpu_l1d_reads",
		"cpu_itlb_misses":        "the lookup is charged, and the walk's loads",
		"cpu_l1i_misses":         "the lookup and the fill are charged",
		"cpu_l1d_read_misses":    "the lookup and the fill are charged",
		"cpu_l1d_write_misses":   "the write and the fill are charged",
		"cpu_l2_misses":          "the lookup and the fill are charged",
		"cpu_l2_upgrades":        "the directory's lookup is charged: cpu_directory_lookups",
		"cpu_l2_drops":           "the directory's lookup is charged: cpu_directory_lookups",
		"cpu_invalidations":      "the probe is charged: cpu_probes",
		"cpu_downgrades":         "the probe is charged: cpu_probes",
		"cpu_exceptions":         "the loads are charged: cpu_exception_loads",
		"cpu_exception_cycles":   "what happens in a cycle is charged",
		"cpu_exception_loads":    "the lookups are charged: cpu_l1d_reads",
		"cpu_fetch_stall_cycles": "nothing happens in such a cycle",
		"cpu_rob_full_cycles":    "nothing happens in such a cycle",
		"cpu_syncs":              "the atomic accesses of locks and barriers are instructions of the trace",
		"cpu_sync_stall_cycles":  "nothing happens in such a cycle",
		"cpu_page_walks":         "the loads are charged: cpu_exception_loads",
	})
}

// What a chip counts for its cores.
var (
	DirectoryLookups = firstCounter + countDirectory
	CacheToCache     = firstCounter + countCacheToCache
	PageWalks        = firstCounter + countWalk
)

// What a core has done, in its own set.
var (
	Cycles               = firstCounter + countCycles
	Instructions         = firstCounter + countInstructions
	MispredictedBranches = firstCounter + countMispredicted
	DataPageMisses       = firstCounter + countDTLBMiss
	Loads                = firstCounter + countLoad
	Stores               = firstCounter + countStore
	L1ReadMisses         = firstCounter + countL1DReadMiss
	L2Misses             = firstCounter + countL2Miss
	Syncs                = firstCounter + countSync
	SyncStallCycles      = firstCounter + countSyncStall
)
