// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// hostMemory executes copies, each within so many cycles, with one request. Behind the last step of the
// host it writes back for some cycles, and counts three accesses of SM 0.
type hostMemory struct {
	*gputest.Memory
	core        clock.Domain
	global      *counters.Set
	sms         []*counters.Set
	takes, back clock.Cycle
	failure     error
	// recalls has a copy begin with a recall, to which the port of SM 0 answers so many cycles later.
	recalls clock.Cycle

	answers clock.Cycle // when the port answers
	waiting seam.Completions

	step  int // that is executed; -1 at the end
	until clock.Cycle
	ended []int
}

func (m *hostMemory) begin(now, cycles clock.Cycle, step int) {
	m.step = step
	m.global[counters.RequestsSent]++
	if m.recalls > 0 && step >= 0 {
		m.answers = now + m.recalls
		m.waiting.Wake()
		return
	}
	m.until = now + cycles
}

// recalledPort answers the recall in its own cycle, and only there: the memory knows of no event before.
type recalledPort struct {
	seam.Port
	memory *hostMemory
}

func (p *recalledPort) Cycle(now clock.Cycle) clock.Cycle {
	m := p.memory
	next := p.Port.Cycle(now)
	switch {
	case m.answers == clock.Never:
		return next
	case now < m.answers:
		return min(next, m.answers)
	}
	m.until, m.answers = now+m.takes, clock.Never
	return next
}

func (m *hostMemory) Port(sm int, to seam.Completions) (seam.Entry, error) {
	e, err := m.Memory.Port(sm, to)
	if sm == 0 {
		m.waiting = to
		e.Port = &recalledPort{e.Port, m}
	}
	return e, err
}

func (m *hostMemory) StartStep(now clock.Cycle, step int, e *trace.HostEvent) bool {
	if e.Kind != trace.EventCopyToDevice && e.Kind != trace.EventCopyToHost {
		return false
	}
	m.begin(now, m.takes, step)
	return true
}

func (m *hostMemory) EndedStep() (step int, ok bool) {
	if len(m.ended) == 0 {
		return 0, false
	}
	step, m.ended = m.ended[0], m.ended[1:]
	return step, true
}

func (m *hostMemory) Settle(clock.Cycle) {}

func (m *hostMemory) EndHost(now clock.Cycle) error {
	m.begin(now, m.back, -1)
	m.sms[0][counters.RemoteSharedAccess] += 3
	return m.failure
}

func (m *hostMemory) CheckTimeline([]trace.HostEvent) error { return nil }

func (m *hostMemory) Advance(t clock.Time) {
	m.Memory.Advance(t)
	if m.until == clock.Never || m.core.Start(m.until) > t {
		return
	}
	m.until = clock.Never
	m.global[counters.RequestsAnswered]++
	if m.step >= 0 {
		m.ended = append(m.ended, m.step)
	}
}

func (m *hostMemory) NextEvent() clock.Time {
	if m.until == clock.Never {
		return m.Memory.NextEvent()
	}
	return min(m.Memory.NextEvent(), m.core.Start(m.until))
}

func (m *hostMemory) InFlight() int {
	if m.until == clock.Never {
		return m.Memory.InFlight()
	}
	return m.Memory.InFlight() + 1
}

// onHostMemory replays launches on a machine with such a memory.
func onHostMemory(t *testing.T, machine *arch.Machine, like hostMemory, every clock.Cycle, launches ...gputest.Launch) (*Run, error) {
	t.Helper()
	g, err := New(machine, Options{IntervalCycles: every, Memory: func(_ *arch.Machine, c Clocks, sms []*counters.Set, global *counters.Set) (seam.Path, error) {
		m := &like
		m.core, m.global, m.sms, m.until, m.answers = c.Core, global, sms, clock.Never, clock.Never
		p := m.Memory.Build(c.Core, global)
		p.MemorySystem, p.HostSteps = m, m
		return p, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, launches...)), nil)
}

// between is a copy, a launch of an addition, and a copy.
func between() gputest.Launch {
	k := gputest.NewKernel("between")
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Exit()
	return gputest.Launch{
		Kernel: k, Blocks: 1, Threads: 32,
		Before: []trace.HostEvent{{Kind: trace.EventCopyToDevice, Address: 4096, Bytes: 64}},
		Behind: []trace.HostEvent{{Kind: trace.EventSynchronize, AllStreams: true}, {Kind: trace.EventCopyToHost, Address: 4096, Bytes: 64}},
	}
}

// copies replays a copy, a launch of an addition, and a copy.
func copies(t *testing.T, takes, back clock.Cycle, failure error) (*Run, error) {
	t.Helper()
	return onHostMemory(t, gputest.Machine(), hostMemory{Memory: &gputest.Memory{LatencyCycles: 10}, takes: takes, back: back, failure: failure}, 0, between())
}

// Steps that the memory system executes take its time, and what they count is the host's. So is what is
// counted behind the last step, which takes no time of the run.
func TestExecutedStepsOfTheHost(t *testing.T) {
	var elapsed []clock.Cycle
	for _, c := range []struct{ takes, back clock.Cycle }{{500, 1}, {500, 300}, {700, 1}} {
		run, err := copies(t, c.takes, c.back, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Copies) != 2 {
			t.Fatalf("%+v: copies %+v", c, run.Copies)
		}
		for i, done := range run.Copies {
			if done.End-done.Start != c.takes || !done.Executed || done.ToDevice != (i == 0) {
				t.Errorf("%+v: copy %d: %+v", c, i, done)
			}
		}
		h, l := &run.Host, &run.Launches[0].Counters
		if h[counters.RequestsSent] != 3 || h[counters.RequestsAnswered] != 3 || h[counters.RemoteSharedAccess] != 3 {
			t.Errorf("%+v: the host has %d requests sent, %d answered, and %d accesses of an SM; want 3 of each", c, h[counters.RequestsSent], h[counters.RequestsAnswered], h[counters.RemoteSharedAccess])
		}
		if l[counters.RequestsSent] != 0 || l[counters.RemoteSharedAccess] != 0 || run.Total[counters.RemoteSharedAccess] != 3 || h[counters.IssuedWarp] != 0 {
			t.Errorf("%+v: the launch has %d requests and %d accesses, the run %d, the host %d instructions", c, l[counters.RequestsSent], l[counters.RemoteSharedAccess], run.Total[counters.RemoteSharedAccess], h[counters.IssuedWarp])
		}
		elapsed = append(elapsed, run.Elapsed)
	}
	if elapsed[1] != elapsed[0] || elapsed[2] != elapsed[0]+2*200 {
		t.Errorf("runs last %v cycles: what is behind the last step takes none, and two copies 200 more each", elapsed)
	}
}

// What has gone wrong in executing ends the replay, with the machine's name.
func TestAFailureOfTheHostsStepsEndsTheReplay(t *testing.T) {
	wrong := errors.New("a core has lost a line")
	if _, err := copies(t, 10, 1, wrong); !errors.Is(err, wrong) || !strings.HasPrefix(err.Error(), gputest.Machine().Name+": ") {
		t.Errorf("the replay says %v", err)
	}
}

// A copy whose lines an SM has to give back lasts as long as the SM's port needs, and then the memory. The
// memory has nothing to do until the port answers, and the port nothing until it does.
func TestPortsWorkWhileTheHostDoesAlone(t *testing.T) {
	for _, answer := range []clock.Cycle{1, 7, 60} {
		run, err := onHostMemory(t, gputest.Machine(), hostMemory{Memory: &gputest.Memory{LatencyCycles: 10}, takes: 500, back: 1, recalls: answer}, 0, between())
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range run.Copies {
			if c.End-c.Start != answer+500 {
				t.Errorf("copy %d lasts %d cycles; the port answers in %d, the memory takes 500", i, c.End-c.Start, answer)
			}
		}
	}
}

// Intervals are cut while the host copies, too.
func TestIntervalsOfTheHostsSteps(t *testing.T) {
	run, err := onHostMemory(t, gputest.Machine(), hostMemory{Memory: &gputest.Memory{LatencyCycles: 10}, takes: 510, back: 1}, 100, between())
	if err != nil {
		t.Fatal(err)
	}
	last := len(run.Intervals) - 1
	for i, v := range run.Intervals {
		if start := clock.Cycle(100 * i); v.Start != start || i < last && v.End != start+100 {
			t.Errorf("interval %d: cycles %d to %d", i, v.Start, v.End)
		}
	}
	if last < 10 {
		t.Errorf("%d intervals of 100 cycles in two copies of 510", last+1)
	}
}

// A copy that ends in the cycle in which a launch comes ends in that cycle.
func TestACopyEndsWhileALaunchComes(t *testing.T) {
	replay := func(takes clock.Cycle) *Run {
		l := between()
		l.Stream, l.Behind = 1, nil
		m := concurrent(2, 2)
		m.GPU.LaunchGapMicroseconds = 2
		run, err := onHostMemory(t, m, hostMemory{Memory: &gputest.Memory{LatencyCycles: 10}, takes: takes, back: 1}, 0, l)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	comes := replay(1_000_000).Launches[0].Start
	if comes < 100 || comes >= 1_000_000 {
		t.Fatalf("the launch comes in cycle %d", comes)
	}
	for _, takes := range []clock.Cycle{comes - 1, comes} {
		if c := replay(takes).Copies[0]; c.End-c.Start != takes {
			t.Errorf("a copy of %d cycles lasts %d; a launch comes in cycle %d", takes, c.End-c.Start, comes)
		}
	}
}

// Copies of another stream follow each other while a launch's only warp waits for its load: the host goes
// on in the cycle behind the one in which a copy ends.
func TestCopiesFollowEachOtherWhileALaunchWaits(t *testing.T) {
	k := gputest.NewKernel("waits")
	k.Load(trace.SpaceGlobal, 1, 2)
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Exit()
	one := trace.HostEvent{Kind: trace.EventCopyToDevice, Address: 4096, Bytes: 64}
	l := gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Stream: 1, Behind: []trace.HostEvent{one, one, one}}
	run, err := onHostMemory(t, concurrent(2, 2), hostMemory{Memory: &gputest.Memory{LatencyCycles: 5000}, takes: 700, back: 1}, 0, l)
	if err != nil {
		t.Fatal(err)
	}
	if end := run.Launches[0].End; end < 5000 {
		t.Fatalf("the launch ends in cycle %d", end)
	}
	at := clock.Cycle(0)
	for i, c := range run.Copies {
		if c.Start != at || c.End < at+700 || c.End > at+701 {
			t.Errorf("copy %d of 700 cycles: %d to %d, want it from %d", i, c.Start, c.End, at)
		}
		at = c.End
	}
}

// The cycles of a run are those in which a launch ran, whatever the host does before and between launches. Those in
// which two run count once.
func TestCyclesOfARunAreThoseInWhichALaunchRan(t *testing.T) {
	for _, c := range []struct {
		instructions int
		apart        bool // in another stream than the copy and the launch behind it
	}{{40, false}, {10, true}, {90, true}} {
		first, other := between(), gputest.Launch{Kernel: chain(c.instructions), Blocks: 1, Threads: 32}
		first.Behind = nil
		if c.apart {
			other.Stream = 1
		} else {
			other.Before = first.Before
		}
		run, err := onHostMemory(t, concurrent(2, 2), hostMemory{Memory: &gputest.Memory{LatencyCycles: 10}, takes: 300, back: 1}, 0, first, other)
		if err != nil {
			t.Fatal(err)
		}
		a, b := run.Launches[0], run.Launches[1]
		both := max(0, min(a.End, b.End)-max(a.Start, b.Start))
		if want := a.Cycles + b.Cycles - both; run.Cycles != want || (both > 0) != (c.instructions == 90) {
			t.Errorf("%+v: %d cycles, the launches run from %d to %d and from %d to %d", c, run.Cycles, a.Start, a.End, b.Start, b.End)
		}
	}
}
