// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// interval is when a step ran.
type interval struct{ Start, End clock.Cycle }

// listSchedule is the slow twin of a replay on a machine on which no launch is in
// another's way: list scheduling, cycle by cycle, of steps of known durations. Each step
// waits for every earlier one that the rules name, and a launch for the gap after that. It
// also counts the cycles in which no launch runs and one is in its gap.
func listSchedule(m *arch.Machine, events []trace.HostEvent, durations []clock.Cycle) (out []interval, launching clock.Cycle) {
	n := len(events)
	out = make([]interval, n)
	ready, started, ended := make([]clock.Cycle, n), make([]bool, n), make([]bool, n)
	for i := range ready {
		ready[i] = -1
	}
	left := n
	for now := clock.Cycle(0); left > 0; now++ {
		for changed := true; changed; {
			changed = false
			for i := range events {
				if started[i] && !ended[i] && out[i].End == now {
					ended[i], changed = true, true
					left--
				}
			}
			for i := range events {
				if ready[i] >= 0 {
					continue
				}
				free := true
				for j := range i {
					free = free && (ended[j] || !waitsFor(events, i, j))
				}
				if free {
					ready[i], changed = now, true
					if events[i].Kind == trace.EventLaunch {
						ready[i] += clock.Cycle(m.GPU.LaunchGapMicroseconds * 1000)
					}
				}
			}
			for {
				best := -1
				for i := range events {
					if ready[i] >= 0 && ready[i] <= now && !started[i] && mayStart(m, events, started, ended, i) && (best < 0 || ready[i] < ready[best]) {
						best = i
					}
				}
				// What frees nothing in this cycle can start before all that
				// ends in it has.
				if best < 0 || changed {
					break
				}
				started[best] = true
				out[best] = interval{now, now + durations[best]}
				if durations[best] == 0 {
					changed = true
				}
			}
			if changed {
				continue
			}
		}
		running, coming := false, false
		for i := range events {
			if events[i].Kind == trace.EventLaunch {
				running = running || started[i] && !ended[i]
				coming = coming || ready[i] > now
			}
		}
		if coming && !running {
			launching++
		}
	}
	return out, launching
}

// waitsFor says whether step i waits for the earlier step j.
func waitsFor(events []trace.HostEvent, i, j int) bool {
	a, b := &events[i], &events[j]
	for _, k := range a.After {
		if k == j {
			return true
		}
	}
	inStream := func(e *trace.HostEvent) bool {
		return e.Kind == trace.EventLaunch || e.Kind == trace.EventFill || e.Kind == trace.EventCopyToDevice || e.Kind == trace.EventCopyToHost
	}
	switch {
	case b.Kind == trace.EventSynchronize || b.Kind == trace.EventCompute:
		return true
	case a.Kind == trace.EventSynchronize:
		return inStream(b) && (a.AllStreams || a.Stream == b.Stream)
	case a.Kind == trace.EventCompute:
		return b.Kind == trace.EventCopyToHost
	}
	return inStream(a) && inStream(b) && a.Stream == b.Stream
}

// mayStart says whether the machine has what step i needs.
func mayStart(m *arch.Machine, events []trace.HostEvent, started, ended []bool, i int) bool {
	kind := events[i].Kind
	kernels, copies, same := 0, 0, 0
	for j := range events {
		if !started[j] || ended[j] {
			continue
		}
		switch k := events[j].Kind; k {
		case trace.EventLaunch:
			kernels++
		case trace.EventCopyToDevice, trace.EventCopyToHost:
			copies++
			if k == kind {
				same++
			}
		}
	}
	switch kind {
	case trace.EventLaunch:
		return kernels < m.GPU.ConcurrentKernels
	case trace.EventCopyToDevice, trace.EventCopyToHost:
		return copies < m.Link.CopyEngines && same == 0
	}
	return true
}

func TestRandomProgramsRunAsListSchedulingSays(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 80, tracetest.Fewer(5, 13)) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := concurrent(16, 2+r.IntN(4))
		withLink(m, r)
		m.GPU.LaunchGapMicroseconds = float64(r.IntN(4)*r.IntN(120)) / 1000
		var launches []gputest.Launch
		var alone []clock.Cycle
		for range 1 + r.IntN(12) {
			k := chain(3 + r.IntN(60))
			launches = append(launches, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
			alone = append(alone, cyclesOf(t, m, k))
		}
		events := randomEvents(r, len(launches), 1+r.IntN(16))
		durations := make([]clock.Cycle, len(events))
		for i := range events {
			durations[i] = durationOf(m, &events[i], alone)
		}
		want, launching := listSchedule(m, events, durations)
		run := script(t, build(t, m, &gputest.Memory{LatencyCycles: 50}), events, launches...)
		got := map[int]interval{}
		for i := range events {
			if e := &events[i]; e.Kind == trace.EventLaunch {
				l := run.Launches[e.Launch]
				got[i] = interval{l.Start, l.End}
			}
		}
		for _, c := range run.Copies {
			got[c.Event] = interval{c.Start, c.End}
		}
		end := clock.Cycle(0)
		for i := range events {
			end = max(end, want[i].End)
			if g, ok := got[i]; ok && g != want[i] {
				t.Fatalf("seed %d: step %d (%v, stream %d) ran %v, want %v\n%s", seed, i, events[i].Kind, events[i].Stream, g, want[i], cmp.Diff(events, []trace.HostEvent(nil)))
			}
		}
		if run.Elapsed != end {
			t.Fatalf("seed %d: the run took %d cycles, want %d", seed, run.Elapsed, end)
		}
		if run.Launching != launching {
			t.Fatalf("seed %d: launches were on their way alone for %d cycles, want %d", seed, run.Launching, launching)
		}
	}
}

// durationOf is the closed form of how long a step takes; a core cycle of
// gputest's machine is a nanosecond.
func durationOf(m *arch.Machine, e *trace.HostEvent, launches []clock.Cycle) clock.Cycle {
	nanoseconds := func(n uint64, giga int) clock.Cycle {
		if giga == 0 {
			return 0
		}
		return clock.Cycle((int(n) + giga - 1) / giga)
	}
	switch e.Kind {
	case trace.EventLaunch:
		return launches[e.Launch]
	case trace.EventCopyToDevice, trace.EventCopyToHost:
		return clock.Cycle(m.Link.LatencyMicroseconds*1000) + nanoseconds(e.Bytes, int(m.Link.GigabytesPerSecond))
	case trace.EventFill:
		return nanoseconds(e.Bytes, 100)
	case trace.EventCompute:
		return nanoseconds(e.Operations, int(m.Host.GigaOperationsPerSecond))
	}
	return 0
}
