// SPDX-License-Identifier: Apache-2.0

package tlb

import "math/rand/v2"

// Walks are the outstanding page walks of a TLB. Misses of one page share a walk.
// Each walk is executed by a core that is picked at random (GPSim thesis, section
// 4.4.6), with a seed, so that a replay is the same every time. Walks are few:
// they are searched one by one.
type Walks struct {
	cores   int
	random  *rand.Rand
	walks   []walk
	waiters []waiter
	free    int32 // of waiters
	used    int
}

type walk struct {
	page        uint64
	space       uint16
	active      bool
	first, last int32
}

type waiter struct {
	id   uint32
	next int32
}

const nobody = int32(-1)

// NewWalks lets at most limit walks be under way, on so many cores.
func NewWalks(limit, cores int, seed uint64) *Walks {
	return &Walks{cores: cores, random: rand.New(rand.NewPCG(seed, uint64(cores))), walks: make([]walk, limit), free: nobody}
}

// Begin lets a waiter wait for a page. fresh says that a walk begins for it, as
// number n on the given core. ok is false, and nothing has changed, when there are
// as many as there may be.
func (w *Walks) Begin(space uint16, page uint64, waiter uint32) (n, core int, fresh, ok bool) {
	spare := -1
	for i := range w.walks {
		x := &w.walks[i]
		switch {
		case !x.active:
			if spare < 0 {
				spare = i
			}
		case x.page == page && x.space == space:
			w.wait(x, waiter)
			return i, 0, false, true
		}
	}
	if spare < 0 {
		return 0, 0, false, false
	}
	x := &w.walks[spare]
	*x = walk{page: page, space: space, active: true, first: nobody, last: nobody}
	w.used++
	w.wait(x, waiter)
	return spare, w.random.IntN(w.cores), true, true
}

func (w *Walks) wait(x *walk, id uint32) {
	n := w.free
	if n == nobody {
		n = int32(len(w.waiters))
		w.waiters = append(w.waiters, waiter{})
	} else {
		w.free = w.waiters[n].next
	}
	w.waiters[n] = waiter{id, nobody}
	if x.last == nobody {
		x.first = n
	} else {
		w.waiters[x.last].next = n
	}
	x.last = n
}

// Page gives what walk n is for.
func (w *Walks) Page(n int) (space uint16, page uint64) { return w.walks[n].space, w.walks[n].page }

// Next takes the first waiter of walk n; false when none is left.
func (w *Walks) Next(n int) (waiter uint32, ok bool) {
	x := &w.walks[n]
	i := x.first
	if i == nobody {
		return 0, false
	}
	waiter, x.first = w.waiters[i].id, w.waiters[i].next
	if x.first == nobody {
		x.last = nobody
	}
	w.waiters[i].next, w.free = w.free, i
	return waiter, true
}

// End ends walk n, which has no waiters.
func (w *Walks) End(n int) {
	w.walks[n].active = false
	w.used--
}

// Under is the number of walks under way.
func (w *Walks) Under() int { return w.used }
