// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/eventqueue"
)

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
	job    int32 // a job, or for warpAnswered a warp slot
	sm     uint16
	number what
}

// timers keeps what has yet to happen.
type timers struct{ eventqueue.Queue[timer] }

func (t *timers) add(cycle clock.Cycle, n what, sm uint16, job int32) {
	t.Put(cycle, timer{job, sm, n})
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
