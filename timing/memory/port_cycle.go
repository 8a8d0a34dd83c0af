package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/seam"
)

// Cycle implements seam.Port.
func (p *Port) Cycle(now clock.Cycle) clock.Cycle {
	busy := p.reply(now)
	p.finishShared(now)
	busy = p.lookUpConstant(now) || busy
	busy = p.lookUpData(now) || busy
	busy = p.fetch(now) || busy
	busy = p.flush(now) || busy
	busy = p.inject(now) || busy
	if busy {
		return now + 1
	}
	return p.nextTimer(now)
}

// nextTimer is the next cycle in which time alone lets the port go on. A
// pipeline whose head is ready and did not move waits for a reply or for the
// network, which wake the port.
func (p *Port) nextTimer(now clock.Cycle) clock.Cycle {
	next := clock.Never
	if p.entry > now {
		next = p.entry
	}
	if p.shared.count > 0 {
		next = min(next, p.shared.head().done)
	}
	if p.constant.count > 0 && p.constant.head().ready > now {
		next = min(next, p.constant.head().ready)
	}
	if p.data.count > 0 && p.data.head().ready > now {
		next = min(next, p.data.head().ready)
	}
	return next
}

// reply takes one packet from the reply network.
func (p *Port) reply(now clock.Cycle) bool {
	s := p.system
	packet, ok := s.replyNet.Head(p.sm)
	if !ok {
		return false
	}
	s.replyNet.Pop(p.sm)
	s.wakeReplies(now)
	i := int32(packet.ID)
	r := &s.requests.items[i]
	if r.fill == fillNone {
		p.done(now, r.op, 1)
	}
	if r.answers--; r.answers > 0 {
		return true
	}
	p.counts[counters.RequestsAnswered]++
	switch r.fill {
	case fillData:
		p.fill(now, &p.l1, r)
	case fillConstant:
		p.fill(now, &p.constants, r)
	case fillInstruction:
		p.fill(now, &p.instructions, r)
	}
	s.requests.release(i)
	return true
}

// fill makes the sectors of a request valid and serves all that waits for them.
func (p *Port) fill(now clock.Cycle, f *frontCache, r *request) {
	line := int(r.line)
	for m := r.sectors; m != 0; m &= m - 1 {
		sector := bits.TrailingZeros8(uint8(m))
		register := f.tags.Register(line, sector)
		f.tags.Fill(line, sector)
		for id, ok := f.misses.Next(register); ok; id, ok = f.misses.Next(register) {
			p.done(now, int32(id), 1)
		}
		f.misses.Release(register)
	}
}

// done takes n off what an operation waits for, and reports its end.
func (p *Port) done(now clock.Cycle, op, n int32) {
	o := &p.operations.items[op]
	if o.remaining -= n; o.remaining > 0 {
		return
	}
	end := *o
	p.operations.release(op)
	switch end.kind {
	case opStore:
		p.writes[end.warp]--
		p.to.WriteDone(now, int(end.warp))
	case opFetch:
		p.to.Fetched(now, end.address)
	case opLocalStore:
		p.to.Complete(now, end.token)
	case opLoad, opAtomic:
		if end.timed {
			p.counts[counters.LoadRequests]++
			p.counts[counters.LoadLatencySum] += uint64(now - end.issued)
		}
		p.to.Complete(now, end.token)
	}
}

// entered tells that a transaction of an operation has passed its tags.
func (p *Port) entered(now clock.Cycle, op int32) {
	o := &p.operations.items[op]
	if o.entering--; o.entering == 0 && o.kind == opStore && o.token != seam.NoToken {
		p.to.Complete(now, o.token)
	}
}

func (p *Port) finishShared(now clock.Cycle) {
	for p.shared.count > 0 && p.shared.head().done <= now {
		p.done(now, p.shared.pop().op, 1)
	}
}

// lookUpConstant takes one access to the constant cache.
func (p *Port) lookUpConstant(now clock.Cycle) bool {
	if p.constant.count == 0 || p.constant.head().ready > now {
		return false
	}
	a := p.constant.head()
	f := &p.constants
	if f.tags == nil {
		if f.full() {
			return false
		}
		p.direct(now, f, a, read)
		p.counts[counters.ConstantMiss]++
	} else {
		l := f.find(a.Line, a.Bytes)
		if !p.read(now, f, a, &l) {
			return false
		}
		if l.missing|l.pending != 0 {
			p.counts[counters.ConstantMiss]++
		}
	}
	op := p.constant.pop().op
	p.entered(now, op)
	p.done(now, op, 1)
	return true
}

// lookUpData takes as many transactions to L1 as it has banks, in order.
func (p *Port) lookUpData(now clock.Cycle) bool {
	moved := false
	var taken uint32
	for p.data.count > 0 && p.data.head().ready <= now {
		a := p.data.head()
		bank := uint32(1) << p.system.l1Bank(a.Line)
		if taken&bank != 0 {
			break
		}
		taken |= bank
		if !p.access(now, a) {
			p.stalled = min(p.stalled, now)
			break
		}
		if p.stalled < now {
			p.counts[counters.L1ReservationFail] += uint64(now - p.stalled)
		}
		p.stalled = clock.Never
		op := p.data.pop().op
		p.entered(now, op)
		p.done(now, op, 1)
		moved = true
	}
	return moved
}

// access performs one transaction at the L1; false when it has to wait.
func (p *Port) access(now clock.Cycle, a *lineAccess) bool {
	o := &p.operations.items[a.op]
	switch o.kind {
	case opStore:
		return p.store(now, a, o.local)
	case opAtomic:
		return p.atomic(now, a)
	}
	if p.l1.tags == nil || o.bypass {
		if p.l1.full() {
			return false
		}
		p.counts[counters.L1Read]++
		p.counts[counters.L1ReadMiss]++
		p.direct(now, &p.l1, a, read)
		return true
	}
	l := p.l1.find(a.Line, a.Bytes)
	if !p.read(now, &p.l1, a, &l) {
		return false
	}
	p.counts[counters.L1Read]++
	switch {
	case l.missing != 0:
		p.counts[counters.L1ReadMiss]++
	case l.pending != 0:
		p.counts[counters.L1ReadMerge]++
	default:
		p.counts[counters.L1ReadHit]++
	}
	return true
}

// read reads through a cache: the operation waits for what is missing or on
// its way. False, with nothing changed, when something is full.
func (p *Port) read(now clock.Cycle, f *frontCache, a *lineAccess, l *lookup) bool {
	if !f.admits(l) {
		return false
	}
	if l.line < 0 {
		if l.line = p.allocate(now, f, a.Line); l.line < 0 {
			return false
		}
	}
	f.tags.Use(l.line)
	o := &p.operations.items[a.op]
	for m := l.pending; m != 0; m &= m - 1 {
		f.misses.Wait(f.tags.Register(l.line, bits.TrailingZeros8(uint8(m))), uint32(a.op))
		o.remaining++
	}
	if l.missing == 0 {
		return true
	}
	var b cache.Bytes
	for m := l.missing; m != 0; m &= m - 1 {
		s := bits.TrailingZeros8(uint8(m))
		register := f.misses.Take(l.line, s)
		f.tags.Await(l.line, s, register)
		f.misses.Wait(register, uint32(a.op))
		b = b.Or(f.tags.Bytes(s))
		o.remaining++
	}
	p.request(now, f, request{bytes: b, kind: read, op: none, line: int32(l.line), fill: f.target, sectors: l.missing}, a.Line)
	return true
}

// allocate reserves a line, writing a dirty one back; -1 when every line of the
// set is on its way.
func (p *Port) allocate(now clock.Cycle, f *frontCache, line uint64) int {
	i := f.tags.Victim(line)
	if i < 0 {
		return -1
	}
	if f.tags.Present(i) && f.tags.Dirty(i) != 0 {
		if f.full() {
			return -1
		}
		p.writeBackLine(now, f, i)
	}
	f.tags.Replace(i, line)
	return i
}

// writeBackLine sends the dirty bytes of a line to L2.
func (p *Port) writeBackLine(now clock.Cycle, f *frontCache, i int) {
	var b cache.Bytes
	for m := f.tags.Dirty(i); m != 0; m &= m - 1 {
		b = b.Or(f.tags.Bytes(bits.TrailingZeros8(uint8(m))))
	}
	op := p.operations.take()
	p.operations.items[op] = operation{kind: opWriteBack, issued: now, remaining: p.answers(b)}
	p.request(now, f, request{bytes: b, kind: write, op: op}, f.tags.Address(i))
	f.tags.Clean(i)
}

// store writes through or into the L1.
func (p *Port) store(now clock.Cycle, a *lineAccess, local bool) bool {
	f := &p.l1
	line := -1
	if f.tags != nil {
		line = f.tags.Find(a.Line)
	}
	switch {
	case f.tags != nil && p.l1Write == writeBack && line < 0:
		if line = p.allocate(now, f, a.Line); line < 0 {
			return false
		}
		p.writeInto(a, line)
	case line >= 0 && (p.l1Write == writeBack || local && p.l1Write == writeLocalBack):
		p.counts[counters.L1WriteHit]++
		p.writeInto(a, line)
	default:
		if f.full() {
			return false
		}
		if line >= 0 {
			p.counts[counters.L1WriteHit]++
			p.writeThroughHit(line)
		}
		p.direct(now, f, a, write)
	}
	p.counts[counters.L1Write]++
	return true
}

// writeThroughHit updates or drops the line; one that is still on its way stays.
func (p *Port) writeThroughHit(line int) {
	if p.writeHitEvicts && p.l1.tags.Pending(line) == 0 {
		p.l1.tags.Drop(line)
	} else {
		p.l1.tags.Use(line)
	}
}

// writeInto puts the bytes into a line of a write-back L1.
func (p *Port) writeInto(a *lineAccess, line int) {
	t := p.l1.tags
	for m := t.Touched(a.Bytes); m != 0; m &= m - 1 {
		s := bits.TrailingZeros8(uint8(m))
		t.Write(line, s, a.Bytes.And(t.Bytes(s)))
	}
	t.Use(line)
}

// atomic goes to L2 and drops the line here.
func (p *Port) atomic(now clock.Cycle, a *lineAccess) bool {
	f := &p.l1
	if f.full() {
		return false
	}
	if f.tags != nil {
		if i := f.tags.Find(a.Line); i >= 0 && f.tags.Pending(i) == 0 && f.tags.Dirty(i) == 0 {
			f.tags.Drop(i)
		}
	}
	p.direct(now, f, a, atomic)
	return true
}

// direct sends a transaction to L2 as it is; its operation waits for every
// answer.
func (p *Port) direct(now clock.Cycle, f *frontCache, a *lineAccess, k kind) {
	p.operations.items[a.op].remaining += p.answers(a.Bytes)
	p.request(now, f, request{bytes: a.Bytes, kind: k, op: a.op, fill: fillNone}, a.Line)
}

// answers is the number of packets in which L2 answers: one per sector.
func (p *Port) answers(b cache.Bytes) int32 {
	return int32(bits.OnesCount8(uint8(p.system.l2Geometry.Touched(b))))
}

// request puts a request to L2 into a miss queue.
func (p *Port) request(now clock.Cycle, f *frontCache, r request, line uint64) {
	s := p.system
	slice, inside := s.addresses.slice(line)
	r.address, r.slice, r.sm, r.sent = inside, uint16(slice), uint16(p.sm), now
	r.answers = int16(p.answers(r.bytes))
	i := s.requests.take()
	s.requests.items[i] = r
	f.queue.push(i)
}

// fetch takes one instruction fetch that missed to the instruction cache.
func (p *Port) fetch(now clock.Cycle) bool {
	if p.fetches.count == 0 {
		return false
	}
	op := *p.fetches.head()
	f := &p.instructions
	physical := instructionWindow + p.operations.items[op].address
	a := lineAccess{op: op}
	a.Line, a.Bytes = f.tags.Line(physical), f.tags.Bytes(f.tags.SectorOf(physical))
	p.operations.items[op].remaining = 1
	l := f.find(a.Line, a.Bytes)
	if !p.read(now, f, &a, &l) {
		return false
	}
	p.fetches.pop()
	p.done(now, op, 1)
	return true
}

// flush writes back one dirty line of a write-back L1 a cycle at a kernel's end.
func (p *Port) flush(now clock.Cycle) bool {
	if p.flushing < 0 || p.data.count > 0 {
		return false
	}
	t := p.l1.tags
	for ; p.flushing < t.Len(); p.flushing++ {
		if i := p.flushing; t.Present(i) && t.Dirty(i) != 0 {
			if p.l1.full() {
				return false
			}
			p.writeBackLine(now, &p.l1, i)
			return true
		}
	}
	t.Invalidate()
	p.flushing = -1
	return true
}

// inject sends one request a cycle: instructions first, then constants, then
// data.
func (p *Port) inject(now clock.Cycle) bool {
	f := &p.instructions
	if f.queue.count == 0 {
		f = &p.constants
	}
	if f.queue.count == 0 {
		f = &p.l1
	}
	if f.queue.count == 0 || !p.system.requestNet.CanSend(p.sm) {
		return false
	}
	p.send(f.queue.pop())
	p.system.wakeRequests(now)
	return true
}

var _ seam.Port = (*Port)(nil)
var _ network.Network = (*network.Crossbar)(nil)
