// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"testing"

	"github.com/warptape/warptape/timing/replay/replaytest"
)

// BenchmarkReplay compares lanes that fetch by themselves with the SIMT cores of their
// baseline.
func BenchmarkReplay(b *testing.B) {
	replaytest.Benchmark(b, []string{"bfs", "needle", "hotspot", "merge-sort"}, "gpsim-eesi-base", "gpsim-eesi-base+divergence(policy=serial)", "eesi", "eesi+divergence(policy=eesi-m)", "gpsim-sbi")
}
