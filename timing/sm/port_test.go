// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// listening is a memory that notes what SM 0 asks of its port, and what the port answers.
type listening struct {
	*gputest.Memory
	asked, answered []portCall
	cycles          map[clock.Cycle]bool // of the port
	counted         [][]counters.Set     // what it was told to count in
	ended           []clock.Cycle        // of kernels
}

// portCall is a call with its cycle.
type portCall struct {
	at   clock.Cycle
	what string
}

func (l *listening) Port(sm int, to seam.Completions) (seam.Entry, error) {
	if sm > 0 {
		return l.Memory.Port(sm, to)
	}
	l.cycles = map[clock.Cycle]bool{}
	e, err := l.Memory.Port(sm, &listeningSM{to, l})
	e.Port = &listeningPort{e.Port, l}
	e.ByInstruction = l
	return e, err
}

func (l *listening) CountByInstruction(byInstruction []counters.Set) {
	l.counted = append(l.counted, byInstruction)
}

func (l *listening) ask(at clock.Cycle, format string, arguments ...any) {
	l.asked = append(l.asked, portCall{at, fmt.Sprintf(format, arguments...)})
}

type listeningPort struct {
	seam.Port
	to *listening
}

func (p *listeningPort) Cycle(now clock.Cycle) clock.Cycle {
	p.to.cycles[now] = true
	return p.Port.Cycle(now)
}
func (p *listeningPort) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	p.to.ask(now, "access %d", a.Instruction)
	p.Port.Issue(now, a)
}
func (p *listeningPort) Barrier(now clock.Cycle, slot int)        { p.to.ask(now, "barrier of %d", slot) }
func (p *listeningPort) KernelEnd(now clock.Cycle)                { p.to.ended = append(p.to.ended, now) }
func (p *listeningPort) Fence(now clock.Cycle, w int)             { p.to.ask(now, "fence of %d", w) }
func (p *listeningPort) BlockEnd(now clock.Cycle, slot, last int) { p.to.ask(now, "end of %d", slot) }
func (p *listeningPort) FetchLine(now clock.Cycle, address uint64) bool {
	hit := p.Port.FetchLine(now, address)
	if !hit {
		p.to.ask(now, "line %#x", address)
	}
	return hit
}

type listeningSM struct {
	seam.Completions
	to *listening
}

func (s *listeningSM) Complete(now clock.Cycle, token uint32) {
	s.to.answered = append(s.to.answered, portCall{now, "complete"})
	s.Completions.Complete(now, token)
}
func (s *listeningSM) WriteDone(now clock.Cycle, w int) {
	s.to.answered = append(s.to.answered, portCall{now, "write done"})
	s.Completions.WriteDone(now, w)
}
func (s *listeningSM) Fetched(now clock.Cycle, address uint64) {
	s.to.answered = append(s.to.answered, portCall{now, "line"})
	s.Completions.Fetched(now, address)
}

// heardBy replays a launch before a memory that listens.
func heardBy(t *testing.T, m *arch.Machine, memory *gputest.Memory, lines bool, l gputest.Launch) *listening {
	t.Helper()
	x := &listening{Memory: memory}
	o := gpu.Options{Lines: lines, Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		memory.Build(c.Core, global)
		return seam.Path{MemorySystem: x}, nil
	}}
	replay(t, buildWith(t, m, o), l)
	return x
}

// The port works in the cycle behind whatever the SM asks of it, and in that of each of its own answers, however quiet
// the SM is.
func TestThePortWorksWhenItIsAsked(t *testing.T) {
	k := gputest.NewKernel("all")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassIntAdd, 3, 1).Store(trace.SpaceGlobal, 2, 3).Op(trace.ClassFence, gputest.None).Op(trace.ClassIntAdd, 4, 3)
	k.Barrier("sync", 0)
	k.Load(trace.SpaceShared, 5, 2).Op(trace.ClassIntAdd, 6, 5).Exit()
	for _, warps := range []int{1, 2} {
		m := gputest.Machine()
		m.SM.MaxBlocks = 1
		m.Instruction = arch.Cache{Bytes: 4096, Ways: 4, LineBytes: 32}
		x := heardBy(t, m, &gputest.Memory{LatencyCycles: memoryLatency, FetchMissCycles: 40, WriteCycles: 30}, false, gputest.Launch{Kernel: k, Blocks: 3, Threads: 32 * warps})
		last := x.asked[len(x.asked)-1].at // the end of the last thread block, and of the launch
		kinds := map[string]bool{}
		for _, c := range x.asked {
			kinds[c.what[:4]] = true
			if !x.cycles[c.at+1] && c.at < last {
				t.Errorf("%d warps: %s in cycle %d: the port does not work in the next", warps, c.what, c.at)
			}
		}
		for _, c := range x.answered {
			if !x.cycles[c.at] && c.at < last {
				t.Errorf("%d warps: %s in cycle %d: the port does not work in it", warps, c.what, c.at)
			}
		}
		if len(kinds) != 5 || len(x.answered) == 0 {
			t.Errorf("only %v were asked of the port", kinds)
		}
	}
}

// The port hears of a barrier when it has taken all accesses before it, and none behind it.
func TestABarrierSeparatesAccessesAtThePort(t *testing.T) {
	k := gputest.NewKernel("phases")
	for range 3 {
		k.Store(trace.SpaceGlobal, 1, 2).Barrier("sync", 0)
	}
	k.Store(trace.SpaceGlobal, 1, 2).Exit()
	collectors := gputest.Machine()
	collectors.SM.Collectors.General = arch.CollectorSet{Count: 2, Ports: 1}
	for name, m := range map[string]*arch.Machine{"fixed": gputest.Machine(), "collectors": collectors} {
		for _, busy := range []clock.Cycle{1, 25} {
			x := heardBy(t, m, &gputest.Memory{LatencyCycles: memoryLatency, TakesCycles: busy}, false, gputest.Launch{Kernel: k, Blocks: 1, Threads: 96})
			var said []string
			for _, c := range x.asked {
				said = append(said, c.what)
			}
			var want []string
			for phase := range 4 {
				want = append(want, slices.Repeat([]string{fmt.Sprintf("access %d", 2*phase)}, 3)...)
				if phase < 3 {
					want = append(want, "barrier of 0")
				}
			}
			if want = append(want, "end of 0"); !slices.Equal(said, want) {
				t.Errorf("%s, busy for %d cycles: %q, want %q", name, busy, said, want)
			}
		}
	}
}

// The port hears once of each fence, when the warp's loads have come back. The warp goes on when its stores are performed.
func TestThePortHearsOfEachFence(t *testing.T) {
	const writes = 20
	k := gputest.NewKernel("fences")
	k.Load(trace.SpaceGlobal, 1, 2).Op(trace.ClassFence, gputest.None).Store(trace.SpaceGlobal, 2, 3).Op(trace.ClassFence, gputest.None)
	k.Op(trace.ClassFence, gputest.None).Op(trace.ClassIntAdd, 4, 5).Exit()
	x := heardBy(t, gputest.Machine(), &gputest.Memory{LatencyCycles: memoryLatency, WriteCycles: writes}, false, straight(k))
	const loaded = firstIssue + access          // the first fence passes, and the store issues a cycle later
	const stored = loaded + 1 + access + writes // the second passes
	want := []portCall{
		{firstIssue + gputest.OperandRead, "access 0"}, {loaded, "fence of 0"}, {loaded + 1 + gputest.OperandRead, "access 2"},
		{loaded + 1 + gputest.OperandRead, "fence of 0"}, {stored + 1, "fence of 0"}, {stored + 2 + addition, "end of 0"},
	}
	if !slices.Equal(x.asked, want) {
		t.Errorf("%v, want %v", x.asked, want)
	}
}

// An access bypasses the first cache where the instruction says so (PTX ISA 9.7.9.1).
func TestSomeAccessesBypassTheCache(t *testing.T) {
	for modifier, want := range map[string]bool{"ca": false, "cg": true, "cv": true, "volatile": true, "nc": false} {
		k := gputest.NewKernel("load")
		k.Load(trace.SpaceGlobal, 1, 2)
		k.Instructions[0].Modifiers = []string{"global", modifier}
		k.Exit()
		var bypass []bool
		memory := &gputest.Memory{LatencyCycles: 1, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { bypass = append(bypass, a.Bypass) }}
		replay(t, build(t, gputest.Machine(), memory), straight(k))
		if !slices.Equal(bypass, []bool{want}) {
			t.Errorf("ld.global.%s: bypass is %v, want %v", modifier, bypass, want)
		}
	}
}

// A lane of a vector access moves the bytes of all elements or of the first one, as the machine says.
func TestVectorAccessesMoveAllElementsOrTheFirst(t *testing.T) {
	for modifier, elements := range map[string]uint8{"global": 1, "v2": 2, "v4": 4} {
		for what, want := range map[string]uint8{"whole": 4 * elements, "first": 4} {
			k := gputest.NewKernel("vector")
			k.Load(trace.SpaceGlobal, 1, 2)
			k.Instructions[0].Modifiers, k.Instructions[0].LaneBytes = []string{modifier}, 4*elements
			k.Exit()
			m := gputest.Machine()
			m.SM.VectorAccesses = what
			var bytes []uint8
			memory := &gputest.Memory{LatencyCycles: 1, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { bytes = append(bytes, a.LaneBytes) }}
			replay(t, build(t, m, memory), straight(k))
			if !slices.Equal(bytes, []uint8{want}) {
				t.Errorf("%s, %s: lanes move %v bytes, want %d", modifier, what, bytes, want)
			}
		}
	}
}

// The port hears of the end of each kernel, and works in the cycle behind a barrier that opens with an access to another SM.
func TestThePortHearsOfEndsAndOfBarriersBehindRemoteAccesses(t *testing.T) {
	k := gputest.NewKernel("remote")
	k.Store(trace.SpaceShared, 1, 2).Store(trace.SpaceShared, 1, 2).Barrier("sync", 0)
	k.Exit()
	x := heardBy(t, clusterMachine(), steady(), false, gputest.Launch{Kernel: k, Blocks: 2, Cluster: inRow(2), Threads: 32, Record: func(w *gputest.Warp) {
		w.VisitAt(0, uint64(2-w.Block)<<trace.ClusterRankShift, 4)
		w.Visit(1, w.Lanes)
	}})
	barriers := 0
	for _, c := range x.asked {
		if c.what == "barrier of 0" {
			if barriers++; !x.cycles[c.at+1] {
				t.Errorf("a barrier in cycle %d: the port does not work in the next", c.at)
			}
		}
	}
	if barriers != 1 || len(x.ended) != 1 {
		t.Errorf("%d barriers, and kernels that end in cycles %v, want one each", barriers, x.ended)
	}
}

// Each port hears of each kernel that begins, with the address of its code.
func TestThePortHearsOfEachKernel(t *testing.T) {
	first, second := chained(gputest.NewKernel("first"), 20).Exit(), chained(gputest.NewKernel("second"), 3).Exit()
	m := gputest.Machine()
	m.GPU.SMs, m.SM.KernelAlignment = 2, 256
	begun := map[int][]uint64{}
	memory := steady()
	memory.Begun = func(sm int, k seam.KernelStart) { begun[sm] = append(begun[sm], k.Code) }
	replay(t, build(t, m, memory), gputest.Launch{Kernel: first, Blocks: 2, Threads: 32}, gputest.Launch{Kernel: second, Blocks: 2, Threads: 32}, gputest.Launch{Kernel: first, Blocks: 2, Threads: 32})
	const base = 1 << 40
	for sm := range 2 {
		if want := []uint64{base, base + 256, base}; !slices.Equal(begun[sm], want) {
			t.Errorf("SM %d: kernels begin at %#x, want %#x", sm, begun[sm], want)
		}
	}
}

// A port that counts by instruction is told where, if such counts are asked for, and counts of lanes are there, too.
func TestAPortCountsByInstruction(t *testing.T) {
	k := gputest.NewKernel("loads")
	k.Load(trace.SpaceShared, 1, 2).Load(trace.SpaceGlobal, 3, 4).Exit()
	for _, lines := range []bool{false, true} {
		x := heardBy(t, gputest.Machine(), steady(), lines, straight(k))
		told := slices.IndexFunc(x.counted, func(c []counters.Set) bool { return len(c) == 3 })
		if lines != (told >= 0) {
			t.Fatalf("counts by instruction %v: the port was told %d times", lines, len(x.counted))
		}
	}
	o := options(nil)
	o.Lines = true
	r := replay(t, buildWith(t, gputest.Machine(), o), straight(k))
	for i, id := range []counters.ID{counters.SharedLaneRead, counters.GlobalLane} {
		if got := r.Lines[0][i][id]; got != 32 || r.Lines[0][1-i][id] != 0 {
			t.Errorf("instruction %d: %s is %d, of the other %d, want 32 and none", i, counters.Declared(id).Name, got, r.Lines[0][1-i][id])
		}
	}
}

// A wait for bulk copies to memory is for all but the latest groups (PTX ISA 9.7.9.25.4.2). With .read it is over when those have been
// answered, else when they are performed.
func TestAWaitForBulkCopiesIsForTheirSourcesOrAllOfThem(t *testing.T) {
	const writes = 40
	const first, second = firstIssue + access, firstIssue + 2 + access // the answers: each copy is followed by a commit
	for _, c := range []struct {
		latest int
		reads  bool
		until  clock.Cycle
	}{{0, true, second}, {1, true, first}, {0, false, second + writes}, {1, false, first + writes}, {2, false, 0}, {2, true, 0}} {
		k := gputest.NewKernel("bulk")
		k.BulkStore().CommitBulk().BulkStore().CommitBulk().AwaitBulk(c.latest, c.reads)
		k.Block()
		k.Op(trace.ClassF32Fma, 1, 2).Store(trace.SpaceGlobal, 2, 1).Exit()
		at := clock.Cycle(0)
		memory := &gputest.Memory{LatencyCycles: memoryLatency, WriteCycles: writes, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
			if a.Instruction == 6 {
				at = now
			} else if a.Class != trace.ClassStore || a.Moves != 2 || len(a.Lines) != 2 || !a.Bypass {
				t.Errorf("the port has a copy %+v", a)
			}
		}}
		n := uint64(0)
		replay(t, build(t, gputest.Machine(), memory), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			w.CopiedEach(0, 1, func(b *trace.BulkCopy) { n++; b.Add(0xD000_0000+n*4096, 64) })
			w.Visit(1, w.Lanes)
		}})
		// The wait issues fourth behind the first copy. What is behind it issues a cycle after it is over, and the
		// store when the sum is there.
		want := max(c.until, firstIssue+4) + 1 + addition + gputest.OperandRead
		if at != want {
			t.Errorf("a wait that leaves %d groups, for sources %v: the store behind it comes in cycle %d, want %d", c.latest, c.reads, at, want)
		}
	}
}

// What a warp leaves in its slot does not matter to the next one there.
func TestAWarpBeginsAnew(t *testing.T) {
	k := gputest.NewKernel("kinds")
	kinds := []func(){
		func() { k.Op(trace.ClassNop, gputest.None) },
		func() { k.BulkStore().BulkStore().CommitBulk() },
		func() { k.BulkStore() },
		func() { k.AsyncCopy(2).Commit().AsyncCopy(2) },
		func() { k.Product(4).CommitProducts().Product(5) },
		func() { k.Store(trace.SpaceGlobal, 2, 1).AwaitBulk(1, false) },
		func() { k.Store(trace.SpaceGlobal, 2, 1).AwaitGroups(0) },
		func() { k.Product(4).CommitProducts().AwaitProducts(0) },
		func() { k.Op(trace.ClassIntAdd, 4, 1).Load(trace.SpaceGlobal, 5, 1) },
	}
	var first []uint32
	for _, add := range kinds {
		first = append(first, uint32(len(k.Blocks)-1))
		add()
		k.Block()
		k.Op(trace.ClassIntAdd, 1, 1).Branch()
	}
	end := uint32(len(k.Blocks) - 1)
	k.Exit()
	cycles := func(kinds ...int) clock.Cycle {
		m := gputest.Machine()
		m.SM.MaxBlocks = 1
		return replay(t, build(t, m, &gputest.Memory{LatencyCycles: 200, WriteCycles: 100}), gputest.Launch{Kernel: k, Blocks: len(kinds), Threads: 32, Record: func(w *gputest.Warp) {
			b := first[kinds[w.Block]]
			w.VisitWith(b, w.Lanes, func(n int) (uint64, int64, *[32]uint64) {
				if in := &k.Instructions[k.Blocks[b].First+uint32(n)]; in.Class == trace.ClassBulk {
					var c trace.BulkCopy
					c.Add(0xD000_0000, 64)
					words := c.Words()
					return 0, 0, &words
				}
				return 0xC000_0000, 4, nil
			})
			w.Visit(b+1, w.Lanes)
			w.Visit(end, w.Lanes)
		}}).Cycles
	}
	// Each kind of warp behind one of the kind before takes what it takes behind one that does nothing.
	behind := func(before int) clock.Cycle {
		var each, none []int
		for kind := range kinds {
			each, none = append(each, before, kind), append(none, before, 0)
		}
		return cycles(each...) - cycles(none...)
	}
	want := behind(0)
	for before := range kinds {
		if got := behind(before); got != want {
			t.Errorf("warps of kind %d add %d cycles to the warps behind them, want %d as idle ones do", before, got, want)
		}
	}
}

// A bulk copy to shared memory is a load for the port, one to memory a store. Copies issue one a cycle.
func TestBulkCopiesAreLoadsOrStores(t *testing.T) {
	const n = 6
	collectors := gputest.Machine()
	collectors.SM.Collectors.General = arch.CollectorSet{Count: 8, Ports: 1}
	for name, m := range map[string]*arch.Machine{"fixed": gputest.Machine(), "collectors": collectors} {
		m.SM.IssuePerScheduler, m.SM.FetchWidth, m.SM.InstructionBuffer = 2, 4, 16
		for class, add := range map[trace.OpClass]func(k *gputest.Kernel){
			trace.ClassLoad: func(k *gputest.Kernel) { k.BulkCopy() }, trace.ClassStore: func(k *gputest.Kernel) { k.BulkStore() },
		} {
			k := gputest.NewKernel("bulk")
			for range n {
				add(k)
			}
			k.Block()
			k.Exit()
			var at []clock.Cycle
			memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
				if at = append(at, now); a.Class != class || a.Space != trace.SpaceGlobal {
					t.Errorf("%s: the port has a copy of class %v, want %v", name, a.Class, class)
				}
			}}
			replay(t, build(t, m, memory), gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
				w.CopiedEach(0, 1, func(b *trace.BulkCopy) {
					b.Add(0xD000_0000, 64)
					b.Completes(8, 0, 64)
				})
				w.Visit(1, w.Lanes)
			}})
			for i := range at {
				if at[i] != at[0]+clock.Cycle(i) {
					t.Errorf("%s, %v: copies come in cycles %v, want one each", name, class, at)
					break
				}
			}
			if len(at) != n || name == "fixed" && at[0] != firstIssue+gputest.OperandRead {
				t.Errorf("%s, %v: copies come in cycles %v", name, class, at)
			}
		}
	}
}

// A slot that is lost to a structure is charged to the unit while that is taken, and then to the collector. It is charged to the load/store
// path while the queue there is full.
func TestLostSlotsAreChargedToTheStructureThatLacks(t *testing.T) {
	special, loads := gputest.NewKernel("special"), gputest.NewKernel("loads")
	special.Op(trace.ClassSpecial, 1).Op(trace.ClassSpecial, 2).Exit()
	for i := range 8 {
		loads.Load(trace.SpaceGlobal, 10+i, 2)
	}
	loads.Exit()
	for interval := 1; interval <= 8; interval++ {
		m := gputest.Machine()
		m.SM.OperandReadCycles, m.SM.OperandCollectors = 6, 1
		m.SM.Latencies.Special.Interval = interval
		r := one(t, m, special)
		unit := uint64(interval - 1) // slots behind the first issue until the unit is free
		operand := uint64(max(6-1, interval-1)) - unit
		if r.Total[counters.StallUnit] != unit || r.Total[counters.StallOperand] != operand {
			t.Errorf("an interval of %d: %d slots lost to the unit and %d to the collector, want %d and %d", interval, r.Total[counters.StallUnit], r.Total[counters.StallOperand], unit, operand)
		}
	}
	const busy = 10
	m := gputest.Machine()
	m.SM.InstructionBuffer, m.SM.FetchWidth = 16, 8
	r := replay(t, build(t, m, &gputest.Memory{LatencyCycles: memoryLatency, TakesCycles: busy}), straight(loads))
	// The queue has four places, and the port takes the first access in the cycle of the third issue. The other three wait for a place
	// each: until the port's second, third and fourth access.
	if got, want := r.Total[counters.StallLSU], uint64(busy-3+2*(busy-1)); got != want {
		t.Errorf("%d slots lost to the load/store path, want %d", got, want)
	}
}
