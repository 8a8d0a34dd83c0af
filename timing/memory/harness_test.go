// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// rig drives a memory system as SMs do: it jumps from event to event, lets the
// memory advance, then calls the ports that are due.
type rig struct {
	t       testing.TB
	m       *arch.Machine
	clocks  Clocks
	system  *System
	sets    []*counters.Set
	global  counters.Set
	sms     []*sm
	now     clock.Cycle
	checked bool // look at the queues in every cycle
	visited int  // core cycles in which something was called
}

// sm is what a port reports to.
type sm struct {
	r         *rig
	port      seam.Port
	next      clock.Cycle
	completed map[uint32]clock.Cycle
	fetched   map[uint64]clock.Cycle
	writes    int
	lean      bool // count only
	count     int
}

func (s *sm) Complete(now clock.Cycle, token uint32) {
	s.count++
	s.next = min(s.next, now+1)
	if s.lean {
		return
	}
	if _, again := s.completed[token]; again {
		s.r.t.Errorf("token %d completed twice", token)
	}
	s.completed[token] = now
}

func (s *sm) Fetched(now clock.Cycle, address uint64) {
	s.next = min(s.next, now+1)
	if !s.lean {
		s.fetched[address] = now
	}
}

func (s *sm) WriteDone(now clock.Cycle, _ int) { s.writes++; s.next = min(s.next, now+1) }
func (s *sm) Wake()                            { s.next = min(s.next, s.r.now) }

// load gives a machine, changed by edit, which must stay legal.
func machine(t testing.TB, spec string, edit func(*arch.Machine)) *arch.Machine {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name == "gtx480" {
		// The closed forms count sectors of 32 bytes, half a DRAM burst: the
		// harder case, with four packets and four sectors a line.
		m.L2.Slice.SectorBytes = 32
	}
	if edit != nil {
		edit(m)
	}
	return m
}

func newRig(t testing.TB, m *arch.Machine) *rig {
	t.Helper()
	clocks, err := NewClocks(m)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, m: m, clocks: clocks}
	for range m.GPU.SMs {
		r.sets = append(r.sets, new(counters.Set))
	}
	r.system, err = New(m, clocks, r.sets, &r.global)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.GPU.SMs {
		s := &sm{r: r, next: clock.Never, completed: map[uint32]clock.Cycle{}, fetched: map[uint64]clock.Cycle{}}
		entry, err := r.system.Port(i, s)
		if err != nil {
			t.Fatal(err)
		}
		s.port = entry.Port
		r.sms = append(r.sms, s)
	}
	return r
}

// step advances to the next core cycle in which something happens; false when
// nothing ever will.
func (r *rig) step() bool {
	next := clock.Never
	for _, s := range r.sms {
		next = min(next, s.next)
	}
	if t := r.system.NextEvent(); t != clock.NeverTime {
		next = min(next, r.clocks.Core.CyclesUntil(t))
	}
	if next == clock.Never {
		return false
	}
	r.tick(max(next, r.now+1))
	return true
}

// tick performs the core cycle now.
func (r *rig) tick(now clock.Cycle) {
	r.now = now
	r.visited++
	r.system.Advance(r.clocks.Core.Start(now))
	for _, s := range r.sms {
		if s.next <= now {
			s.next = clock.Never
			due := s.port.Cycle(now)
			s.next = min(s.next, due)
		}
	}
	if r.checked {
		r.bounded()
	}
}

// bounded checks that no queue holds more than the machine says.
func (r *rig) bounded() {
	for _, l := range r.system.slices {
		c := &r.m.L2.Slice
		if l.input.Len() > r.m.L2.InputQueue+c.LatencyCycles || l.queue.Len() > c.MissQueue+1+prefetchedSectors(l) || l.answers.Len() >= r.m.L2.InputQueue+max(c.MSHRMerges, 1) {
			r.t.Errorf("slice %d holds %d accesses, %d misses and %d answers", l.number, l.input.Len(), l.queue.Len(), l.answers.Len())
		}
	}
	for _, p := range r.system.ports {
		if n := p.l1.queue.Len(); n > p.l1.limit.Capacity()+1 {
			r.t.Errorf("miss queue of SM %d holds %d requests", p.sm, n)
		}
		if n := p.l1.queue.Len() + p.constants.queue.Len() + p.textures.queue.Len() + p.instructions.queue.Len() + p.early.Len(); n != p.queued {
			r.t.Errorf("the queues of SM %d hold %d requests, %d are counted", p.sm, n, p.queued)
		}
		// A pipeline, and behind it the rest of the access that filled it.
		if n := p.data.Len(); n > p.dataMax+8*64 {
			r.t.Errorf("L1 pipeline of SM %d holds %d transactions", p.sm, n)
		}
	}
}

// prefetchedSectors is by how much the sectors of a prefetched line, which share a place
// of the miss queue, may be more than that.
func prefetchedSectors(l *slice) int {
	if l.prefetch == nil {
		return 0
	}
	return l.prefetch.sectors - 1
}

// issue waits until the port is ready and issues in that cycle, which it returns.
func (r *rig) issue(sm int, a seam.MemoryAccess) clock.Cycle {
	r.t.Helper()
	for waited := 0; !r.sms[sm].port.Ready(r.now); waited++ {
		if waited > 1_000_000 {
			r.t.Fatalf("port of SM %d never ready:\n%v", sm, r.system.Describe())
		}
		r.tick(r.now + 1)
	}
	r.sms[sm].port.Issue(r.now, &a)
	r.sms[sm].next = min(r.sms[sm].next, r.now+1)
	return r.now
}

// drain runs until nothing is left to do and checks that all is accounted for.
func (r *rig) drain() {
	r.t.Helper()
	limit := r.now + 10_000_000
	for r.step() {
		if r.now > limit {
			r.t.Fatalf("still busy after 10 million cycles:\n%v", r.system.Describe())
		}
	}
	r.conserved()
}

func (r *rig) conserved() {
	r.t.Helper()
	if n := r.system.InFlight(); n != 0 {
		r.t.Errorf("%d requests left inside:\n%v", n, r.system.Describe())
	}
	var sum counters.Set
	for _, s := range r.sets {
		sum.Add(s)
	}
	if sum[counters.RequestsSent] != sum[counters.RequestsAnswered] {
		r.t.Errorf("%d requests sent, %d answered", sum[counters.RequestsSent], sum[counters.RequestsAnswered])
	}
	for i, s := range r.sms {
		for w := range r.m.SM.MaxWarps {
			if n := s.port.PendingWrites(w); n != 0 {
				r.t.Errorf("SM %d warp %d: %d pending writes", i, w, n)
			}
		}
	}
}

// load is a strided warp load.
func load(token uint32, base uint64, stride int32) seam.MemoryAccess {
	return seam.MemoryAccess{
		Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Mask: ^uint32(0),
		Access: trace.Access{Base: base, Stride: stride, Lanes: -1}, Token: token,
	}
}

// store is a strided warp store.
func store(base uint64, stride int32) seam.MemoryAccess {
	a := load(seam.NoToken, base, stride)
	a.Class = trace.ClassStore
	return a
}

// latency issues a and gives the cycles until its completion.
func (r *rig) latency(sm int, a seam.MemoryAccess) clock.Cycle {
	r.t.Helper()
	at := r.issue(sm, a)
	r.drain()
	done, ok := r.sms[sm].completed[a.Token]
	if !ok {
		r.t.Fatalf("token %d never completed", a.Token)
	}
	return done - at
}
