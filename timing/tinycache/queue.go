// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// outgoing is an access on its way to the port behind.
type outgoing struct {
	ready  clock.Cycle
	access seam.MemoryAccess
	parts  [lanes]seam.LinePart // of access.Lines
	count  int                  // of parts; 0: the access is as a lane made it
}

// queue is a first-in first-out queue that grows, and whose entries are filled
// where they lie.
type queue struct {
	items        []outgoing
	first, count int
}

func newQueue() queue { return queue{items: make([]outgoing, 8)} }

// Len is the number of entries.
func (q *queue) Len() int { return q.count }

// head is the oldest; its Lines are set.
func (q *queue) head() *outgoing {
	o := &q.items[q.first]
	if o.count > 0 {
		o.access.Lines = o.parts[:o.count]
	}
	return o
}

// push appends an access; the result is valid until the next push.
func (q *queue) push(ready clock.Cycle, a *seam.MemoryAccess) *outgoing {
	if q.count == len(q.items) {
		grown := make([]outgoing, 2*q.count)
		n := copy(grown, q.items[q.first:])
		copy(grown[n:], q.items[:q.first])
		q.items, q.first = grown, 0
	}
	o := &q.items[(q.first+q.count)%len(q.items)]
	q.count++
	o.ready, o.access, o.count = ready, *a, 0
	return o
}

// drop removes the oldest.
func (q *queue) drop() {
	q.first = (q.first + 1) % len(q.items)
	q.count--
}
