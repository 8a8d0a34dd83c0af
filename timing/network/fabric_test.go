// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// plain is a router of one cycle with one of link, eight channels of eight flits.
var plain = RouterConfig{VirtualChannels: 8, BufferFlits: 8, RouterCycles: 1, LinkCycles: 1, Iterations: 1, InputQueue: 8, OutputQueue: 8, Classes: 1}

// fabric makes a network that counts into set.
func fabric(t *Topology, c RouterConfig, set *counters.Set, l Listener) *Fabric {
	return NewFabric(t, c, testCounts(set, c.Classes), RouterCounts{Set: set, Flits: counters.RouterFlits, Buffered: counters.RouterBufferedFlits, Stalled: counters.RouterCreditStalls}, l)
}

func testCounts(set *counters.Set, classes int) []Counts {
	both := []Counts{
		{Set: set, Injection: counters.RequestInjectionCycles, Traversal: counters.RequestTraversalCycles, Ejection: counters.RequestEjectionCycles, FlitHops: counters.RequestFlitHops},
		{Set: set, Injection: counters.ReplyInjectionCycles, Traversal: counters.ReplyTraversalCycles, Ejection: counters.ReplyEjectionCycles, FlitHops: counters.ReplyFlitHops},
	}
	return both[:classes]
}

// everywhere is every router of a mesh, or every terminal.
func everywhere(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestZeroLoadLatencyIsThatOfTheClosedForm sends single packets between all
// pairs: hops+1 routers, hops+2 links and one cycle for each flit after the
// first (Dally and Towles, equation 3.11).
func TestZeroLoadLatencyIsThatOfTheClosedForm(t *testing.T) {
	topologies := map[string]*Topology{
		"mesh yx":   Mesh(4, 5, true, everywhere(20), everywhere(20)),
		"mesh xy":   Mesh(3, 3, false, everywhere(9), everywhere(9)),
		"butterfly": Butterfly(3, 3, everywhere(27), everywhere(27)),
		"two ports": TwoPortMesh(3, 4, true, [2][]int{everywhere(12), everywhere(12)}, [2][]int{everywhere(12), everywhere(12)}),
	}
	for name, topology := range topologies {
		for _, c := range []struct{ router, link, flits int }{{1, 1, 1}, {3, 1, 5}, {2, 4, 3}} {
			config := plain
			config.RouterCycles, config.LinkCycles = c.router, c.link
			config.BufferFlits = c.router + 2*c.link // the credit's way round
			set := new(counters.Set)
			f := fabric(topology, config, set, nil)
			now := int64(100)
			for i := range topology.Inputs {
				for o := range topology.Outputs {
					hops, err := topology.Hops(i, o)
					if err != nil {
						t.Fatal(err)
					}
					before := set[counters.RequestFlitHops]
					f.Send(i, Packet{ID: uint32(o), To: uint16(o), Flits: uint16(c.flits)})
					sent := now
					want := sent + int64((hops+1)*c.router+(hops+2)*c.link+c.flits-1)
					for ; now < want; now++ {
						f.Cycle(now)
						if _, ok := f.Head(o); ok {
							t.Fatalf("%s %+v: packet from %d to %d is there in cycle %d, before %d", name, c, i, o, now-sent, want-sent)
						}
					}
					f.Cycle(now)
					if p, ok := f.Head(o); !ok || p.ID != uint32(o) {
						t.Fatalf("%s %+v: packet from %d to %d is not there after %d cycles", name, c, i, o, want-sent)
					}
					f.Pop(o, now+1)
					if got := set[counters.RequestFlitHops] - before; got != uint64(hops*c.flits) {
						t.Fatalf("%s: %d flit hops for %d flits over %d hops", name, got, c.flits, hops)
					}
					now++
				}
			}
		}
	}
}

func TestMeshHopsAreManhattanDistances(t *testing.T) {
	for _, yx := range []bool{true, false} {
		m := Mesh(5, 7, yx, everywhere(35), everywhere(35))
		for i := range 35 {
			for o := range 35 {
				want := max(i/7-o/7, o/7-i/7) + max(i%7-o%7, o%7-i%7)
				if got, err := m.Hops(i, o); err != nil || got != want {
					t.Fatalf("yx %v: %d to %d: %d hops, %v; want %d", yx, i, o, got, err, want)
				}
			}
		}
	}
}

// BenchmarkMesh isolates routers, buffers and credits: the 8x8 mesh under
// uniform random traffic at half its saturation, packets of 5 flits.
func BenchmarkMesh(b *testing.B) {
	topology := Mesh(8, 8, true, everywhere(64), everywhere(64))
	set := new(counters.Set)
	c := plain
	c.RouterCycles = 3
	f := fabric(topology, c, set, nil)
	rng := rand.New(rand.NewPCG(1, 1))
	now, moved := int64(0), 0
	for b.Loop() {
		now++
		for i := range 64 {
			if rng.IntN(20) == 0 && f.CanSend(i) {
				f.Send(i, Packet{To: uint16(rng.IntN(64)), Flits: 5})
			}
		}
		f.Cycle(now)
		for o := range 64 {
			if _, ok := f.Head(o); ok {
				f.Pop(o, now+1)
				moved++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(moved), "ns/packet")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(set[counters.RouterFlits]), "ns/flit-hop")
	b.ReportMetric(float64(5*moved)/float64(now)/64, "flits/cycle/node")
}
