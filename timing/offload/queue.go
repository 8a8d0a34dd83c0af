// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// queue is the offload queue of a core (Fig. 8a). It takes the instructions of chains
// at issue, decides, sends packets, and lets warps go on when their answers have come.
type queue struct {
	engine *engine
	sm     int
	inner  seam.Port        // behind
	caches seam.OffloadPort // of the SM
	to     seam.Completions
	free   int // entries of the status register
	kernel *trace.Kernel
	plan   *plan
	// forming is the warp whose chain is being gathered: there is room for one
	// packet at a time. noWarp for none.
	forming   int
	warps     []attempt
	packets   ring.Ring[int32] // jobs whose packets are to be sent
	here      ring.Ring[access]
	handed    seam.MemoryAccess // scratch
	scratch   []coalesce.Transaction
	addresses [3][32]uint64 // scratch: of the lanes of each access
	divided   []part        // scratch: of the chain in hand
}

const noWarp = -1

// attempt is what has become of a warp's present chain.
type attempt struct {
	state   state
	cached  bool // a load hits in L1
	token   uint32
	chain   *chain
	loads   int         // gathered
	checked clock.Cycle // in which the L1 has answered for all of them
	entries int
	parts   int // jobs without an answer
	// accesses are those of the loads, and of the store at storeLine; touches are
	// the lines of each, first the first one.
	accesses [3]seam.MemoryAccess
	first    [3]coalesce.Transaction
	touches  [3]int
}

type state uint8

const (
	idle      state = iota
	left            // to the core
	gathering       // instructions come
	sent            // the warp waits
)

// access is one of a job that its own core executes.
type access struct {
	job  int32
	line int
}

func newQueue(e *engine, sm int, to seam.Completions) *queue {
	return &queue{
		engine: e, sm: sm, to: to, free: e.section.QueueEntries, forming: noWarp, warps: make([]attempt, e.machine.SM.MaxWarps),
		packets: ring.New[int32](e.section.QueueEntries), here: ring.New[access](16), divided: make([]part, 0, 32),
	}
}

// issue decides about an instruction of a chain.
func (q *queue) issue(now clock.Cycle, i *seam.Issuing) seam.Decision {
	a := &q.warps[i.Warp]
	tag := q.plan.tags[i.Instruction]
	if tag == chains.First {
		return q.begin(now, a, i)
	}
	if a.state == left {
		if tag == chains.Last {
			a.state = idle
		}
		return seam.Here
	}
	if k := q.gather(now, a, i); k != noAccess {
		q.caches.Withdraw(now, &a.accesses[k])
	}
	if tag != chains.Last {
		return seam.Absorbed
	}
	a.token = i.Token
	q.send(now, a, i)
	return seam.Awaited
}

// begin takes the first load of a chain when it misses and an entry is free
// (section 4.4.1).
func (q *queue) begin(now clock.Cycle, a *attempt, i *seam.Issuing) seam.Decision {
	e := q.engine
	if q.forming != noWarp {
		return seam.Hold
	}
	e.count(countChains, 1)
	e.count(countQueueAccess, 1)
	if q.free == 0 {
		e.count(countQueueFull, 1)
		a.state = left
		return seam.Here
	}
	a.loads, a.cached, a.parts = 0, false, 0
	a.chain = &q.plan.chains[q.plan.chainOf[i.Instruction]]
	q.gather(now, a, i)
	if a.cached {
		e.count(countCached, 1)
		a.state = left
		return seam.Here
	}
	q.caches.Withdraw(now, &a.accesses[0])
	a.state, a.entries = gathering, 1
	q.free--
	q.forming = i.Warp
	return seam.Absorbed
}

// noAccess is the place of an instruction that is no access.
const noAccess = -1

// gather notes an instruction of the chain in the packet to be, and has a load
// looked up; it gives the place of its access.
func (q *queue) gather(now clock.Cycle, a *attempt, i *seam.Issuing) int {
	if i.Memory == nil {
		return noAccess // the ALU's
	}
	k := storeLine
	if i.Memory.Class == trace.ClassLoad {
		k = a.loads
		a.loads++
	}
	m := &q.engine.machine.SM
	a.checked = now + clock.Cycle(m.OperandReadCycles+max(q.engine.machine.L1.LatencyCycles, 1))
	a.accesses[k] = *i.Memory
	lines, cached := q.caches.Lookup(i.Memory, q.scratch[:0])
	q.scratch = lines
	a.first[k], a.touches[k] = lines[0], len(lines)
	if k == storeLine {
		a.checked = now + clock.Cycle(m.OperandReadCycles)
		return k
	}
	a.cached = a.cached || cached
	return k
}

// send makes the packets of a chain whose last instruction has issued.
func (q *queue) send(now clock.Cycle, a *attempt, i *seam.Issuing) {
	e := q.engine
	q.forming, a.state = noWarp, sent
	rest := i.Mask
	if !a.cached {
		rest = q.divide(a, i)
	}
	packets := a.parts
	switch {
	case packets > 0:
		e.count(countOffloaded, 1)
		for k := range a.chain.loads {
			q.caches.Missed(a.touches[k])
		}
		if a.chain.stores {
			// The store is the last that was looked up.
			q.caches.Forget(q.scratch)
		}
	case a.cached:
		e.count(countCached, 1)
	default:
		e.count(countNowhere, 1)
	}
	for n := packets - 1; n > 0; n-- {
		a.entries++
		q.free--
	}
	if rest != 0 {
		j := q.part(a, i.Warp, rest)
		q.load(now, j)
	}
	for n := range packets {
		j := &e.jobs.items[*q.packets.At(q.packets.Len() - packets + n)]
		j.ready, j.masks = a.checked+clock.Cycle(1+n), a.parts > 1
	}
	if packets > 0 {
		e.wake(q.sm)
	}
}

// part makes a job of some lanes of the warp's chain.
func (q *queue) part(a *attempt, warp int, mask uint32) int32 {
	i := q.engine.jobs.take()
	q.engine.jobs.items[i] = job{chain: a.chain, mask: mask, sm: uint16(q.sm), warp: uint8(warp)}
	a.parts++
	return i
}

// step sends one packet a cycle; false when there is none left.
func (q *queue) step(now clock.Cycle) bool {
	if q.packets.Len() == 0 {
		return false
	}
	e := q.engine
	i := *q.packets.Head()
	j := &e.jobs.items[i]
	if j.ready > now || !e.system.SendRequest(e.at(now), seam.End(q.sm), j.node, idOf(i, messageCompute), computeFlits(j.masks, e.machine.Network.FlitBytes)) {
		return true
	}
	q.packets.Drop()
	if e.placeOf(j.node) == atPartition {
		e.count(countAtSlice, 1)
	} else {
		e.count(countAtCore, 1)
	}
	if j.masks {
		e.count(countSecondFlit, 1)
	}
	return q.packets.Len() > 0
}

// finish ends a job; with its last the warp goes on.
func (q *queue) finish(now clock.Cycle, i int32) {
	e := q.engine
	j := &e.jobs.items[i]
	a, warp := &q.warps[j.warp], j.warp
	e.jobs.release(i)
	e.count(countQueueAccess, 1)
	a.parts--
	for a.entries > a.parts {
		a.entries--
		q.free++
	}
	switch {
	case a.parts > 0:
	case a.chain.adds > 0:
		e.timers.add(now+a.chain.adds, warpAnswered, uint16(q.sm), int32(warp))
	default:
		q.answer(now, int(warp))
	}
}

// answer lets a warp go on.
func (q *queue) answer(now clock.Cycle, warp int) {
	a := &q.warps[warp]
	a.state = idle
	q.to.Complete(now, a.token)
}
