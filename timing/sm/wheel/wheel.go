// SPDX-License-Identifier: Apache-2.0

// Package wheel keeps what happens on an SM in cycles that are known beforehand:
// results written back, latencies passed.
package wheel

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
)

// Event is something that happens to a warp at a known cycle. What it is, and what
// Detail and From mean, is for the stages that put it there.
type Event struct {
	Detail uint32
	Warp   uint8
	Kind   uint8
	From   uint8
}

// planned is an event in the list of its cycle, or of the free ones.
type planned struct {
	Event
	next int32 // -1 ends the list
}

// Wheel is a timing wheel: a ring of lists, one per cycle of the near future,
// with a bitmap of the cycles that have any. Adding and taking cost a constant,
// and the next event is found 64 cycles at a time.
type Wheel struct {
	heads    []int32
	occupied []uint64
	events   []planned
	free     int32
	count    int
	// due is the cycle of the first event, clock.Never without one.
	due clock.Cycle
}

// New makes a wheel for events less than span cycles ahead.
func New(span int) Wheel {
	size := 64
	for size < span {
		size *= 2
	}
	w := Wheel{heads: make([]int32, size), occupied: make([]uint64, size/64), free: -1, due: clock.Never}
	for i := range w.heads {
		w.heads[i] = -1
	}
	return w
}

// Put puts an event into cycle at, which lies after the present one and within
// the wheel's span of it.
func (w *Wheel) Put(at clock.Cycle, e Event) {
	if w.free < 0 {
		w.grow()
	}
	i := w.free
	p := &w.events[i]
	w.free = p.next
	slot := uint(at) & uint(len(w.heads)-1)
	p.Event, p.next = e, w.heads[slot]
	w.heads[slot] = i
	w.occupied[slot/64] |= 1 << (slot % 64)
	w.count++
	w.due = min(w.due, at)
}

// grow makes a free event.
func (w *Wheel) grow() {
	w.free = int32(len(w.events))
	w.events = append(w.events, planned{next: -1})
}

// Take removes an event of the cycle now; false when there is none (left), and due
// lies after it then. Every cycle with events is asked until there are none left, in
// order.
func (w *Wheel) Take(now clock.Cycle) (Event, bool) {
	if w.due > now {
		return Event{}, false
	}
	slot := uint(now) & uint(len(w.heads)-1)
	i := w.heads[slot]
	p := &w.events[i]
	rest := p.next
	w.heads[slot] = rest
	p.next, w.free = w.free, i
	w.count--
	if rest < 0 {
		w.occupied[slot/64] &^= 1 << (slot % 64)
		w.due = w.next(now)
	}
	return p.Event, true
}

// next is the cycle of the first event after now, clock.Never without one.
func (w *Wheel) next(now clock.Cycle) clock.Cycle {
	if w.count == 0 {
		return clock.Never
	}
	from := int(now+1) & (len(w.heads) - 1)
	word, bit := from/64, from%64
	rest := w.occupied[word] >> bit << bit
	for {
		if rest != 0 {
			slot := word*64 + bits.TrailingZeros64(rest)
			return now + 1 + clock.Cycle((slot-from)&(len(w.heads)-1))
		}
		word = (word + 1) % len(w.occupied)
		rest = w.occupied[word]
	}
}

// Due is the cycle of the first event, clock.Never without one.
func (w *Wheel) Due() clock.Cycle { return w.due }

// Count is the number of events to come.
func (w *Wheel) Count() int { return w.count }
