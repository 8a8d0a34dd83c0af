// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/prefetch"
)

// levelPrefetch is the prefetching of a slice of the L2.
type levelPrefetch struct {
	prefetching
	own []bool // by MSHR: it is the prefetcher's
	// asker says which SM and instruction read; false for an offloader's own accesses.
	asker func(origin uint32) (sm int, instruction uint32, ok bool)
}

// addPrefetcher gives the slice the prefetcher of the machine, if it has one.
func (s *slice) addPrefetcher(c *arch.Cache) {
	x := newPrefetching(prefetch.L2Key, c, s.system.global, prefetch.L2Counters)
	if x != nil {
		s.prefetch, s.apart = &levelPrefetch{prefetching: *x, own: make([]bool, c.MSHRs), asker: s.asker}, true
	}
}

// asker is the SM and the instruction that have sent the request of a packet.
func (s *slice) asker(origin uint32) (sm int, instruction uint32, ok bool) {
	if s.system.isOffloader(origin) {
		return 0, 0, false
	}
	r := s.system.request(origin)
	return int(r.sm), r.cause, true
}

// sectorApart is sector for a level that is through, or has a prefetcher.
func (l *level) sectorApart(a *levelAccess, line uint64, sector int) bool {
	if l.through {
		return l.pass(a, line, sector)
	}
	x, t := l.prefetch, l.tags
	i := t.Find(line)
	marked, leaves := i >= 0 && t.Marked(i), -1
	if i < 0 {
		leaves = t.Leaves(line)
	}
	left := leaves >= 0 && t.Marked(leaves)
	pending := i >= 0 && t.Pending(i)>>(sector&7)&1 != 0
	hit := i >= 0 && !pending && t.Readable(i, sector, l.bytes(a, sector))
	leading := a.left == t.Touched(a.bytes)
	if !l.lookUp(a, line, sector) {
		return false
	}
	if left && t.Find(line) == leaves {
		x.evicted()
	}
	if a.kind == write {
		return true
	}
	if marked {
		x.wanted(t, i, pending)
	}
	if leading || marked {
		l.train(a, line, hit, marked)
	}
	return true
}

// lookUp is what sector does at a level with tags.
func (l *level) lookUp(a *levelAccess, line uint64, sector int) bool {
	if l.lacks {
		return l.fetch(a, l.absent, line, sector)
	}
	i := l.tags.Find(line)
	if a.kind == write {
		return l.write(a, i, line, sector)
	}
	return l.read(a, i, line, sector)
}

// train tells the prefetcher of a read, and asks for what it proposes.
func (l *level) train(a *levelAccess, line uint64, hit, first bool) {
	x := l.prefetch
	sm, instruction, ok := x.asker(a.origin)
	if !ok {
		return
	}
	x.read = prefetch.Access{Line: line, Instruction: instruction, SM: sm, Warp: -1, Leading: true, Hit: hit, First: first}
	for _, proposed := range x.proposals() {
		if x.room(proposed, l.tags, l.misses.Free()) {
			l.ask(proposed)
		}
	}
}

// ask asks for a line that is not there, for which the level has a place and MSHRs. All
// sectors of a line share a place of the queue. Behind others the line leaves a place to
// demand requests.
func (l *level) ask(line uint64) {
	x, t := l.prefetch, l.tags
	places, i := 1, t.Victim(line)
	if t.Dirty(i) != 0 {
		places++
	}
	if places > l.limit.Capacity() || l.queue.Len() > 0 && l.queue.Len()+places >= l.limit.Capacity() {
		x.count(prefetch.Dropped)
		return
	}
	if t.Marked(i) {
		x.evicted()
	}
	i = l.allocate(line)
	for m := t.Touched(cache.Range(int(line%cache.BlockBytes), x.sectors*t.SectorBytes)); m != 0; m &= m - 1 {
		s := bits.TrailingZeros8(uint8(m))
		mshr := l.misses.Take(i, s)
		t.Await(i, s, mshr)
		x.own[mshr] = true
		x.under++
		l.queue.Push(levelMiss{address: line, mshr: int32(mshr), sectors: 1 << (s & 7)})
	}
	t.Mark(i)
	x.count(prefetch.Issued)
}

// fillApart makes a sector valid that has come for an MSHR, at a level that is
// through, or has a prefetcher.
func (l *level) fillApart(mshr, line, sector int) {
	if l.through {
		return
	}
	l.tags.Fill(line, sector)
	x := l.prefetch
	prefetched := x.own[mshr]
	if prefetched {
		x.own[mshr] = false
		x.under--
	}
	x.policy.Filled(l.tags.Address(line), prefetched)
}

// leavesUnused counts a prefetched line that is dropped, and that no read has wanted.
func (l *level) leavesUnused(i int) {
	if l.prefetch != nil && l.tags.Marked(i) && l.tags.Pending(i) == 0 {
		l.prefetch.count(prefetch.Useless)
	}
}
