package contaminator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/frontend/ptx"
)

// largeKernel has n labels and a branch at each to where target says; every block
// reads what another has written.
func largeKernel(t *testing.T, n int, spin bool, target func(r *rand.Rand, i int) int) *ptx.Kernel {
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

// The iterations that these passes once were took a minute or more for each.
func TestLargeFlowGraphsAreAnalysedSoon(t *testing.T) {
	const n = 8000
	for name, target := range map[string]func(r *rand.Rand, i int) int{
		"irreducible": func(r *rand.Rand, i int) int { return r.IntN(n) },
		"nested":      func(_ *rand.Rand, i int) int { return max(n-1-i, 0) },
	} {
		for _, spin := range []bool{false, true} {
			k := largeKernel(t, n, spin, target)
			start := time.Now()
			if _, err := Contaminate(k); err != nil && !strings.Contains(err.Error(), "kernel k") {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%s, waiting %v: %v", name, spin, took)
			}
		}
	}
}
