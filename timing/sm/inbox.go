// SPDX-License-Identifier: Apache-2.0

package sm

import "github.com/warptape/warptape/timing/clock"

// message is what an SM hears of other SMs of a cluster: that the cluster's barrier opens for
// a thread block, that an access to another SM's shared memory has been performed, or that the
// next can leave.
type message struct {
	at    clock.Cycle
	order uint64 // of messages of one cycle

	about topic
	slot  int    // of the thread block for which a barrier opens
	warp  int    // whose access has been performed
	token uint32 // of that access
}

// topic is what a message is about.
type topic uint8

const (
	topicOpen   topic = iota // the cluster's barrier opens
	topicAccess              // a remote access has been performed
	topicLeave               // the next remote access can leave
)

// inbox holds messages that have yet to come: a binary heap by cycle and order. Their times
// have no bound; those of the wheel have one.
type inbox struct {
	heap  []message
	given uint64
}

// Due is the cycle of the next message, clock.Never without one.
func (b *inbox) Due() clock.Cycle {
	if len(b.heap) == 0 {
		return clock.Never
	}
	return b.heap[0].at
}

// Put adds a message for a cycle.
func (b *inbox) Put(at clock.Cycle, m message) {
	b.given++
	m.at, m.order = at, b.given
	b.heap = append(b.heap, m)
	for i := len(b.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !b.heap[i].before(&b.heap[up]) {
			break
		}
		b.heap[i], b.heap[up] = b.heap[up], b.heap[i]
		i = up
	}
}

// Take removes the next message.
func (b *inbox) Take() message {
	first := b.heap[0]
	last := len(b.heap) - 1
	b.heap[0] = b.heap[last]
	b.heap = b.heap[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down+1 < last && b.heap[down+1].before(&b.heap[down]) {
			down++
		}
		if down >= last || !b.heap[down].before(&b.heap[i]) {
			return first
		}
		b.heap[i], b.heap[down] = b.heap[down], b.heap[i]
		i = down
	}
}

func (m *message) before(o *message) bool {
	return m.at < o.at || m.at == o.at && m.order < o.order
}
