// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/trace/wtape"
)

// What the pass over a program finds, by name in Measurement.Program.
const (
	programChainInstructions = "chain_warp_instructions"
	programRequests          = "requests"
	programChainRequests     = "chain_requests"
)

// offloadProgram tags the chains of all kernels and counts what they have of what the
// program executes.
func offloadProgram(t *wtape.Reader) (map[string]uint64, error) {
	var plans []*chains.Plan
	for i := range t.Kernels() {
		p, err := chains.Find(&t.Kernels()[i])
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	shares, err := chains.Measure(t, plans)
	if err != nil {
		return nil, err
	}
	counts := map[string]uint64{programWarp: 0, programChainInstructions: 0, programRequests: 0, programChainRequests: 0}
	for i := range shares {
		s := &shares[i]
		counts[programWarp] += s.Instructions
		counts[programRequests] += s.Requests
		for c := range s.ChainInstructions {
			counts[programChainInstructions] += s.ChainInstructions[c]
			counts[programChainRequests] += s.ChainRequests[c]
		}
	}
	return counts, nil
}

// offloadTagged is Table 3's right columns: the part of dynamic instructions and of
// memory requests that is in chains. RED is the version that is offloaded.
func offloadTagged() []Figure {
	return []Figure{{
		ID: "table-3", Title: "what can be offloaded", Unit: "% of warp instructions; % of memory requests",
		Series: []string{"instructions", "requests"}, Workloads: offloadLabels(true, offloadNine), Architectures: []string{offloadOff},
		Rows: offloadApplications(offloadTaggedOf),
	}, {
		ID: "table-3-unmodified", Title: "what can be offloaded of RED as it is without offloading", Unit: "% of warp instructions; % of memory requests",
		Series: []string{"instructions", "requests"}, Workloads: []string{"RED"}, Architectures: []string{offloadOff},
		Rows: func(d *Data) ([]Row, error) {
			values, err := offloadTaggedAs(d, "RED")
			return []Row{{Label: "RED", Values: values}}, err
		},
	}}
}
