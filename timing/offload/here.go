// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// This is what a queue executes on its own core. The entry is flushed and the loads are
// sent one by one (Fig. 9), or a service queue has sent the packet back (Fig. 10).

// load lets the core load the operands of a job.
func (q *queue) load(now clock.Cycle, i int32) {
	j := &q.engine.jobs.items[i]
	q.engine.count(countLocal, 1)
	j.waiting = j.chain.loads
	for k := range j.chain.loads {
		q.here.Push(access{i, k})
	}
	q.to.Wake()
}

// loaded tells that an operand of a job has come to the core.
func (q *queue) loaded(now clock.Cycle, i int32) {
	j := &q.engine.jobs.items[i]
	if j.waiting--; j.waiting == 0 {
		q.engine.timers.add(now+max(j.chain.cycles, 1), computedHere, j.sm, i)
	}
}

// storeHere lets the core store the result of a job, if the chain does.
func (q *queue) storeHere(now clock.Cycle, i int32) {
	j := &q.engine.jobs.items[i]
	if !j.chain.stores {
		q.finish(now, i)
		return
	}
	q.here.Push(access{i, storeLine})
	q.to.Wake()
}

// hand gives the port the first access of the queue.
func (q *queue) hand(now clock.Cycle) {
	h := q.here.Pop()
	j := &q.engine.jobs.items[h.job]
	a := &q.handed
	*a = q.warps[j.warp].accesses[h.line]
	a.Mask, a.Token = j.mask, q.engine.own.Token(uint32(h.job)<<2|uint32(h.line))
	q.inner.Issue(now, a)
}

// done tells that an access of the queue has been performed.
func (q *queue) done(now clock.Cycle, token uint32) {
	i, k := int32(token>>2), int(token&3)
	if k == storeLine {
		q.finish(now, i)
		return
	}
	q.loaded(now, i)
}

// port puts a queue's accesses among those of its SM; it implements seam.Port, and
// seam.Completions towards the port behind.
type port struct {
	seam.Port
	queue *queue
}

// Cycle implements seam.Port.
func (p *port) Cycle(now clock.Cycle) clock.Cycle {
	next := p.Port.Cycle(now)
	if p.queue.here.Len() == 0 {
		return next
	}
	if p.Port.Ready(now) {
		p.queue.hand(now)
	}
	return now + 1
}

// Complete implements seam.Completions.
func (p *port) Complete(now clock.Cycle, token uint32) {
	if access, ok := p.queue.engine.own.Number(token); ok {
		p.queue.done(now, access)
		return
	}
	p.queue.to.Complete(now, token)
}

// Fetched implements seam.Completions.
func (p *port) Fetched(now clock.Cycle, address uint64) { p.queue.to.Fetched(now, address) }

// WriteDone implements seam.Completions.
func (p *port) WriteDone(now clock.Cycle, warpSlot int) { p.queue.to.WriteDone(now, warpSlot) }

// Wake implements seam.Completions.
func (p *port) Wake() { p.queue.to.Wake() }
