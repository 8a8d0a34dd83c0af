// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// allocate reserves a line, writing a dirty one back; -1 when every line of the
// set is on its way.
func (p *Port) allocate(now clock.Cycle, f *frontCache, line uint64) int {
	i := f.tags.Victim(line)
	if i < 0 {
		p.jammed = p.jammed || f == &p.l1
		return -1
	}
	if f.tags.Present(i) && f.tags.Dirty(i) != 0 {
		if f.full() {
			return -1
		}
		p.writeBackLine(now, f, i)
	}
	p.leaves(f, i)
	f.tags.Replace(i, line)
	return i
}

// writeBackLine sends the dirty bytes of a line to L2, by an operation.
func (p *Port) writeBackLine(now clock.Cycle, f *frontCache, i int) (op int32) {
	dirty := p.system.partOf(f.bytes(f.tags.Dirty(i)))
	op = p.operations.Take()
	p.operations.Items[op] = operation{kind: opWriteBack, issued: now, remaining: int32(dirty.answers), instruction: seam.NoInstruction, token: seam.NoToken}
	instruction := p.instruction
	p.instruction = seam.NoInstruction
	p.request(now, f, write, &dirty, f.tags.Address(i)).op = op
	p.instruction = instruction
	f.tags.Clean(i)
	return op
}

// direct sends a transaction to L2 as it is; its operation waits for every
// answer.
func (p *Port) direct(now clock.Cycle, f *frontCache, a *lineAccess, k kind) {
	moved := p.system.partOf(a.Bytes)
	var more cache.Sectors
	if k == write && p.system.pieces {
		more = p.system.pieceOf(a.Bytes) &^ p.system.l2Geometry.Touched(a.Bytes)
		moved.answers += int16(bits.OnesCount8(uint8(more)))
	}
	p.operations.Items[a.op].remaining += int32(moved.answers)
	r := p.request(now, f, k, &moved, a.Line)
	r.op, r.more = a.op, more
}

// request puts a request to L2 for a part of a line into a miss queue. The caller says
// in place what waits for it, or what it fills.
func (p *Port) request(now clock.Cycle, f *frontCache, k kind, b *part, line uint64) *request {
	if f != &p.instructions {
		line |= p.tag
	}
	i, r := p.newRequest(now, k, b, line)
	f.queue.Push(i)
	return r
}

// pieceOf is the sectors of L2 in the smallest aligned piece of a block that holds bytes.
func (s *System) pieceOf(b cache.Bytes) cache.Sectors {
	size := 32
	for !b.AndNot(cache.Range(b.First()&^(size-1), size)).Empty() {
		size *= 2
	}
	return s.l2Geometry.Touched(cache.Range(b.First()&^(size-1), size))
}

// payload is the data of a request: whole L2 sectors.
func (s *System) payload(r *request) int {
	return (s.Sectors(r.bytes) + bits.OnesCount8(uint8(r.more))) * s.l2Geometry.SectorBytes
}

// newRequest makes a request for a part of a line of L2, which goes into a queue. It
// fills nothing, and nothing waits for it.
func (p *Port) newRequest(now clock.Cycle, k kind, b *part, line uint64) (int32, *request) {
	slice, inside := p.system.addresses.slice(line)
	i := p.requests.Take()
	if len(p.sent) != len(p.requests.Items) && !p.ahead.on {
		p.sent = p.requests.Items
	}
	p.queued++
	r := &p.requests.Items[i]
	*r = request{
		address: inside, bytes: b.bytes, sent: now, op: none, slice: uint16(slice), sm: uint16(p.sm),
		answers: b.answers, kind: k, cause: p.instruction,
	}
	return i, r
}

// fetch takes one of the instruction fetches that missed to the instruction cache.
func (p *Port) fetch(now clock.Cycle) bool {
	op := *p.fetches.Head()
	p.instruction = seam.NoInstruction
	f := &p.instructions
	physical := p.system.code + p.operations.Items[op].address
	a := lineAccess{op: op}
	a.Line, a.Bytes = f.tags.Line(physical), f.tags.Bytes(f.tags.SectorOf(physical))
	p.operations.Items[op].remaining = 1
	l := f.find(a.Line, a.Bytes)
	if !p.read(now, f, &a, &l) {
		return false
	}
	if p.stream.reach > 0 {
		if l.missing != 0 {
			p.stream.begin(a.Line)
		} else {
			p.stream.follow(a.Line)
		}
	}
	p.fetches.Pop()
	p.done(now, op, 1)
	return true
}

// inject sends one of the requests that are queued, if the network takes it:
// instructions first, then constants, then textures, then data, then what is read
// early.
func (p *Port) inject(now clock.Cycle) bool {
	if !p.canSend() {
		return false
	}
	i := p.nextQueue().Pop()
	p.queued--
	p.counts[counters.RequestQueueCycles] += uint64(now - p.requests.Items[i].sent)
	p.counts[counters.RequestsSent]++
	if p.ahead.on {
		p.sendAhead(now, p.packet(i))
		return true
	}
	s := p.system
	s.enter(p.sm, p.packet(i))
	s.wakeRequests(now)
	return true
}

// nextQueue is the queue whose head is sent next; one of them has a request.
func (p *Port) nextQueue() *ring.Ring[int32] {
	switch {
	case p.instructions.queue.Len() > 0:
		return &p.instructions.queue
	case p.constants.queue.Len() > 0:
		return &p.constants.queue
	case p.textures.queue.Len() > 0:
		return &p.textures.queue
	case p.l1.queue.Len() > 0:
		return &p.l1.queue
	}
	return &p.early
}

// packet is a request on its way through the network.
func (p *Port) packet(i int32) network.Packet {
	s := p.system
	r := &p.requests.Items[i]
	payload := 0
	if r.kind.carries() {
		payload = s.payload(r)
	}
	return network.Packet{ID: s.packetID(p.sm, i), To: r.slice, Flits: network.Flits(s.header, payload, s.flit)}
}

// enter puts a request into the network, which has room for it.
func (s *System) enter(sm int, packet network.Packet) {
	if p := s.ports[sm]; len(p.sent) != len(p.requests.Items) {
		p.sent = p.requests.Items
	}
	s.requestNet.Send(sm, packet)
	s.global[counters.RequestPackets]++
	s.global[counters.RequestFlits] += uint64(packet.Flits)
}
