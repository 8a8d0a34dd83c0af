package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
)

// eventKind says what an event in the wheel does.
type eventKind uint8

const (
	eventWriteBack eventKind = iota // detail: the instruction whose registers are written
	eventLoadWrite                  // the same, of a load that waits for register banks
	eventDecoded                    // detail: how many instructions become ready to issue
	eventRefetch                    // fetch may go on after a change of path
	eventResume                     // the warp leaves a barrier or fence
	eventAside                      // detail: the instruction, executed beside the units
)

// event is something that happens to a warp at a known cycle.
type event struct {
	detail uint32
	next   int32 // in the list of its cycle, or of the free ones; -1 ends it
	warp   uint8
	kind   eventKind
	from   uint8 // write-backs: registers that have been written already
}

// wheel is a timing wheel: a ring of lists, one per cycle of the near future,
// with a bitmap of the cycles that have any. Adding and taking cost a constant,
// and the next event is found 64 cycles at a time.
type wheel struct {
	heads    []int32
	occupied []uint64
	events   []event
	free     int32
	count    int
	// due is the cycle of the first event, clock.Never without one.
	due clock.Cycle
}

// newWheel makes a wheel for events less than span cycles ahead.
func newWheel(span int) wheel {
	size := 64
	for size < span {
		size *= 2
	}
	w := wheel{heads: make([]int32, size), occupied: make([]uint64, size/64), free: -1, due: clock.Never}
	for i := range w.heads {
		w.heads[i] = -1
	}
	return w
}

// add puts an event into cycle at, which lies after the present one and within
// the wheel's span of it.
func (w *wheel) add(at clock.Cycle, k eventKind, warp int, detail uint32) {
	w.put(at, event{detail: detail, warp: uint8(warp), kind: k})
}

// put is add of a whole event.
func (w *wheel) put(at clock.Cycle, e event) {
	slot := uint(at) & uint(len(w.heads)-1)
	i := w.free
	if i < 0 {
		i = int32(len(w.events))
		w.events = append(w.events, event{})
	} else {
		w.free = w.events[i].next
	}
	e.next = w.heads[slot]
	w.events[i] = e
	w.heads[slot] = i
	w.occupied[slot/64] |= 1 << (slot % 64)
	w.count++
	w.due = min(w.due, at)
}

// take removes an event of the cycle now; false when there is none (left), and due
// lies after it then. Every cycle with events is asked until there are none left, in
// order.
func (w *wheel) take(now clock.Cycle) (event, bool) {
	if w.due > now {
		return event{}, false
	}
	slot := uint(now) & uint(len(w.heads)-1)
	i := w.heads[slot]
	if i < 0 {
		w.due = w.next(now)
		return event{}, false
	}
	e := w.events[i]
	w.heads[slot] = e.next
	w.events[i].next = w.free
	w.free = i
	w.count--
	if e.next < 0 {
		w.occupied[slot/64] &^= 1 << (slot % 64)
		w.due = w.next(now)
	}
	return e, true
}

// next is the cycle of the first event after now, clock.Never without one.
func (w *wheel) next(now clock.Cycle) clock.Cycle {
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
