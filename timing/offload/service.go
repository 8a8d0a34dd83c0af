// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/units"
)

// service is the service queue of a memory partition, a core (Fig. 8b) or a router. Every
// step of it takes at most one chain a cycle.
type service struct {
	engine  *engine
	end     seam.End
	at      place
	entries int              // in use
	ready   ring.Ring[int32] // jobs whose operands are all here
	filled  int              // places of the buffer
	compute ring.Ring[int32] // jobs in the buffer, with their operands
	alu     clock.Cycle      // from which the ALU takes the next chain
	lanes   int              // of an ALU of its own; zero: the core's
	out     ring.Ring[uint32]
	returns int // of these, loads of packets that found no entry
	answers ring.Ring[uint32]
	refused int // of these, packets that go back
}

// place says what a service queue stands at.
type place uint8

const (
	atPartition place = iota
	atCore
	atRouter // of a butterfly: it takes packets and replies on their way
)

// returnPlaces is the packets that a core's or router's service queue without a free entry
// holds until their loads, or they themselves, have been sent on.
const returnPlaces = 4

func newService(e *engine, end seam.End) *service {
	s := &service{
		engine: e, end: end, at: e.placeOf(end), lanes: e.section.PartitionLanes,
		ready: ring.New[int32](e.section.ServiceEntries), compute: ring.New[int32](e.section.BufferEntries),
		out: ring.New[uint32](16), answers: ring.New[uint32](16),
	}
	if s.at == atCore {
		s.lanes = e.section.CoreLanes
	}
	return s
}

func (e *engine) placeOf(end seam.End) place {
	switch {
	case end >= e.system.Router(0):
		return atRouter
	case end >= e.system.Slice(0):
		return atPartition
	}
	return atCore
}

// step does one cycle; false when there is nothing left to do without an event.
func (s *service) step(now clock.Cycle) bool {
	at := s.engine.at(now)
	if s.answers.Len() > 0 {
		s.sendAnswer(at)
	}
	if s.out.Len() > 0 {
		s.sendOut(at)
	}
	waits := false
	switch {
	case s.at == atRouter:
		waits = s.receive(at, true)
		waits = s.receive(at, false) || waits
	case s.engine.peers == seam.EndPeers:
		waits = s.receive(at, s.at == atPartition)
	}
	if s.ready.Len() > 0 && s.filled < s.engine.section.BufferEntries {
		s.fill(now)
	}
	if s.compute.Len() > 0 {
		s.start(now)
	}
	return waits || s.answers.Len() > 0 || s.out.Len() > 0 || s.compute.Len() > 0 || s.ready.Len() > 0 && s.filled < s.engine.section.BufferEntries
}

// receive takes one message from the end of a network at which only messages of offloading
// arrive. Packets come at the end of requests. Acknowledgements of stores, and operands from
// partitions, come at that of replies.
func (s *service) receive(at clock.Time, reply bool) (more bool) {
	e := s.engine
	id, ok := e.system.Take(at, s.end, reply, true)
	if !ok {
		return false
	}
	i := int32(id >> messageBits)
	if m := message(id & (1<<messageBits - 1)); reply && m == messageStore {
		s.stored(at, i)
	} else if reply {
		s.present(i)
	} else if !s.packet(i) {
		return true
	}
	e.system.Take(at, s.end, reply, false)
	return true // another may wait
}

// packet takes a ComputePacket at a core or router; false when it has to wait in the network.
func (s *service) packet(i int32) bool {
	e := s.engine
	j := &e.jobs.items[i]
	first := messageLoad
	switch {
	case s.entries < e.section.ServiceEntries:
		s.accept()
	case s.returns < returnPlaces:
		e.count(countReturned, 1)
		s.returns += j.chain.loads
		first = messageReturned
	case s.refused < returnPlaces:
		e.count(countRefused, 1)
		s.refused++
		s.answers.Push(idOf(i, messageRefused))
		return true
	default:
		return false
	}
	j.waiting = j.loadSectors()
	for k := range j.chain.loads {
		s.out.Push(idOf(i, first+message(k)))
	}
	return true
}

func (s *service) accept() {
	s.entries++
	s.engine.count(countServiceAccess, 1)
}

// sendOut puts a load or a store into the request network.
func (s *service) sendOut(at clock.Time) {
	e := s.engine
	id := *s.out.Head()
	j, m := &e.jobs.items[id>>messageBits], message(id&(1<<messageBits-1))
	l, flits := &j.lines[storeLine], e.system.Flits(0)
	switch m {
	case messageStore:
		flits = e.system.WriteFlits(l.bytes)
	case messageLoad, messageLoad + 1:
		l = &j.lines[m-messageLoad]
	default:
		l = &j.lines[m-messageReturned]
	}
	if !e.system.SendRequest(at, s.end, e.system.Slice(int(l.slice)), id, flits) {
		return
	}
	s.out.Drop()
	if m >= messageReturned {
		s.returns--
	}
}

// sendAnswer puts an answer, or a packet that goes back, into the reply network.
func (s *service) sendAnswer(at clock.Time) {
	e := s.engine
	id := *s.answers.Head()
	j, m := &e.jobs.items[id>>messageBits], message(id&(1<<messageBits-1))
	flits := e.system.Flits(0)
	if m == messageAnswer {
		flits = e.answerFlits(j)
	}
	if !e.system.SendReply(at, s.end, seam.End(j.sm), id, flits) {
		return
	}
	s.answers.Drop()
	if m == messageRefused {
		s.refused--
		return
	}
	s.entries--
	e.count(countServiceAccess, 1)
	e.count(countAnswers, 1)
	if s.at == atPartition {
		e.system.Sent(at, s.slice())
	}
}

// present tells that a sector of a job's operands is here: in L2, in the core's
// shared memory, or in the router's.
func (s *service) present(i int32) {
	e := s.engine
	j := &e.jobs.items[i]
	if j.waiting--; j.waiting > 0 {
		return
	}
	e.count(countServiceAccess, 1)
	if j.fetching {
		s.buffered(i)
		return
	}
	s.ready.Push(i)
	e.wake(int(s.end))
}

// fill brings the operands of a job into the buffer: from L2, from shared
// memory, or from the router's.
func (s *service) fill(now clock.Cycle) {
	e := s.engine
	i := s.ready.Pop()
	j := &e.jobs.items[i]
	s.filled++
	switch s.at {
	case atCore:
		e.sets[int(s.end)][counters.SharedLaneRead] += uint64(j.chain.loads * bits.OnesCount32(j.mask))
		e.timers.add(now+clock.Cycle(j.chain.loads-1+max(e.machine.Shared.LatencyCycles, 1)), operandsRead, j.sm, i)
		return
	case atRouter:
		e.timers.add(now+clock.Cycle(j.chain.loads), operandsRead, j.sm, i)
		return
	}
	// What has come from another partition is with the service queue already.
	j.fetching, j.waiting = true, 0
	for k := range j.chain.loads {
		if l := &j.lines[k]; int(l.slice) == s.slice() {
			j.waiting += int(l.sectors)
			e.system.Access(e.at(now), int(l.slice), l.inside, l.bytes, false, seam.First, idOf(i, messageLoad+message(k)))
		}
	}
	if j.waiting == 0 {
		e.timers.add(now+1, operandsRead, j.sm, i)
	}
}

// buffered tells that the operands of a job are in the buffer.
func (s *service) buffered(i int32) {
	s.engine.count(countBufferAccess, 2*uint64(s.engine.jobs.items[i].chain.loads))
	s.compute.Push(i)
	s.engine.wake(int(s.end))
}

// start gives the ALU the next chain; a copy needs none.
func (s *service) start(now clock.Cycle) {
	e := s.engine
	i := *s.compute.Head()
	c := e.jobs.items[i].chain
	if c.ops == 0 {
		s.compute.Drop()
		s.computed(now, i)
		return
	}
	if s.alu > now {
		return
	}
	lanes := s.lanes
	if lanes == 0 {
		// The cycle before is over: what the core has left idle in it is the queue's.
		if !e.sms[s.end].UnitIdle(units.SP, now-1) {
			e.count(countContention, 1)
			return
		}
		lanes = 32
	}
	s.compute.Drop()
	passes := clock.Cycle((32 + lanes - 1) / lanes)
	s.alu = now + passes*clock.Cycle(c.ops)
	e.timers.add(now+c.cycles+(passes-1)*clock.Cycle(c.ops), computedAtNode, e.jobs.items[i].sm, i)
	if s.at == atPartition {
		e.count(countPartitionOp, uint64(c.ops))
	} else {
		e.count(countCoreOp, uint64(c.ops))
	}
}

// computed sends the result of a job on its way.
func (s *service) computed(now clock.Cycle, i int32) {
	e := s.engine
	j := &e.jobs.items[i]
	s.filled--
	e.wake(int(s.end))
	if !j.chain.stores {
		s.answer(e.at(now), i)
		return
	}
	l := &j.lines[storeLine]
	j.waiting = int(l.sectors)
	if target := e.system.Slice(int(l.slice)); target != s.end {
		s.out.Push(idOf(i, messageStore))
		return
	}
	e.afterWay(e.at(now), storeAtTags, i)
}

// stored tells that a sector of a job's result has been written.
func (s *service) stored(at clock.Time, i int32) {
	j := &s.engine.jobs.items[i]
	if j.waiting--; j.waiting == 0 {
		s.answer(at, i)
		s.engine.wake(int(s.end))
	}
}

// answer lets the answer to a job wait for the network.
func (s *service) answer(at clock.Time, i int32) {
	s.answers.Push(idOf(i, messageAnswer))
	if s.at == atPartition {
		s.engine.system.Answered(at, s.slice())
	}
}

// slice is the number of the slice of a partition's service queue.
func (s *service) slice() int { return int(s.end - s.engine.system.Slice(0)) }
