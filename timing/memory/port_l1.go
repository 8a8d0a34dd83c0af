// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
)

// lookUpConstant takes one of the accesses to the constant cache.
func (p *Port) lookUpConstant(now clock.Cycle) bool {
	if p.constant.Head().ready > now {
		return false
	}
	a := p.constant.Head()
	f := &p.constants
	p.instruction = p.operations.Items[a.op].instruction
	switch {
	case f.perfect:
	case f.tags == nil:
		if f.full() {
			return false
		}
		p.direct(now, f, a, read)
		p.counts[counters.ConstantMiss]++
	default:
		l := f.find(a.Line, a.Bytes)
		if !p.read(now, f, a, &l) {
			return false
		}
		if l.missing|l.pending != 0 {
			p.counts[counters.ConstantMiss]++
			if int64(p.instruction) < int64(len(p.byInstruction)) {
				p.byInstruction[p.instruction][counters.ConstantMiss]++
			}
		}
	}
	op := p.constant.Pop().op
	p.done(now, op, 1)
	return true
}

// lookUpTexture takes one of the accesses to the texture cache.
func (p *Port) lookUpTexture(now clock.Cycle) bool {
	if p.texture.Head().ready > now {
		return false
	}
	a := p.texture.Head()
	f := &p.textures
	l := f.find(a.Line, a.Bytes)
	if !p.read(now, f, a, &l) {
		return false
	}
	switch {
	case l.missing != 0:
		p.counts[counters.TextureMiss]++
	case l.pending != 0:
		p.counts[counters.TextureMerge]++
	}
	op := p.texture.Pop().op
	p.entered(now, op)
	p.done(now, op, 1)
	return true
}

// lookUpData takes as many transactions to L1 as it has banks, and bytes in a cycle, in order. The head is
// ready, and may find what it needs.
func (p *Port) lookUpData(now clock.Cycle) bool {
	moved := false
	var taken uint32
	bytes := 0
	for p.data.Len() > 0 && p.data.Head().ready <= now {
		a := p.data.Head()
		bank := uint32(1) << (p.system.l1Bank(&a.Transaction) & 31)
		wide := p.passing(&a.Transaction)
		if taken&bank != 0 || bytes > 0 && bytes+wide > p.system.l1Bytes {
			break
		}
		taken |= bank
		bytes += wide
		if !p.charged(now, a) {
			p.stalled = min(p.stalled, now)
			break
		}
		if p.stalled < now {
			p.counts[counters.L1ReservationFail] += uint64(now - p.stalled)
		}
		p.stalled = clock.Never
		op := a.op
		p.data.Drop()
		p.entered(now, op)
		p.done(now, op, 1)
		moved = true
	}
	if moved && p.system.l1Bytes > 0 && p.data.Len() > 0 {
		p.holdHead(now)
	}
	return moved
}

// holdHead lets the new head wait until its bytes can have passed behind those of this cycle.
func (p *Port) holdHead(now clock.Cycle) {
	a := p.data.Head()
	if n := p.system.l1Cycles(p.passing(&a.Transaction)); n > 1 {
		a.ready = max(a.ready, now+n)
	}
}

// headWaits reports, where lacks is not zero, that the transaction at the head of data still
// waits. It has found no line in L1, and lacks registers, a place in the miss queue, or a line
// to replace. Only the head allocates lines, so that it need not be looked up again to know.
func (p *Port) headWaits() bool {
	return p.jammed || p.l1.full() || p.l1.misses.Lacks(p.lacks, 0)
}

// access performs one transaction at the L1; false when it has to wait.
func (p *Port) access(now clock.Cycle, a *lineAccess) bool {
	p.jammed = false
	o := &p.operations.Items[a.op]
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
		p.counts[counters.L1ReadMissSectors] += uint64(cache.Quarters(a.Bytes))
		p.direct(now, &p.l1, a, read)
		return true
	}
	l := &p.found
	if p.lacks == 0 { // or else it is still absent, as it was when it was looked up
		*l = p.l1.find(a.Line, a.Bytes)
		if l.line < 0 {
			p.lacks = bits.OnesCount8(uint8(l.missing))
		}
		if p.lacks > 0 && p.headWaits() {
			return false
		}
	}
	if !p.read(now, &p.l1, a, l) {
		return false
	}
	p.lacks = 0
	p.counts[counters.L1Read]++
	missed, hit := p.l1.tags.Split(a.Bytes, l.missing|l.pending)
	p.counts[counters.L1ReadMissSectors] += uint64(missed)
	p.counts[counters.L1ReadHitSectors] += uint64(hit)
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
	} else {
		f.tags.Use(l.line)
	}
	o := &p.operations.Items[a.op]
	for m := l.pending; m != 0; m &= m - 1 {
		f.misses.Wait(f.tags.MSHR(l.line, bits.TrailingZeros8(uint8(m))), uint32(a.op))
		o.remaining++
	}
	if l.missing == 0 {
		return true
	}
	for m := l.missing; m != 0; m &= m - 1 {
		s := bits.TrailingZeros8(uint8(m))
		f.tags.Await(l.line, s, f.misses.TakeFor(l.line, s, uint32(a.op)))
		o.remaining++
	}
	if p.directory != nil && f == &p.l1 {
		p.directory.Share(now, p.sm, a.Line)
	}
	if f.behind {
		p.askBehind(now, f, l, o)
		return true
	}
	r := p.request(now, f, read, &f.fills[l.missing&(1<<(cache.BlockBytes/32)-1)], a.Line)
	r.line, r.fill, r.sectors = int32(l.line), f.target, l.missing
	return true
}

// store writes through or into the L1.
func (p *Port) store(now clock.Cycle, a *lineAccess, local bool) bool {
	f := &p.l1
	line := -1
	if f.tags != nil {
		line = f.tags.Find(a.Line)
	}
	asks := p.asks(a.Line)
	if asks && f.full() {
		return false
	}
	sectors := counters.L1WriteMissSectors
	if line >= 0 {
		sectors = counters.L1WriteHitSectors
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
	case f.tags != nil && p.l1Write == writeAllocate:
		if f.full() {
			return false
		}
		if line >= 0 {
			p.counts[counters.L1WriteHit]++
		} else if line = p.allocate(now, f, a.Line); line < 0 {
			return false
		}
		p.writeInto(a, line)
		f.tags.Clean(line)
		p.direct(now, f, a, write)
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
	if asks {
		p.own(now, a)
	}
	p.counts[counters.L1Write]++
	p.counts[sectors] += uint64(cache.Quarters(a.Bytes))
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
			p.leaves(f, i)
			f.tags.Drop(i)
		}
	}
	p.direct(now, f, a, atomic)
	return true
}
