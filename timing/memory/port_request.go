package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/network"
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
	var b cache.Bytes
	for m := f.tags.Dirty(i); m != 0; m &= m - 1 {
		b = b.Or(f.tags.Bytes(bits.TrailingZeros8(uint8(m))))
	}
	op = p.operations.Take()
	p.operations.Items[op] = operation{kind: opWriteBack, issued: now, remaining: p.answers(b), line: seam.NoInstruction, token: seam.NoToken}
	line := p.line
	p.line = seam.NoInstruction
	p.request(now, f, request{bytes: b, kind: write, op: op}, f.tags.Address(i))
	p.line = line
	f.tags.Clean(i)
	return op
}

// direct sends a transaction to L2 as it is; its operation waits for every
// answer.
func (p *Port) direct(now clock.Cycle, f *frontCache, a *lineAccess, k kind) {
	p.operations.Items[a.op].remaining += p.answers(a.Bytes)
	p.request(now, f, request{bytes: a.Bytes, kind: k, op: a.op, fill: fillNone}, a.Line)
}

// answers is the number of packets in which L2 answers: one per sector.
func (p *Port) answers(b cache.Bytes) int32 {
	return int32(bits.OnesCount8(uint8(p.system.l2Geometry.Touched(b))))
}

// request puts a request to L2 into a miss queue.
func (p *Port) request(now clock.Cycle, f *frontCache, r request, line uint64) {
	if f != &p.instructions {
		line |= p.tag
	}
	f.queue.Push(p.newRequest(now, r, line))
}

// newRequest makes a request for (bytes of) a line of L2.
func (p *Port) newRequest(now clock.Cycle, r request, line uint64) int32 {
	s := p.system
	slice, inside := s.addresses.slice(line)
	r.address, r.slice, r.sm, r.sent, r.cause = inside, uint16(slice), uint16(p.sm), now, p.line
	r.answers = int16(p.answers(r.bytes))
	i := p.requests.Take()
	p.requests.Items[i] = r
	return i
}

// fetch takes one of the instruction fetches that missed to the instruction cache.
func (p *Port) fetch(now clock.Cycle) bool {
	op := *p.fetches.Head()
	p.line = seam.NoInstruction
	f := &p.instructions
	physical := instructionWindow + p.operations.Items[op].address
	a := lineAccess{op: op}
	a.Line, a.Bytes = f.tags.Line(physical), f.tags.Bytes(f.tags.SectorOf(physical))
	p.operations.Items[op].remaining = 1
	l := f.find(a.Line, a.Bytes)
	if !p.read(now, f, &a, &l) {
		return false
	}
	p.fetches.Pop()
	p.done(now, op, 1)
	return true
}

// inject sends one request a cycle: instructions first, then constants, then
// textures, then data, then what is read early.
func (p *Port) inject(now clock.Cycle) bool {
	q := &p.instructions.queue
	if q.Len() == 0 {
		q = &p.constants.queue
	}
	if q.Len() == 0 {
		q = &p.textures.queue
	}
	if q.Len() == 0 {
		q = &p.l1.queue
	}
	if q.Len() == 0 {
		q = &p.early
	}
	if q.Len() == 0 || !p.canSend() {
		return false
	}
	i := q.Pop()
	p.counts[counters.RequestQueueCycles] += uint64(now - p.requests.Items[i].sent)
	if p.ahead.on {
		p.ahead.log.Push(act{now, i})
		return true
	}
	p.send(now, i)
	return true
}

// send takes a request to the network in the cycle now; the caller has seen that
// there is room.
func (p *Port) send(now clock.Cycle, i int32) {
	s := p.system
	r := &p.requests.Items[i]
	payload := 0
	if r.kind.carries() {
		payload = s.sectorPayload(r.bytes)
	}
	flits := network.Flits(s.header, payload, s.flit)
	s.requestNet.Send(p.sm, network.Packet{ID: s.packetID(p.sm, i), To: r.slice, Flits: flits})
	s.wakeRequests(now)
	s.global[counters.RequestPackets]++
	s.global[counters.RequestFlits] += uint64(flits)
	p.counts[counters.RequestsSent]++
}
