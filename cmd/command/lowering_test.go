// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// The kernels of the catalogue are compilers' output of many kinds: loops, calls, barriers,
// guards, vectors, double precision.
func TestValuesFlowThroughTheOperationsOfTheCatalogue(t *testing.T) {
	files, err := filepath.Glob("../../traces/*/*.ptx")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range tracetest.Draw(t, files, len(files)/tracetest.Fewer(12, 2)) {
		kernels, _, err := loadKernels(context.Background(), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kernels {
			for generation, registers := range map[string]int{"fermi": 32, "ampere": 255} {
				if generation == "fermi" && warpgroups(k.Static) {
					continue // one of its operations alone reads more registers
				}
				target := lowering.Target{Generation: lowering.Generations[generation], File: 65536, Threads: 1536, Unit: 256, Predicate: true}
				l, err := lowering.Lower(k.Static, target, lowering.Budget{Registers: registers})
				if err != nil {
					t.Errorf("%s: %s: %v", file, generation, err)
					continue
				}
				if n := l.Kernel.PredicatesPerThread; n > 7 {
					t.Errorf("%s: %s: kernel %s has %d predicates, and hardware seven", file, generation, k.Static.Name, n)
				}
				for _, seed := range tracetest.Seeds(t, 3, 4) {
					if err := evaluate.Check(k.Static, l, evaluate.Path(k.Static, rand.New(rand.NewPCG(seed, 1)), 40)); err != nil {
						t.Errorf("%s: %s: path %d: %v", file, generation, seed, err)
						break
					}
				}
			}
		}
	}
}

// warpgroups reports whether a kernel has products of warpgroups.
func warpgroups(k *trace.Kernel) bool {
	return slices.ContainsFunc(k.Instructions, func(in trace.Instruction) bool { return in.Opcode == "wgmma" })
}
