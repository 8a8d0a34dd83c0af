// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// ends counts what a network tells.
type ends struct{ freed, arrived map[int]int }

func newEnds() *ends            { return &ends{freed: map[int]int{}, arrived: map[int]int{}} }
func (e *ends) Freed(input int) { e.freed[input]++ }
func (e *ends) Arrived(out int) { e.arrived[out]++ }

// uncounted is for tests that look at packets only.
func uncounted() Counts { return testCounts(new(counters.Set), 1)[0] }

func TestPacketTakesTheLatencyAndItsFlits(t *testing.T) {
	for _, latency := range []int{1, 8} {
		for _, flits := range []uint16{1, 5} {
			e := newEnds()
			x := NewCrossbar(Config{Inputs: 2, Outputs: 2, LatencyCycles: latency, InputQueue: 2, OutputQueue: 2}, uncounted(), e)
			x.Send(0, Packet{ID: 7, To: 1, Flits: flits})
			start := int64(10)
			want := start + int64(latency) + int64(flits) - 1
			for now := start; now < want; now++ {
				x.Cycle(now)
				if _, ok := x.Head(1); ok {
					t.Fatalf("latency %d, %d flits: there in cycle %d, before %d", latency, flits, now, want)
				}
			}
			x.Cycle(want)
			if p, ok := x.Head(1); !ok || p.ID != 7 || e.arrived[1] != 1 {
				t.Errorf("latency %d, %d flits: %+v, %v in cycle %d", latency, flits, p, ok, want)
			}
			x.Pop(1, want)
			if x.InFlight() != 0 {
				t.Error("something is left inside")
			}
		}
	}
}

func TestSaturatedPortsMoveOneFlitACycle(t *testing.T) {
	for _, flits := range []uint16{1, 4} {
		const ports, cycles = 4, 4000
		x := NewCrossbar(Config{Inputs: ports, Outputs: ports, LatencyCycles: 3, InputQueue: 4, OutputQueue: 16}, uncounted(), newEnds())
		moved := 0
		for now := int64(1); now <= cycles; now++ {
			for i := range ports {
				for x.CanSend(i) {
					x.Send(i, Packet{To: uint16((i + 1) % ports), Flits: flits})
				}
			}
			x.Cycle(now)
			for o := range ports {
				if _, ok := x.Head(o); ok {
					x.Pop(o, now)
					moved += int(flits)
				}
			}
		}
		if rate := float64(moved) / cycles / ports; rate < 0.99 || rate > 1 {
			t.Errorf("packets of %d flits: %.3f flits a cycle and port", flits, rate)
		}
	}
}

func TestInputsShareAnOutputFairly(t *testing.T) {
	const inputs, cycles = 5, 5000
	x := NewCrossbar(Config{Inputs: inputs, Outputs: 1, LatencyCycles: 1, InputQueue: 2, OutputQueue: 8}, uncounted(), newEnds())
	var from [inputs]int
	for now := int64(1); now <= cycles; now++ {
		for i := range inputs {
			if x.CanSend(i) {
				x.Send(i, Packet{ID: uint32(i), Flits: 1})
			}
		}
		x.Cycle(now)
		if p, ok := x.Head(0); ok {
			from[p.ID]++
			x.Pop(0, now)
		}
	}
	for i, n := range from {
		if n < cycles/inputs-3 || n > cycles/inputs+3 {
			t.Errorf("input %d got %d of %d packets", i, n, cycles)
		}
	}
}

func TestFullOutputHoldsPacketsBackWithoutLoss(t *testing.T) {
	e := newEnds()
	x := NewCrossbar(Config{Inputs: 1, Outputs: 2, LatencyCycles: 1, InputQueue: 1, OutputQueue: 1}, uncounted(), e)
	x.Send(0, Packet{ID: 1, Flits: 1})
	x.Cycle(1)
	x.Send(0, Packet{ID: 2, Flits: 1})
	if x.CanSend(0) {
		t.Error("a second packet fits into a queue of one")
	}
	for now := int64(2); now < 50; now++ {
		if next := x.Cycle(now); now > 3 && next != Never {
			t.Fatalf("blocked network asks for cycle %d", next)
		}
	}
	if e.freed[0] != 0 || x.InFlight() != 2 {
		t.Fatalf("the second packet moved into a full output; %d inside", x.InFlight())
	}
	x.Pop(0, 50)
	x.Cycle(50)
	x.Cycle(51)
	if p, ok := x.Head(0); !ok || p.ID != 2 || e.freed[0] != 1 {
		t.Errorf("after a place is free: %+v, %v; freed %d times", p, ok, e.freed[0])
	}
}

// TestRandomTrafficArrivesOnceAndInOrder runs queues of one entry. Every packet
// arrives once, at its output, in order for each pair of ports. A run that
// jumps over idle cycles sees the same arrivals as one that does not.
func TestRandomTrafficArrivesOnceAndInOrder(t *testing.T) {
	for seed := range uint64(20) {
		run := func(jump bool) []int64 {
			rng := rand.New(rand.NewPCG(seed, 3))
			c := Config{Inputs: 1 + rng.IntN(70), Outputs: 1 + rng.IntN(70), LatencyCycles: 1 + rng.IntN(5), InputQueue: 1 + rng.IntN(3), OutputQueue: 1 + rng.IntN(3)}
			e := newEnds()
			x := NewCrossbar(c, uncounted(), e)
			const total = 2000
			arrival := make([]int64, total)
			last := map[[2]int]uint32{}
			from := make([]int, total)
			sent, got := 0, 0
			next := Never
			for now := int64(1); got < total; now++ {
				if now > 200000 {
					t.Fatalf("seed %d: %d of %d packets arrived", seed, got, total)
				}
				if sent < total && now%2 == 0 {
					if i := rng.IntN(c.Inputs); x.CanSend(i) {
						from[sent] = i
						x.Send(i, Packet{ID: uint32(sent), To: uint16(rng.IntN(c.Outputs)), Flits: uint16(1 + rng.IntN(5))})
						sent++
						next = now
					}
				}
				if now%3 == 0 {
					for o := range c.Outputs {
						p, ok := x.Head(o)
						if !ok {
							continue
						}
						if int(p.To) != o || arrival[p.ID] != 0 {
							t.Fatalf("packet %d for %d arrived at %d (before: %d)", p.ID, p.To, o, arrival[p.ID])
						}
						pair := [2]int{from[p.ID], o}
						if before, ok := last[pair]; ok && before > p.ID {
							t.Fatalf("packet %d overtook %d", p.ID, before)
						}
						last[pair] = p.ID
						arrival[p.ID] = now
						got++
						x.Pop(o, now)
						next = now
					}
				}
				if !jump || next <= now {
					next = x.Cycle(now)
				}
			}
			if x.InFlight() != 0 {
				t.Fatal("something is left inside")
			}
			return arrival
		}
		a, b := run(false), run(true)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("seed %d: packet %d arrives in cycle %d, or in %d when idle cycles are jumped over", seed, i, a[i], b[i])
			}
		}
	}
}

func TestFlitsCoverHeaderAndPayload(t *testing.T) {
	for _, c := range []struct{ header, payload, flit, want int }{{8, 0, 40, 1}, {8, 32, 40, 1}, {8, 128, 40, 4}, {8, 32, 32, 2}, {8, 0, 4, 2}} {
		if got := Flits(c.header, c.payload, c.flit); int(got) != c.want {
			t.Errorf("%+v: %d flits", c, got)
		}
	}
}

func TestCrossbarAllocatesNothing(t *testing.T) {
	x := NewCrossbar(Config{Inputs: 16, Outputs: 12, LatencyCycles: 8, InputQueue: 8, OutputQueue: 16}, uncounted(), nil)
	now, n := int64(0), 0
	if allocs := testing.AllocsPerRun(100, func() {
		for range 100 {
			now++
			if x.CanSend(n % 16) {
				x.Send(n%16, Packet{To: uint16(n * 7 % 12), Flits: 2})
			}
			n++
			x.Cycle(now)
			for o := range 12 {
				if _, ok := x.Head(o); ok {
					x.Pop(o, now)
				}
			}
		}
	}); allocs != 0 {
		t.Errorf("%v allocations per 100 cycles", allocs)
	}
}

// BenchmarkCrossbar isolates arbitration under uniform random traffic.
func BenchmarkCrossbar(b *testing.B) {
	x := NewCrossbar(Config{Inputs: 16, Outputs: 12, LatencyCycles: 8, InputQueue: 8, OutputQueue: 16}, uncounted(), nil)
	rng := rand.New(rand.NewPCG(1, 1))
	now, moved := int64(0), 0
	for b.Loop() {
		now++
		for i := range 16 {
			if x.CanSend(i) {
				x.Send(i, Packet{To: uint16(rng.IntN(12)), Flits: 2})
			}
		}
		x.Cycle(now)
		for o := range 12 {
			if _, ok := x.Head(o); ok {
				x.Pop(o, now)
				moved++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(moved), "ns/packet")
	b.ReportMetric(float64(2*moved)/float64(now)/12, "flits/cycle/output")
}
