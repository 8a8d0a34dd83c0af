// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// copies of 1000 bytes at 2 GB/s and 100 ns each, on a core clock of 1 GHz: 600
// cycles.
func copiesOn(t *testing.T, l arch.Link, kinds ...trace.EventKind) []interval {
	t.Helper()
	m := concurrent(1, 16)
	m.DRAM = arch.DRAM{Model: "simple", GigabytesPerSecond: 4}
	m.Link = l
	var events []trace.HostEvent
	for i, k := range kinds {
		events = append(events, trace.HostEvent{Kind: k, Bytes: 1000, Stream: uint32(i)})
	}
	run := script(t, build(t, m, &gputest.Memory{}), events)
	out := make([]interval, len(kinds))
	var sum uint64
	for _, c := range run.Copies {
		out[c.Event] = interval{c.Start, c.End}
		sum += uint64(c.End - c.Start)
	}
	if run.Cycles != 0 || run.Total[counters.CopyCycles] != sum {
		t.Errorf("%d cycles of kernels, %d of copies, want 0 and %d", run.Cycles, run.Total[counters.CopyCycles], sum)
	}
	return out
}

func TestCopiesTakeTheLinkInTurn(t *testing.T) {
	to, from := trace.EventCopyToDevice, trace.EventCopyToHost
	pcie := arch.Link{Kind: "pcie", GigabytesPerSecond: 2, LatencyMicroseconds: 0.1, CopyEngines: 1}
	two := pcie
	two.CopyEngines = 2
	die := arch.Link{Kind: "on_die", LatencyMicroseconds: 0.1, CopyEngines: 2}
	for name, c := range map[string]struct {
		link arch.Link
		want []interval
	}{
		"one engine":                        {pcie, []interval{{0, 600}, {600, 1200}, {1200, 1800}}},
		"two engines, one per direction":    {two, []interval{{0, 600}, {600, 1200}, {0, 600}}},
		"on the die, half of DRAM's 4 GB/s": {die, []interval{{0, 600}, {600, 1200}, {1200, 1800}}},
		"no link":                           {arch.Link{}, []interval{{}, {}, {}}},
	} {
		if diff := cmp.Diff(c.want, copiesOn(t, c.link, to, to, from)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestCopyBesideAKernelCostsTheKernelNothing: a copy in another stream takes its
// time meanwhile; in the same stream the kernel waits, and takes as long.
func TestCopyBesideAKernelCostsTheKernelNothing(t *testing.T) {
	m := concurrent(1, 16)
	m.DRAM = arch.DRAM{Model: "simple", GigabytesPerSecond: 4}
	m.Link = arch.Link{Kind: "pcie", GigabytesPerSecond: 2, CopyEngines: 1}
	k := chain(200)
	alone := cyclesOf(t, m, k)
	for stream, want := range []interval{{500, 500 + alone}, {0, alone}} {
		events := []trace.HostEvent{{Kind: trace.EventCopyToDevice, Bytes: 1000, Stream: 0}, launchIn(0, uint32(stream))}
		run := script(t, build(t, m, &gputest.Memory{}), events, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
		l := run.Launches[0]
		if got := (interval{l.Start, l.End}); got != want || l.Cycles != alone || run.Elapsed != want.End {
			t.Errorf("stream %d: the kernel ran %v in %d cycles of %d, want %v in %d", stream, got, l.Cycles, run.Elapsed, want, alone)
		}
	}
}

func TestRatesRoundUpAndSurviveAbsurdSizes(t *testing.T) {
	r := newRate(6.7, 700_000)
	if got := r.cycles(math.MaxUint64); got != maxStepCycles {
		t.Errorf("2^64 bytes take %d cycles", got)
	}
	for _, n := range []uint64{0, 1, 9, 10, 67, 6_700_000} {
		if got, want := r.cycles(n), clock.Cycle(math.Ceil(float64(n)*7/67-1e-9)); got != want {
			t.Errorf("%d bytes take %d cycles, want %d", n, got, want)
		}
	}
	if later(endOfTime, maxStepCycles) != endOfTime {
		t.Error("time overflows")
	}
}

// BenchmarkTimeline isolates the host's side: a step of a program of 16 streams.
func BenchmarkTimeline(b *testing.B) {
	m := concurrent(1, 16)
	withLink(m, rand.New(rand.NewPCG(1, 1)))
	events := make([]trace.HostEvent, 10_000)
	for i := range events {
		events[i] = trace.HostEvent{Kind: []trace.EventKind{trace.EventCopyToDevice, trace.EventFill, trace.EventCopyToHost}[i%3], Bytes: 1000, Stream: uint32(i * 7 % 16)}
	}
	for range b.N {
		t := newTimeline(events, false, newLink(m, 1_000_000), newHostRates(m, 1_000_000))
		if err := t.advance(endOfTime); err != nil || t.left != 0 {
			b.Fatalf("%v, %d steps left", err, t.left)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/step")
}
