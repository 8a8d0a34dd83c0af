// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/eesi"
)

// Counters of the machine's own parts. Lanes of an SM have the same
// parts, and so the same counters.
var (
	cpuInstructions = eesi.CPUInstructions
	registerReads   = eesi.CPURegisterReads
	registerWrites  = eesi.CPURegisterWrites
	tinyCodeReads   = eesi.TinyReads
	tinyCodeMisses  = eesi.TinyMisses
	tinyCodeFills   = eesi.TinyFills

	tinyReads          = named("tinycache_reads")
	tinyReadHits       = named("tinycache_read_hits")
	tinyWrites         = named("tinycache_writes")
	tinyWriteHits      = named("tinycache_write_hits")
	tinyProbes         = named("tinycache_probes")
	tinyLineFills      = named("tinycache_line_fills")
	tinyCoalescedFills = named("tinycache_coalesced_fills")
	tinyLineEvictions  = named("tinycache_line_evictions")
	tinyFlushes        = named("tinycache_flushes")
)

func named(name string) counters.ID {
	id, ok := counters.Lookup(name)
	if !ok {
		panic("BUG: lanes: no counter " + name)
	}
	return id
}
