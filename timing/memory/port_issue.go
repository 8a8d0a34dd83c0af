// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Issue implements seam.Port.
func (p *Port) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	if p.byInstruction == nil {
		p.enter(now, a)
		return
	}
	before := p.lookups()
	p.enter(now, a)
	p.chargeInstruction(a.Instruction, &before)
}

// enter takes an access into its pipeline.
func (p *Port) enter(now clock.Cycle, a *seam.MemoryAccess) {
	op := p.operations.Take()
	o := &p.operations.Items[op]
	*o = operation{issued: now, token: a.Token, warp: int16(a.WarpSlot), bypass: a.Bypass, local: a.Space == trace.SpaceLocal, instruction: a.Instruction}
	switch a.Class {
	case trace.ClassStore:
		o.kind = opStore
	case trace.ClassAtomic:
		o.kind = opAtomic
	}
	if a.Lines != nil {
		p.issueLines(now, op, a)
		return
	}
	var w coalesce.Warp
	p.lanes(a, &w)
	if window := seam.Window(a.Space); window > 0 && o.kind == opLoad && p.system.machine.Constant.Through == "l1" {
		w.Base += window // of lanes at a stride; those of others stand in p.addresses
		for i := range p.addresses {
			p.addresses[i] += window
		}
		p.transactions = w.Transactions(p.system.coalescing, p.system.dataLine, true, p.transactions[:0])
		p.enterData(now, op)
		return
	}
	switch a.Space {
	case trace.SpaceShared:
		p.issueShared(now, op, &w)
	case trace.SpaceConst:
		p.issueConstant(now, op, &w, constWindow)
	case trace.SpaceParam:
		p.issueConstant(now, op, &w, paramWindow)
	case trace.SpaceLocal:
		p.issueLocal(now, op, a, &w)
	case trace.SpaceTexture:
		p.issueTexture(now, op, &w)
	default:
		p.transactions = w.Transactions(p.system.coalescing, p.system.dataLine, o.kind == opLoad, p.transactions[:0])
		p.enterData(now, op)
	}
}

// lanes makes the lane addresses of an access; those of every space but global
// are relative to the space.
func (p *Port) lanes(a *seam.MemoryAccess, w *coalesce.Warp) {
	*w = coalesce.Warp{Mask: a.Mask, LaneBytes: max(int(a.LaneBytes), 1), Strided: a.Access.Strided(), Base: a.Access.Base, Stride: int64(a.Access.Stride)}
	relative := a.Space != trace.SpaceGlobal && a.Space != trace.SpaceTexture
	if w.Strided {
		if relative {
			w.Base &= trace.WindowBytes - 1
		}
		return
	}
	w.Addresses = &p.addresses
	a.Chunk.Lanes(a.Access, &p.addresses)
	if relative {
		for i := range p.addresses {
			p.addresses[i] &= trace.WindowBytes - 1
		}
	}
}

// issueShared holds the entry for the bank cycles of the access.
func (p *Port) issueShared(now clock.Cycle, op int32, w *coalesce.Warp) {
	o := &p.operations.Items[op]
	bytes, packed := trace.WarpSize*w.LaneBytes, false
	var wavefronts int
	if o.kind == opLoad {
		wavefronts, packed = p.conflicts.Read(p.system.banks, w)
	} else {
		wavefronts = p.conflicts.Cycles(p.system.banks, w, o.kind == opAtomic)
	}
	last := (wavefronts - 1) * p.system.wavefront // the last one begins so many cycles behind the first
	p.counts[counters.SharedAccess]++
	p.counts[counters.SharedConflictCycles] += uint64(last)
	if w.LaneBytes > p.system.banks.WordBytes {
		p.counts[counters.SharedWideCycles] += uint64(min(last, (p.system.banks.Parts(w)-1)*p.system.wavefront))
	}
	if packed {
		bytes /= 2
		last = max(last, (bytes/(trace.WarpSize*p.system.banks.WordBytes)-1)*p.system.wavefront) // registers come back behind each other
	}
	p.holdShared(now, op, last, bytes, o.kind == opStore)
}

// holdShared holds the entry for an access to shared memory of some bytes, whose last part begins
// last cycles from now.
func (p *Port) holdShared(now clock.Cycle, op int32, last, bytes int, store bool) {
	hold := p.system.sharedHold(last, bytes)
	p.counts[counters.SharedBusyCycles] += uint64(hold)
	if store {
		p.finishStore(now, op, last, hold-last)
		return
	}
	p.entry = now + clock.Cycle(hold)
	p.operations.Items[op].remaining = 1
	p.shared.Push(sharedAccess{op: op, done: now + clock.Cycle(last+p.system.sharedLatency)})
}

// sharedHold is for how long an access to shared memory holds the entry: until its last
// wavefront, which begins at last, has left the banks, or its bytes have passed.
func (s *System) sharedHold(last, bytes int) int {
	hold := last + s.wavefront
	if s.sharedBytes > 0 {
		hold = max(hold, (bytes+s.sharedBytes-1)/s.sharedBytes)
	}
	return hold
}

// finishStore ends a store that stays in the SM: the next access comes behind
// it, so nothing has to wait for it unless it has a token. Its last part begins last
// cycles from now and holds the entry for so many.
func (p *Port) finishStore(now clock.Cycle, op int32, last, cycles int) {
	p.entry = now + clock.Cycle(last+cycles)
	o := &p.operations.Items[op]
	if o.token == seam.NoToken {
		p.operations.Release(op)
		return
	}
	o.kind, o.remaining = opLocalStore, 1
	p.shared.Push(sharedAccess{op: op, done: now + clock.Cycle(last+p.system.sharedLatency)})
}

// issueConstant serves distinct addresses one after the other; lanes with the
// same address share it.
func (p *Port) issueConstant(now clock.Cycle, op int32, w *coalesce.Warp, window uint64) {
	o := &p.operations.Items[op]
	if o.kind == opStore {
		// A parameter of a call: registers on real machines, one cycle here.
		p.finishStore(now, op, 0, 1)
		return
	}
	p.distinct(w, window)
	p.counts[counters.ConstantRead] += uint64(len(p.transactions))
	o.remaining, o.entering = int32(len(p.transactions)), int32(len(p.transactions))
	first, step := p.constantCycles(w)
	for i, t := range p.transactions {
		p.constant.Push(lineAccess{Transaction: t, op: op, ready: now + clock.Cycle(first-1+i*step+p.system.constantLatency)})
	}
	p.entry = now + clock.Cycle(max(0, first+(len(p.transactions)-1)*step))
}

// constantBytes is what an address of a load of constants gives at most. Loads of 16 bytes take twice as
// long as that on cards from Maxwell to Ampere (github.com/sebbbi/perftest, README: cbuffer{float4}).
const constantBytes = 8

// constantCycles are the cycles that the first of a warp's addresses takes, and that each of the others
// comes behind the one before.
func (p *Port) constantCycles(w *coalesce.Warp) (first, step int) {
	cycles := p.system.constantAddress
	if cycles == 0 {
		return 1, 1
	}
	pieces := max(1, (int(w.LaneBytes)+constantBytes-1)/constantBytes)
	return 1 + (pieces-1)*cycles, pieces * cycles
}

// issueTexture sends a texture read through the texture cache, a line a cycle, or
// through L1 on a machine without one.
func (p *Port) issueTexture(now clock.Cycle, op int32, w *coalesce.Warp) {
	if p.textures.tags == nil {
		p.transactions = w.Lines(p.system.dataLine, p.transactions[:0])
		p.enterData(now, op)
		return
	}
	m := &p.system.machine.Texture
	p.transactions = w.Lines(m.LineBytes, p.transactions[:0])
	n := len(p.transactions)
	o := &p.operations.Items[op]
	o.remaining, o.entering, o.timed = int32(n), int32(n), true
	p.counts[counters.TextureRead] += uint64(n)
	for i, t := range p.transactions {
		p.texture.Push(lineAccess{Transaction: t, op: op, ready: now + clock.Cycle(i+m.LatencyCycles)})
	}
	p.entry = now + clock.Cycle(n)
}

// distinct makes one transaction for each address that a lane is the first to
// have.
func (p *Port) distinct(w *coalesce.Warp, window uint64) {
	p.transactions = p.transactions[:0]
	var seen [32]uint64
	n := 0
	lanes := w.Mask
	if w.Strided && w.Stride == 0 {
		lanes &= -lanes // they have one address
	}
	for m := lanes; m != 0; m &= m - 1 {
		address := w.Address(bits.TrailingZeros32(m))
		if n > 0 && (address == seen[n-1] || contains(seen[:n-1], address)) {
			continue
		}
		seen[n] = address
		n++
		one := coalesce.Warp{Mask: 1, LaneBytes: w.LaneBytes, Strided: true, Base: window + address}
		p.transactions = one.Lines(p.system.constantLine, p.transactions)
	}
}

func contains(list []uint64, v uint64) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// issueLocal lays local memory out so that the same word of consecutive threads is
// consecutive. Word w of thread t is at (w*threads + t)*4 in the SM's window (CUDA C
// Programming Guide, "Device Memory Accesses").
func (p *Port) issueLocal(now clock.Cycle, op int32, a *seam.MemoryAccess, w *coalesce.Warp) {
	p.transactions = p.localTransactions(a, w, p.transactions[:0])
	p.enterData(now, op)
}

// localTransactions appends the transactions of an access to local memory.
func (p *Port) localTransactions(a *seam.MemoryAccess, w *coalesce.Warp, out []coalesce.Transaction) []coalesce.Transaction {
	s := p.system
	window := localWindow | uint64(p.sm)<<localBits
	threads := uint64(s.localThreads)
	var addresses [32]uint64
	for done := 0; done < w.LaneBytes; {
		part := w.LaneBytes - done
		for lane := range 32 {
			if w.Mask>>lane&1 == 0 {
				continue
			}
			at := w.Address(lane) + uint64(done)
			part = min(part, 4-int(at&3))
			addresses[lane] = window + (at>>2*threads+uint64(a.ThreadBase+lane))<<2 + at&3
		}
		piece := coalesce.Warp{Mask: w.Mask, LaneBytes: part, Addresses: &addresses}
		out = piece.Lines(s.dataLine, out)
		done += part
	}
	return out
}

// enterData puts the transactions into the L1 pipeline: one a cycle and bank. One with more
// bytes than a cycle has is ready when its last ones pass.
func (p *Port) enterData(now clock.Cycle, op int32) {
	s := p.system
	if s.sectorShift > 0 {
		p.splitSectors()
	}
	n := len(p.transactions)
	o := &p.operations.Items[op]
	o.remaining, o.entering, o.timed = int32(n), int32(n), o.kind != opStore
	p.counts[counters.GlobalTransactions] += uint64(n)
	if o.kind == opStore {
		p.writes[o.warp]++
	}
	at, taken, bytes := now, uint32(0), 0
	for i := range p.transactions {
		bank := uint32(1) << (s.l1Bank(&p.transactions[i]) & 31)
		wide := p.passing(&p.transactions[i])
		if taken&bank != 0 || bytes > 0 && bytes+wide > s.l1Bytes {
			at, taken, bytes = at+s.l1Cycles(bytes), 0, 0
		}
		taken |= bank
		bytes += wide
		a := p.data.Add()
		a.Transaction, a.op, a.ready = p.transactions[i], op, at+s.l1Cycles(bytes)-1+clock.Cycle(s.l1Latency)
	}
	p.entry = at + s.l1Cycles(bytes)
}

// passing is how many of the L1's bytes a transaction takes, in whole sectors; zero where
// there is no limit.
func (p *Port) passing(t *coalesce.Transaction) int {
	if p.system.l1Bytes == 0 {
		return 0
	}
	return bits.OnesCount8(uint8(p.l1.tags.Touched(t.Bytes))) * p.system.l1Sector
}

// l1Cycles is for how many cycles so many bytes hold the entry, or the tags of the L1.
func (s *System) l1Cycles(bytes int) clock.Cycle {
	if bytes <= s.l1Bytes || s.l1Bytes == 0 {
		return 1
	}
	return clock.Cycle((bytes + s.l1Bytes - 1) / s.l1Bytes)
}

// splitSectors makes each sector of the transactions one of its own.
func (p *Port) splitSectors() {
	size := 1 << p.system.sectorShift
	whole := len(p.transactions)
	for i := range whole {
		t := p.transactions[i]
		for at := int(t.Line) & (cache.BlockBytes - 1); at < cache.BlockBytes; at += size {
			if b := t.Bytes.And(cache.Range(at, size)); !b.Empty() {
				p.transactions = append(p.transactions, coalesce.Transaction{Line: t.Line, Bytes: b})
			}
		}
	}
	p.transactions = p.transactions[:copy(p.transactions, p.transactions[whole:])]
}

// DropInstructions implements seam.Port.
func (p *Port) DropInstructions() {
	if p.instructions.tags != nil {
		p.instructions.tags.Invalidate()
	}
}

// HasLine implements seam.Port.
func (p *Port) HasLine(address uint64) bool {
	f := &p.instructions
	if f.tags == nil || f.perfect {
		return true
	}
	physical := p.system.code + address
	l := f.find(f.tags.Line(physical), f.tags.Bytes(f.tags.SectorOf(physical)))
	return l.line >= 0 && l.missing|l.pending == 0
}

// FetchLine implements seam.Port. A machine without instruction cache, or with a perfect
// one, has every instruction at hand.
func (p *Port) FetchLine(now clock.Cycle, address uint64) bool {
	f := &p.instructions
	if f.tags == nil || f.perfect {
		return true
	}
	physical := p.system.code + address
	l := f.find(f.tags.Line(physical), f.tags.Bytes(f.tags.SectorOf(physical)))
	if l.line >= 0 && l.missing|l.pending == 0 {
		f.tags.Use(l.line)
		if p.stream.reach > 0 && p.stream.follow(f.tags.Line(physical)) {
			p.to.Wake()
		}
		return true
	}
	op := p.operations.Take()
	p.operations.Items[op] = operation{kind: opFetch, address: address, issued: now, instruction: seam.NoInstruction}
	p.fetches.Push(op)
	return false
}
