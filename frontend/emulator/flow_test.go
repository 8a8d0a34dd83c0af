// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// flow is a random control-flow graph, irreducible ones included: each block
// mixes its number into a value and a bit of the value chooses the next block. In some
// blocks another bit lets threads leave, in ways that compilers write.
type flow []flowBlock

type flowBlock struct {
	factor, bit  uint32
	taken, other int // len(flow) and more end the thread
	leave        leaveKind
	leaveBits    uint32 // threads leave whose value has none of them
}

// leaveKind is how threads leave in the middle of a block.
type leaveKind int

const (
	stays        leaveKind = iota
	leavesHere             // a guarded exit
	leavesApart            // a branch to an exit of the block's own
	leavesShared           // a branch to one that all share, as assertions have
	returnsEarly           // a branch to the ret that ends the kernel
	leaveKinds
)

// left is what a thread that leaves early stores in addition to its value.
const left = 0x5ca1ab1e

func randomFlow(seed uint64) flow {
	r := rand.New(rand.NewPCG(seed, 2))
	f := make(flow, 2+r.IntN(10))
	for i := range f {
		f[i] = flowBlock{factor: r.Uint32() | 1, bit: r.Uint32N(32), taken: r.IntN(len(f) + 1), other: r.IntN(len(f) + 1)}
	}
	return f
}

// randomLeavingFlow is a graph in which threads leave in some blocks.
func randomLeavingFlow(seed uint64) flow {
	f, r := randomFlow(seed), rand.New(rand.NewPCG(seed, 3))
	for i := range f {
		if r.IntN(2) == 0 {
			f[i].leave = leaveKind(r.IntN(int(leaveKinds)))
			for range 2 {
				f[i].leaveBits |= 1 << r.Uint32N(32)
			}
		}
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
		if b.leave != stays && v&b.leaveBits == 0 {
			return v ^ left
		}
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
		fmt.Fprintf(&b, "mad.lo.u32 %%r1, %%r1, %d, %d;\n", block.factor, i)
		block.leaves(&b, i)
		fmt.Fprintf(&b, "shr.u32 %%r3, %%r1, %d; and.b32 %%r3, %%r3, 1; setp.eq.u32 %%p2, %%r3, 1;\n", block.bit)
		fmt.Fprintf(&b, "@%%p2 bra B%d; bra B%d;\n", block.taken, block.other)
	}
	fmt.Fprintf(&b, "B%d: st.global.u32 [%%d0], %%r1; bra END;\nFAIL: st.global.u32 [%%d0], %%r4; exit;\nEND: ret;", len(f))
	return b.String()
}

// leaves writes how threads leave in block i.
func (b *flowBlock) leaves(to *strings.Builder, i int) {
	if b.leave == stays {
		return
	}
	fmt.Fprintf(to, "and.b32 %%r5, %%r1, %d; setp.eq.u32 %%p3, %%r5, 0; xor.b32 %%r4, %%r1, %d;\n", b.leaveBits, left)
	switch b.leave {
	case leavesHere:
		fmt.Fprintf(to, "@%%p3 st.global.u32 [%%d0], %%r4; @%%p3 exit;\n")
	case leavesApart:
		fmt.Fprintf(to, "@!%%p3 bra S%d; st.global.u32 [%%d0], %%r4; exit; S%d:\n", i, i)
	case leavesShared:
		fmt.Fprintf(to, "@%%p3 bra FAIL;\n")
	case returnsEarly:
		fmt.Fprintf(to, "@%%p3 st.global.u32 [%%d0], %%r4; @%%p3 bra END;\n")
	}
}

func checkFlow(t *testing.T, seed uint64) {
	t.Helper()
	checkFlowOf(t, seed, randomFlow(seed))
	checkFlowOf(t, seed, randomLeavingFlow(seed))
}

// checkFlowOf compares what the emulator computes with each thread by itself. A value
// holds the numbers of all blocks that the thread came to, in their order.
func checkFlowOf(t *testing.T, seed uint64, f flow) {
	t.Helper()
	s := script{target: []string{"sm_60", "sm_80"}[seed%2], block: dims(40, 1), body: f.body(), options: Options{MaxInstructions: 1 << 20}}
	for i, got := range s.run(t) {
		if want := f.follow(uint32(i) * 0x9e3779b9); got != want {
			t.Fatalf("seed %d, thread %d: %#x, want %#x in\n%s", seed, i, got, want, f.body())
		}
	}
}

func TestEveryLaneFollowsItsOwnPath(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 200, tracetest.Fewer(10, 33)) {
		checkFlow(t, seed)
	}
}

func FuzzFlow(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(checkFlow)
}
