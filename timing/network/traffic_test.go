// SPDX-License-Identifier: Apache-2.0

package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace/tracetest"
)

// pattern names the output for a packet from an input.
type pattern func(rng *rand.Rand, input int) int

func uniform(outputs int) pattern {
	return func(rng *rand.Rand, _ int) int { return rng.IntN(outputs) }
}

// transposed sends from row i, column j to row j, column i.
func transposed(k int) pattern { return func(_ *rand.Rand, i int) int { return i%k*k + i/k } }

// hotspot sends everything to one output.
func hotspot(output int) pattern { return func(*rand.Rand, int) int { return output } }

// open is what an open-loop run gives: sources make packets whatever becomes of
// them, and keep those that the network does not take.
type open struct {
	accepted float64 // flits per input and cycle that arrive
	latency  float64 // mean cycles from making to arrival, of packets made after warm-up
	from     []int   // packets that have arrived, by input
}

// drive runs a network with packets of some flits at an offered load in flits
// per input and cycle; outputs take one packet a cycle.
func drive(n Network, inputs, outputs, flits int, load float64, p pattern, cycles int64) open {
	const warm = 3000
	rng := rand.New(rand.NewPCG(11, 13))
	backlog, made := make([][]Packet, inputs), make([]int64, 0, 1<<16)
	var result open
	result.from = make([]int, inputs)
	source := make([]int, 0, 1<<16)
	var arrived, measured, sum int64
	for now := int64(0); now < cycles+warm; now++ {
		for i := range inputs {
			if rng.Float64() < load/float64(flits) {
				backlog[i] = append(backlog[i], Packet{ID: uint32(len(made)), To: uint16(p(rng, i)), Flits: uint16(flits)})
				made, source = append(made, now), append(source, i)
			}
			for len(backlog[i]) > 0 && n.CanSend(i) {
				n.Send(i, backlog[i][0])
				backlog[i] = backlog[i][1:]
			}
		}
		n.Cycle(now)
		for o := range outputs {
			q, ok := n.Head(o)
			if !ok {
				continue
			}
			n.Pop(o, now+1)
			if now >= warm {
				arrived++
				result.from[source[q.ID]]++
			}
			if made[q.ID] >= warm {
				measured++
				sum += now - made[q.ID]
			}
		}
	}
	result.accepted = float64(arrived) * float64(flits) / float64(cycles) / float64(inputs)
	result.latency = float64(sum) / float64(max(measured, 1))
	return result
}

// mesh8 is the 8x8 mesh with an input and an output at every node.
func mesh8(c RouterConfig) *Fabric {
	return fabric(Mesh(8, 8, true, everywhere(64), everywhere(64)), c, new(counters.Set), nil)
}

// buffered gives routers of one cycle so many virtual channels and flits.
func buffered(vcs, flits int) RouterConfig {
	c := plain
	c.VirtualChannels, c.BufferFlits = vcs, flits
	return c
}

// TestUniformTrafficOnAMeshSaturatesAsPublished: uniform traffic cannot exceed the
// bisection bound of 4/k flits per node and cycle. Peh and Dally (HPCA 2001, section 5)
// take an 8x8 mesh, packets of 5 flits and dimension order. They find that wormhole
// routers with 8 buffers saturate at 40 % of it. Two channels of four saturate at 50 to
// 55 %, four channels of four at 65 to 70 %. Ours come in the same order and higher
// (docs/networks.md says why); the channels of Table 2 come nearest to the bound.
func TestUniformTrafficOnAMeshSaturatesAsPublished(t *testing.T) {
	const capacity = 0.5
	before := 0.0
	for _, c := range tracetest.Draw(t, []struct{ vcs, flits, published int }{{1, 8, 40}, {2, 4, 55}, {4, 4, 70}, {8, 8, 75}}, tracetest.Fewer(2, 4)) {
		config := buffered(c.vcs, c.flits)
		config.RouterCycles = 3
		got := drive(mesh8(config), 64, 64, 5, 1, uniform(64), 3000).accepted / capacity * 100
		if got < float64(c.published) || got < before || got > 100 {
			t.Errorf("%d channels of %d flits accept %.0f %% of capacity; published %d %%, fewer or smaller channels %.0f %%", c.vcs, c.flits, got, c.published, before)
		}
		before = got
	}
}

// TestUniformTrafficIsStableBelowSaturation: at 70 % of the bound Table 2's mesh
// delivers what is offered within three times the latency of an empty mesh. By
// convention that is the point of saturation.
func TestUniformTrafficIsStableBelowSaturation(t *testing.T) {
	c := plain
	c.RouterCycles = 3
	empty, loaded := drive(mesh8(c), 64, 64, 5, 0.01, uniform(64), 3000), drive(mesh8(c), 64, 64, 5, 0.35, uniform(64), 3000)
	if loaded.latency > 3*empty.latency || math.Abs(loaded.accepted/0.35-1) > 0.03 {
		t.Errorf("latency %.0f (empty %.0f), accepted %.3f of 0.35", loaded.latency, empty.latency, loaded.accepted)
	}
}

// TestTransposeSaturatesAtItsBusiestLink: in dimension order up to k-1 nodes of a
// row share one link. Transposing is therefore stable up to 1/(k-1) flits per
// node and cycle and no further (Dally and Towles, section 3.3.1 for channel
// load).
func TestTransposeSaturatesAtItsBusiestLink(t *testing.T) {
	const bound = 1.0 / 7
	stable := drive(mesh8(plain), 64, 64, 1, 0.93*bound, transposed(8), 8000)
	if math.Abs(stable.accepted/(0.93*bound)-1) > 0.02 || stable.latency > 60 {
		t.Errorf("below the bound: accepted %.4f of %.4f, latency %.0f", stable.accepted, 0.93*bound, stable.latency)
	}
	over := drive(mesh8(plain), 64, 64, 1, 1.3*bound, transposed(8), 8000)
	// Nodes of rows 0 to 6 in column 7 all go down to row 7.
	busiest := 0
	for row := range 7 {
		busiest += over.from[row*8+7]
	}
	if rate := float64(busiest) / 8000; rate < 0.99 || rate > 1.001 {
		t.Errorf("above the bound the busiest link carries %.4f flits a cycle", rate)
	}
}

func TestHotspotTakesOneFlitACycle(t *testing.T) {
	got := drive(mesh8(plain), 64, 64, 5, 0.5, hotspot(27), 5000)
	if total := got.accepted * 64; total < 0.97 || total > 1.001 {
		t.Errorf("the hot node takes %.3f flits a cycle", total)
	}
}

// TestNobodyStarves: at each of hops+1 switches a packet meets at most four other
// input ports, and its own has one turn in five at least.
func TestNobodyStarves(t *testing.T) {
	topology := Mesh(4, 4, true, everywhere(16), everywhere(16))
	for _, vcs := range []int{1, 8} {
		const cycles = 30000
		got := drive(fabric(topology, buffered(vcs, 4), new(counters.Set), nil), 16, 16, 1, 1, hotspot(5), cycles)
		for i, n := range got.from {
			hops, err := topology.Hops(i, 5)
			if err != nil {
				t.Fatal(err)
			}
			if bound := cycles / math.Pow(5, float64(hops+1)); float64(n) < bound-1 {
				t.Errorf("%d channels: node %d gets %d packets through, at least %.1f are its due", vcs, i, n, bound)
			}
		}
	}
}

// TestParkingLotSharesHalveAtEachMerge: in a row of routers with one channel, each
// merge takes turns between what comes along and what starts there. Shares are
// thus 1/2, 1/4, 1/8, 1/8 (Dally and Towles, section 15.4.1): no source starves,
// and none gets more than that.
func TestParkingLotSharesHalveAtEachMerge(t *testing.T) {
	topology := Mesh(1, 5, true, []int{1, 2, 3, 4}, []int{0})
	got := drive(fabric(topology, buffered(1, 4), new(counters.Set), nil), 4, 1, 3, 1, hotspot(0), 24000)
	for i, want := range []float64{1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 8} {
		share := float64(got.from[i]) * 3 / 24000
		if math.Abs(share-want) > 0.01 {
			t.Errorf("source %d gets %.3f of the sink, want %.3f", i+1, share, want)
		}
	}
}

// TestFIFOInputsOfACrossbarSaturateAsKarolFound: Karol, Hluchyj and Morgan (1987,
// table I) give the saturation of first-in first-out input queues with uniform
// traffic, for switches of 2, 4 and 8 ports.
func TestFIFOInputsOfACrossbarSaturateAsKarolFound(t *testing.T) {
	for ports, want := range map[int]float64{2: 0.75, 4: 0.6553, 8: 0.6184} {
		x := NewCrossbar(Config{Inputs: ports, Outputs: ports, LatencyCycles: 1, InputQueue: 8, OutputQueue: 8}, uncounted(), nil)
		if got := drive(x, ports, ports, 1, 1, uniform(ports), 40000).accepted; math.Abs(got-want) > 0.012 {
			t.Errorf("%d ports: %.4f of the bandwidth, published %.4f", ports, got, want)
		}
	}
}

// TestVirtualChannelsEndHeadOfLineBlocking: with one channel a switch is Karol's
// with FIFO inputs. Each doubling of the channels, and a second iteration of the
// allocator, bring it nearer to the full bandwidth that McKeown (1999) gives
// iSLIP with a queue per output.
func TestVirtualChannelsEndHeadOfLineBlocking(t *testing.T) {
	rate := func(vcs, iterations int) float64 {
		c := buffered(vcs, 4)
		c.OutputQueue, c.Iterations = 32, iterations
		return drive(fabric(Butterfly(8, 1, everywhere(8), everywhere(8)), c, new(counters.Set), nil), 8, 8, 1, 1, uniform(8), 20000).accepted
	}
	before := rate(1, 1)
	if math.Abs(before-0.6184) > 0.012 {
		t.Errorf("one channel: %.4f, Karol's FIFO has 0.6184", before)
	}
	for _, vcs := range []int{2, 4, 8} {
		one, two := rate(vcs, 1), rate(vcs, 2)
		if one < before || two < one {
			t.Errorf("%d channels: %.3f, with two iterations %.3f; half the channels %.3f", vcs, one, two, before)
		}
		if before = one; vcs == 8 && two < 0.85 {
			t.Errorf("eight channels, two iterations: %.3f", two)
		}
	}
}

// TestButterflyIsBetweenPatelAndItsLinks: a buffered butterfly carries more than
// an unbuffered one, for which Patel (1981) gives p' = 1-(1-p/k)^k a stage, and
// less than its links.
func TestButterflyIsBetweenPatelAndItsLinks(t *testing.T) {
	p := 1.0
	for range 3 {
		p = 1 - math.Pow(1-p/4, 4)
	}
	got := drive(fabric(Butterfly(4, 3, everywhere(64), everywhere(64)), plain, new(counters.Set), nil), 64, 64, 1, 1, uniform(64), 4000).accepted
	if got < 1.2*p || got > 1 {
		t.Errorf("%.3f flits per terminal and cycle, unbuffered %.3f", got, p)
	}
}

// TestNothingIsLostOrStuckAtAnyBufferSize fills small networks to the brim, with
// outputs that take packets now and then, and empties them.
func TestNothingIsLostOrStuckAtAnyBufferSize(t *testing.T) {
	shapes := map[string]*Topology{
		"mesh yx": Mesh(4, 4, true, everywhere(16), everywhere(16)), "mesh xy": Mesh(3, 5, false, everywhere(15), everywhere(15)),
		"butterfly": Butterfly(2, 4, everywhere(16), everywhere(16)),
	}
	for name, topology := range shapes {
		for _, vcs := range []int{1, 2, 3, 8} {
			for _, flits := range []int{1, 2, 3, 5, 8} {
				c := buffered(vcs, flits)
				c.InputQueue, c.OutputQueue, c.RouterCycles, c.LinkCycles = 1+flits%3, 1+vcs%2, 1+flits%2, 1+vcs%3
				fillAndEmpty(t, fmt.Sprintf("%s, %d channels of %d", name, vcs, flits), topology, c)
			}
		}
	}
}

func fillAndEmpty(t *testing.T, name string, topology *Topology, c RouterConfig) {
	t.Helper()
	f := fabric(topology, c, new(counters.Set), nil)
	rng := rand.New(rand.NewPCG(uint64(c.BufferFlits), uint64(c.VirtualChannels)))
	sent, got := map[uint32]uint16{}, 0
	last := map[[2]int]uint32{}
	from := []int{}
	id := uint32(0)
	for now := int64(0); now < 1200 || f.InFlight() > 0; now++ {
		if now > 60000 {
			t.Fatalf("%s: stuck with %d packets:\n%v", name, f.InFlight(), f.Describe())
		}
		for i := range topology.Inputs {
			if now < 1200 && f.CanSend(i) {
				p := Packet{ID: id, To: uint16(rng.IntN(len(topology.Outputs))), Flits: uint16(1 + rng.IntN(6))}
				f.Send(i, p)
				sent[id], from = p.To, append(from, i)
				id++
			}
		}
		f.Cycle(now)
		for o := range topology.Outputs {
			p, ok := f.Head(o)
			if !ok || rng.IntN(4) > 0 {
				continue
			}
			if to, known := sent[p.ID]; !known || int(to) != o {
				t.Fatalf("%s: packet %d came to output %d: known %v", name, p.ID, o, known)
			}
			delete(sent, p.ID)
			pair := [2]int{from[p.ID], o}
			if before, some := last[pair]; some && before > p.ID && c.VirtualChannels == 1 {
				t.Fatalf("%s: packet %d overtook %d on one channel", name, before, p.ID)
			}
			last[pair] = p.ID
			f.Pop(o, now+1)
			got++
		}
	}
	if len(sent) > 0 || got != int(id) {
		t.Errorf("%s: %d of %d packets arrived", name, got, id)
	}
	for i := range f.channels {
		if c := &f.channels[i]; f.outputs[i/f.vcs].first != unwired && (int(c.credits) > f.config.BufferFlits || c.owner != none) {
			t.Fatalf("%s: channel %d keeps %d credits and owner %d", name, i, c.credits, c.owner)
		}
	}
}

func TestDescribeFollowsTheWaitThroughTheRouters(t *testing.T) {
	f := fabric(Mesh(2, 3, true, []int{0}, []int{5}), RouterConfig{VirtualChannels: 1, BufferFlits: 2, RouterCycles: 1, LinkCycles: 1, Iterations: 1, InputQueue: 4, OutputQueue: 1, Classes: 1}, new(counters.Set), nil)
	for now := int64(0); now < 60; now++ {
		if f.CanSend(0) {
			f.Send(0, Packet{Flits: 3})
		}
		f.Cycle(now)
	}
	stopped := func(at, in, out, next string) string {
		return fmt.Sprintf("%s, input %s, virtual channel 0: 2 flits, a packet to output 0 waits for a credit of virtual channel 0 of output %s, whose buffer is at %s", at, in, out, next)
	}
	want := []string{
		"input 0 at router 0 (row 0, column 0): 4 packets, the first to output 0, 2 of 3 flits have left by virtual channel 0, with 0 credits",
		stopped("router 0 (row 0, column 0)", "local", "south", "input north of router 3 (row 1, column 0)"),
		stopped("router 3 (row 1, column 0)", "north", "east", "input west of router 4 (row 1, column 1)"),
		stopped("router 4 (row 1, column 1)", "west", "east", "input west of router 5 (row 1, column 2)"),
		"router 5 (row 1, column 2), input west, virtual channel 0: 2 flits, a packet to output 0 waits for a place in its queue, where all 1 are taken",
	}
	got := f.Describe()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d differs:\n%v", i, got)
		}
	}
}

// Every stuck packet is described by its own output, however many there are.
func TestDescribeNamesEachPacketsOutput(t *testing.T) {
	f := fabric(Mesh(1, 4, true, []int{0, 1, 2}, []int{3, 3, 3}), RouterConfig{VirtualChannels: 1, BufferFlits: 2, RouterCycles: 1, LinkCycles: 1, Iterations: 1, InputQueue: 4, OutputQueue: 1, Classes: 1}, new(counters.Set), nil)
	for now := int64(0); now < 60; now++ {
		for i := range 3 {
			if f.CanSend(i) {
				f.Send(i, Packet{To: uint16(i), Flits: 3})
			}
		}
		f.Cycle(now)
	}
	for router := range 3 { // each input's packets are stuck at its own router
		where := fmt.Sprintf("router %d (row 0, column %d), input local, virtual channel 0: 2 flits, a packet to output %d", router, router, router)
		found := false
		for vc := range f.inputs {
			found = found || f.inputs[vc].count > 0 && strings.HasPrefix(f.describeChannel(vc), where)
		}
		if !found {
			t.Errorf("nothing is %q:\n%v", where, f.Describe())
		}
	}
}

// Where no output is emptied all comes to rest. Each channel with flits then waits for something; none may leave.
func TestNothingMayLeaveAtRest(t *testing.T) {
	for name, topology := range map[string]*Topology{"mesh": Mesh(3, 4, true, everywhere(12), everywhere(12)), "butterfly": Butterfly(2, 3, everywhere(8), everywhere(8))} {
		for _, vcs := range []int{1, 2, 3} {
			f := fabric(topology, buffered(vcs, 3), new(counters.Set), nil)
			rng := rand.New(rand.NewPCG(3, uint64(vcs)))
			for now := range int64(1000) {
				for i := range topology.Inputs {
					if f.CanSend(i) {
						f.Send(i, Packet{To: uint16(rng.IntN(len(topology.Outputs))), Flits: uint16(1 + rng.IntN(4))})
					}
				}
				f.Cycle(now)
			}
			waiting := 0
			for vc := range f.inputs {
				if f.inputs[vc].count == 0 {
					continue
				}
				if waiting++; !strings.Contains(f.describeChannel(vc), " waits for ") {
					t.Errorf("%s with %d channels, at rest: %s", name, vcs, f.describeChannel(vc))
				}
			}
			if waiting < 12 {
				t.Errorf("%s: %d channels wait", name, waiting)
			}
		}
	}
}

func TestFabricAllocatesNothing(t *testing.T) {
	f := mesh8(plain)
	rng := rand.New(rand.NewPCG(1, 1))
	now := int64(0)
	run := func() {
		for range 500 {
			now++
			for i := range 64 {
				if rng.IntN(8) == 0 && f.CanSend(i) {
					f.Send(i, Packet{To: uint16(rng.IntN(64)), Flits: 5})
				}
			}
			f.Cycle(now)
			for o := range 64 {
				if _, ok := f.Head(o); ok {
					f.Pop(o, now+1)
				}
			}
		}
	}
	run()
	if allocs := testing.AllocsPerRun(5, run); allocs != 0 {
		t.Errorf("%v allocations per 500 saturated cycles", allocs)
	}
}

// BenchmarkLoadLatency is the load-latency curve of each network at Table 2's
// parameters, for docs/networks.md; its time is of no interest.
func BenchmarkLoadLatency(b *testing.B) {
	c := plain
	c.RouterCycles = 3
	networks := map[string]func() Network{
		"mesh": func() Network { return mesh8(c) },
		"butterfly": func() Network {
			return fabric(Butterfly(4, 3, everywhere(64), everywhere(64)), c, new(counters.Set), nil)
		},
		"crossbar": func() Network {
			return NewCrossbar(Config{Inputs: 64, Outputs: 64, LatencyCycles: 8, InputQueue: 16, OutputQueue: 16}, uncounted(), nil)
		},
	}
	patterns := map[string]pattern{"uniform": uniform(64), "transpose": transposed(8), "hotspot": hotspot(27)}
	for _, name := range []string{"mesh", "butterfly", "crossbar"} {
		for _, p := range []string{"uniform", "transpose", "hotspot"} {
			for _, load := range []float64{0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8} {
				b.Run(fmt.Sprintf("%s/%s/%g", name, p, load), func(b *testing.B) {
					var got open
					for b.Loop() {
						got = drive(networks[name](), 64, 64, 5, load, patterns[p], 6000)
					}
					b.ReportMetric(got.accepted, "flits/cycle/node")
					b.ReportMetric(got.latency, "cycles")
				})
			}
		}
	}
}
