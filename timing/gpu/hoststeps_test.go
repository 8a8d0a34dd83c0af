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

	step  int // that is executed; -1 at the end
	until clock.Cycle
	ended []int
}

func (m *hostMemory) begin(now, cycles clock.Cycle, step int) {
	m.step, m.until = step, now+cycles
	m.global[counters.RequestsSent]++
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

// copies replays a copy, a launch of an addition, and a copy.
func copies(t *testing.T, takes, back clock.Cycle, failure error) (*Run, error) {
	t.Helper()
	g, err := New(gputest.Machine(), Options{Memory: func(_ *arch.Machine, c Clocks, sms []*counters.Set, global *counters.Set) (seam.Path, error) {
		m := &hostMemory{Memory: &gputest.Memory{LatencyCycles: 10}, core: c.Core, global: global, sms: sms, takes: takes, back: back, failure: failure, until: clock.Never}
		p := m.Memory.Build(c.Core, global)
		p.MemorySystem, p.HostSteps = m, m
		return p, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	k := gputest.NewKernel("between")
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Exit()
	return g.Replay(context.Background(), gputest.NewSource(gputest.Trace(t, gputest.Launch{
		Kernel: k, Blocks: 1, Threads: 32,
		Before: []trace.HostEvent{{Kind: trace.EventCopyToDevice, Address: 4096, Bytes: 64}},
		Behind: []trace.HostEvent{{Kind: trace.EventSynchronize, AllStreams: true}, {Kind: trace.EventCopyToHost, Address: 4096, Bytes: 64}},
	})), nil)
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
