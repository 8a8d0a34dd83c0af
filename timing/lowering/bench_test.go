// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/replay/replaytest"
)

// BenchmarkLower lowers all kernels of a recorded trace.
func BenchmarkLower(b *testing.B) {
	for _, name := range []string{"transformer-block", "sgemm", "merge-sort"} {
		b.Run(name, func(b *testing.B) {
			r := replaytest.Recorded(b, name)
			target := lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
			b.ReportAllocs()
			for b.Loop() {
				for i := range r.Kernels() {
					if _, err := lowering.Lower(&r.Kernels()[i], target, lowering.Budget{BlockThreads: 256}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
