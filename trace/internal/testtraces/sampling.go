// SPDX-License-Identifier: Apache-2.0

package testtraces

import "github.com/warptape/warptape/trace"

// Described is a right description of two launches: the first has two strata and
// stands for the second.
func Described() (*trace.Sampling, []trace.Launch, func(int) uint64, *trace.Totals) {
	launches := []trace.Launch{{Grid: trace.Dim3{X: 100, Y: 1, Z: 1}}, {Grid: trace.Dim3{X: 50, Y: 2, Z: 1}}}
	s := &trace.Sampling{
		Policy: "stratified",
		Launches: []trace.LaunchSample{
			{WarpInstructions: 1000, ThreadInstructions: 32000, MemoryInstructions: 10, PassedOver: 40, CountError: 0.25},
			{WarpInstructions: 900, ThreadInstructions: 28000, MemoryInstructions: 9},
		},
		Strata: []trace.Stratum{{Blocks: 60, WarpInstructions: 700}, {Blocks: 40, WarpInstructions: 300}},
		Runs:   []trace.Run{{Blocks: 5}, {Stratum: 1, First: 20, Blocks: 4}, {First: 90, Blocks: 1}},
	}
	return s, launches, func(l int) uint64 { return []uint64{10, 0}[l] }, &trace.Totals{WarpInstructions: 1900, ThreadInstructions: 60000, MemoryInstructions: 19}
}
