// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// reference is the slow obvious twin of the SM, the front end and the event loop.
// Every cycle it looks at every warp, and decides from the recorded registers
// whether an instruction can issue. It shares nothing with them but the trace,
// the occupancy, and the rules of the package documentation of sm.
type reference struct {
	machine *arch.Machine
	memory  *gputest.Memory
	kernel  *trace.Kernel
	code    uint64 // address of the first instruction
	now     int
	sms     []*referenceSM
	blocks  []referenceBlock // still to dispatch
	next    int              // SM that is asked first
	left    int              // blocks that have yet to retire
	arrived uint64
	limit   int // blocks per SM

	dispatched   bool // ever, the last time in lastDispatch
	lastDispatch int
}

type referenceBlock struct{ warps [][]step }

// step is one warp instruction of a path.
type step struct {
	index int
	mask  uint32
	visit int
	jumps bool // what follows is not the next instruction in memory
	// addresses are those of the lanes that take part.
	addresses []uint64
}

type referenceSM struct {
	*reference
	warps      []*referenceWarp // by slot
	freeAt     map[units.Kind][]int
	collect    []int
	collectors *referenceCollectors // nil without an arbiter
	queue      []*pendingAccess
	queueSize  int
	taken      int // cycle in which the port took its last access
	answers    []*pendingAccess
	lines      map[uint64]bool
	fetching   map[int]lineWait // by slot
	asked      int              // how often a warp has waited for a line
	firstAsked map[uint64]int   // by line: asked when the first warp waited for it
	lastFetch  int
	lastIssue  []int
	lastAge    []uint64
	current    []*referenceWarp   // per scheduler: the warp that it stays with
	previous   []*referenceWarp   // per scheduler: the warp that issued last
	active     [][]*referenceWarp // per scheduler: the active set of two-level
	slots      map[counters.Cause]uint64
	resident   int
	filter     []filtered // the most recently used last
}

type lineWait struct {
	line  uint64
	count int
	at    int
	asked int // how many have asked
	came  int // cycle in which the line has come, where warps take it in turn
}

type referenceWarp struct {
	path      []step
	at        int // next to issue
	decoded   int
	decoding  map[int]int // cycle: instructions
	writes    map[trace.Register]int
	loads     map[trace.Register]bool
	staged    []*referenceStaged
	atomics   int // outstanding loads, atomics and queued stores
	stores    int // performed later
	redirect  int // no fetch before
	heldUntil int // -1: at a barrier or fence that has not let it go
	heldBy    counters.Cause
	age       uint64
	group     *referenceGroup
	slot      int
	gone      bool
}

type referenceGroup struct {
	warps    []*referenceWarp
	barriers map[int64]*referenceBarrier
	left     int
}

type referenceBarrier struct {
	arrived, threads int
	waiting          []*referenceWarp
}

type pendingAccess struct {
	ready, done int
	warp        *referenceWarp
	in          *trace.Instruction
	store       bool
}

func (w *referenceWarp) over() bool { return w.at == len(w.path) }

func (r *reference) launch(c *wtape.Chunk, l *trace.Launch) {
	for _, b := range c.Blocks() {
		var block referenceBlock
		for w := range l.Warps() {
			block.warps = append(block.warps, r.flatten(c, c.Warp(b, w)))
		}
		r.blocks = append(r.blocks, block)
	}
	r.left += len(c.Blocks())
}

// flatten unrolls a path into instructions with their masks.
func (r *reference) flatten(c *wtape.Chunk, w trace.Warp) []step {
	var path []step
	guards, accesses := w.Guards, w.Accesses
	for v, b := range w.Blocks {
		block := r.kernel.Blocks[b]
		for i := block.First; i < block.First+block.Count; i++ {
			s := step{index: int(i), mask: w.Masks[v], visit: v}
			if r.kernel.Instructions[i].Guarded() {
				s.mask, guards = guards[0], guards[1:]
			}
			if r.kernel.Instructions[i].HasAccess() {
				var at [trace.WarpSize]uint64
				c.Addresses(accesses[0], s.mask, &at)
				accesses = accesses[1:]
				for l, address := range at {
					if s.mask>>l&1 != 0 {
						s.addresses = append(s.addresses, address)
					}
				}
			}
			if n := len(path); n > 0 {
				path[n-1].jumps = path[n-1].index+1 != int(i)
			}
			path = append(path, s)
		}
	}
	return path
}

// cycle does what happens in one cycle; false when the launch is over.
func (r *reference) cycle(dispatch bool) bool {
	for _, s := range r.sms {
		s.answer()
		s.retire()
	}
	rests := r.dispatched && r.now-r.lastDispatch < r.machine.GPU.DispatchCycles
	for n := 0; dispatch && !rests && n < r.machine.GPU.BlocksPerCycle && len(r.blocks) > 0; n++ {
		for i := range r.sms {
			s := r.sms[(r.next+i)%len(r.sms)]
			if s.room(len(r.blocks[0].warps)) {
				r.dispatched, r.lastDispatch = true, r.now
				r.next = (r.next + i + 1) % len(r.sms)
				s.place(r.blocks[0])
				r.blocks = r.blocks[1:]
				break
			}
		}
	}
	for _, s := range r.sms {
		s.cycle()
		s.retire()
	}
	r.now++
	return r.left > 0
}

// newReference builds the twin of machine m.
func newReference(m *arch.Machine, memory *gputest.Memory) *reference {
	r := &reference{machine: m, memory: memory, code: 1 << 40} // above all data
	if m.SM.CodeAddress > 0 {
		r.code = uint64(m.SM.CodeAddress)
	}
	u := &m.SM.Units
	for range m.GPU.SMs {
		s := &referenceSM{
			reference: r, warps: make([]*referenceWarp, m.SM.MaxWarps), collect: make([]int, m.SM.OperandCollectors),
			queueSize: max(u.LDST, 1)*m.SM.OperandReadCycles + 2, taken: -1, lines: map[uint64]bool{}, fetching: map[int]lineWait{}, lastFetch: warpset.Max - 1, firstAsked: map[uint64]int{},
			freeAt: map[units.Kind][]int{units.SP: make([]int, u.SP), units.Int: make([]int, u.Int), units.DP: make([]int, u.DP),
				units.SFU: make([]int, u.SFU), units.LDST: make([]int, u.LDST)},
			slots: map[counters.Cause]uint64{}, collectors: newReferenceCollectors(&m.SM),
		}
		s.current, s.previous = make([]*referenceWarp, m.SM.Schedulers), make([]*referenceWarp, m.SM.Schedulers)
		for range m.SM.Schedulers {
			s.lastIssue, s.lastAge, s.active = append(s.lastIssue, warpset.Max-1), append(s.lastAge, 0), append(s.active, nil)
		}
		r.sms = append(r.sms, s)
	}
	return r
}

// outcome is what both compute.
type outcome struct {
	Cycles []clock.Cycle
	Slots  map[string]uint64
}

func (r *reference) run(t *testing.T, src *wtape.Reader, limits []core.Occupancy) outcome {
	var out outcome
	out.Slots = map[string]uint64{}
	for i := range src.Launches() {
		l := &src.Launches()[i]
		r.kernel, r.limit = &src.Kernels()[l.Kernel], limits[i].Blocks
		first, end := src.LaunchChunks(i)
		for c := first; c < end; c++ {
			chunk := wtape.NewChunk()
			if err := src.ReadChunk(c, chunk); err != nil {
				t.Fatal(err)
			}
			r.launch(chunk, l)
		}
		start := r.now
		for r.cycle(r.now >= start+r.machine.GPU.LaunchCycles) || r.now < start+r.machine.GPU.LaunchCycles {
			if r.now-start > 1_000_000 {
				t.Fatal("the reference is stuck")
			}
		}
		out.Cycles = append(out.Cycles, clock.Cycle(r.now-start))
	}
	for _, s := range r.sms {
		for c, n := range s.slots {
			out.Slots[c.String()] += n
		}
	}
	return out
}

func TestReplayAgreesWithTheSlowReference(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 120, tracetest.Fewer(4, 8)) {
		r := rand.New(rand.NewPCG(seed, 99))
		m, memory := gputest.RandomMachine(r), gputest.RandomMemory(r)
		m.SM.L0 = arch.L0{} // the reference has none: see l0_test.go
		src := gputest.NewSource(gputest.Trace(t, gputest.RandomLaunches(r)[:1]...))
		g := build(t, m, memory)
		run, err := g.Replay(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		gputest.Invariants(t, m, &run.Total, run.Cycles)
		got := outcome{Slots: map[string]uint64{}}
		var limits []core.Occupancy
		for i := range run.Launches {
			got.Cycles = append(got.Cycles, run.Launches[i].Cycles)
			limits = append(limits, run.Launches[i].Occupancy)
		}
		for c := range counters.Cause(counters.CauseCount) {
			if n := run.Total[c.Counter()]; n > 0 {
				got.Slots[c.String()] = n
			}
		}
		want := newReference(m, memory).run(t, src.Reader, limits)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d (-reference +replay):\n%s", seed, diff)
		}
	}
}
