// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/pool"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// port is an SM's entry to the memory path with a tinyCache per lane; it
// implements seam.Port in front of another, to which it is the SM.
//
// One warp access enters a cycle, or one of each lane (byLanes). What has to go on waits, in order, in a queue:
// fetches of what lanes lack, write-backs before them, and what bypasses the caches.
type port struct {
	seam.Port        // behind
	seam.Completions // in front
	sm               int
	own              seam.TokenOwner
	counts           *counters.Set
	shape            shape
	latency          clock.Cycle
	// global and shared say what the policy lets the lanes keep.
	global, shared bool
	// constants says that loads of constants and parameters are as those of global memory.
	constants    bool
	queueEntries int

	caches [lanes]laneCache
	tick   uint64      // counts accesses, for LRU
	entry  clock.Cycle // first cycle in which the entry is free
	// byLanes says that lanes have their own entries (seam.Entry.ByLanes).
	byLanes bool

	hits     ring.Ring[hit]
	out      queue
	queued   []int // by warp slot: stores in out
	fills    pool.Pool[fill]
	accesses pool.Pool[access]
	blockOf  []int // by warp slot: the block slot of its last access
	ending   []int // by warp slot: the block slot whose last warp it is, -1

	// Of the access in hand.
	at      request
	line    uint32      // its instruction; write-backs are the fault of the last one
	after   clock.Cycle // when the lookup is over
	gather  gathering   // what it fetches
	evicted gathering   // what it writes back

	cleans ring.Ring[recall]
	passed uint64 // accesses that have left out, ever
}

// hit is an access that has found everything.
type hit struct {
	done  clock.Cycle
	token uint32
}

func newPort(s *Section, warps, sm int, to seam.Completions, set *counters.Set) *port {
	p := &port{
		sm: sm, Completions: to, counts: set, shape: newShape(s), latency: clock.Cycle(s.LatencyCycles), queueEntries: s.QueueEntries,
		global: s.Policy == "bypass_none" || s.Policy == "bypass_shared",
		shared: s.Policy == "bypass_none" || s.Policy == "bypass_global",
		hits:   ring.New[hit](16), out: newQueue(), cleans: ring.New[recall](1), queued: make([]int, warps), blockOf: make([]int, warps), ending: make([]int, warps),
	}
	for i := range p.caches {
		p.caches[i] = newLaneCache(s)
	}
	for i := range p.ending {
		p.ending[i] = -1
	}
	return p
}

// Ready implements seam.Port. Without anything to keep the port behind decides.
func (p *port) Ready(now clock.Cycle) bool {
	if !p.global && !p.shared {
		return p.Port.Ready(now)
	}
	return (p.byLanes || now >= p.entry) && p.out.Len() < p.queueEntries
}

// PendingWrites implements seam.Port. What lanes keep is not pending: it is
// written back at the points at which a reader may ask for it. The last warp of a
// thread block has those of all its warps: lines that a warp has written may be
// evicted when it has ended.
func (p *port) PendingWrites(warpSlot int) int {
	block := p.ending[warpSlot]
	if block < 0 {
		return p.pendingOf(warpSlot)
	}
	n := 0
	for w, b := range p.blockOf {
		if b == block {
			n += p.pendingOf(w)
		}
	}
	if n == 0 {
		p.ending[warpSlot] = -1
	}
	return n
}

// pendingOf is the pending writes of a warp alone.
func (p *port) pendingOf(w int) int { return p.Port.PendingWrites(w) + p.queued[w] }

// Cycle implements seam.Port.
func (p *port) Cycle(now clock.Cycle) clock.Cycle {
	next := p.Port.Cycle(now)
	for p.hits.Len() > 0 && p.hits.Head().done <= now {
		p.Completions.Complete(now, p.hits.Pop().token)
		next = now + 1 // whoever hears of it may give the port behind something to do
	}
	if p.drain(now) {
		next = now + 1
	}
	if p.hits.Len() > 0 {
		next = min(next, p.hits.Head().done)
	}
	if p.out.Len() > 0 && p.out.head().ready > now {
		next = min(next, p.out.head().ready)
	}
	if p.entry > now {
		next = min(next, p.entry)
	}
	return next
}

// drain hands on what is ready, while the port behind takes it.
func (p *port) drain(now clock.Cycle) (moved bool) {
	for p.out.Len() > 0 && p.out.head().ready <= now && p.Port.Ready(now) {
		o := p.out.head()
		p.Port.Issue(now, &o.access)
		warp, store := o.access.WarpSlot, o.access.Token == seam.NoToken
		p.out.drop()
		p.passed++
		moved = true
		if store {
			p.queued[warp]--
			if p.pendingOf(warp) == 0 { // it stays in the SM
				p.WriteDone(now, warp)
			}
		}
		p.recallBehind(now)
	}
	return moved
}

// pass hands an access on as it is, behind what waits.
func (p *port) pass(now clock.Cycle, a *seam.MemoryAccess) {
	if p.out.Len() == 0 && p.Port.Ready(now) {
		p.countLanes(a)
		p.Port.Issue(now, a)
		return
	}
	p.pushAsItIs(now, a, a.Mask)
}

// push appends to the queue.
func (p *port) push(ready clock.Cycle, a *seam.MemoryAccess) *outgoing {
	if a.Token == seam.NoToken {
		p.queued[a.WarpSlot]++
	}
	return p.out.push(ready, a)
}

// pushAsItIs appends an access in which some lanes bypass their caches.
func (p *port) pushAsItIs(ready clock.Cycle, a *seam.MemoryAccess, mask uint32) {
	o := p.push(ready, a)
	o.access.Mask = mask
	p.countLanes(&o.access)
}

// countLanes counts the lanes of an access that goes on as it is.
func (p *port) countLanes(a *seam.MemoryAccess) {
	n := uint64(bits.OnesCount32(a.Mask))
	switch a.Space {
	case trace.SpaceShared:
		if a.Token != seam.NoToken {
			p.counts[counters.SharedLaneRead] += n
		}
		if a.Token == seam.NoToken || a.Class == trace.ClassAtomic {
			p.counts[counters.SharedLaneWrite] += n
		}
	case trace.SpaceGlobal, trace.SpaceLocal, trace.SpaceTexture:
		p.counts[counters.GlobalLane] += n
	}
}

// inFlight is what the port has yet to hand on or to report.
func (p *port) inFlight() int {
	return p.hits.Len() + p.out.Len() + p.accesses.Used() + p.fills.Used() + p.cleans.Len()
}

// Complete implements seam.Completions.
func (p *port) Complete(now clock.Cycle, token uint32) {
	if fill, ok := p.own.Number(token); ok {
		p.filled(now, int32(fill))
		return
	}
	p.Completions.Complete(now, token)
}

// WriteDone implements seam.Completions.
func (p *port) WriteDone(now clock.Cycle, warpSlot int) {
	p.Completions.WriteDone(now, warpSlot)
	block := p.blockOf[warpSlot]
	for w, ending := range p.ending {
		if ending == block && w != warpSlot {
			p.Completions.WriteDone(now, w)
		}
	}
}

// Barrier implements seam.Port: all entries are evicted (section 5.3.2).
func (p *port) Barrier(now clock.Cycle, blockSlot int) {
	p.flush(now)
	p.Port.Barrier(now, blockSlot)
}

// Fence implements seam.Port: all entries are evicted.
func (p *port) Fence(now clock.Cycle, warpSlot int) {
	p.flush(now)
	p.Port.Fence(now, warpSlot)
}

// BlockEnd implements seam.Port: all entries of the SM are evicted (section
// 5.3.1), not only those of the thread block.
func (p *port) BlockEnd(now clock.Cycle, blockSlot, lastWarp int) {
	p.flush(now)
	p.ending[lastWarp] = blockSlot
	p.Port.BlockEnd(now, blockSlot, lastWarp)
}

var (
	_ seam.Keeper      = (*port)(nil)
	_ seam.Completions = (*port)(nil)
)
