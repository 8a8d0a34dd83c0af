// SPDX-License-Identifier: Apache-2.0

package network

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace/tracetest"
)

// slowNet is the slow obvious twin of Fabric: it visits every router, port and
// channel in every cycle, keeps whole flits in slices, and finds everything by
// looking. It takes from Fabric only the topology.
type slowNet struct {
	t       *Topology
	c       RouterConfig
	now     int64
	buffers map[[3]int][]slowFlit // router, input port, channel
	holds   map[[3]int]*slowHold  // by input channel: what its front packet has
	owned   map[[3]int]bool       // output channels that are held
	credits map[[3]int]int        // by input channel: places that its feeder may use
	feeds   map[[2]int][2]int     // output port to input port
	sources []slowSource
	sinks   [][]Packet
	held    []int
	turn    map[[2]int]int // next input channel to get a channel of the output port
	give    map[[2]int]int // next channel to give
	grants  map[[2]int]int
	accepts map[[2]int]int
	rotate  map[[2]int]int // next channel of an input port to send from
	mail    []slowMail

	hops, traversals, buffered, stalled, injection, traversal, ejection int
	flying, arrived                                                     int
}

type slowFlit struct {
	p          Packet
	head, tail bool
}

type slowHold struct{ port, channel int }

type slowSource struct {
	queue   []Packet
	sent    int
	channel int
	next    int
}

// slowMail is something on its way: a flit to an input channel, a credit for
// one, or a packet to its output.
type slowMail struct {
	due    int64
	what   string
	at     [3]int
	flit   slowFlit
	packet Packet
}

func newSlowNet(t *Topology, c RouterConfig) *slowNet {
	s := &slowNet{
		t: t, c: c, buffers: map[[3]int][]slowFlit{}, holds: map[[3]int]*slowHold{}, owned: map[[3]int]bool{}, credits: map[[3]int]int{},
		feeds: map[[2]int][2]int{}, sources: make([]slowSource, len(t.Inputs)), sinks: make([][]Packet, len(t.Outputs)), held: make([]int, len(t.Outputs)),
		turn: map[[2]int]int{}, give: map[[2]int]int{}, grants: map[[2]int]int{}, accepts: map[[2]int]int{}, rotate: map[[2]int]int{},
	}
	for r := range t.Routers {
		for p := range t.Ports {
			if to := t.links[r*t.Ports+p]; to >= 0 {
				s.feeds[[2]int{r, p}] = [2]int{int(to) / t.Ports, int(to) % t.Ports}
			}
			for v := range c.VirtualChannels {
				s.credits[[3]int{r, p, v}] = c.BufferFlits
			}
		}
	}
	return s
}

func (s *slowNet) class(output int) int {
	if s.c.ClassOf == nil {
		return 0
	}
	return int(s.c.ClassOf[output])
}

func (s *slowNet) classOfChannel(v int) int { return v * s.c.Classes / s.c.VirtualChannels }

func (s *slowNet) canSend(i int) bool { return len(s.sources[i].queue) < s.c.InputQueue }

func (s *slowNet) send(i int, p Packet) { s.sources[i].queue = append(s.sources[i].queue, p) }

// cycle is one cycle of everything.
func (s *slowNet) cycle() {
	s.now++
	var later []slowMail
	for _, m := range s.mail {
		switch {
		case m.due > s.now:
			later = append(later, m)
		case m.what == "flit":
			s.buffers[m.at] = append(s.buffers[m.at], m.flit)
		case m.what == "credit":
			s.credits[m.at]++
		case m.what == "packet":
			s.sinks[m.packet.To] = append(s.sinks[m.packet.To], m.packet)
			s.flying--
			s.arrived++
		}
	}
	s.mail = later
	for r := range s.t.Routers {
		s.channels(r)
		s.match(r)
	}
	for i := range s.sources {
		s.source(i)
	}
	s.measure()
}

// front is the output port that the packet at the front of an input channel
// wants; false for an empty one.
func (s *slowNet) front(at [3]int) (port int, ok bool) {
	if h := s.holds[at]; h != nil {
		return h.port, len(s.buffers[at]) > 0
	}
	if len(s.buffers[at]) == 0 {
		return 0, false
	}
	return int(s.t.route[at[0]*len(s.t.Outputs)+int(s.buffers[at][0].p.To)]), true
}

// sink is the output attached to an output port, -1 for none.
func (s *slowNet) sink(r, port int) int {
	for o, at := range s.t.Outputs {
		if at == (Terminal{r, port}) {
			return o
		}
	}
	return -1
}

func (s *slowNet) channels(r int) {
	all := s.t.Ports * s.c.VirtualChannels
	for port := range s.t.Ports {
		key := [2]int{r, port}
		for class := range s.c.Classes {
			for {
				head := s.inTurn(all, s.turn[key], func(l int) bool {
					at := s.input(r, l)
					want, ok := s.front(at)
					return ok && want == port && s.holds[at] == nil && s.classOfChannel(at[2]) == class
				})
				free := s.inTurn(s.c.VirtualChannels, s.give[key], func(v int) bool {
					return !s.owned[[3]int{r, port, v}] && s.classOfChannel(v) == class
				})
				o := s.sink(r, port)
				if head < 0 || free < 0 || o >= 0 && s.held[o] >= s.c.OutputQueue {
					break
				}
				if o >= 0 {
					s.held[o]++
				}
				s.holds[s.input(r, head)] = &slowHold{port, free}
				s.owned[[3]int{r, port, free}] = true
				s.turn[key], s.give[key] = head+1, free+1
			}
		}
	}
}

// input is the input channel with number l in router r.
func (s *slowNet) input(r, l int) [3]int {
	return [3]int{r, l / s.c.VirtualChannels, l % s.c.VirtualChannels}
}

// inTurn is the first number below n that fits, from start on and round once.
func (s *slowNet) inTurn(n, start int, fits func(int) bool) int {
	for k := range n {
		if i := (start + k) % n; fits(i) {
			return i
		}
	}
	return -1
}

// hasCredit reports whether the holder of an output channel may send.
func (s *slowNet) hasCredit(r int, h *slowHold) bool {
	to, linked := s.feeds[[2]int{r, h.port}]
	return !linked || s.credits[[3]int{to[0], to[1], h.channel}] > 0
}

func (s *slowNet) match(r int) {
	inMatched, outMatched := map[int]bool{}, map[int]bool{}
	type pair struct{ l, port int }
	var winners []pair
	for iteration := range s.c.Iterations {
		granted := map[int]int{} // output port to input channel
		for port := range s.t.Ports {
			if outMatched[port] {
				continue
			}
			channel := func(in int) int {
				return s.inTurn(s.c.VirtualChannels, s.rotate[[2]int{r, in}], func(v int) bool {
					at := [3]int{r, in, v}
					h := s.holds[at]
					return h != nil && h.port == port && len(s.buffers[at]) > 0 && s.hasCredit(r, h)
				})
			}
			in := s.inTurn(s.t.Ports, s.grants[[2]int{r, port}], func(in int) bool { return !inMatched[in] && channel(in) >= 0 })
			if in >= 0 {
				granted[port] = in*s.c.VirtualChannels + channel(in)
			}
		}
		for in := range s.t.Ports {
			port := s.inTurn(s.t.Ports, s.accepts[[2]int{r, in}], func(port int) bool {
				l, ok := granted[port]
				return ok && l/s.c.VirtualChannels == in
			})
			if port < 0 {
				continue
			}
			inMatched[in], outMatched[port] = true, true
			winners = append(winners, pair{granted[port], port})
			if iteration == 0 {
				s.accepts[[2]int{r, in}] = port + 1
				s.grants[[2]int{r, port}] = in + 1
			}
			s.rotate[[2]int{r, in}] = granted[port]%s.c.VirtualChannels + 1
		}
	}
	for _, w := range winners {
		s.move(r, s.input(r, w.l), w.port)
	}
}

func (s *slowNet) move(r int, at [3]int, port int) {
	f, h := s.buffers[at][0], s.holds[at]
	s.buffers[at] = s.buffers[at][1:]
	s.traversals++
	s.mail = append(s.mail, slowMail{due: s.now + int64(s.c.LinkCycles), what: "credit", at: at})
	if to, linked := s.feeds[[2]int{r, port}]; linked {
		s.hops++
		next := [3]int{to[0], to[1], h.channel}
		s.credits[next]--
		s.mail = append(s.mail, slowMail{due: s.now + int64(s.c.LinkCycles+s.c.RouterCycles), what: "flit", at: next, flit: f})
	} else if f.tail {
		s.mail = append(s.mail, slowMail{due: s.now + int64(s.c.LinkCycles), what: "packet", packet: f.p})
	}
	if f.tail {
		delete(s.holds, at)
		delete(s.owned, [3]int{r, port, h.channel})
	}
}

func (s *slowNet) source(i int) {
	src := &s.sources[i]
	if len(src.queue) == 0 {
		return
	}
	p, at := src.queue[0], s.t.Inputs[i]
	if src.sent == 0 {
		v := s.inTurn(s.c.VirtualChannels, src.next, func(v int) bool {
			return s.classOfChannel(v) == s.class(int(p.To)) && s.credits[[3]int{at.Router, at.Port, v}] > 0
		})
		if v < 0 {
			return
		}
		src.channel = v
		s.flying++
	}
	to := [3]int{at.Router, at.Port, src.channel}
	if s.credits[to] == 0 {
		return
	}
	s.credits[to]--
	src.sent++
	s.mail = append(s.mail, slowMail{due: s.now + int64(s.c.LinkCycles+s.c.RouterCycles), what: "flit", at: to,
		flit: slowFlit{p: p, head: src.sent == 1, tail: src.sent == int(p.Flits)}})
	if src.sent == int(p.Flits) {
		src.queue, src.sent, src.next = src.queue[1:], 0, src.channel+1
	}
}

// measure adds what the state at the end of a cycle means for the next one.
func (s *slowNet) measure() {
	for i := range s.sources {
		s.injection += len(s.sources[i].queue)
		if s.sources[i].sent > 0 {
			s.injection--
		}
	}
	s.traversal += s.flying
	s.ejection += s.arrived
	for at, flits := range s.buffers {
		s.buffered += len(flits)
		if h := s.holds[at]; h != nil && len(flits) > 0 && !s.hasCredit(at[0], h) {
			s.stalled++
		}
	}
}

// randomTopology is a small mesh or butterfly with ends at random places.
func randomTopology(rng *rand.Rand) *Topology {
	places := func(n int) []int { return rng.Perm(n)[:1+rng.IntN(n)] }
	if rng.IntN(3) == 0 {
		radix, stages := 2+rng.IntN(2), 1+rng.IntN(3)
		n := power(radix, stages)
		return Butterfly(radix, stages, places(n), places(n))
	}
	rows, columns := 1+rng.IntN(4), 1+rng.IntN(4)
	return Mesh(rows, columns, rng.IntN(2) == 0, places(rows*columns), places(rows*columns))
}

func randomConfig(rng *rand.Rand, t *Topology) RouterConfig {
	c := RouterConfig{
		VirtualChannels: 1 + rng.IntN(4), BufferFlits: 1 + rng.IntN(4), RouterCycles: 1 + rng.IntN(3), LinkCycles: 1 + rng.IntN(3),
		Iterations: 1 + rng.IntN(3), InputQueue: 1 + rng.IntN(3), OutputQueue: 1 + rng.IntN(3), Classes: 1,
	}
	if c.VirtualChannels > 1 && rng.IntN(2) == 0 {
		c.Classes = 2
		for range t.Outputs {
			c.ClassOf = append(c.ClassOf, uint8(rng.IntN(2)))
		}
	}
	return c
}

// TestFabricIsItsSlowTwin runs random traffic on random small networks through
// both. Every queue accepts at the same time, every packet arrives in the same
// cycle, and every counter agrees. They also agree when Fabric is called only in
// the cycles that it asks for.
func TestFabricIsItsSlowTwin(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(3, 6)) {
		rng := rand.New(rand.NewPCG(seed, 7))
		topology := randomTopology(rng)
		c := randomConfig(rng, topology)
		set := new(counters.Set)
		fast, slow := fabric(topology, c, set, nil), newSlowNet(topology, c)
		due, sent, got := Never, 0, 0
		burst := 1 + rng.IntN(5)
		const total = 150
		for now := int64(0); got < total || due < Never; now++ {
			if now > 0 {
				slow.cycle()
			}
			slow.now = now
			if due <= now {
				due = fast.Cycle(now)
			}
			for o := range topology.Outputs {
				p, ok := fast.Head(o)
				if ok != (len(slow.sinks[o]) > 0) || ok && p != slow.sinks[o][0] {
					t.Fatalf("seed %d, cycle %d, output %d: %+v %v, the twin has %v", seed, now, o, p, ok, slow.sinks[o])
				}
				if ok && rng.IntN(3) == 0 {
					fast.Pop(o, now+1)
					due = now + 1
					slow.sinks[o] = slow.sinks[o][1:]
					slow.held[o]--
					slow.arrived--
					got++
				}
			}
			for range rng.IntN(burst + 1) {
				i, p := rng.IntN(len(topology.Inputs)), Packet{ID: uint32(sent), To: uint16(rng.IntN(len(topology.Outputs))), Flits: uint16(1 + rng.IntN(5))}
				if fast.CanSend(i) != slow.canSend(i) {
					t.Fatalf("seed %d, cycle %d: input %d takes a packet: %v, the twin says %v", seed, now, i, fast.CanSend(i), slow.canSend(i))
				}
				if sent < total && slow.canSend(i) {
					fast.Send(i, p)
					slow.send(i, p)
					due = now + 1
					sent++
				}
			}
			if now > 100000 {
				t.Fatalf("seed %d: %d of %d packets arrived", seed, got, total)
			}
		}
		if fast.InFlight() != 0 {
			t.Fatalf("seed %d: %d packets are left", seed, fast.InFlight())
		}
		compareWithTwin(t, seed, set, slow)
	}
}

func compareWithTwin(t *testing.T, seed uint64, set *counters.Set, slow *slowNet) {
	t.Helper()
	for name, v := range map[string][2]uint64{
		"flit hops":  {set[counters.RequestFlitHops] + set[counters.ReplyFlitHops], uint64(slow.hops)},
		"traversals": {set[counters.RouterFlits], uint64(slow.traversals)},
		"buffered":   {set[counters.RouterBufferedFlits], uint64(slow.buffered)},
		"stalled":    {set[counters.RouterCreditStalls], uint64(slow.stalled)},
		"injection":  {set[counters.RequestInjectionCycles] + set[counters.ReplyInjectionCycles], uint64(slow.injection)},
		"traversal":  {set[counters.RequestTraversalCycles] + set[counters.ReplyTraversalCycles], uint64(slow.traversal)},
		"ejection":   {set[counters.RequestEjectionCycles] + set[counters.ReplyEjectionCycles], uint64(slow.ejection)},
	} {
		if v[0] != v[1] {
			t.Errorf("seed %d: %s: %d, the twin counts %d", seed, name, v[0], v[1])
		}
	}
}
