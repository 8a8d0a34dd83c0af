// SPDX-License-Identifier: Apache-2.0

package dac

import "github.com/warptape/warptape/timing/counters"

// Units of what only affine warps have.
const (
	tuples counters.Unit = "tuples"
	steps  counters.Unit = "steps"
)

// firstCounter is the ID of the first of the counters, in the order of the constants
// below.
var firstCounter = counters.Register(Key,
	counters.Declaration{Name: "dac_affine_instructions", Unit: counters.Instructions, Meaning: "warp instructions of affine warps; they are among issued_warp_instructions"},
	counters.Declaration{Name: "dac_removed_instructions", Unit: counters.Instructions, Meaning: "recorded warp instructions that the non-affine stream does not have (Decoupled affine section 5.4)"},
	counters.Declaration{Name: "dac_batches", Unit: counters.Blocks, Meaning: "times that an affine warp was launched, once for each batch of thread blocks (Decoupled affine section 4.1)"},
	counters.Declaration{Name: "dac_enqueues", Unit: tuples, Meaning: "tuples written into affine tuple queues"},
	counters.Declaration{Name: "dac_dequeues", Unit: tuples, Meaning: "tuples read from affine tuple queues, once for each thread block"},
	counters.Declaration{Name: "dac_block_starts", Unit: steps, Meaning: "starting addresses computed by address expansion units, one for each thread block (Decoupled affine section 4.2)"},
	counters.Declaration{Name: "dac_address_steps", Unit: steps, Meaning: "steps of address expansion units, a line each"},
	counters.Declaration{Name: "dac_address_adjustments", Unit: steps, Meaning: "warps whose addresses are no straight line: an adjustment, or thread by thread"},
	counters.Declaration{Name: "dac_address_writes", Unit: counters.Accesses, Meaning: "entries written into per warp address queues"},
	counters.Declaration{Name: "dac_address_reads", Unit: counters.Accesses, Meaning: "entries read from them by warps"},
	counters.Declaration{Name: "dac_scalar_predicates", Unit: steps, Meaning: "predicates of thread blocks expanded by one comparison (Decoupled affine section 4.3)"},
	counters.Declaration{Name: "dac_end_predicates", Unit: steps, Meaning: "predicates of warps expanded by comparing for the first and the last thread"},
	counters.Declaration{Name: "dac_lane_predicates", Unit: steps, Meaning: "predicates of warps expanded on the lanes, by an instruction of the affine warp each"},
	counters.Declaration{Name: "dac_predicate_writes", Unit: counters.Accesses, Meaning: "entries written into per warp predicate queues"},
	counters.Declaration{Name: "dac_predicate_reads", Unit: counters.Accesses, Meaning: "entries read from them by warps"},
	counters.Declaration{Name: "dac_stack_updates", Unit: counters.Accesses, Meaning: "basic blocks entered by affine warps: updates of the warp-level stack"},
	counters.Declaration{Name: "dac_warp_stack_updates", Unit: counters.Accesses, Meaning: "warps with only some threads at a basic block of the affine warp: updates of per-warp stacks"},
	counters.Declaration{Name: "dac_condition_reads", Unit: counters.Accesses, Meaning: "divergent condition registers read to choose among tuples, once for each warp"},
	counters.Declaration{Name: "dac_supplied_branches", Unit: counters.Accesses, Meaning: "bit vectors that warps supplied to affine warps, for control flow that depends on data"},
	counters.Declaration{Name: "dac_loads", Unit: counters.Accesses, Meaning: "warp loads of global and local memory, decoupled or not"},
	counters.Declaration{Name: "dac_affine_loads", Unit: counters.Accesses, Meaning: "those of them that affine warps issued (Decoupled affine section 5.5)"},
	counters.Declaration{Name: "dac_early_requests", Unit: counters.Requests, Meaning: "lines asked for by address expansion units"},
	counters.Declaration{Name: "dac_unlocked_requests", Unit: counters.Requests, Meaning: "those of them whose set had no way left to lock"},
	counters.Declaration{Name: "dac_wrapped", Unit: counters.Accesses, Meaning: "expansions that differ from the recording because a value wrapped around before it was made wider (D40)"},
)

const (
	countAffine counters.ID = iota
	countRemoved
	countBatch
	countEnqueue
	countDequeue
	countBlockStart
	countAddressStep
	countAdjustment
	countAddressWrite
	countAddressRead
	countScalarPredicate
	countEndPredicate
	countLanePredicate
	countPredicateWrite
	countPredicateRead
	countStack
	countWarpStack
	countCondition
	countSupplied
	countLoad
	countAffineLoad
	countEarly
	countUnlocked
	countWrapped
)

func init() {
	counters.RegisterFree(map[string]string{
		"dac_affine_instructions":  "charged as issued instructions",
		"dac_removed_instructions": "nothing is done",
		"dac_batches":              "the affine warp's instructions are charged",
		"dac_supplied_branches":    "an update of the stack, which is charged, follows",
		"dac_lane_predicates":      "charged as issued instructions",
		"dac_loads":                "charged where they go",
		"dac_affine_loads":         "charged where they go",
		"dac_unlocked_requests":    "requests are charged where they go: L1, network, L2, DRAM",
		"dac_wrapped":              "counts what the model leaves out",
	})
}
