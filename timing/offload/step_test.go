// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// A service queue goes on in the next cycle while a chain is ready and the buffer has room for
// it; a chain that waits for room sleeps until the buffer has some.
func TestAServiceQueueSleepsWithoutRoomForItsChains(t *testing.T) {
	for _, c := range []struct {
		chains, room int
		goes         bool
	}{{1, 4, false}, {2, 4, true}, {4, 4, true}, {2, 1, false}, {3, 2, true}} {
		e := &engine{machine: &arch.Machine{}, section: &Section{BufferEntries: c.room}, jobs: newJobs(), system: new(tags), global: new(counters.Set)}
		e.jobs.items = []job{{chain: &chain{loads: 1}}}
		e.jobs.items[0].lines[0].slice = 5 // its operand has come from another partition
		s := &service{engine: e, end: 1, at: atPartition, ready: ring.New[int32](4), compute: ring.New[int32](4), out: ring.New[uint32](4), answers: ring.New[uint32](4)}
		for range c.chains {
			s.ready.Push(0)
		}
		if got := s.step(100); got != c.goes {
			t.Errorf("%d chains are ready and the buffer has %d places: it goes on %v", c.chains, c.room, got)
		}
	}
}

// mailbox holds messages for one end of the networks of requests and replies.
type mailbox struct {
	tags
	waiting [2][]uint32 // requests and replies
}

func (m *mailbox) Take(_ clock.Time, _ seam.End, reply, look bool) (uint32, bool) {
	of := &m.waiting[0]
	if reply {
		of = &m.waiting[1]
	}
	if len(*of) == 0 {
		return 0, false
	}
	id := (*of)[0]
	if !look {
		*of = (*of)[1:]
	}
	return id, true
}

// A router's service queue takes a message of each network in a cycle, and goes on while one
// of the two had any.
func TestARouterTakesMessagesOfBothNetworks(t *testing.T) {
	for _, c := range [][2]int{{0, 0}, {0, 3}, {2, 0}, {1, 2}, {3, 1}} {
		host := &mailbox{}
		e := &engine{machine: &arch.Machine{}, section: &Section{BufferEntries: 1}, jobs: newJobs(), system: host, global: new(counters.Set)}
		// Packets of a chain without loads find an entry; of the other one more operands are to come.
		e.jobs.items = []job{{chain: &chain{}}, {chain: &chain{loads: 2}, waiting: 100}}
		e.section.ServiceEntries = 100
		s := &service{engine: e, end: 1, at: atRouter, ready: ring.New[int32](4), compute: ring.New[int32](4), out: ring.New[uint32](4), answers: ring.New[uint32](4)}
		for range c[0] {
			host.waiting[0] = append(host.waiting[0], idOf(0, messageLoad))
		}
		for range c[1] {
			host.waiting[1] = append(host.waiting[1], idOf(1, messageLoad))
		}
		for cycle := range max(c[0], c[1]) + 1 {
			if got, want := s.step(clock.Cycle(cycle)), cycle < max(c[0], c[1]); got != want {
				t.Errorf("%d packets and %d operands, cycle %d: it goes on %v", c[0], c[1], cycle, got)
			}
		}
		if s.entries != c[0] || e.jobs.items[1].waiting != 100-c[1] {
			t.Errorf("%d packets and %d operands: %d entries are taken, %d operands are to come", c[0], c[1], s.entries, e.jobs.items[1].waiting)
		}
	}
}

// Ends of the networks have the numbers of SMs, then of slices, then of routers.
func TestEndsAreNamedByWhatStandsThere(t *testing.T) {
	e := &engine{queues: make([]*queue, 2), slices: 3}
	for end, want := range []string{"SM 0", "SM 1", "L2 slice 0", "L2 slice 1", "L2 slice 2", "router 0", "router 1"} {
		if got := e.nameOf(end); got != want {
			t.Errorf("end %d is %s, want %s", end, got, want)
		}
	}
}
