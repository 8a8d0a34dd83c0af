// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// meeting is a barrier in the programs of barrierModel: one for all threads, or for those
// of a number of lanes.
type meeting struct {
	id      int
	counted bool
	aligned bool
	threads int
	wait    uint32 // basic block of those that wait
	arrive  uint32 // of those that only arrive
}

// act is what a thread does: a visit of a basic block, and a barrier at its end.
type act struct {
	block  uint32
	at     *meeting // nil: none
	passes bool     // arrives without waiting
}

// thread is one thread of the model.
type thread struct {
	program []act
	waits   bool
	behind  []int // visits that its next visit comes after
}

// barrierModel executes threads one by one, in random order, and knows of every barrier
// which threads have arrived. It is the oracle of replays, and makes their traces.
type barrierModel struct {
	r       *rand.Rand
	threads []thread
	// arrived are, by barrier, the visits that have brought threads; gathered the threads
	// of warps that count as a whole, count what counts so far.
	arrived  map[int][]int
	gathered map[int]map[int]bool
	count    map[int]int

	visits []modelVisit
	kernel *gputest.Kernel
}

// modelVisit is a visit of a warp, and the visits that it may not precede.
type modelVisit struct {
	warp   int
	block  uint32
	mask   uint32
	behind []int
}

func (m *barrierModel) live(t int) bool { return len(m.threads[t].program) > 0 }

// warpLive are the threads of a warp that have not ended.
func (m *barrierModel) warpLive(warp int) (all []int) {
	for t := warp * 32; t < min(warp*32+32, len(m.threads)); t++ {
		if m.live(t) {
			all = append(all, t)
		}
	}
	return all
}

// run executes everything.
func (m *barrierModel) run() error {
	for {
		var able []int
		left := false
		for t := range m.threads {
			left = left || m.live(t)
			if m.live(t) && !m.threads[t].waits && m.mayStep(t) {
				able = append(able, t)
			}
		}
		if !left {
			return nil
		}
		if len(able) == 0 {
			return fmt.Errorf("the model is stuck")
		}
		m.visit(able[m.r.IntN(len(able))])
	}
}

// mayStep holds a warp back that arrives as a whole without waiting until all its threads
// are there.
func (m *barrierModel) mayStep(t int) bool {
	s := m.threads[t].program[0]
	if !s.passes || !s.at.aligned {
		return true
	}
	for _, other := range m.warpLive(t / 32) {
		if o := &m.threads[other]; o.waits || o.program[0] != s {
			return false
		}
	}
	return true
}

// visit lets a thread take its next step, with some of its warp that are there too.
func (m *barrierModel) visit(t int) {
	s := m.threads[t].program[0]
	all := m.r.IntN(3) > 0 || s.passes && s.at.aligned
	v := modelVisit{warp: t / 32, block: s.block}
	number := len(m.visits)
	var group []int
	for _, other := range m.warpLive(t / 32) {
		o := &m.threads[other]
		if o.waits || o.program[0] != s || other != t && !all && m.r.IntN(2) == 0 {
			continue
		}
		group = append(group, other)
		v.mask |= 1 << (other % 32)
		v.behind = append(v.behind, o.behind...)
		o.behind = nil
	}
	m.visits = append(m.visits, v)
	if s.at != nil {
		m.arrived[s.at.id] = append(m.arrived[s.at.id], number)
	}
	if s.passes && s.at.aligned {
		m.count[s.at.id] += 32
	} else if s.passes {
		m.count[s.at.id] += len(group)
	}
	for _, other := range group {
		o := &m.threads[other]
		if s.at == nil || s.passes {
			o.program = o.program[1:]
			continue
		}
		o.waits = true
		if m.gathered[s.at.id] == nil {
			m.gathered[s.at.id] = map[int]bool{}
		}
		m.gathered[s.at.id][other] = true
	}
	m.open()
}

// open lets those go on whose barrier is complete.
func (m *barrierModel) open() {
	for t := range m.threads {
		if !m.live(t) || !m.threads[t].waits {
			continue
		}
		at := m.threads[t].program[0].at
		if !m.complete(at) {
			continue
		}
		arrived := m.arrived[at.id]
		for other := range m.gathered[at.id] {
			o := &m.threads[other]
			o.waits, o.program, o.behind = false, o.program[1:], append(o.behind, arrived...)
		}
		delete(m.arrived, at.id)
		delete(m.gathered, at.id)
		delete(m.count, at.id)
	}
}

// complete reports whether no thread is missing at a barrier.
func (m *barrierModel) complete(at *meeting) bool {
	if !at.counted {
		for t := range m.threads {
			if m.live(t) && !m.gathered[at.id][t] {
				return false
			}
		}
		return true
	}
	n := m.count[at.id]
	for warp := 0; warp*32 < len(m.threads); warp++ {
		here, missing := 0, false
		for _, t := range m.warpLive(warp) {
			if m.gathered[at.id][t] {
				here++
			} else {
				missing = true
			}
		}
		switch {
		case !at.aligned:
			n += here
		case here > 0 && !missing:
			n += 32
		}
	}
	return n >= at.threads
}

// newBarrierModel draws programs that no order of the threads can bring to a halt: in
// each round some of the threads meet, each round at a barrier of its own.
func newBarrierModel(r *rand.Rand) *barrierModel {
	m := &barrierModel{r: r, arrived: map[int][]int{}, gathered: map[int]map[int]bool{}, count: map[int]int{}, kernel: gputest.NewKernel("meetings")}
	k := m.kernel
	m.threads = make([]thread, 32+r.IntN(100))
	work := uint32(0)
	k.Store(trace.SpaceGlobal, 1, 2).Branch()
	ended := make([]bool, len(m.threads))
	add := func(t int, s act) { m.threads[t].program = append(m.threads[t].program, s) }
	for id := range 1 + r.IntN(8) {
		at := &meeting{id: id, aligned: r.IntN(2) == 0, counted: r.IntN(2) == 0}
		comes, passes := m.participants(at, ended)
		if !at.counted {
			at.id = 12 // again and again: all wait there
		}
		barrier, operands := k.BarrierApart, []int64{int64(at.id)}
		if at.aligned {
			barrier = k.Barrier
		}
		if at.counted {
			operands = append(operands, int64(at.threads))
		}
		at.wait = uint32(len(k.Blocks) - 1)
		k.Store(trace.SpaceGlobal, 1, 2)
		barrier("sync", operands...)
		at.arrive = uint32(len(k.Blocks) - 1)
		k.Store(trace.SpaceGlobal, 1, 2)
		barrier("arrive", append(operands[:1:1], int64(max(at.threads, 32)))...)
		for t := range m.threads {
			if ended[t] {
				continue
			}
			for range r.IntN(3) {
				add(t, act{block: work})
			}
			switch {
			case passes[t]:
				add(t, act{at.arrive, at, true})
			case comes[t]:
				add(t, act{at.wait, at, false})
			}
			ended[t] = r.IntN(20) == 0 && id > 0
		}
	}
	last := uint32(len(k.Blocks) - 1)
	k.Store(trace.SpaceGlobal, 1, 2).Exit()
	for t := range m.threads {
		add(t, act{block: last})
	}
	return m
}

// participants draws the threads that come to a barrier, and those that pass without waiting.
func (m *barrierModel) participants(at *meeting, ended []bool) (comes, passes map[int]bool) {
	comes, passes = map[int]bool{}, map[int]bool{}
	var able []int
	for t := range m.threads {
		if !ended[t] {
			able = append(able, t)
		}
	}
	if at.counted && !at.aligned && len(able) >= 32 {
		m.r.Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
		at.threads = 32 * (1 + m.r.IntN(len(able)/32))
		for i, t := range able[:at.threads] {
			comes[t] = true
			passes[t] = i > 0 && m.r.IntN(4) == 0
		}
		return comes, passes
	}
	if at.counted = at.counted && at.aligned; at.counted {
		for warp := 0; warp*32 < len(m.threads); warp++ {
			in, pass, any := at.threads == 0 || m.r.IntN(3) > 0, at.threads > 0 && m.r.IntN(3) == 0, false
			for t := warp * 32; t < min(warp*32+32, len(m.threads)); t++ {
				if in && !ended[t] {
					comes[t], passes[t], any = true, pass, true
				}
			}
			if any {
				at.threads += 32
			}
		}
		if at.threads > 0 {
			return comes, passes
		}
		at.counted = false
	}
	for _, t := range able {
		comes[t] = true
	}
	return comes, passes
}

// TestNobodyLeavesABarrierBeforeTheLastArrival: threads of a warp come to barriers in
// parts, with and without a count, alone and as warps, and end at different times. In a
// replay no visit's store comes before one that a barrier puts before it.
func TestNobodyLeavesABarrierBeforeTheLastArrival(t *testing.T) {
	parts := 0
	for _, seed := range tracetest.Seeds(t, 400, tracetest.Fewer(6, 15)) {
		r := rand.New(rand.NewPCG(seed, 71))
		m := newBarrierModel(r)
		if err := m.run(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range m.visits {
			if n := bits.OnesCount32(m.visits[i].mask); n < 32 && len(m.visits[i].behind) > 0 {
				parts++
			}
		}
		machine := gputest.RandomMachine(r)
		machine.SM.OperandCollectors, machine.SM.Collectors.SubCores = 0, false // stores go in the order of issue
		if machine.SM.RegisterBanks > 0 {
			machine.SM.RegisterBanks = 0
		}
		m.check(t, seed, machine)
	}
	if tracetest.Whole() && parts < 1000 {
		t.Errorf("only %d visits of a part of a warp wait for anything", parts)
	}
}

// modelAddress tells which visit a store belongs to.
const modelAddress = 1 << 20

// check replays the model's visits.
func (m *barrierModel) check(t *testing.T, seed uint64, machine *arch.Machine) {
	t.Helper()
	order := make([]int, len(m.visits))
	seen := 0
	memory := &gputest.Memory{LatencyCycles: 20, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
		seen++
		order[a.Access.Base/modelAddress-1] = seen
	}}
	launch := gputest.Launch{Kernel: m.kernel, Blocks: 1, Threads: len(m.threads), Record: func(w *gputest.Warp) {
		for i := range m.visits {
			if v := &m.visits[i]; v.warp == w.Warp {
				w.Raw(v.block, v.mask, func(int) uint64 { return uint64(i+1) * modelAddress })
			}
		}
	}}
	if _, err := build(t, machine, memory).Replay(context.Background(), gputest.NewSource(gputest.Trace(t, launch)), nil); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if seen != len(m.visits) {
		t.Fatalf("seed %d: %d stores of %d visits", seed, seen, len(m.visits))
	}
	for i := range m.visits {
		for _, before := range m.visits[i].behind {
			if order[before] > order[i] {
				t.Fatalf("seed %d: visit %d (warp %d, block %d, lanes %#x) goes on before visit %d (warp %d, block %d, lanes %#x) has arrived",
					seed, i, m.visits[i].warp, m.visits[i].block, m.visits[i].mask, before, m.visits[before].warp, m.visits[before].block, m.visits[before].mask)
			}
		}
	}
}

// storesOf replays one thread block on one SM, and gives the cycle in which each basic
// block's store goes to memory, which answers after the given time, by basic block.
func storesOf(t *testing.T, latency clock.Cycle, l gputest.Launch) map[uint32]clock.Cycle {
	t.Helper()
	at := map[uint32]clock.Cycle{}
	k := &l.Kernel.Kernel
	memory := &gputest.Memory{LatencyCycles: latency, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
		for b := range k.Blocks {
			if first := k.Blocks[b].First; first <= a.Instruction && a.Instruction < first+k.Blocks[b].Count {
				at[uint32(b)] = now
			}
		}
	}}
	l.Blocks = 1
	replay(t, build(t, gputest.Machine(), memory), l)
	return at
}

// linked adds additions that wait for each other, and a store that waits for them.
func linked(k *gputest.Kernel, links int) *gputest.Kernel {
	for range links {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	return k.Store(trace.SpaceGlobal, 1, 1)
}

// Half of a warp comes to a barrier and waits, the other half comes later, with a chain
// of additions before. The other warp goes on when the chain has ended, not before, and
// for each link that is added as much later as a link takes.
func TestABarrierWaitsForTheOtherHalfOfAWarp(t *testing.T) {
	for name, barrier := range map[string]func(k *gputest.Kernel){
		"bar for all":          func(k *gputest.Kernel) { k.Barrier("sync", 0) },
		"barrier for all":      func(k *gputest.Kernel) { k.BarrierApart("sync", 0) },
		"bar for 64":           func(k *gputest.Kernel) { k.Barrier("sync", 0, 64) },
		"barrier for 64":       func(k *gputest.Kernel) { k.BarrierApart("sync", 0, 64) },
		"reduction for all":    func(k *gputest.Kernel) { k.BarrierApart("red", 0, 1) },
		"reduction for 64":     func(k *gputest.Kernel) { k.BarrierApart("red", 0, 64, 1) },
		"barrier.cluster.wait": func(k *gputest.Kernel) { k.BarrierApart("cluster") },
	} {
		behind := func(links int) clock.Cycle {
			k := gputest.NewKernel("halves")
			k.Branch()
			barrier(k) // block 1: the first half, and the other warp
			linked(k, links)
			barrier(k) // block 2: the second half
			after := uint32(len(k.Blocks) - 1)
			k.Store(trace.SpaceGlobal, 1, 2).Exit()
			at := storesOf(t, 20, gputest.Launch{Kernel: k, Threads: 64, Record: func(w *gputest.Warp) {
				w.Visit(0, w.Lanes)
				if w.Warp == 0 {
					w.Visit(1, 0xffff)
					w.Visit(2, 0xffff0000)
					w.Visit(after, w.Lanes)
					return
				}
				w.Visit(1, w.Lanes)
				w.Visit(after, w.Lanes)
			}})
			if at[after] <= at[2] {
				t.Errorf("%s: with %d links the last store goes in cycle %d, that before the barrier in %d", name, links, at[after], at[2])
			}
			return at[after]
		}
		link := gputest.OperandRead + gputest.ALULatency
		if got, want := behind(50)-behind(20), clock.Cycle(30*link); got != want {
			t.Errorf("%s: 30 links more take %d cycles more, want %d", name, got, want)
		}
	}
}

// Threads that arrive by themselves open a barrier for a number of them without the rest of
// their warp. The chain of the second half does not matter, but for its slots.
func TestABarrierForHalvesOfWarpsDoesNotWaitForTheRest(t *testing.T) {
	behind := func(links int) clock.Cycle {
		k := gputest.NewKernel("some")
		k.Branch()
		k.BarrierApart("sync", 0, 32) // block 1
		linked(k, links).Branch()     // block 2
		after := uint32(len(k.Blocks) - 1)
		k.Store(trace.SpaceGlobal, 1, 2).Branch()
		end := uint32(len(k.Blocks) - 1)
		k.Exit()
		at := storesOf(t, 20, gputest.Launch{Kernel: k, Threads: 64, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			w.Visit(1, 0xffff)
			if w.Warp == 0 {
				w.Visit(2, 0xffff0000)
			} else {
				w.Visit(after, 0xffff)
			}
			w.Visit(end, w.Lanes)
		}})
		if at[2] <= at[after] {
			t.Errorf("with %d links the store of the rest goes in cycle %d, that behind the barrier in %d", links, at[2], at[after])
		}
		return at[after]
	}
	if few, many := behind(20), behind(50); few != many {
		t.Errorf("the store behind the barrier goes in cycle %d or %d, by what the rest of a warp does", few, many)
	}
}

// Halves of a warp wait at two barriers and go on together: when both have opened.
func TestAWarpGoesOnWhenTheBarriersOfAllItsLanesHaveOpened(t *testing.T) {
	for _, slow := range []int{1, 2} {
		k := gputest.NewKernel("two")
		k.Branch()
		k.BarrierApart("sync", 1, 48) // block 1
		k.BarrierApart("sync", 2, 48) // block 2
		linked(k, 60).Branch()        // block 3: what is slow
		linked(k, 20).BarrierApart("arrive", 1, 48)
		linked(k, 20).BarrierApart("arrive", 2, 48)
		after := uint32(len(k.Blocks) - 1)
		k.Store(trace.SpaceGlobal, 1, 2).Branch()
		end := uint32(len(k.Blocks) - 1)
		k.Exit()
		at := storesOf(t, 20, gputest.Launch{Kernel: k, Threads: 96, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			if w.Warp == 0 {
				w.Visit(1, 0xffff)
				w.Visit(2, 0xffff0000)
				w.Visit(after, w.Lanes)
			} else {
				if w.Warp == slow {
					w.Visit(3, w.Lanes)
				}
				w.Visit(uint32(3+w.Warp), w.Lanes)
			}
			w.Visit(end, w.Lanes)
		}})
		if at[after] <= at[3] {
			t.Errorf("barrier %d opens last: the store behind both goes in cycle %d, that before it in %d", slow, at[after], at[3])
		}
	}
}

// Lanes of a warp end with a fence while the others wait at a barrier. These go on when the
// fence has passed and the barrier has opened, whichever comes first.
func TestAWarpWithAFenceAndABarrierWaitsForBoth(t *testing.T) {
	const latency = 300
	for _, links := range []int{1, 100} {
		k := gputest.NewKernel("fenced")
		k.Branch()
		k.BarrierApart("sync", 0)                                           // block 1
		k.Store(trace.SpaceGlobal, 1, 2).Op(trace.ClassFence, gputest.None) // block 2
		k.Block()
		linked(k, links).Branch() // block 3: the other warp
		after := uint32(len(k.Blocks) - 1)
		k.Store(trace.SpaceGlobal, 1, 2).Branch()
		end := uint32(len(k.Blocks) - 1)
		k.Exit()
		at := storesOf(t, latency, gputest.Launch{Kernel: k, Threads: 64, Record: func(w *gputest.Warp) {
			w.Visit(0, w.Lanes)
			if w.Warp == 0 {
				w.Visit(1, 0xffff)
				w.Visit(2, 0xffff0000)
				w.Visit(after, 0xffff)
				w.Visit(end, 0xffff)
				return
			}
			w.Visit(3, w.Lanes)
			w.Visit(1, w.Lanes)
			w.Visit(end, w.Lanes)
		}})
		if at[after] < at[2]+latency {
			t.Errorf("%d links: the store behind the fence goes in cycle %d, that before it in %d", links, at[after], at[2])
		}
		if at[after] <= at[3] {
			t.Errorf("%d links: the store behind the barrier goes in cycle %d, that before it in %d", links, at[after], at[3])
		}
	}
}
