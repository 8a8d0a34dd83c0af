// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// scripted is a trace with another host timeline.
type scripted struct {
	*gputest.Source
	events []trace.HostEvent
}

func (s *scripted) Timeline() []trace.HostEvent { return s.events }

// launchIn is the event of a launch in a stream.
func launchIn(launch int, stream uint32, after ...int) trace.HostEvent {
	return trace.HostEvent{Kind: trace.EventLaunch, Launch: launch, Stream: stream, After: after}
}

// script replays launches under a timeline.
func script(t testing.TB, g *GPU, events []trace.HostEvent, launches ...gputest.Launch) *Run {
	t.Helper()
	src := &scripted{gputest.NewSource(gputest.Trace(t, launches...)), events}
	run, err := g.Replay(context.Background(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	if src.Held() != 0 {
		t.Errorf("%d chunks are still held", src.Held())
	}
	return run
}

// concurrent is a machine of n SMs with room for one thread block each, whose
// launches begin at once.
func concurrent(sms, kernels int) *arch.Machine {
	m := gputest.Machine()
	m.GPU.SMs, m.GPU.ConcurrentKernels, m.GPU.KernelOrder = sms, kernels, "leftover"
	m.GPU.BlocksPerCycle, m.GPU.LaunchCycles, m.SM.MaxBlocks = 1024, 0, 1
	return m
}

func TestKernelsOfHalfTheMachineOverlap(t *testing.T) {
	long, short := chain(200), chain(120)
	launches := []gputest.Launch{{Kernel: long, Blocks: 2, Threads: 32}, {Kernel: short, Blocks: 2, Threads: 32}}
	alone := func(k *gputest.Kernel) clock.Cycle { return cyclesOf(t, concurrent(4, 16), k) }
	memory := &gputest.Memory{LatencyCycles: 50}
	two := script(t, build(t, concurrent(4, 16), memory), []trace.HostEvent{launchIn(0, 1), launchIn(1, 2)}, launches...)
	if two.Cycles != alone(long) || two.Elapsed != two.Cycles {
		t.Errorf("two streams take %d cycles, the longer kernel alone %d", two.Cycles, alone(long))
	}
	if l := two.Launches[1]; l.Start != 0 || l.End != alone(short) || !l.Overlapped {
		t.Errorf("the shorter kernel ran from %d to %d", l.Start, l.End)
	}
	for i, l := range two.Launches {
		if c := l.Counters; c[counters.BlocksRetired] != 2 || c[counters.IssuedWarp] == 0 || c[counters.ActiveSMCycles] != 2*uint64(l.Cycles-1) {
			t.Errorf("launch %d has the counters of %d thread blocks and %d cycles of SMs", i, c[counters.BlocksRetired], c[counters.ActiveSMCycles])
		}
	}
	for name, events := range map[string][]trace.HostEvent{
		"one stream":   {launchIn(0, 1), launchIn(1, 1)},
		"a dependency": {launchIn(0, 1), launchIn(1, 2, 0)},
		"synchronize":  {launchIn(0, 1), {Kind: trace.EventSynchronize, AllStreams: true}, launchIn(1, 2)},
		"of a stream":  {launchIn(0, 1), {Kind: trace.EventSynchronize, Stream: 1}, launchIn(1, 2)},
	} {
		if got := script(t, build(t, concurrent(4, 16), memory), events, launches...).Cycles; got != alone(long)+alone(short) {
			t.Errorf("%s: %d cycles, want %d", name, got, alone(long)+alone(short))
		}
	}
	if got := script(t, build(t, concurrent(4, 1), memory), []trace.HostEvent{launchIn(0, 1), launchIn(1, 2)}, launches...).Cycles; got != alone(long)+alone(short) {
		t.Errorf("one kernel at a time: %d cycles, want %d", got, alone(long)+alone(short))
	}
}

// TestLeftoverGivesTheYoungerWhatIsLeft: three thread blocks of the older launch
// on two SMs; the younger has to wait for the third to be placed.
func TestLeftoverGivesTheYoungerWhatIsLeft(t *testing.T) {
	k := chain(100)
	launches := []gputest.Launch{{Kernel: k, Blocks: 3, Threads: 32}, {Kernel: k, Blocks: 1, Threads: 32}}
	one := cyclesOf(t, concurrent(2, 16), k)
	for order, want := range map[string]clock.Cycle{"leftover": 2 * one, "round_robin": one} {
		m := concurrent(2, 16)
		m.GPU.KernelOrder = order
		run := script(t, build(t, m, &gputest.Memory{}), []trace.HostEvent{launchIn(0, 1), launchIn(1, 2)}, launches...)
		if got := run.Launches[1].End; got < want-2 || got > want+2 {
			t.Errorf("%s: the younger launch ends in cycle %d, want about %d", order, got, want)
		}
	}
}

func TestRandomStreamsLoseNothingAndSleepingChangesNothing(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 60, tracetest.Fewer(4, 10)) {
		r := rand.New(rand.NewPCG(seed, 77))
		m := gputest.RandomMachine(r)
		m.GPU.ConcurrentKernels, m.GPU.KernelOrder = 1+r.IntN(16), []string{"leftover", "round_robin"}[r.IntN(2)]
		withLink(m, r)
		var launches []gputest.Launch
		for range 1 + r.IntN(4) {
			launches = append(launches, gputest.RandomLaunches(r)...)
		}
		data := gputest.Trace(t, launches...)
		events := randomEvents(r, len(launches), 1+r.IntN(16))
		latency := clock.Cycle(1 + r.IntN(200))
		results := make([]*Run, 2)
		for i := range results {
			g := build(t, m, &gputest.Memory{LatencyCycles: latency})
			g.everyCycle = i == 1
			var err error
			if results[i], err = g.Replay(t.Context(), &scripted{gputest.NewSource(data), events}, nil); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if diff := cmp.Diff(results[0], results[1]); diff != "" {
			t.Fatalf("seed %d: (-events +every cycle)\n%s", seed, diff)
		}
		if got := results[0].Total[counters.IssuedWarp]; got != data.Totals().WarpInstructions {
			t.Fatalf("seed %d: %d warp instructions issued, %d recorded", seed, got, data.Totals().WarpInstructions)
		}
	}
}

// withLink gives a machine a random link and host.
func withLink(m *arch.Machine, r *rand.Rand) {
	m.Link = arch.Link{Kind: "pcie", GigabytesPerSecond: float64(1 + r.IntN(9)), LatencyMicroseconds: float64(r.IntN(3)) / 10, CopyEngines: 1 + r.IntN(3)}
	m.Host.GigaOperationsPerSecond = float64(r.IntN(3))
	m.DRAM = arch.DRAM{Model: "simple", GigabytesPerSecond: 100}
}

// randomEvents is a random host program of the launches.
func randomEvents(r *rand.Rand, launches, streams int) []trace.HostEvent {
	var events []trace.HostEvent
	for next := 0; next < launches; {
		e := trace.HostEvent{Stream: uint32(r.IntN(streams)), Bytes: uint64(r.IntN(3000))}
		switch r.IntN(12) {
		case 0, 1:
			e.Kind = trace.EventCopyToDevice
		case 2:
			e.Kind = trace.EventCopyToHost
		case 3:
			e.Kind = trace.EventFill
		case 4:
			e.Kind, e.Operations = trace.EventCompute, uint64(r.IntN(500))
		case 5:
			e.Kind, e.AllStreams = trace.EventSynchronize, r.IntN(2) == 0
		case 6:
			e.Kind = trace.EventAllocate
		default:
			e.Kind, e.Launch = trace.EventLaunch, next
			next++
		}
		for i := range events {
			if r.IntN(10) == 0 {
				e.After = append(e.After, i)
			}
		}
		events = append(events, e)
	}
	return events
}

func TestTimelineNeedsEveryLaunchOnce(t *testing.T) {
	k := gputest.Launch{Kernel: chain(3), Blocks: 1, Threads: 32}
	for _, events := range [][]trace.HostEvent{nil, {launchIn(0, 0)}, {launchIn(0, 0), launchIn(0, 0)}, {launchIn(0, 0), launchIn(2, 0)}, {launchIn(-1, 0), launchIn(0, 0)}} {
		src := &scripted{gputest.NewSource(gputest.Trace(t, k, k)), events}
		if _, err := build(t, gputest.Machine(), &gputest.Memory{}).Replay(t.Context(), src, nil); err == nil || !strings.Contains(err.Error(), "the trace is damaged") {
			t.Errorf("%v: got %v", events, err)
		}
	}
}

// preloads is a memory that notes what it is told to preload, and when.
type preloads struct {
	addresses []uint64
	launched  func() int
	before    []int
}

func (p *preloads) Preload(address, _ uint64) {
	p.addresses = append(p.addresses, address)
	p.before = append(p.before, p.launched())
}

func TestCopiesReachTheMemoryBeforeTheLaunchThatFollowsThem(t *testing.T) {
	events := []trace.HostEvent{
		{Kind: trace.EventCopyToDevice, Address: 1}, {Kind: trace.EventFill, Address: 99}, {Kind: trace.EventCopyToDevice, Address: 2},
		launchIn(0, 0), {Kind: trace.EventCopyToHost, Address: 98},
		launchIn(1, 0), {Kind: trace.EventCopyToDevice, Address: 3}, launchIn(2, 0),
	}
	memory := &preloads{}
	o := Options{Memory: func(_ *arch.Machine, c Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
		path := (&gputest.Memory{}).Build(c.Core, global)
		path.Preloader = memory
		return path, nil
	}}
	g, err := New(gputest.Machine(), o)
	if err != nil {
		t.Fatal(err)
	}
	memory.launched = func() int { return int(g.sum()[counters.BlocksRetired]) }
	l := gputest.Launch{Kernel: chain(3), Blocks: 1, Threads: 32}
	script(t, g, events, l, l, l)
	if diff := cmp.Diff([]uint64{1, 2, 3}, memory.addresses); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 0, 2}, memory.before); diff != "" {
		t.Errorf("launches that had ended: %s", diff)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	memory.addresses = nil
	if _, err := g.Replay(ctx, &scripted{gputest.NewSource(gputest.Trace(t, l, l, l)), events}, nil); !errors.Is(err, context.Canceled) || memory.addresses != nil {
		t.Errorf("error %v, copies %v", err, memory.addresses)
	}
}
