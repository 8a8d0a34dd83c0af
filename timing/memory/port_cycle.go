// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// Cycle implements seam.Port. It calls no part of the port that has nothing to do.
func (p *Port) Cycle(now clock.Cycle) clock.Cycle {
	busy := (p.arrived > 0 || p.ahead.on) && p.replies(now)
	if p.lates > 0 {
		busy = p.endLate(now) || busy
	}
	if p.shared.Len() > 0 {
		p.finishShared(now)
	}
	if p.constant.Len()+p.constants.refills.Len()+p.texture.Len() > 0 {
		busy = p.lookUpBesides(now) || busy
	}
	busy = p.data.Len() > 0 && p.data.Head().ready <= now && (p.lacks == 0 || !p.headWaits()) && p.lookUpData(now) || busy
	busy = p.fetches.Len() > 0 && p.fetch(now) || busy
	busy = p.stream.wants() && p.streamAhead(now) || busy
	busy = p.cleans.scanned < p.cleans.list.Len() && p.cleanLine(now) || busy
	busy = p.queued > 0 && p.inject(now) || busy
	if busy && p.goesOn(now) {
		return now + 1
	}
	return p.nextTimer(now)
}

// lookUpBesides takes accesses to the caches besides L1.
func (p *Port) lookUpBesides(now clock.Cycle) (busy bool) {
	busy = p.constant.Len() > 0 && p.lookUpConstant(now)
	busy = p.constants.refills.Len() > 0 && p.lookUpRefill(now) || busy
	return p.texture.Len() > 0 && p.lookUpTexture(now) || busy
}

// goesOn reports whether the port may do something in the next cycle, after it has
// done something in this one.
func (p *Port) goesOn(now clock.Cycle) bool {
	if p.queued > 0 || p.stream.wants() || p.data.Len() > 0 && p.data.Head().ready <= now+1 && (p.lacks == 0 || !p.headWaits()) {
		return true
	}
	if p.constant.Len()+p.constants.refills.Len()+p.texture.Len()+p.fetches.Len() > 0 || p.cleans.scanned < p.cleans.list.Len() {
		return true
	}
	return p.arrived > 0
}

// nextTimer is the next cycle in which time alone lets the port go on. A
// pipeline whose head is ready and did not move waits for a reply or for the
// network, which wake the port.
func (p *Port) nextTimer(now clock.Cycle) clock.Cycle {
	next := clock.Never
	if p.entry > now {
		next = p.entry
	}
	if p.lates > 0 {
		next = min(next, p.nextLate(now))
	}
	if p.shared.Len() > 0 {
		next = min(next, p.shared.Head().done)
	}
	if p.constant.Len()+p.constants.refills.Len()+p.texture.Len() > 0 {
		next = min(nextReady(now, &p.constant), nextReady(now, &p.constants.refills), nextReady(now, &p.texture), next)
	}
	return min(next, nextReady(now, &p.data))
}

// nextReady is when the head of a pipeline comes to its end, if it is not there.
func nextReady(now clock.Cycle, line *ring.Ring[lineAccess]) clock.Cycle {
	if line.Len() > 0 {
		if at := line.Head().ready; at > now {
			return at
		}
	}
	return clock.Never
}

// replies takes packets from the reply network, as many as an SM takes in a cycle.
func (p *Port) replies(now clock.Cycle) bool {
	if !p.reply(now) {
		return false
	}
	for more := p.system.replies - 1; more > 0 && p.reply(now); more-- {
	}
	return true
}

// reply takes one packet from the reply network.
func (p *Port) reply(now clock.Cycle) bool {
	packet, ok := p.takeReply(now)
	if !ok {
		return false
	}
	if p.system.isOffloader(packet.ID) {
		p.system.offloader.AtSM(now, p.sm, packet.ID>>p.system.smBits)
		return true
	}
	i := p.system.requestOf(packet.ID)
	r := &p.requests.Items[i]
	if r.fill == fillNone {
		p.done(now, r.op, 1)
	}
	if r.answers--; r.answers > 0 {
		return true
	}
	p.counts[counters.RequestsAnswered]++
	if p.system.watcher != nil {
		p.answered(now, r)
	}
	if p.byInstruction != nil {
		p.chargeAnswer(r)
	}
	switch r.fill {
	case fillData:
		p.fill(now, &p.l1, r)
	case fillConstant:
		p.fill(now, &p.constants, r)
	case fillInstruction:
		p.fill(now, &p.instructions, r)
	case fillTexture:
		p.fill(now, &p.textures, r)
	case fillStream:
		p.instructions.reserved += bits.OnesCount8(uint8(r.sectors))
		p.fill(now, &p.instructions, r)
	case fillTold, fillPrefetched:
		p.filled(now, r)
	}
	p.requests.Release(i)
	return true
}

// fill makes the sectors of a request valid and serves all that waits for them.
func (p *Port) fill(now clock.Cycle, f *frontCache, r *request) {
	p.fillLine(now, f, int(r.line), r.sectors)
}

// fillLine is fill of sectors of a line.
func (p *Port) fillLine(now clock.Cycle, f *frontCache, line int, sectors cache.Sectors) {
	for m := sectors; m != 0; m &= m - 1 {
		sector := bits.TrailingZeros8(uint8(m))
		mshr := f.tags.MSHR(line, sector)
		f.tags.Fill(line, sector)
		for id, ok := f.misses.Next(mshr); ok; id, ok = f.misses.Next(mshr) {
			p.lateDone(now, f, int32(id))
		}
		f.misses.Release(mshr)
	}
	f.tags.Settle(line)
	if p.jammed && f == &p.l1 {
		p.jammed = !f.tags.MakesRoom(line, p.data.Head().Line)
	}
}

// lateDone is done for an access that waited for a line of a cache: some cycles later, on
// machines on which that takes a while.
func (p *Port) lateDone(now clock.Cycle, f *frontCache, op int32) {
	if f.lateAfter == 0 {
		p.done(now, op, 1)
		return
	}
	f.late.Push(lateEnd{now + f.lateAfter, op})
	p.lates++
}

// endLate ends accesses whose line has come some cycles ago, one of each cache.
func (p *Port) endLate(now clock.Cycle) (busy bool) {
	for _, f := range [...]*frontCache{&p.l1, &p.constants, &p.instructions, &p.textures} {
		if f.late.Len() > 0 && f.late.Head().at <= now {
			p.lates--
			p.done(now, f.late.Pop().op, 1)
			busy = true
		}
	}
	return busy
}

// nextLate is the cycle of the next of them, or the next cycle.
func (p *Port) nextLate(now clock.Cycle) clock.Cycle {
	next := clock.Never
	for _, f := range [...]*frontCache{&p.l1, &p.constants, &p.instructions, &p.textures} {
		if f.late.Len() > 0 {
			next = min(next, max(f.late.Head().at, now+1))
		}
	}
	return next
}

// done takes n off what an operation waits for, and reports its end.
func (p *Port) done(now clock.Cycle, op, n int32) {
	o := &p.operations.Items[op]
	if o.remaining -= n; o.remaining <= 0 {
		p.end(now, op)
	}
}

// end ends an operation that waits for nothing more.
func (p *Port) end(now clock.Cycle, op int32) {
	end := p.operations.Items[op]
	p.operations.Release(op)
	switch end.kind {
	case opControl:
	case opStore:
		p.writes[end.warp]--
		p.to.WriteDone(now, int(end.warp))
	case opWriteBack:
		if end.token != seam.NoToken {
			p.cleanedLine(now, end.token)
		}
	case opFetch:
		p.to.Fetched(now, end.address)
	case opRefill:
		p.refilled(now, end.token)
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
	o := &p.operations.Items[op]
	if o.entering--; o.entering == 0 {
		p.allEntered(now, o)
	}
}

// allEntered tells that all of an operation has passed its tags: whoever waits for no
// more of a store hears of it.
func (p *Port) allEntered(now clock.Cycle, o *operation) {
	if o.kind == opStore && o.token != seam.NoToken {
		p.to.Complete(now, o.token)
	}
}

func (p *Port) finishShared(now clock.Cycle) {
	for p.shared.Len() > 0 && p.shared.Head().done <= now {
		p.done(now, p.shared.Pop().op, 1)
	}
}
