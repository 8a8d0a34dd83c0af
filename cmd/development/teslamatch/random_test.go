// SPDX-License-Identifier: Apache-2.0

package teslamatch

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// generator writes random programs. Register r0 is the thread's number in its block, r1
// its number in the grid, r2 a constant one, r3 its address for stores. Registers r4 to r6
// are values, r7 scratch, r8 a counter, r9 zero.
type generator struct {
	*rand.Rand
	b      strings.Builder
	labels int
	races  bool
	depth  int // of bits of the thread's number that tell sides apart
}

func (g *generator) f(format string, arguments ...any) { fmt.Fprintf(&g.b, format+"\n", arguments...) }

func (g *generator) label() string {
	g.labels++
	return fmt.Sprintf("l%d", g.labels)
}

// program writes a kernel whose thread blocks and warps leave each other alone, unless
// races are wanted.
func (g *generator) program() string {
	threads := 32 * (1 + g.IntN(4))
	if g.IntN(3) == 0 {
		threads -= 8 * g.IntN(4) // the last warp has fewer
	}
	blocks := 1 + g.IntN(4)
	g.f(".grid %d\n.block %d\n.registers 10", blocks, threads)
	for range 512 / 16 {
		g.b.WriteString(".data")
		for range 16 {
			fmt.Fprintf(&g.b, " %d", g.Uint32()&0xffff)
		}
		g.f("")
	}
	g.f("LDS r0, TID\nMVI r1, 10\nSHR r0, r0, r1\nLDS r2, BIDX\nMVI r1, %d\nMAD r1, r0, r2, r1\nMVI r2, 1\nMVI r9, 0", threads)
	// A store's address is the thread's number with its bits rotated: the lanes of a row
	// are in a few banks, and no two threads have one address.
	shift := g.IntN(9)
	g.f("MVI r4, %d\nSHL r3, r1, r4\nMVI r4, %d\nSHR r4, r1, r4\nOR r3, r3, r4\nMVI r4, 511\nAND r3, r3, r4\nMVI r4, 512\nADD r3, r3, r4", shift, 9-shift)
	g.f("MV r4, r1\nMV r5, r0\nMVI r6, %d\nMVI r7, 511\nMVI r8, 1", g.IntN(1<<16))
	g.statements(6+g.IntN(10), 0, true)
	g.f("ST r3, r4\nEXIT")
	return g.b.String()
}

// statements writes some; at the top level all lanes of all warps come by.
func (g *generator) statements(n, level int, top bool) {
	for range n {
		switch k := g.IntN(12); {
		case k < 4:
			g.f("%s r%d, r%d, r%d", []string{"ADD", "SUB", "XOR", "AND", "OR", "SLT", "SGT", "SHL", "SHR"}[g.IntN(9)], 4+g.IntN(3), 4+g.IntN(3), 4+g.IntN(3))
		case k == 4:
			g.f("MAD r%d, r4, r5, r%d", 4+g.IntN(3), 4+g.IntN(3))
		case k < 7:
			g.load()
		case k == 7:
			g.f("ST r3, r%d", 4+g.IntN(3))
		case k == 8 && level < g.depth:
			g.branch(level)
		case k == 9 && level < 2:
			g.loop(level, top)
		case k == 10 && top:
			g.f("BAR")
		case k == 11 && g.races:
			g.f("MVI r7, %d\nAND r7, r%d, r7\nST r7, r%d", 1<<g.IntN(6)-1, 4+g.IntN(3), 4+g.IntN(3))
		default:
			g.f("NOP")
		}
	}
}

// load reads words that no store writes, mostly with conflicts.
func (g *generator) load() {
	g.f("MVI r7, 511\nAND r7, r%d, r7\nLD r%d, r7", 4+g.IntN(3), 4+g.IntN(3))
}

// branch parts the lanes by a bit of their number that no branch around has used.
func (g *generator) branch(level int) {
	other, end := g.label(), g.label()
	g.f("MVI r7, %d\nAND r7, r0, r7\nSSY %s", 1<<level, end)
	if kind := g.IntN(4); kind == 0 { // without an else, perhaps without anything
		g.f("%s r7, %s", []string{"BEQ", "BNE"}[g.IntN(2)], end)
		g.statements(g.IntN(3), level+1, false)
	} else {
		g.f("%s r7, %s", []string{"BEQ", "BNE"}[g.IntN(2)], other)
		g.statements(1+g.IntN(3), level+1, false)
		g.f("BEQ r9, %s\n%s: NOP", end, other)
		g.statements(g.IntN(3), level+1, false)
		g.f("NOP")
	}
	g.f("%s: NOP", end)
}

// loop runs as often as the thread's number says without its low bits: lanes of a warp
// agree, mostly also in warps of 64.
func (g *generator) loop(level int, top bool) {
	if !top {
		return // the counter is one
	}
	again := g.label()
	g.f("MVI r7, %d\nSHR r8, r0, r7\nMVI r7, %d\nAND r8, r8, r7\nADD r8, r8, r2\n%s: NOP", 5+min(1, g.IntN(5)), 1+g.IntN(3), again)
	g.statements(1+g.IntN(4), level+2, false)
	g.f("SUB r8, r8, r2\nBNE r8, %s", again)
}

func randomConfig(r *rand.Rand) machine.Config {
	c := machine.Reference(1+r.IntN(3), 1<<r.IntN(7))
	c.RegisterAddressBits = 13 + 2 - bits.TrailingZeros(uint(c.Processors))
	c.Parameters = 1 + r.IntN(12)
	c.WarpSlots, c.BlockSlots = 16+r.IntN(17), 4+r.IntN(5)
	c.WarpWidth = max(c.Processors, 16<<r.IntN(3))
	c.SharedAddressBits, c.ConstantAddressBits, c.InstructionAddressBits = 10+r.IntN(3), 6+r.IntN(4), 10+r.IntN(3)
	return c
}

// The same warps enter the pipeline in the same cycles when a kernel executes with all
// values and when its trace replays. That holds whatever the parameters of both
// machines are. Where the machine would do what no program wants, both say so.
func TestRandomProgramsReplayAsTheyExecute(t *testing.T) {
	replayed, depend, faults, issues := map[int]int{}, 0, 0, uint64(0)
	for _, seed := range tracetest.Seeds(t, 500, 50) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), depth: 3, races: seed%4 == 3}
		k, err := language.Assemble(fmt.Sprintf("random%d", seed), g.program())
		if err != nil {
			t.Fatal(err)
		}
		there, here := randomConfig(g.Rand), randomConfig(g.Rand)
		if seed%8 == 7 {
			here = there
		}
		r, first, err := Record(k, there)
		if err != nil {
			faults++
			continue
		}
		want, executes := machine.Run(k, here, machine.Options{Log: true})
		got, err := Replay(r, here)
		switch {
		case err != nil && executes == nil:
			if len(first.Dependences) == 0 || here == there {
				t.Fatalf("seed %d, recorded on %+v, replayed on %+v: %v", seed, there, here, err)
			}
			depend++
			continue
		case err != nil:
			faults++
			continue
		case executes != nil:
			t.Fatalf("seed %d, recorded on %+v, replayed on %+v, which does not execute it: %v", seed, there, here, executes)
		}
		replayed[here.WarpWidth]++
		issues += got.Issues
		if diff := cmp.Diff(want.Log, got.Log); diff != "" {
			t.Fatalf("seed %d on %+v (-executed +replayed):\n%.2000s", seed, here, diff)
		}
		if diff := cmp.Diff([]uint64{want.Cycles, want.Issues, want.Replays, want.Divergences}, []uint64{got.Cycles, got.Issues, got.Replays, got.Divergences}); diff != "" {
			t.Fatalf("seed %d on %+v: cycles, issues, replays, divergences (-executed +replayed):\n%s", seed, here, diff)
		}
	}
	t.Logf("%v replayed by width, with %d issues; %d depend on the configuration, %d are refused by both", replayed, issues, depend, faults)
	if tracetest.Whole() && (replayed[16] < 30 || replayed[32] < 80 || replayed[64] < 100 || depend < 20 || faults < 20 || issues < 50_000) {
		t.Error("too few to tell")
	}
}

// A kernel without dependences computes the same memory in every configuration that has
// one multiprocessor, and its trace is the same, also from wider or narrower warps.
func TestWithoutDependencesAllConfigurationsComputeTheSame(t *testing.T) {
	same := map[int]int{}
	for _, seed := range tracetest.Seeds(t, 80, 13) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 9)), depth: 3, races: seed%4 == 3}
		k, err := language.Assemble("random", g.program())
		if err != nil {
			t.Fatal(err)
		}
		var first *machine.Result
		var paths []trace.Warp
		for _, processors := range []int{1, 4, 32, 64} {
			c := machine.Reference(1, processors)
			c.RegisterAddressBits += 2
			r, got, err := Record(k, c)
			if err != nil && processors == 64 {
				continue // threads of a warp part that are in two of 32
			} else if err != nil {
				t.Fatal(err)
			}
			if len(got.Dependences) > 0 {
				break
			}
			if first == nil {
				first, paths = got, pathsOf(t, r)
				continue
			}
			same[c.WarpWidth]++
			if diff := cmp.Diff(paths, pathsOf(t, r), cmpopts.IgnoreFields(trace.Warp{}, "Accesses")); diff != "" {
				t.Errorf("seed %d: the path is another with %d processors:\n%.1000s", seed, processors, diff)
			}
			if diff := cmp.Diff(first.Shared, got.Shared); diff != "" {
				t.Errorf("seed %d: the memory is another with %d processors:\n%.1000s", seed, processors, diff)
			}
		}
	}
	if tracetest.Whole() && (same[32] < 60 || same[64] < 20) {
		t.Errorf("%v comparisons by width: too few to tell", same)
	}
}

// pathsOf are the recorded warps of the first launch.
func pathsOf(t *testing.T, r *wtape.Reader) (list []trace.Warp) {
	t.Helper()
	for i := range r.Chunks() {
		c := wtape.NewChunk()
		if err := r.ReadChunk(i, c); err != nil {
			t.Fatal(err)
		}
		for _, block := range c.Blocks() {
			for w := range c.WarpsPerBlock() {
				list = append(list, c.Warp(block, w))
			}
		}
	}
	return list
}
