// SPDX-License-Identifier: Apache-2.0

package soc

import "github.com/warptape/warptape/timing/counters"

// The counters, by their place behind counts.
const (
	countTLBLookupSM counters.ID = iota
	countTLBMissSM
	countTLBLookupCPU
	countTLBMissCPU
	countTLBFill
	countSMTLBLookup
	countSMTLBMiss
	countSMTLBFill
	countWalk
	countPageFlush
	countKernelFlush
	countL1Clean
	countSMRead
	countSMWrite
	countSMMiss
	countCPURead
	countCPUWrite
	countCPUMiss
	countCopyRead
	countCopyWrite
	countProbe
	countProbeDirty
	countSMDirectory
	countUpgrade
	countInvalidation
	countDowngrade
	countCopyExecuted
	countCopyElided
	countCopyElidedBytes
	countPageCopy
	countScratchpad
	countCompute
)

var counts = counters.Register(Key,
	counters.Declaration{Name: "soc_tlb_lookups_sm", Unit: counters.Accesses, Meaning: "lookups of the TLB in front of the last-level cache for the SMs' L2"},
	counters.Declaration{Name: "soc_tlb_misses_sm", Unit: counters.Accesses, Meaning: "of soc_tlb_lookups_sm, those whose page was not there"},
	counters.Declaration{Name: "soc_tlb_lookups_cpu", Unit: counters.Accesses, Meaning: "lookups of the TLB in front of the last-level cache for pages that missed in a core's own"},
	counters.Declaration{Name: "soc_tlb_misses_cpu", Unit: counters.Accesses, Meaning: "pages that missed in a core's own TLB and in that in front of the last-level cache, or that has none"},
	counters.Declaration{Name: "soc_tlb_fills", Unit: counters.Accesses, Meaning: "pages put into the TLBs in front of the last-level cache"},
	counters.Declaration{Name: "soc_sm_tlb_lookups", Unit: counters.Accesses, Meaning: "pages looked up in the private TLBs of SMs"},
	counters.Declaration{Name: "soc_sm_tlb_misses", Unit: counters.Accesses, Meaning: "of soc_sm_tlb_lookups, those whose page was not there"},
	counters.Declaration{Name: "soc_sm_tlb_fills", Unit: counters.Accesses, Meaning: "pages put into the private TLBs of SMs"},
	counters.Declaration{Name: "soc_walks", Unit: counters.Accesses, Meaning: "page walks that cores executed as exceptions"},
	counters.Declaration{Name: "soc_page_flushes", Unit: counters.Accesses, Meaning: "pages whose lines the SMs wrote back and dropped, because a core touched them or the TLB dropped them"},
	counters.Declaration{Name: "soc_kernel_flushes", Unit: counters.Accesses, Meaning: "kernels whose lines the SMs wrote back and dropped at their end"},
	counters.Declaration{Name: "soc_l1_cleans", Unit: counters.Accesses, Meaning: "times that an SM wrote all of its L1 back and dropped it, for atomics and memory fences"},
	counters.Declaration{Name: "soc_llc_sm_reads", Unit: counters.Accesses, Meaning: "reads of the last-level cache for the SMs' L2"},
	counters.Declaration{Name: "soc_llc_sm_writes", Unit: counters.Accesses, Meaning: "writes to the last-level cache from the SMs' L2"},
	counters.Declaration{Name: "soc_llc_sm_misses", Unit: counters.Accesses, Meaning: "of soc_llc_sm_reads, those that waited for DRAM"},
	counters.Declaration{Name: "soc_llc_cpu_reads", Unit: counters.Accesses, Meaning: "reads of the last-level cache for the cores"},
	counters.Declaration{Name: "soc_llc_cpu_writes", Unit: counters.Accesses, Meaning: "writes to the last-level cache from the cores"},
	counters.Declaration{Name: "soc_llc_cpu_misses", Unit: counters.Accesses, Meaning: "of soc_llc_cpu_reads, those that waited for DRAM"},
	counters.Declaration{Name: "soc_llc_copy_reads", Unit: counters.Accesses, Meaning: "of soc_llc_cpu_reads, those for the copies of the host"},
	counters.Declaration{Name: "soc_llc_copy_writes", Unit: counters.Accesses, Meaning: "of soc_llc_cpu_writes, those of cores that execute a copy of the host"},
	counters.Declaration{Name: "soc_probes", Unit: counters.Accesses, Meaning: "lookups in the private caches of cores for what SMs and other cores want"},
	counters.Declaration{Name: "soc_probes_dirty", Unit: counters.Accesses, Meaning: "of soc_probes, those that found a modified line and took it along"},
	counters.Declaration{Name: "soc_sm_directory_lookups", Unit: counters.Accesses, Meaning: "lookups of the directory of the SMs' L1s, with coherence"},
	counters.Declaration{Name: "soc_upgrades", Unit: counters.Accesses, Meaning: "first writes of an SM to a line, for which it asks with coherence"},
	counters.Declaration{Name: "soc_invalidations", Unit: counters.Accesses, Meaning: "lines that an SM lost because another writes them"},
	counters.Declaration{Name: "soc_downgrades", Unit: counters.Accesses, Meaning: "modified lines that an SM wrote back because another reads them"},
	counters.Declaration{Name: "soc_copies_executed", Unit: counters.Accesses, Meaning: "copies of the host that a core executed"},
	counters.Declaration{Name: "soc_copies_elided", Unit: counters.Accesses, Meaning: "copies of the host in whose place pages were shared"},
	counters.Declaration{Name: "soc_copy_elided_bytes", Unit: counters.Bytes, Meaning: "bytes of the copies that were elided"},
	counters.Declaration{Name: "soc_pages_copied_on_write", Unit: counters.Accesses, Meaning: "pages that got a frame of their own when an SM wrote to them"},
	counters.Declaration{Name: "soc_scratchpads_discarded", Unit: counters.Accesses, Meaning: "thread blocks at whose end the words of their scratchpad were made invalid"},
	counters.Declaration{Name: "soc_computations_executed", Unit: counters.Accesses, Meaning: "computations of the host with recorded accesses that a core executed"},
)

func init() {
	counters.RegisterFree(map[string]string{
		"soc_tlb_misses_sm":         "the lookup is charged: soc_tlb_lookups_sm",
		"soc_tlb_misses_cpu":        "the lookup is charged: soc_tlb_lookups_cpu",
		"soc_sm_tlb_misses":         "the lookup is charged: soc_sm_tlb_lookups",
		"soc_probes":                "charged at the cores: cpu_probes",
		"soc_walks":                 "the core's instructions and loads are charged",
		"soc_page_flushes":          "the write-backs are charged",
		"soc_kernel_flushes":        "the write-backs are charged",
		"soc_l1_cleans":             "the write-backs are charged",
		"soc_llc_sm_reads":          "among llc_reads",
		"soc_llc_sm_writes":         "among llc_writes",
		"soc_llc_sm_misses":         "among llc_read_misses",
		"soc_llc_cpu_reads":         "among llc_reads",
		"soc_llc_cpu_writes":        "among llc_writes",
		"soc_llc_cpu_misses":        "among llc_read_misses",
		"soc_llc_copy_reads":        "among llc_reads",
		"soc_llc_copy_writes":       "among llc_writes",
		"soc_probes_dirty":          "the probe is charged, and the write to the last-level cache",
		"soc_copies_executed":       "the core's instructions and caches are charged",
		"soc_copies_elided":         "a few entries of the page table",
		"soc_copy_elided_bytes":     "nothing is moved",
		"soc_pages_copied_on_write": "the exception's cycles are the core's",
		"soc_computations_executed": "the core's instructions and caches are charged",
		"soc_scratchpads_discarded": "a flash clear of valid bits",
	})
}
