// SPDX-License-Identifier: Apache-2.0

package memory

import "github.com/warptape/warptape/timing/ring"

// beside is the way between a cache and an offloader's unit next to it. It is not that
// of the network: its accesses do not wait behind those that have no room for their
// answers, nor its answers behind those that wait for the network.
type beside struct {
	unit unit // nil for a cache without one
	// near holds the unit's accesses in front of the tags, where they and those of the
	// input take turns. One that goes by arrival has the cycle of it in ready, others none.
	near     ring.Ring[levelAccess]
	nearLast bool
	stay     ring.Ring[uint32] // answers for the unit
	// held are registers whose sector has come while there was no room for answers:
	// the unit has had its own, and other readers wait.
	held ring.Ring[int32]
}

// unit says what is for it.
type unit interface{ stays(origin uint32) bool }

// joins puts a unit next to the cache.
func (l *level) joins(u unit) {
	l.aside = true
	l.beside = beside{unit: u, near: ring.New[levelAccess](16), stay: ring.New[uint32](16), held: ring.New[int32](16)}
}

// stays reports whether an answer is for the unit next to the cache.
func (b *beside) stays(origin uint32) bool { return b.unit != nil && b.unit.stays(origin) }

// serveBeside takes one sector of an access to the tags where accesses of units next to
// the cache wait, which they may with nothing in the input.
func (l *level) serveBeside(now int64) bool {
	served := l.direct.Len() > 0 && l.serveReady(now, &l.direct) || l.near.Len() > 0 && l.serveInTurn(now)
	l.lacks = false // it was of another queue, perhaps
	if served || l.near.Len() > 0 {
		return served
	}
	return l.serveReady(now, &l.input)
}

// serveReady serves a sector of the first access of a queue that is at the tags.
func (l *level) serveReady(now int64, queue *ring.Ring[levelAccess]) bool {
	l.lacks = false // of another queue, perhaps
	return queue.Len() > 0 && queue.Head().ready <= now && l.serveHead(now, queue)
}

// serveInTurn serves an access of the unit or of the input, whichever has waited
// longer for its turn, and the other if that one has to wait. An access by arrival has its
// turn when it came to the tags before that of the input.
func (l *level) serveInTurn(now int64) bool {
	first, second := &l.near, &l.input
	if at := first.Head().ready; at > 0 {
		l.nearLast = second.Len() > 0 && second.Head().ready < at
	}
	if l.nearLast {
		first, second = second, first
	}
	if l.serveReady(now, first) {
		l.nearLast = !l.nearLast
		return true
	}
	return l.serveReady(now, second)
}

// reply puts an answer where it goes: for a sector of a line that was there, or has come
// from below.
func (l *level) reply(origin uint32, line uint64, sector int, filled bool) {
	switch {
	case l.stays(origin):
		l.stay.Push(origin)
	case l.late != nil:
		l.replyLate(origin, line, sector, filled)
	default:
		l.answers.Push(origin)
	}
}

// answerBeside hands the unit one of its answers a cycle; it takes all.
func (l *level) answerBeside() bool {
	l.above.answer(l.stay.Pop())
	return true
}

// fillBeside takes one sector that has come from below when there is no room for
// answers: it is in the cache then, and the unit hears of it.
func (l *level) fillBeside() bool {
	if l.unit == nil || l.fills.Len() == 0 {
		return false
	}
	mshr := int(l.fills.Pop())
	line, sector := l.misses.Sector(mshr)
	if !l.apart {
		l.tags.Fill(line, sector)
	} else {
		l.fillApart(mshr, line, sector)
	}
	for range l.misses.Waiters(mshr) {
		origin, _ := l.misses.Next(mshr)
		if l.distant[mshr] {
			l.above.far(origin)
		}
		if l.stays(origin) {
			l.stay.Push(origin)
		} else {
			l.misses.Wait(mshr, origin)
		}
	}
	l.distant[mshr] = false
	if l.misses.Waiters(mshr) == 0 {
		l.misses.Release(mshr)
	} else {
		l.held.Push(int32(mshr))
	}
	return true
}

// release answers the readers of a held MSHR.
func (l *level) release() {
	mshr := int(l.held.Pop())
	line, sector := l.misses.Sector(mshr)
	for origin, ok := l.misses.Next(mshr); ok; origin, ok = l.misses.Next(mshr) {
		l.reply(origin, l.tags.Address(line), sector, true)
	}
	l.misses.Release(mshr)
}

// stays implements unit for the slice's offloader.
func (s *slice) stays(origin uint32) bool {
	sys := s.system
	return sys.isOffloader(origin) && !sys.offloader.Replies(s.number, origin>>sys.smBits)
}
