// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// tags notes when accesses reach the tags of its one slice, and when answers wait.
type tags struct {
	seam.OffloadHost
	accesses, answers []clock.Time
	orders            []seam.Order
}

func (h *tags) Slice(slice int) seam.End { return seam.End(1 + slice) }

func (h *tags) Router(router int) seam.End { return seam.End(2 + router) }

func (h *tags) Access(at clock.Time, _ int, _ uint64, _ cache.Bytes, _ bool, order seam.Order, _ uint32) {
	h.accesses, h.orders = append(h.accesses, at), append(h.orders, order)
}

func (h *tags) Answered(at clock.Time, _ int) { h.answers = append(h.answers, at) }

func (*tags) Flits(int) uint16 { return 1 }

func (*tags) SendReply(clock.Time, seam.End, seam.End, uint32, uint16) bool { return false }

// A result reaches the tags in the cycle in which its arithmetic ends (section 4.4.2 of the paper). A chain without a
// store has its answer then. Neither depends on whether the engine visits the cycles in between.
func TestAResultIsThereWhenItsArithmeticEnds(t *testing.T) {
	const begun, period = 100, 7
	for _, stores := range []bool{true, false} {
		for _, everyCycle := range []bool{true, false} {
			for _, c := range []struct {
				chain chain
				lanes int
				ends  clock.Cycle
			}{
				{chain{loads: 1}, 32, begun}, // a copy
				{chain{loads: 2, ops: 1, cycles: 1}, 32, begun + 1},
				{chain{loads: 2, ops: 1, cycles: 18}, 32, begun + 18},
				{chain{loads: 2, ops: 1, cycles: 18}, 4, begun + 18 + 7}, // eight passes
				{chain{loads: 2, ops: 2, cycles: 300}, 16, begun + 300 + 2},
			} {
				c.chain.stores = stores
				host := &tags{}
				e := &engine{
					machine: &arch.Machine{}, section: &Section{BufferEntries: 4}, system: host, global: new(counters.Set), jobs: newJobs(),
					clocks: gpu.Clocks{Core: clock.Domain{Period: period}}, queues: make([]*queue, 1), slices: 1, busy: make([]uint64, 1),
				}
				e.jobs.items = []job{{chain: &c.chain, node: 1}}
				e.jobs.items[0].lines[storeLine].sectors = 1
				s := &service{
					engine: e, end: 1, lanes: c.lanes, compute: ring.New[int32](4), ready: ring.New[int32](4),
					out: ring.New[uint32](4), answers: ring.New[uint32](4), filled: 1,
				}
				e.services = []*service{nil, s}
				s.compute.Push(0)
				e.stepped = begun
				s.start(begun)
				got := &host.answers
				if stores {
					got = &host.accesses
				}
				for now := clock.Cycle(begun + 1); len(*got) == 0; now++ {
					if !everyCycle {
						now = e.timers.Due()
					}
					if now > c.ends {
						t.Fatalf("%+v: nothing in cycle %d", c, c.ends)
					}
					e.advance(now)
				}
				if want := c.ends * period; len(*got) != 1 || (*got)[0] != clock.Time(want) {
					t.Errorf("%+v, every cycle %t: at %v, want %d", c, everyCycle, *got, want)
				}
			}
		}
	}
}

// The next chain starts when all passes of the one before have started: a chain of some operations holds the lanes as often as its
// 32 results need them.
func TestTheALUTakesAChainWhenThePassesOfTheLastAreOver(t *testing.T) {
	const begun = 100
	for _, c := range []struct {
		ops, lanes int
		free       clock.Cycle
	}{{1, 32, begun + 1}, {2, 32, begun + 2}, {1, 4, begun + 8}, {3, 16, begun + 6}} {
		e := &engine{machine: &arch.Machine{}, section: &Section{BufferEntries: 4}, global: new(counters.Set), jobs: newJobs(), queues: make([]*queue, 1), slices: 1}
		two := chain{loads: 2, ops: c.ops, cycles: 18}
		e.jobs.items = []job{{chain: &two, node: 1}, {chain: &two, node: 1}}
		s := &service{engine: e, end: 1, at: atPartition, lanes: c.lanes, compute: ring.New[int32](4), filled: 2}
		s.compute.Push(0)
		s.compute.Push(1)
		for now := clock.Cycle(begun); s.compute.Len() > 0; now++ {
			before := s.compute.Len()
			if s.start(now); before == 1 && s.compute.Len() == 0 && now != c.free {
				t.Errorf("%+v: the second chain starts in cycle %d", c, now)
			}
			if now > c.free {
				t.Fatalf("%+v: the second chain does not start", c)
			}
		}
	}
}

// A partition's store goes among the requests from the network as its loads do (D53), and its reads of operands before them.
// A store that went first was served between loads: with an L2 whose missing writes go on, the DRAM then turned 1.6 times as
// often in copy-aligned.
func TestAStoreOfAPartitionGoesAmongRequestsAsItsLoadsDo(t *testing.T) {
	for _, order := range []string{"turns", "arrival"} {
		section := &Section{BufferEntries: 4, ServiceEntries: 4, SliceOrder: order}
		host := &tags{}
		e := &engine{
			machine: &arch.Machine{}, section: section, order: section.order(), system: host, global: new(counters.Set), jobs: newJobs(),
			clocks: gpu.Clocks{Core: clock.Domain{Period: 1}}, queues: make([]*queue, 1), slices: 1, busy: make([]uint64, 1),
		}
		e.jobs.items = []job{{chain: &chain{loads: 1, stores: true}, node: 1}}
		for k := range e.jobs.items[0].lines {
			e.jobs.items[0].lines[k].sectors = 1
		}
		s := newService(e, 1)
		e.services = []*service{nil, s}
		e.loadBeside(0, 0)
		s.ready.Push(0)
		s.fill(1)
		s.computed(2, 0)
		among := map[string]seam.Order{"turns": seam.InTurn, "arrival": seam.ByArrival}[order]
		if want := []seam.Order{among, seam.First, among}; !slices.Equal(host.orders, want) {
			t.Errorf("%s: load, read of the operand and store go %d, want %d", order, host.orders, want)
		}
	}
}
