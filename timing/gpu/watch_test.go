// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// listener writes down what a watcher hears, and wants the depths of queues every ten cycles.
type listener struct {
	offsets []clock.Cycle
	bound   []string
	issues  []clock.Cycle // in which a warp issues
	depths  func(into []int)
	due     clock.Cycle
	seen    []clock.Cycle // cycles of depths
}

func (l *listener) Watches(int) bool                   { return true }
func (l *listener) ClockOffset(c clock.Cycle)          { l.offsets = append(l.offsets, c) }
func (l *listener) Slots(clock.Cycle, seam.IssueSlots) {}
func (l *listener) Request(clock.Cycle, seam.Request)  {}
func (l *listener) DepthDue() clock.Cycle              { return l.due }

func (l *listener) Block(clock.Cycle, int, int, uint64, bool) {}

func (l *listener) Bound(now clock.Cycle, sm, launch int, k *trace.Kernel) {
	name := "none"
	if k != nil {
		name = k.Name
	}
	l.bound = append(l.bound, fmt.Sprintf("%d: SM %d launch %d %s", now, sm, launch, name))
}

func (l *listener) Warp(now clock.Cycle, s seam.WarpSlot) {
	if s.State == seam.WarpIssues {
		l.issues = append(l.issues, now)
	}
}

func (l *listener) Measure(_ []seam.Gauge, depths func(into []int)) { l.depths = depths }

func (l *listener) Depth(now clock.Cycle) {
	l.seen = append(l.seen, now)
	l.due = now + 10
}

// shownMemory has a queue, a link and a limit that it shows.
type shownMemory struct {
	*gputest.Memory
	watcher seam.Watcher
	flits   uint64
}

func (m *shownMemory) Watch(w seam.Watcher) { m.watcher = w }
func (m *shownMemory) Gauges() []seam.Gauge { return []seam.Gauge{{Name: "requests", SM: -1}} }
func (m *shownMemory) Depths(into []int)    { into[0] = m.InFlight() }
func (m *shownMemory) Links() []seam.LinkUse {
	return []seam.LinkUse{{Network: "request", To: 1, Flits: m.flits}}
}
func (m *shownMemory) Certify(c *limits.Certificate) { c.Refuse("l2.misses") }

// shown builds a machine with such a memory; each access crosses the link.
func shown(t *testing.T, m *arch.Machine, w seam.Watcher) (*GPU, *shownMemory) {
	t.Helper()
	s := &shownMemory{Memory: &gputest.Memory{LatencyCycles: 30}}
	s.Seen = func(clock.Cycle, int, *seam.MemoryAccess) { s.flits++ }
	g, err := New(m, Options{Watcher: w, Memory: func(_ *arch.Machine, c Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		p := s.Build(c.Core, global)
		p.MemorySystem, p.Watchable, p.Links, p.Certifier = s, s, s, s
		return p, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return g, s
}

// A watcher hears for which launch each SM works, when a warp issues, and by how much the run is ahead of the
// machine. It takes the depths of queues in the cycles in which it wants them.
func TestAWatcherHearsWhatTheMachineDoes(t *testing.T) {
	k := chain(5)
	m := gputest.Machine()
	m.GPU.SMs = 2
	one := cyclesOf(t, m, k)
	m.Link = arch.Link{Kind: "pcie", GigabytesPerSecond: 1, CopyEngines: 1}
	l := gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Before: []trace.HostEvent{{Kind: trace.EventCopyToDevice, Bytes: 250}}}
	w := &listener{}
	g, memory := shown(t, m, w)
	if _, err := g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l, l)), nil); err != nil {
		t.Fatal(err)
	}
	var bound []string
	for _, x := range []struct {
		cycle  clock.Cycle
		launch int
		name   string
	}{{0, 0, "chain"}, {one, -1, "none"}, {one, 1, "chain"}, {2 * one, -1, "none"}} {
		for sm := range 2 {
			bound = append(bound, fmt.Sprintf("%d: SM %d launch %d %s", x.cycle, sm, x.launch, x.name))
		}
	}
	if diff := cmp.Diff(bound, w.bound); diff != "" {
		t.Errorf("SMs are bound (-want +heard):\n%s", diff)
	}
	if diff := cmp.Diff([]clock.Cycle{250, 500}, w.offsets); diff != "" {
		t.Errorf("copies of 250 cycles before each launch (-want +heard):\n%s", diff)
	}
	// Each of five instructions waits for the one before. The exit waits for none, and issues right behind the last.
	if len(w.issues) != 2*5 {
		t.Errorf("a warp begins to issue %d times in two launches, want five in each", len(w.issues))
	}
	if memory.watcher != seam.Watcher(w) || w.depths == nil || len(w.seen) == 0 {
		t.Fatalf("the memory is watched by %v; %d depths", memory.watcher, len(w.seen))
	}
	last := clock.Cycle(-10)
	for _, at := range w.seen {
		if at < last+10 {
			t.Errorf("depths in cycle %d, ten cycles behind %d at the earliest", at, last)
		}
		last = at
	}
	var depth [1]int
	if w.depths(depth[:]); depth[0] != 0 {
		t.Errorf("%d requests in the queue at the end", depth[0])
	}
}

// The links' traffic is that of one replay, also of a machine's second one.
func TestLinksHaveTheTrafficOfOneReplay(t *testing.T) {
	g, _ := shown(t, gputest.Machine(), nil)
	for range 2 {
		run := replay(t, g, gputest.Launch{Kernel: loads(), Blocks: 3, Threads: 64})
		if diff := cmp.Diff([]seam.LinkUse{{Network: "request", To: 1, Flits: 6}}, run.Links); diff != "" {
			t.Errorf("six warps load once (-want +got):\n%s", diff)
		}
	}
}

// A path that knows its limits says to which of them a replay has come; of others nothing is known.
func TestACertificateIsWhatThePathSays(t *testing.T) {
	g, memory := shown(t, gputest.Machine(), nil)
	want := new(limits.Certificate)
	memory.Certify(want)
	if diff := cmp.Diff(want, g.Certificate(), cmp.AllowUnexported(limits.Certificate{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if c := build(t, gputest.Machine(), &gputest.Memory{}).Certificate(); c != nil {
		t.Errorf("a path that knows nothing has %v", c)
	}
}
