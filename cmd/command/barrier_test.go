// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// barrierProgram writes a kernel for sm_70 whose warps come to barriers in parts.
type barrierProgram struct {
	rng    *rand.Rand
	text   strings.Builder
	line   int
	rounds []barrierRound
}

// barrierRound has the lines of the stores on either side of a round's barrier; counted
// says that the barrier is for a number of threads.
type barrierRound struct {
	before, behind []int
	counted        bool
}

func (p *barrierProgram) emit(format string, a ...any) int {
	fmt.Fprintf(&p.text, format+"\n", a...)
	p.line++
	return p.line
}

// work is a chain of additions; some of them wait for memory.
func (p *barrierProgram) work() {
	if p.rng.IntN(2) == 0 {
		p.emit("ld.global.u32 %%r5, [%%rd1];")
		p.emit("add.s32 %%r4, %%r4, %%r5;")
	}
	for range p.rng.IntN(30) {
		p.emit("add.s32 %%r4, %%r4, %%r4;")
	}
}

func (p *barrierProgram) store() int { return p.emit("st.global.u32 [%%rd2], %%r4;") }

// side is what some threads do in a round: work, a store, the barrier, and a store behind
// it unless they only arrive.
func (p *barrierProgram) side(r *barrierRound, barrier string) {
	p.work()
	r.before = append(r.before, p.store())
	p.emit("%s;", barrier)
	if !strings.Contains(barrier, "arrive") {
		r.behind = append(r.behind, p.store())
	}
}

// part chooses threads in a predicate: some lanes of every warp, half of them when the
// threads are counted.
func (p *barrierProgram) part(half bool) {
	mask := []int{1, 2, 4, 8, 16}[p.rng.IntN(5)]
	p.emit("and.b32 %%r2, %%r1, %d;", mask)
	if !half {
		switch p.rng.IntN(3) {
		case 0:
			p.emit("and.b32 %%r2, %%r1, %d;", mask|1<<p.rng.IntN(7))
		case 1:
			p.emit("shr.u32 %%r2, %%r1, %d;", p.rng.IntN(7))
		}
	}
	p.emit("setp.%s.u32 %%p1, %%r2, 0;", []string{"eq", "ne"}[p.rng.IntN(2)])
}

// newBarrierProgram writes a kernel of a few rounds for a block of 128 threads. Some
// threads leave between rounds; from then on no threads are counted.
func newBarrierProgram(seed uint64) *barrierProgram {
	p := &barrierProgram{rng: rand.New(rand.NewPCG(seed, 5))}
	for _, s := range []string{
		".version 7.8", ".target sm_70", ".address_size 64", ".visible .entry k(.param .u64 data)", "{",
		".reg .pred %%p<4>;", ".reg .b32 %%r<9>;", ".reg .b64 %%rd<5>;", "ld.param.u64 %%rd1, [data];", "mov.u32 %%r1, %%tid.x;",
		"mul.wide.u32 %%rd2, %%r1, 4;", "add.s64 %%rd2, %%rd2, %%rd1;", "mov.u32 %%r4, 0;",
	} {
		p.emit(s)
	}
	left := false
	for id := range 2 + p.rng.IntN(5) {
		var r barrierRound
		a, b := fmt.Sprintf("barrier.sync %d", id), fmt.Sprintf("barrier.sync %d", id)
		some := false // the others do not come at all
		switch kind := p.rng.IntN(6); {
		case kind == 0 && !left: // half of the lanes of each warp, for themselves
			a, some, r.counted = a+", 64", true, true
		case kind == 1 && !left: // producers and consumers
			a, b, r.counted = fmt.Sprintf("barrier.arrive %d, 128", id), b+", 128", true
		case kind == 2:
			a, b = fmt.Sprintf("barrier.red.popc.u32 %%r6, %d, %%p1", id), fmt.Sprintf("barrier.red.popc.u32 %%r6, %d, %%p1", id)
		case kind == 3: // warps gather
			a, b = fmt.Sprintf("barrier.cta.sync %d", id), fmt.Sprintf("barrier.cta.sync %d", id)
		}
		p.part(r.counted)
		p.emit("@%%p1 bra A%d;", id)
		if !some {
			p.side(&r, b)
		}
		p.emit("bra J%d;", id)
		p.emit("A%d:", id)
		p.side(&r, a)
		p.emit("J%d:", id)
		p.rounds = append(p.rounds, r)
		if p.rng.IntN(3) == 0 {
			left = true
			p.emit("rem.u32 %%r2, %%r1, %d;", 3+p.rng.IntN(60))
			p.emit("setp.eq.u32 %%p2, %%r2, 1;")
			p.emit("@%%p2 exit;")
		}
	}
	p.emit("ret;")
	p.emit("}")
	return p
}

// issueOrder watches when instructions issue, by line.
type issueOrder struct {
	kernel      *trace.Kernel
	first, last map[uint32]clock.Cycle
}

func (o *issueOrder) Watches(int) bool                               { return true }
func (o *issueOrder) ClockOffset(clock.Cycle)                        {}
func (o *issueOrder) Warp(clock.Cycle, seam.WarpSlot)                {}
func (o *issueOrder) Block(clock.Cycle, int, int, uint64, bool)      {}
func (o *issueOrder) Request(clock.Cycle, seam.Request)              {}
func (o *issueOrder) Bound(_ clock.Cycle, _, _ int, k *trace.Kernel) { o.bind(k) }
func (o *issueOrder) bind(k *trace.Kernel) {
	if k != nil {
		o.kernel = k
	}
}

func (o *issueOrder) Slots(now clock.Cycle, s seam.IssueSlots) {
	if s.Cause != counters.CauseIssued || s.Instruction == seam.NoInstruction {
		return
	}
	line := o.kernel.Instructions[s.Instruction].Line
	if _, ok := o.first[line]; !ok {
		o.first[line] = now
	}
	o.last[line] = now
}

// Programs whose warps come to barriers in parts run on every machine, and no warp leaves
// a barrier before all have come.
func TestPartsOfWarpsMeetAtBarriersOnEveryMachine(t *testing.T) {
	notUnderTheRaceDetector(t)
	machines := ptxMachines(t)
	for _, name := range []string{
		"gtx480+dac", "gtx480+wide(threads=64)", "v100+wide(threads=128)", "mesh56+buddy", "gpsim-tiny+tinycache", "gtx480-15+cae", "v100+gto", "gtx480+lowering(generation=fermi)",
	} {
		machines = append(machines, loadMachine(t, name, nil))
	}
	machines = tracetest.Draw(t, machines, tracetest.Fewer(10, len(machines)))
	for _, seed := range tracetest.Seeds(t, 16, 1) {
		p := newBarrierProgram(seed)
		files := fstest.MapFS{"k.ptx": {Data: []byte(p.text.String())}, "k.star": {Data: []byte(`"""Parts of warps at barriers."""
sizes = {"tiny": {}}
def main(p):
    m = gpu.module("k.ptx")
    data = gpu.buffer("data", random.integers(i32, 256, low=0, high=90))
    gpu.launch(m.k, grid=1, block=128, args=[data])
`)}}
		r := recordTiny(t, files, "k.star")
		for _, m := range machines {
			p.check(t, seed, r, m)
		}
	}
}

// check replays the program.
func (p *barrierProgram) check(t *testing.T, seed uint64, r *wtape.Reader, m *arch.Machine) {
	t.Helper()
	o := &issueOrder{first: map[uint32]clock.Cycle{}, last: map[uint32]clock.Cycle{}}
	g, err := gpu.New(m, gpu.Options{Watcher: o, WatchdogCycles: 100_000})
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	if err := g.Check(r.Kernels(), r.Launches()); err != nil {
		t.Fatalf("seed %d on %s: %v", seed, m.Name, err)
	}
	if _, err := g.Replay(context.Background(), gputest.NewSource(r), nil); err != nil {
		t.Fatalf("seed %d on %s: %v\n%s", seed, m.Name, err, p.text.String())
	}
	for i, round := range p.rounds {
		for _, before := range round.before {
			for _, behind := range round.behind {
				x, y := uint32(before), uint32(behind)
				if _, ok := o.first[x]; !ok {
					t.Fatalf("seed %d on %s: the store on line %d does not issue", seed, m.Name, before)
				}
				if o.first[y] <= o.last[x] {
					t.Errorf("seed %d on %s, barrier %d: line %d issues in cycle %d, line %d before it still in %d\n%s",
						seed, m.Name, i, behind, o.first[y], before, o.last[x], p.text.String())
				}
			}
		}
	}
}

// Before sm_70 barrier means barrier.aligned: the last warp of a block of 40 threads counts
// for 32 threads. From sm_70 on it counts for 8, and the kernel would hang.
func TestABarrierCountsWholeWarpsBeforeIndependentThreads(t *testing.T) {
	text := `.version 6.0
.target sm_60
.address_size 64
.visible .entry k()
{
	barrier.sync 0, 64;
	barrier.arrive 1, 64;
	ret;
}
`
	files := fstest.MapFS{"k.ptx": {Data: []byte(text)}, "k.star": {Data: []byte(`"""A block of 40 threads."""
sizes = {"tiny": {}}
def main(p):
    gpu.launch(gpu.module("k.ptx").k, grid=1, block=40, args=[])
`)}}
	r := recordTiny(t, files, "k.star")
	for i, in := range r.Kernels()[0].Instructions[:2] {
		if !slices.Contains(in.Modifiers, "aligned") {
			t.Errorf("barrier %d has modifiers %v", i, in.Modifiers)
		}
	}
	result := replayOne(t, r, loadMachine(t, "gtx480", nil))
	if got, want := result.Total.Counters[counters.IssuedWarp], uint64(6); got != want {
		t.Errorf("%d instructions issue, want %d", got, want)
	}
}
