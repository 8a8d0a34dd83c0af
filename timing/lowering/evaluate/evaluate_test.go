// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// recorded are traces with kernels of compilers.
var recorded = []string{"bfs", "divergence-nested", "hotspot", "lbm", "merge-sort", "needle", "reduction", "saxpy", "sgemm", "spmv", "streamcluster", "streams", "transformer-block", "transpose"}

// follow lowers a kernel for a generation and a number of registers, and follows paths.
func follow(t *testing.T, k *trace.Kernel, generation string, registers, paths int) {
	t.Helper()
	target := lowering.Target{Generation: lowering.Generations[generation], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
	l, err := lowering.Lower(k, target, lowering.Budget{Registers: registers})
	if err != nil {
		t.Fatalf("%s, %d registers: %v", generation, registers, err)
	}
	if n := int(l.Kernel.RegistersPerThread); n > registers {
		t.Errorf("kernel %s: %d registers, and no more than %d may be used", k.Name, n, registers)
	}
	for seed := range uint64(paths) {
		if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(seed, 26)), 60)); err != nil {
			t.Fatalf("%s, %d registers, path %d: %v", generation, registers, seed, err)
		}
	}
}

func TestValuesFlowAsInTheRecordedKernels(t *testing.T) {
	others := slices.DeleteFunc(slices.Clone(recorded), func(name string) bool { return name == "lbm" }) // which spills
	for _, name := range append([]string{"lbm"}, tracetest.Draw(t, others, tracetest.Fewer(4, len(others)))...) {
		r := replaytest.Recorded(t, name)
		for i := range r.Kernels() {
			k := &r.Kernels()[i]
			for _, generation := range []string{"fermi", "turing"} {
				for _, registers := range []int{24, 63} {
					t.Run(fmt.Sprintf("%s/%s/%s/%d", name, k.Name, generation, registers), func(t *testing.T) { follow(t, k, generation, registers, 8) })
				}
			}
		}
	}
}
