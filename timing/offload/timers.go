// SPDX-License-Identifier: Apache-2.0

package offload

import "github.com/warptape/warptape/timing/clock"

// what happens when a timer is due.
type what uint8

const (
	computedAtNode what = iota // a job's result is there
	operandsRead               // a job's operands are in the buffer of a core's service queue
	computedHere               // a job of the warp's own core has computed
	warpAnswered               // a warp's result is in its registers
	loadsAtTags                // a partition's loads for a job have passed the way to its slice's tags
	storeAtTags                // its store has
)

// timer is something that happens in a cycle.
type timer struct {
	cycle  clock.Cycle
	order  uint64 // of two in a cycle, the first set comes first
	job    int32  // a job, or for warpAnswered a warp slot
	sm     uint16
	number what
}

// timers is a binary heap.
type timers struct {
	heap []timer
	set  uint64
}

func (t *timers) before(a, b int) bool {
	x, y := &t.heap[a], &t.heap[b]
	return x.cycle < y.cycle || x.cycle == y.cycle && x.order < y.order
}

func (t *timers) add(cycle clock.Cycle, n what, sm uint16, job int32) {
	t.set++
	t.heap = append(t.heap, timer{cycle, t.set, job, sm, n})
	for i := len(t.heap) - 1; i > 0 && t.before(i, (i-1)/2); i = (i - 1) / 2 {
		t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
	}
}

// next is the cycle of the first, clock.Never without one.
func (t *timers) next() clock.Cycle {
	if len(t.heap) == 0 {
		return clock.Never
	}
	return t.heap[0].cycle
}

// take removes the first one that is due by the cycle now.
func (t *timers) take(now clock.Cycle) (timer, bool) {
	if t.next() > now {
		return timer{}, false
	}
	first := t.heap[0]
	last := len(t.heap) - 1
	t.heap[0] = t.heap[last]
	t.heap = t.heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && t.before(child+1, child) {
			child++
		}
		if !t.before(child, i) {
			break
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
	return first, true
}

// due does what a timer is for.
func (e *engine) due(now clock.Cycle, t timer) {
	switch t.number {
	case computedAtNode:
		e.services[e.jobs.items[t.job].node].computed(now, t.job)
	case operandsRead:
		e.services[e.jobs.items[t.job].node].buffered(t.job)
	case computedHere:
		e.queues[t.sm].storeHere(now, t.job)
	case warpAnswered:
		e.queues[t.sm].answer(now, int(t.job))
	case loadsAtTags:
		e.loadBeside(e.at(now), t.job)
	case storeAtTags:
		e.storeBeside(e.at(now), t.job)
	}
}
