// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/ring"
)

// late is what a slice answers later than it could: atomics, by the time of their arithmetic,
// and SMs in the other half of the chip. "Each L2 partition caches data for memory accesses
// from SMs in the GPCs directly connected to the partition" (NVIDIA A100 whitepaper): a half
// has copies of lines whose home is in the other one.
//
// All accesses to a line are served in its home, the one place in which it is ordered. That
// the other half has a copy is said by tags here, and only decides when the answer comes.
type late struct {
	// asked is the kind of a request, and whether its SM is in the other half.
	asked  func(origin uint32) (k kind, far bool)
	copies *cache.Tags // what the other half has of the slice's lines; nil: there are no halves
	cycles [lateKinds]int64
	queues [lateKinds]ring.Ring[lateAnswer] // in the order in which they are ready
	count  int                              // in all queues
	room   int                              // of count: as many as are under way at one a cycle, and one that leaves
	now    int64
}

// lateAnswer is an answer that is ready in an L2 cycle.
type lateAnswer struct {
	origin uint32
	ready  int64
}

// An answer is late for one of two reasons, or for both.
const (
	farAnswer = 1 << iota
	atomicAnswer
	lateKinds
)

// addLate gives the slice its late answers, if the machine has any.
func (s *slice) addLate(l2 *arch.L2) {
	if l2.FarCycles == 0 && l2.AtomicAnswerCycles == 0 {
		return
	}
	x := &late{asked: s.asked, room: l2.FarCycles + l2.AtomicAnswerCycles + 1}
	for k := range x.cycles {
		x.queues[k] = ring.New[lateAnswer](1)
		x.cycles[k] = int64(k&farAnswer*l2.FarCycles + k&atomicAnswer/atomicAnswer*l2.AtomicAnswerCycles)
	}
	if l2.FarCycles > 0 {
		x.copies = cache.NewTags(copiesOf(&l2.Slice))
	}
	s.late = x
}

// copiesOf describes the copies of the other half: in as many sets half the ways.
func copiesOf(c *arch.Cache) *arch.Cache {
	ways := (c.Ways + 1) / 2
	return &arch.Cache{Bytes: c.Bytes / c.Ways * ways, Ways: ways, LineBytes: c.LineBytes, SectorBytes: c.SectorBytes, Index: c.Index}
}

// asked implements late.asked.
func (s *slice) asked(origin uint32) (k kind, far bool) {
	if s.system.isOffloader(origin) {
		return read, false // of a unit next to the cache, or of its half
	}
	r := s.system.request(origin)
	return r.kind, s.system.halfOfSM(int(r.sm)) != s.system.halfOfPartition(s.partition.number)
}

// halfOfSM is the half of the chip in which an SM lies.
func (s *System) halfOfSM(sm int) int { return sm * 2 / s.machine.GPU.SMs }

// halfOfPartition is the half of the chip in which a partition lies.
func (s *System) halfOfPartition(n int) int { return n * 2 / s.machine.L2.Partitions }

// held is the number of answers that are not ready.
func (x *late) held() int {
	if x == nil {
		return 0
	}
	return x.count
}

// crowded reports whether there is no room for another answer.
func (l *level) crowded() bool {
	return l.room.Full(l.answers.Len()) || l.late != nil && l.late.count >= l.late.room
}

// replyLate is reply for a slice some of whose answers are late.
func (l *level) replyLate(origin uint32, line uint64, sector int, filled bool) {
	x := l.late
	k, far := x.asked(origin)
	which := 0
	if k == atomic {
		which = atomicAnswer
		x.written(line)
	}
	if x.copies != nil {
		if far && (k != read || !x.copy(line, sector) || filled) {
			which |= farAnswer
		}
	}
	if x.cycles[which] == 0 {
		l.answers.Push(origin)
		return
	}
	x.queues[which].Push(lateAnswer{origin: origin, ready: x.now + x.cycles[which]})
	x.count++
}

// copy makes a sector a copy of the other half's, and reports whether it was one.
func (x *late) copy(line uint64, sector int) bool {
	t := x.copies
	i := t.Find(line)
	if i < 0 {
		i = t.Victim(line)
		t.Replace(i, line)
	} else {
		t.Use(i)
	}
	had := t.Valid(i)>>sector&1 != 0
	t.Load(i, sector)
	return had
}

// written drops the copy of a line that is written, by whichever SM or unit next to the L2.
func (x *late) written(line uint64) {
	if x.copies == nil {
		return
	}
	if i := x.copies.Find(line); i >= 0 {
		x.copies.Drop(i)
	}
}

// releaseLate lets those answers go that are ready in an L2 cycle, as far as there is room.
func (l *level) releaseLate(now int64) (any bool) {
	x := l.late
	x.now = now
	if x.count == 0 {
		return false
	}
	for k := range x.queues {
		q := &x.queues[k]
		for q.Len() > 0 && q.Head().ready <= now && !l.room.Full(l.answers.Len()) {
			l.answers.Push(q.Pop().origin)
			x.count--
			any = true
		}
	}
	return any
}

// due is the first cycle after now in which an answer is ready.
func (x *late) due(now int64) int64 {
	first := never
	if x.count == 0 {
		return first
	}
	for k := range x.queues {
		if q := &x.queues[k]; q.Len() > 0 && q.Head().ready > now {
			first = min(first, q.Head().ready)
		}
	}
	return first
}
