// SPDX-License-Identifier: Apache-2.0

package tesla

import "github.com/warptape/warptape/timing/counters"

// firstCounter is the ID of the first of the counters, in the order of the constants
// below.
var firstCounter = counters.Register(Key,
	counters.Declaration{Name: "tesla_rows", Unit: counters.Accesses, Meaning: "rows of warps that have gone through the pipeline, replays included"},
	counters.Declaration{Name: "tesla_replays", Unit: counters.Slots, Meaning: "times that a warp entered the pipeline again for lanes that a bank conflict had kept from shared memory"},
	counters.Declaration{Name: "tesla_divergences", Unit: counters.Instructions, Meaning: "branches whose lanes did not agree"},
	counters.Declaration{Name: "tesla_init_cycles", Unit: counters.Cycles, Meaning: "sum over multiprocessors of the cycles in which a thread block was initialised"},
	counters.Declaration{Name: "tesla_bank_accesses", Unit: counters.Accesses, Meaning: "words that banks of shared memory have read or written, replays included"},
	counters.Declaration{Name: "tesla_access_rows", Unit: counters.Accesses, Meaning: "rows whose addresses the banks have compared, replays included"},
)

func init() {
	counters.RegisterFree(map[string]string{
		"tesla_divergences": "the update of the warp is charged",
		"tesla_init_cycles": "time: what initialisation writes is not modelled",
	})
}

const (
	countRow counters.ID = iota
	countReplay
	countDivergence
	countInitCycle
	countBankAccess
	countAccessRow
)
