// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/eesi/eesitest"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/tinycache"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/projection/flowtest"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Seeds of a longer run by hand, as in -paths.first=1000 -paths.count=5000.
var (
	pathsFirst = flag.Uint64("paths.first", 0, "first seed of the programs and machines of divergence policies")
	pathsCount = flag.Uint64("paths.count", 0, "how many seeds; 0: a few")
)

// pathSeeds are the seeds of a run.
func pathSeeds(t *testing.T, of, n int) []uint64 {
	t.Helper()
	if *pathsCount == 0 {
		return tracetest.Seeds(t, of, n)
	}
	var all []uint64
	for i := range *pathsCount {
		all = append(all, *pathsFirst+i)
	}
	return all
}

// oneBlock is a random program of one thread block, and what may not be run apart in it.
type oneBlock struct {
	tape      *wtape.Reader
	chunk     *wtape.Chunk
	threads   int
	warpLevel bool
}

// drawBlock draws one: sections of random masks, or control flow, structured or not. One in
// six has an instruction that depends on which lanes execute it together.
func drawBlock(t *testing.T, r *rand.Rand) *oneBlock {
	t.Helper()
	p := &oneBlock{threads: 1 + r.IntN(256), chunk: wtape.NewChunk()}
	exchange := func(k *trace.Kernel) {
		for i := range k.Instructions {
			if in := &k.Instructions[i]; in.Class == trace.ClassIntAdd && !p.warpLevel {
				in.Class, in.Opcode, in.Modifiers, p.warpLevel = trace.ClassShuffle, "shfl", []string{"sync", "down"}, true
			}
		}
	}
	if r.IntN(6) > 0 {
		exchange = func(*trace.Kernel) {}
	}
	switch draw := r.IntN(3); draw {
	case 0:
		l := gputest.RandomBlock(r, p.threads)
		exchange(&l.Kernel.Kernel)
		p.tape = gputest.Trace(t, l)
	default:
		g := []func(*rand.Rand) *flowtest.Graph{flowtest.Structured, flowtest.Unstructured}[draw-1](r)
		exchange(&g.Kernel)
		p.tape = g.Record(t, r, g.Threads(r, p.threads))
	}
	if err := p.tape.ReadChunk(0, p.chunk); err != nil {
		t.Fatal(err)
	}
	return p
}

// drawMachine draws one with a divergence policy.
func drawMachine(t *testing.T, r *rand.Rand, policy string) *arch.Machine {
	t.Helper()
	p, err := divergence.Policies.Lookup(policy)
	if err != nil {
		t.Fatal(err)
	}
	if p.CoreKind() != eesi.Kind {
		m := gputest.RandomMachine(r)
		m.GPU.Divergence = policy
		return m
	}
	m := eesitest.RandomMachine(r)
	if m.GPU.Divergence = policy; policy == eesi.Interleaved {
		eesitest.Section(m).TinyLines = 0
	}
	return m
}

// TestEveryPolicyExecutesTheRecordedPathsOnRandomMachines: on random machines of its kind,
// a policy issues every instruction of a random program for the threads that executed it,
// and no others. Each thread accesses the addresses that were recorded, in its order where
// no operand collectors change it. A
// program with an exchange between lanes is refused by name, but under post-dominators.
// The oracle reads the trace's columns.
func TestEveryPolicyExecutesTheRecordedPathsOnRandomMachines(t *testing.T) {
	replays, refused, accesses := 0, 0, 0
	for _, seed := range pathSeeds(t, 300, 15) {
		p := drawBlock(t, rand.New(rand.NewPCG(seed, 41)))
		for i, policy := range divergence.Policies.Names() {
			m := drawMachine(t, rand.New(rand.NewPCG(seed, uint64(42+i))), policy)
			err := p.checkPaths(t, m, gputest.RandomMemory(rand.New(rand.NewPCG(seed, 40))), &accesses)
			switch {
			case err == nil:
				replays++
			case p.warpLevel && policy != "pdom" && strings.Contains(err.Error(), "gpu.divergence: pdom"):
				refused++
			default:
				t.Errorf("%v", err)
			}
			if t.Failed() {
				t.Fatalf("seed %d under %s", seed, policy)
			}
		}
	}
	t.Logf("%d replays, %d refused, %d accesses of threads", replays, refused, accesses)
	if tracetest.Whole() && (replays < 1500 || refused < 100 || accesses < 500_000) {
		t.Errorf("%d replays, %d refused, %d accesses of threads are few", replays, refused, accesses)
	}
}

// checkPaths replays a program and compares what issues with the recording.
func (p *oneBlock) checkPaths(t *testing.T, m *arch.Machine, memory *gputest.Memory, accesses *int) error {
	t.Helper()
	seen := map[int][]gputest.Step{}
	memory.Seen = func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
		gputest.Steps(a, func(l int, s gputest.Step) { seen[a.ThreadBase+l] = append(seen[a.ThreadBase+l], s) })
	}
	g, err := gpu.New(m, gpu.Options{Lines: true, WatchdogCycles: 100_000, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		return memory.Build(c.Core, global), nil
	}})
	if err != nil {
		return err
	}
	run, err := g.Replay(t.Context(), gputest.NewSource(p.tape), nil)
	if err != nil {
		return err
	}
	gputest.Conserves(t, m, &run.Total)
	// Operand collectors let a load go before another one that waits for its operands longer.
	inOrder := m.GPU.CoreKind() == eesi.Kind || m.SM.OperandCollectors <= 1 && !m.SM.Collects()
	k := &p.tape.Kernels()[0]
	want := make([]uint64, len(k.Instructions))
	for thread := range p.threads {
		_, held, steps := gputest.ThreadPath(k, p.chunk, 0, thread)
		for _, i := range held {
			want[i]++
		}
		*accesses += len(steps)
		if !inOrder {
			slices.SortFunc(steps, compareSteps)
			slices.SortFunc(seen[thread], compareSteps)
		}
		if diff := differ(steps, seen[thread]); diff != "" {
			t.Errorf("thread %d accesses (-recorded +issued):\n%.2000s", thread, diff)
		}
	}
	for i, n := range want {
		if got := run.Lines[0][i][counters.IssuedThread]; got != n {
			t.Errorf("instruction %d, %s, is issued for %d threads, recorded %d", i, k.Instructions[i].Name(), got, n)
		}
	}
	if got, want := run.Total[counters.IssuedThread], p.tape.Totals().ThreadInstructions; got != want {
		t.Errorf("%d thread instructions, recorded %d", got, want)
	}
	return nil
}

func compareSteps(a, b gputest.Step) int {
	return cmp.Or(cmp.Compare(a.Instruction, b.Instruction), cmp.Compare(a.Address, b.Address))
}

// memoryCounts are lanes' accesses to memory, which no policy changes. Behind tinyCaches they
// are those that miss.
var memoryCounts = []counters.ID{counters.GlobalLane, counters.SharedLaneRead, counters.SharedLaneWrite}

// takesInstructions are mechanisms that execute instructions elsewhere.
var takesInstructions = []string{"dac", "llc-compute", "omni-compute"}

// TestEveryPolicyCountsTheSameOnDrawnMachines: a drawn machine, with its overlays and
// parameters, runs a drawn program under every policy, or refuses it by name. Threads
// execute as many instructions, and their lanes access memory as often, as was recorded.
// Replays are the same with any number of workers.
func TestEveryPolicyCountsTheSameOnDrawnMachines(t *testing.T) {
	pool := newPool(t)
	dir := t.TempDir()
	replays, refused := 0, 0
	for _, seed := range pathSeeds(t, 120, tracetest.Fewer(1, 5)) {
		d := pool.draw(t, rand.New(rand.NewPCG(seed, 43)))
		if seed%2 == 0 {
			d.tape = pool.random(t, rand.New(rand.NewPCG(seed, 44)))
		}
		delete(d.set, "gpu.divergence")
		d.overlays = slices.DeleteFunc(d.overlays, func(o string) bool { return o == "divergence" })
		if reason, _ := d.underPolicy(dir, ""); reason != "" {
			continue // whatever the policy
		}
		var pdom *gpu.Run
		for _, policy := range append([]string{"pdom"}, divergence.Policies.Names()...) {
			reason, runs := d.underPolicy(dir, policy)
			if strings.HasPrefix(reason, "failed: ") || reason != "" && !strings.Contains(reason, "divergence") && !strings.Contains(reason, policy) {
				t.Errorf("seed %d under %s, workload %s on\n%s\n%s", seed, policy, d.tape.name, d.text(), reason)
			}
			if reason != "" {
				refused++
				continue
			}
			replays++
			d.checkCounts(t, fmt.Sprintf("seed %d under %s, workload %s on\n%s", seed, policy, d.tape.name, d.text()), runs, &pdom)
		}
	}
	t.Logf("%d replays, %d refused", replays, refused)
	if tracetest.Whole() && (replays < 150 || refused < 100) {
		t.Errorf("%d replays and %d refusals are few", replays, refused)
	}
}

// underPolicy replays a drawing under a policy, its own when that is empty, by one worker,
// by several, and with every cycle visited. The reason is that of a refusal.
func (d *drawing) underPolicy(dir, policy string) (reason string, runs []*gpu.Run) {
	c := *d
	c.set = map[string]string{}
	for key, value := range d.set {
		c.set[key] = value
	}
	if policy != "" {
		c.set["gpu.divergence"] = policy
	}
	m, err := c.loadIn(dir)
	if err != nil {
		return err.Error(), nil
	}
	for _, o := range []gpu.Options{{}, {Cores: 2, Apart: true}, {Cores: 3, Apart: true}, {EveryCycle: true}} {
		o.WatchdogCycles = 500_000
		run, err := c.run(m, o)
		switch {
		case err != nil && excused(err):
			return "gpu.divergence or the program: " + err.Error(), nil
		case err != nil:
			return "failed: " + err.Error(), nil
		}
		runs = append(runs, run)
		if policy == "" {
			break
		}
	}
	return "", runs
}

// checkCounts compares replays of one machine with each other, and with the recording.
func (d *drawing) checkCounts(t *testing.T, name string, runs []*gpu.Run, pdom **gpu.Run) {
	t.Helper()
	for _, run := range runs[1:] {
		if diff := differ(outcome(runs[0]), outcome(run)); diff != "" {
			t.Errorf("%s\nanother number of workers, or every cycle, changes the result:\n%.2000s", name, diff)
		}
	}
	if slices.ContainsFunc(d.overlays, func(o string) bool { return slices.Contains(takesInstructions, o) }) {
		return
	}
	m, err := d.loadIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Lanes apart have no uniform datapath, on which machines that lower kernels execute much.
	if got, want := runs[0].Total[counters.IssuedThread], d.tape.tape.Totals().ThreadInstructions; got != want && !m.GPU.Lowers() {
		t.Errorf("%s\n%d thread instructions, recorded %d", name, got, want)
	}
	if *pdom == nil {
		*pdom = runs[0]
	}
	if slices.Contains(m.Mechanisms(), tinycache.Key) {
		return
	}
	for _, id := range memoryCounts {
		if got, want := runs[0].Total[id], (*pdom).Total[id]; got != want {
			t.Errorf("%s\n%s is %d, and %d under post-dominators", name, counters.Declared(id).Name, got, want)
		}
	}
}
