// SPDX-License-Identifier: Apache-2.0

// Package loadstore is what lies between the issue of a memory instruction and its
// completion. That is the queue in front of the memory path, the loads in flight,
// and the bulk copies that warps wait for.
package loadstore

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// Queue is the ring of memory instructions between issue and the memory path: they
// read operands there and wait, in order, for the port.
type Queue struct {
	entries []queued
	head    int
	count   int
}

type queued struct {
	at     clock.Cycle // from which operands have been read
	access seam.MemoryAccess
}

// NewQueue makes room for what issues while an instruction is transferred to operand
// read and reads, and two more: the registers in front of and behind it.
func NewQueue(m *arch.SM, transfer int) Queue {
	return Queue{entries: make([]queued, max(m.Units.LDST, 1)*(m.OperandReadCycles+transfer)+2)}
}

// Full reports whether no memory instruction can issue.
func (q *Queue) Full() bool { return q.count == len(q.entries) }

// Count is the number of memory instructions in the queue.
func (q *Queue) Count() int { return q.count }

// HeadAt is the cycle from which the oldest can be handed to the port; the queue is
// not empty.
func (q *Queue) HeadAt() clock.Cycle { return q.entries[q.head].at }

// Push gives the next free entry, for the caller to fill in, of a queue that is not
// full. The entry can leave the queue from the cycle at on.
func (q *Queue) Push(at clock.Cycle) *seam.MemoryAccess {
	i := q.head + q.count
	if i >= len(q.entries) {
		i -= len(q.entries)
	}
	q.count++
	q.entries[i].at = at
	return &q.entries[i].access
}

// Pop removes the oldest, which stays readable until the next Push.
func (q *Queue) Pop() *seam.MemoryAccess {
	a := &q.entries[q.head].access
	q.count--
	if q.head++; q.head == len(q.entries) {
		q.head = 0
	}
	return a
}
