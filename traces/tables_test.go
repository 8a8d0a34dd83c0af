// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/traces"
)

// benchmarks are the rows of the papers' tables, under the catalogue's names.
var benchmarks = map[string][]string{
	"GPSim thesis Table 4.1": {
		"backprop", "bfs", "convolution", "hotspot", "lbm", "saxpy", "sgemm", "spmv", "srad-v2", "transpose",
	},
	"GPSim thesis Table 5.2": {
		"backprop", "bfs", "convolution", "hotspot", "saxpy", "sgemm", "spmv", "srad-v2", "transpose",
	},
	"Buddy SM Table II": {
		"binomial-options", "coulombic-potential", "aes", "pathfinder", "bfs", "merge-sort", "histogram", "reduction", "sgemm",
		"scalar-product", "swap-portfolio", "dwt-haar-1d", "sad", "black-scholes", "sobol-qrng", "transpose", "scan",
	},
	"Decoupled affine computation Table 2": {
		"coulombic-potential", "store-gpu", "aes", "mri-q", "tpacf", "fft", "backprop", "srad-v1", "hotspot", "pathfinder",
		"black-scholes", "swap-portfolio", "sgemm", "stencil", "image-histogram", "histogram", "lbm", "spmv", "btree", "lud",
		"srad-v2", "streamcluster", "kmeans", "bfs", "cfd", "monte-carlo", "mersenne-twister", "scalar-product",
		"convolution-separable",
	},
	// RED stands for the variants of the paper's Section 6.2 as well.
	"Near-data computing Table 3": {
		"compare", "copy-aligned", "copy-strided", "density", "vecadd-aligned", "vecadd-strided", "norm", "bfs", "fdtd",
		"kmeans", "kmeans-global", "mvt", "reduction", "reduction-variants", "scalar-product", "srad-v2", "srad-v2-global",
		"streamcluster", "streamcluster-global", "triad", "triad-strided", "compare-strided",
	},
}

func TestEveryBenchmarkOfThePapersIsInTheCatalogue(t *testing.T) {
	have := map[string][]string{}
	for _, w := range traces.List() {
		for _, table := range load(t, w).About().Tables {
			have[table] = append(have[table], w.Name)
		}
	}
	for _, table := range traces.Tables {
		want := slices.Sorted(slices.Values(benchmarks[table.Name]))
		if diff := cmp.Diff(want, have[table.Name]); diff != "" {
			t.Errorf("%s (-table +catalogue)\n%s", table.Name, diff)
		}
		delete(have, table.Name)
	}
	for table, workloads := range have {
		t.Errorf("%v name the table %q, which is not in the list of tables", workloads, table)
	}
}

func TestEveryWorkloadNamesASuiteOfThePapersOrOurs(t *testing.T) {
	suites := []string{"BLAS", "CUDA SDK", "GPGPU-Sim", "Kernel Tuner", "Micro-benchmark", "Parboil", "PolyBench", "Rodinia", "SHOC", "Warptape"}
	for _, w := range traces.List() {
		if suite := load(t, w).About().Suite; !slices.Contains(suites, suite) {
			t.Errorf("%s: about[\"suite\"] is %q, want one of %q", w.Name, suite, suites)
		}
	}
}

// transfers are the megabytes (2^20 bytes) of Table 4.1's column "Mem Transfer".
var transfers = map[string]float64{
	"backprop": 17.75, "bfs": 41.0, "convolution": 72.0, "hotspot": 12.0, "lbm": 555.46,
	"saxpy": 96.0, "sgemm": 11.99, "spmv": 8.6, "srad-v2": 8.0, "transpose": 55.125,
}

func TestPaperSizesCopyWhatTheThesisStates(t *testing.T) {
	c := catalogue(t)
	for name, want := range transfers {
		f := c.Find(name).Size("paper").Figures
		got := float64(f.BytesToDevice+f.BytesToHost) / (1 << 20)
		if math.Abs(got-want) > 0.001*want {
			t.Errorf("%s copies %.3f MB, Table 4.1 has %.3f", name, got, want)
		}
	}
}

// grids are the launches, thread blocks and threads of all rows of a benchmark in
// the Buddy SM paper's Table II.
var grids = map[string]struct {
	size                      string
	launches, blocks, threads uint64
}{
	"aes":                 {"paper", 1, 257, 257 * 256},
	"bfs":                 {"buddy", 8, 8 * 16, 8 * 16 * 256},
	"binomial-options":    {"paper", 1, 64, 64 * 256},
	"black-scholes":       {"paper", 1, 480, 480 * 128},
	"coulombic-potential": {"paper", 1, 8 * 32, 8 * 32 * 16 * 8},
	"dwt-haar-1d":         {"paper", 2, 256 + 1, 256*512 + 128},
	"histogram":           {"paper", 8, 2 * (18 + 239 + 256 + 64), 2 * (18*64 + 239*192 + 256*256 + 64*256)},
	"merge-sort":          {"paper", 1 + 15 + 5, 32 + 15 + 5*256, 32*512 + 15*256 + 5*256*128},
	"pathfinder":          {"buddy", 5, 5 * 463, 5 * 463 * 256},
	"reduction":           {"buddy", 100 + 101, 100 + 101*32, 100*16 + 101*32*256},
	"sad":                 {"paper", 3, 11*9 + 11*9 + 44*36, 11*9*32 + 11*9*32*4 + 44*36*61},
	"scalar-product":      {"paper", 4, 4 * 128, 4 * 128 * 256},
	"scan":                {"paper", 9, 9 * 6656, 9 * 6656 * 256},
	"sgemm":               {"buddy", 1, 31, 31 * 16 * 8},
	"sobol-qrng":          {"paper", 1, 100, 100 * 64},
	"swap-portfolio":      {"paper", 2, 2 * 64, 2 * 64 * 64},
	"transpose":           {"buddy", 16, 16 * 64 * 64, 16 * 64 * 64 * 16 * 16},
}

func TestSizesHaveTheGridsOfTheBuddyPaper(t *testing.T) {
	c := catalogue(t)
	for _, name := range benchmarks["Buddy SM Table II"] {
		want, ok := grids[name]
		if !ok {
			t.Errorf("no row of Table II is stated for %s", name)
			continue
		}
		f := c.Find(name).Size(want.size).Figures
		if f.Launches != want.launches || f.ThreadBlocks != want.blocks || f.Threads != want.threads {
			t.Errorf("%s has %d launches, %d blocks, %d threads, Table II has %d, %d, %d",
				name, f.Launches, f.ThreadBlocks, f.Threads, want.launches, want.blocks, want.threads)
		}
	}
}
