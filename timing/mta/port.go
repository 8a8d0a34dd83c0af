// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/pool"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// port is an SM's entry to the memory path with a prefetcher; it implements
// seam.Port in front of another, to which it is the SM.
type port struct {
	seam.Port                         // behind
	seam.Completions                  // in front
	early            seam.EarlyReader // behind
	own              seam.TokenOwner
	sm               int
	counts           *counters.Set
	lineBytes        int
	latency          clock.Cycle
	outstanding      int // lines at most on their way
	queueMax         int
	distance         int64
	intra            bool // strides within warps are used
	inter            bool // strides between warps are used

	entry   clock.Cycle // first cycle in which the entry is free
	buffer  buffer
	strides strides
	// blocks holds, by slot, a number of the thread block; nextBlock is the next's.
	blocks    []uint32
	nextBlock uint32
	throttle  throttle
	queue     ring.Ring[uint64] // predicted lines
	hits      ring.Ring[hit]
	loads     pool.Pool[load]
	waiters   pool.Pool[waiter]

	// Of the access in hand.
	lanes        coalesce.Warp
	shifted      [trace.WarpSize]uint64
	addresses    [trace.WarpSize]uint64 // of the lanes
	transactions []coalesce.Transaction
	found        []int32 // by transaction: the entry of the buffer, none
	forwarded    seam.MemoryAccess
	parts        []seam.LinePart // of it
}

// hit is a load that has found everything in the buffer.
type hit struct {
	issued, done clock.Cycle
	token        uint32
}

// load waits for lines on their way to the buffer, and for what has gone on to the
// port behind.
type load struct {
	issued  clock.Cycle
	token   uint32
	left    int32
	counted bool // the port behind counts its latency
}

// waiter is a load in the list of those that wait for a line.
type waiter struct{ load, next int32 }

func newPort(s *Section, lineBytes, blocks, sm int, to seam.Completions, set *counters.Set) *port {
	p := &port{
		sm: sm, Completions: to, counts: set, lineBytes: lineBytes, latency: clock.Cycle(s.LatencyCycles), outstanding: s.OutstandingLines,
		queueMax: s.QueueEntries, distance: int64(s.Distance),
		intra:  s.Strides == "both" || s.Strides == "intra_warp",
		inter:  s.Strides == "both" || s.Strides == "inter_thread",
		buffer: newBuffer(s.BufferBytes, s.BufferWays, lineBytes), strides: newStrides(s), throttle: newThrottle(s),
		queue: ring.New[uint64](s.QueueEntries), hits: ring.New[hit](16), blocks: make([]uint32, blocks),
	}
	for slot := range p.blocks {
		p.renew(slot)
	}
	return p
}

// renew gives the next thread block in a slot another number.
func (p *port) renew(slot int) {
	p.nextBlock++
	p.blocks[slot] = p.nextBlock
}

// BlockEnd implements seam.Port: the next thread block in the slot is another.
func (p *port) BlockEnd(now clock.Cycle, blockSlot, lastWarp int) {
	p.renew(blockSlot)
	p.Port.BlockEnd(now, blockSlot, lastWarp)
}

// Ready implements seam.Port.
func (p *port) Ready(now clock.Cycle) bool { return now >= p.entry && p.Port.Ready(now) }

// Issue implements seam.Port. What is asked for early trains nothing: the load itself
// comes yet.
func (p *port) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	if a.Space != trace.SpaceGlobal || a.Early || !p.intra && !p.inter {
		p.Port.Issue(now, a)
		return
	}
	p.gather(a)
	if a.Class != trace.ClassLoad || a.Bypass {
		p.overwrite()
		p.Port.Issue(now, a)
		return
	}
	p.demand(now, a)
	p.train(now, a)
}

// Cycle implements seam.Port.
func (p *port) Cycle(now clock.Cycle) clock.Cycle {
	next := p.Port.Cycle(now)
	for p.hits.Len() > 0 && p.hits.Head().done <= now {
		h := p.hits.Pop()
		p.finish(now, h.issued, h.token, false)
		next = now + 1 // whoever hears of it may give the port behind something to do
	}
	if p.prefetch(now) {
		next = now + 1
	}
	if p.hits.Len() > 0 {
		next = min(next, p.hits.Head().done)
	}
	if p.entry > now {
		next = min(next, p.entry)
	}
	return next
}

// finish reports the end of a load.
func (p *port) finish(now, issued clock.Cycle, token uint32, counted bool) {
	if !counted {
		p.counts[counters.LoadRequests]++
		p.counts[counters.LoadLatencySum] += uint64(now - issued)
	}
	p.Completions.Complete(now, token)
}

// inFlight is what the port has yet to ask for, to get or to report.
func (p *port) inFlight() int {
	return p.queue.Len() + p.buffer.pending + p.hits.Len() + p.loads.Used()
}

// loadToken marks those of the port's tokens that are of loads that have gone on in
// part; the others are of lines of the buffer.
const loadToken = 1 << 27

// Complete implements seam.Completions.
func (p *port) Complete(now clock.Cycle, token uint32) {
	switch n, ok := p.own.Number(token); {
	case !ok:
		p.Completions.Complete(now, token)
	case n&loadToken != 0:
		p.part(now, int32(n&^loadToken))
	default:
		p.fill(now, int32(n))
	}
}

// Clean implements seam.Keeper: the buffer has nothing that is modified.
func (p *port) Clean(now clock.Cycle, l seam.Lines, to seam.PortCleaned, id uint32, behind seam.Cleaner) {
	for i := range p.buffer.entries {
		if l.Holds(p.buffer.entries[i].line) {
			p.invalidate(int32(i))
		}
	}
	behind.Clean(now, l, to, id)
}

// Keeps implements seam.Keeper.
func (p *port) Keeps(a *seam.MemoryAccess) bool {
	p.find(a)
	for _, i := range p.found {
		if i != none {
			return true
		}
	}
	return false
}

// Withdraw implements seam.Keeper.
func (p *port) Withdraw(_ clock.Cycle, a *seam.MemoryAccess) {
	p.find(a)
	p.overwrite()
}

// KernelEnd implements seam.Port: as the L1, the buffer is empty for the next
// kernel, and its instructions are others.
func (p *port) KernelEnd(now clock.Cycle) {
	for i := range p.buffer.entries {
		p.invalidate(int32(i))
	}
	for p.queue.Len() > 0 {
		p.queue.Pop()
	}
	p.strides.forget()
	p.Port.KernelEnd(now)
}

var (
	_ seam.Keeper      = (*port)(nil)
	_ seam.Completions = (*port)(nil)
)
