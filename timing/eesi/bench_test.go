// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
	rp "github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
)

// BenchmarkPolicies compares the divergence policies, all with a switch at every
// instruction, by two rates. The first is of recorded warp instructions, which are the same
// for all: what a user waits for. The second is of what a policy makes of them: warp
// instructions, and where lanes issue by themselves the places at which they do.
func BenchmarkPolicies(b *testing.B) {
	for _, name := range []string{"bfs", "needle", "hotspot", "merge-sort"} {
		r := replaytest.Recorded(b, name)
		for _, spec := range []string{
			"gpsim-eesi-base+switch(on=all)", "gpsim-eesi-base+divergence(policy=serial)+switch(on=all)", "gpsim-sbi", "eesi", "eesi+divergence(policy=eesi-m)",
		} {
			b.Run(name+"/"+spec, func(b *testing.B) {
				m := replaytest.Load(b, spec)
				var places uint64
				for b.Loop() {
					places += placesOf((*counters.Set)(&replaytest.Run(b, r, rp.Options{Workers: 1}, m)[0].Total.Counters))
				}
				seconds := b.Elapsed().Seconds()
				b.ReportMetric(float64(r.Totals().WarpInstructions)*float64(b.N)/seconds, "warp-insn/s")
				b.ReportMetric(float64(places)/seconds, "places/s")
			})
		}
	}
}

// placesOf are the places at which lanes have issued, or warp instructions where warps
// issue.
func placesOf(set *counters.Set) uint64 {
	if id, ok := counters.Lookup("eesi_places"); ok && set[id] > 0 {
		return set[id]
	}
	return set[counters.IssuedWarp]
}
