// SPDX-License-Identifier: Apache-2.0

// Package mbarrier is the mbarriers of a thread block (PTX ISA 9.7.13.15): what they count,
// and the warps that wait for their phases.
package mbarrier

import "slices"

// Table is the mbarriers of one thread block, by their places in its shared memory.
type Table struct {
	barriers []barrier
	waiting  []wait
	released []wait // scratch
	// unknown says that something has happened to an mbarrier, and it is not known to which:
	// then no phase is known.
	unknown bool
}

// barrier is one of them. Its phase is complete when no arrivals are pending and its tx-count
// is zero. More arrivals than are pending count in the next phase: those of a thread that has
// passed a phase which is not complete here.
type barrier struct {
	place    uint64
	expected int64 // arrivals in each phase
	pending  int64
	tx       int64 // bytes
	parity   uint8 // of the phase
	known    bool  // its count is: it has been initialised
	// coming are initialisations that warps have issued and that have yet to happen. Behind is
	// what happens after the last of them.
	coming int
	behind Change
}

// wait is a warp that waits for a phase. Over says that it has completed, though others of the
// same parity may have begun since.
type wait struct {
	warp   int
	place  uint64
	parity uint8
	over   bool
}

// Reset forgets everything: another thread block begins.
func (t *Table) Reset() {
	*t = Table{barriers: t.barriers[:0], waiting: t.waiting[:0], released: t.released[:0]}
}

// Forget says that something has happened to an mbarrier that is not known.
func (t *Table) Forget() { t.unknown = true }

// at gives the mbarrier at a place, a new one that is not known where there is none.
func (t *Table) at(place uint64) *barrier {
	for i := range t.barriers {
		if t.barriers[i].place == place {
			return &t.barriers[i]
		}
	}
	t.barriers = append(t.barriers, barrier{place: place})
	return &t.barriers[len(t.barriers)-1]
}

// Coming says that an Init has been issued. Warps that know of it look at an mbarrier that is
// not there yet: no phase of it has completed.
func (t *Table) Coming(place uint64) { t.at(place).coming++ }

// Init is mbarrier.init with a count of arrivals. Released follows.
func (t *Table) Init(place uint64, count uint32) {
	b := t.at(place)
	coming, behind := max(b.coming-1, 0), b.behind
	*b = barrier{place: place, expected: int64(count), pending: int64(count), known: count > 0, coming: coming}
	if coming > 0 {
		b.behind = behind
		return
	}
	t.Change(place, behind)
}

// Invalidate is mbarrier.inval. Released follows.
func (t *Table) Invalidate(place uint64) {
	b := t.at(place)
	*b = barrier{place: place, coming: b.coming, behind: b.behind}
}

// Change is what happens to the counts of an mbarrier.
type Change struct {
	Pending  int64 // arrivals, in this phase
	Expected int64 // arrivals, in the phases behind it
	Bytes    int64 // to the tx-count
}

// Change changes an mbarrier. Released follows.
func (t *Table) Change(place uint64, c Change) {
	b := t.at(place)
	b.expected += c.Expected
	b.pending += c.Pending
	b.tx += c.Bytes
	if !b.known || b.pending > 0 || b.tx != 0 {
		return
	}
	n := int64(1)
	if b.expected > 0 {
		n = -b.pending/b.expected + 1 // phases, until arrivals are pending again
	}
	for i := range t.waiting { // for a phase that has not completed: this one, or one before it
		x := &t.waiting[i]
		x.over = x.over || x.place == place
	}
	b.parity ^= uint8(n & 1)
	b.pending = max(b.pending+n*b.expected, 0)
}

// ChangeBehind is Change behind all initialisations that have been issued.
func (t *Table) ChangeBehind(place uint64, c Change) {
	b := t.at(place)
	if b.coming == 0 {
		t.Change(place, c)
		return
	}
	b.behind.Pending += c.Pending
	b.behind.Expected += c.Expected
	b.behind.Bytes += c.Bytes
}

// Passed reports whether the phase of a parity has completed: whether a test_wait with that
// parity is true. Known says that the mbarrier is.
func (t *Table) Passed(place uint64, parity uint8) (passed, known bool) {
	b := t.at(place)
	if b.coming > 0 {
		return false, !t.unknown
	}
	return b.parity != parity, b.known && !t.unknown
}

// Wait has warp w wait for a phase that has not completed.
func (t *Table) Wait(w int, place uint64, parity uint8) {
	if x := (wait{warp: w, place: place, parity: parity}); !slices.Contains(t.waiting, x) {
		t.waiting = append(t.waiting, x)
	}
}

// Released tells resume of the warps that wait for no phase any more, in the order in which
// they came.
func (t *Table) Released(resume func(w int)) {
	if len(t.waiting) == 0 {
		return
	}
	kept, over := t.waiting[:0], t.released[:0]
	for _, x := range t.waiting {
		if passed, known := t.Passed(x.place, x.parity); passed || x.over || !known {
			over = append(over, x)
			continue
		}
		kept = append(kept, x)
	}
	t.waiting, t.released = kept, over
	for i, x := range over {
		same := func(y wait) bool { return y.warp == x.warp }
		if !slices.ContainsFunc(t.waiting, same) && !slices.ContainsFunc(over[:i], same) {
			resume(x.warp)
		}
	}
}

// State is what is known of the mbarrier for which a warp waits.
type State struct {
	Place             uint64
	Parity            uint8
	Pending, Expected int64 // arrivals
	Bytes             int64 // that have yet to come
}

// State describes what warp w waits for; false when it waits for nothing.
func (t *Table) State(w int) (State, bool) {
	for _, x := range t.waiting {
		if x.warp == w {
			b := t.at(x.place)
			return State{x.place, x.parity, b.pending, b.expected, b.tx}, true
		}
	}
	return State{}, false
}
