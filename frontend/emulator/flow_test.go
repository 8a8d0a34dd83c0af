package emulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// flow is a random control-flow graph, irreducible ones included: each block
// mixes its number into a value and a bit of the value chooses the next block.
type flow []flowBlock

type flowBlock struct {
	factor, bit  uint32
	taken, other int // len(flow) and more end the thread
}

func randomFlow(seed uint64) flow {
	r := rand.New(rand.NewPCG(seed, 2))
	f := make(flow, 2+r.IntN(10))
	for i := range f {
		f[i] = flowBlock{r.Uint32() | 1, r.Uint32N(32), r.IntN(len(f) + 1), r.IntN(len(f) + 1)}
	}
	return f
}

// flowSteps bounds the blocks that a thread visits.
const flowSteps = 40

// follow is what one thread computes, by itself.
func (f flow) follow(v uint32) uint32 {
	block := 0
	for step := uint32(0); step < flowSteps && block < len(f); step++ {
		b := f[block]
		v = v*b.factor + uint32(block)
		block = b.other
		if v>>b.bit&1 == 1 {
			block = b.taken
		}
	}
	return v
}

// body writes the graph as PTX.
func (f flow) body() string {
	var b strings.Builder
	b.WriteString("mul.lo.u32 %r1, %r0, 0x9e3779b9; mov.u32 %r2, 0;\n")
	for i, block := range f {
		fmt.Fprintf(&b, "B%d: setp.ge.u32 %%p1, %%r2, %d; @%%p1 bra B%d; add.u32 %%r2, %%r2, 1;\n", i, flowSteps, len(f))
		fmt.Fprintf(&b, "mad.lo.u32 %%r1, %%r1, %d, %d; shr.u32 %%r3, %%r1, %d; and.b32 %%r3, %%r3, 1; setp.eq.u32 %%p2, %%r3, 1;\n", block.factor, i, block.bit)
		fmt.Fprintf(&b, "@%%p2 bra B%d; bra B%d;\n", block.taken, block.other)
	}
	fmt.Fprintf(&b, "B%d: st.global.u32 [%%d0], %%r1; ret;", len(f))
	return b.String()
}

func checkFlow(t *testing.T, seed uint64) {
	t.Helper()
	f := randomFlow(seed)
	s := script{block: dims(40, 1), body: f.body(), options: Options{MaxInstructions: 1 << 20}}
	for i, got := range s.run(t) {
		if want := f.follow(uint32(i) * 0x9e3779b9); got != want {
			t.Fatalf("seed %d, thread %d: %#x, want %#x in\n%s", seed, i, got, want, f.body())
		}
	}
}

func TestEveryLaneFollowsItsOwnPath(t *testing.T) {
	for seed := range uint64(200) {
		checkFlow(t, seed)
	}
}

func FuzzFlow(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(checkFlow)
}
