// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace/tracetest"
)

// largeKernel has n labels and a branch at each to where target says; every block
// reads what another has written.
func largeKernel(t testing.TB, n int, spin bool, target func(r *rand.Rand, i int) int) *ptx.Kernel {
	t.Helper()
	r := rand.New(rand.NewPCG(5, uint64(n)))
	var b strings.Builder
	fmt.Fprintf(&b, ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 p) {\n.reg .pred %%p<%d>; .reg .b32 %%r<%d>; .reg .b64 %%rd;\nmov.u32 %%r0, %%tid.x;\nld.param.u64 %%rd, [p];\n", n+1, n+1)
	for i := range n {
		fmt.Fprintf(&b, "L%d:\nadd.u32 %%r%d, %%r%d, 1;\nsetp.gt.u32 %%p%d, %%r%d, %d;\n", i, i+1, r.IntN(n+1), i+1, r.IntN(n+1), i)
		if spin {
			fmt.Fprintf(&b, "ld.volatile.global.u32 %%r%d, [%%rd];\n", i+1)
		}
		fmt.Fprintf(&b, "@%%p%d bra L%d;\n", r.IntN(i+1)+1, target(r, i))
	}
	b.WriteString("st.global.u32 [%rd], %r1;\nret;\n}\n")
	m, err := ptx.Parse("large.ptx", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return m.Kernels[0]
}

// largeShapes say where the branch at label i of n goes.
func largeShapes(n int) map[string]func(r *rand.Rand, i int) int {
	return map[string]func(r *rand.Rand, i int) int{
		"irreducible": func(r *rand.Rand, _ int) int { return r.IntN(n) },
		"nested":      func(_ *rand.Rand, i int) int { return max(n-1-i, 0) },
		"back":        func(r *rand.Rand, i int) int { return r.IntN(i + 1) },
		"near":        func(r *rand.Rand, i int) int { return min(max(i-10+r.IntN(20), 0), n-1) },
		"forward":     func(r *rand.Rand, i int) int { return min(i+1+r.IntN(n-i), n-1) },
		"start":       func(_ *rand.Rand, _ int) int { return 0 },
		"end":         func(_ *rand.Rand, _ int) int { return n - 1 },
	}
}

// allocated is the number of bytes that the contamination of a large kernel allocates.
func allocated(t *testing.T, n int, spin bool, shape string) uint64 {
	t.Helper()
	k := largeKernel(t, n, spin, largeShapes(n)[shape])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Contaminate(k); err != nil && !strings.Contains(err.Error(), "kernel k") {
		t.Errorf("%s: %v", shape, err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Four times as many labels may take eight times the memory at most: a set of registers
// for each block would be sixteen times as large. BenchmarkLargeFlowGraphs has the time.
func TestMemoryForLargeFlowGraphsGrowsWithTheirSize(t *testing.T) {
	tracetest.Nightly(t)
	const n = 400
	for _, shape := range []string{"irreducible", "nested"} {
		for _, spin := range []bool{false, true} {
			small, large := allocated(t, n, spin, shape), allocated(t, 4*n, spin, shape)
			if large > 8*small {
				t.Errorf("%s, waiting %v: %d bytes for %d labels, %d for %d", shape, spin, small, n, large, 4*n)
			}
		}
	}
}

func BenchmarkLargeFlowGraphs(b *testing.B) {
	const n = 8000
	for _, shape := range []string{"irreducible", "nested"} {
		for _, spin := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/waiting=%v", shape, spin), func(b *testing.B) {
				k := largeKernel(b, n, spin, largeShapes(n)[shape])
				for b.Loop() {
					_, _ = Contaminate(k) // kernels that cannot be cut are refused at the end
				}
			})
		}
	}
}
