// SPDX-License-Identifier: Apache-2.0

package cae

import "github.com/warptape/warptape/timing/counters"

// firstCounter is the ID of the first of the counters, in the order of the
// constants below.
var firstCounter = counters.Register(key,
	counters.Declaration{Name: "cae_scalar_instructions", Unit: counters.Instructions, Meaning: "warp instructions with scalar operands only that issued to affine units"},
	counters.Declaration{Name: "cae_affine_instructions", Unit: counters.Instructions, Meaning: "other warp instructions that issued to affine units: with the others over all issued, the coverage (Decoupled affine Fig. 18)"},
	counters.Declaration{Name: "cae_divergent_instructions", Unit: counters.Instructions, Meaning: "warp instructions that an affine unit could have executed but for lanes that took no part"},
	counters.Declaration{Name: "cae_expansions", Unit: counters.Instructions, Meaning: "affine registers expanded on the lanes because of divergence, each for as long as an instruction takes"},
	counters.Declaration{Name: "cae_register_reads", Unit: counters.Accesses, Meaning: "affine registers read by affine units"},
	counters.Declaration{Name: "cae_register_writes", Unit: counters.Accesses, Meaning: "affine registers written"},
)

func init() {
	counters.RegisterFree(map[string]string{
		"cae_divergent_instructions": "they execute on the lanes, where they are charged",
	})
}

const (
	countScalar counters.ID = iota
	countAffine
	countDivergent
	countExpansion
	countRegisterRead
	countRegisterWrite
)
