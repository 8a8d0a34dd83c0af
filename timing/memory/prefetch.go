// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/prefetch"
	"github.com/warptape/warptape/timing/seam"
)

// prefetching is what a cache with a prefetcher needs for it. A prefetched line has a
// mark until the first read wants it.
type prefetching struct {
	policy  prefetch.Prefetcher
	counts  *counters.Set
	first   counters.ID     // of the level's
	read    prefetch.Access // in hand
	lines   []uint64        // proposed for it
	under   int             // sectors on their way for the prefetcher
	limit   int             // of under: half of the MSHRs
	sectors int             // of a line
}

// newPrefetching is for a cache with tags; nil without a prefetcher. The word has come
// through a loader, or through Validate.
func newPrefetching(key string, c *arch.Cache, counts *counters.Set, first counters.ID) *prefetching {
	policy, err := prefetch.New(key, c)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if policy == nil {
		return nil
	}
	return &prefetching{policy: policy, counts: counts, first: first, limit: c.MSHRs / 2, sectors: c.LineBytes / c.SectorBytes}
}

func (p *prefetching) count(id counters.ID) { p.counts[p.first+id]++ }

// windowShift tells memory that a read of one place says nothing about: the windows of
// SMs, of instructions, of other kernels' lines.
const windowShift = 40

// proposals tells the policy of the read in hand, and gives what it proposes.
func (p *prefetching) proposals() []uint64 {
	p.count(prefetch.Trainings)
	p.lines = p.policy.Access(&p.read, p.lines[:0])
	p.counts[p.first+prefetch.Proposals] += uint64(len(p.lines))
	return p.lines
}

// room reports whether a proposed line may be asked for, as far as that does not depend
// on the way there.
func (p *prefetching) room(line uint64, tags *cache.Tags, free int) bool {
	n := p.sectors
	switch {
	case tags.Find(line) >= 0:
		p.count(prefetch.Redundant)
		return false
	case (p.read.Line^line)>>windowShift != 0, p.under+n > p.limit, free < n, tags.Victim(line) < 0:
		p.count(prefetch.Dropped)
		return false
	}
	return true
}

// wanted counts the first read of a marked line.
func (p *prefetching) wanted(tags *cache.Tags, i int, late bool) {
	tags.Unmark(i)
	if late {
		p.count(prefetch.Late)
	} else {
		p.count(prefetch.Useful)
	}
}

// evicted counts a marked line that makes room for another.
func (p *prefetching) evicted() {
	p.count(prefetch.Useless)
	p.count(prefetch.EvictedUnused)
}

// l1Prefetch is the prefetching of an L1.
type l1Prefetch struct {
	prefetching
	// op and issued tell the lines of one warp's access from those of another.
	op     int32
	issued clock.Cycle
}

// addPrefetcher gives the port the prefetcher of the machine, if it has one.
func (p *Port) addPrefetcher(c *arch.Cache) {
	x := newPrefetching(prefetch.L1Key, c, p.counts, prefetch.L1Counters)
	if x == nil {
		return
	}
	p.prefetch, p.observed, p.l1.target = &l1Prefetch{prefetching: *x, op: none}, true, fillTold
}

// told is access, and tells the prefetcher of it when it has been performed.
func (p *Port) told(now clock.Cycle, a *lineAccess) bool {
	x := p.prefetch
	if x == nil {
		return p.access(now, a)
	}
	t := p.l1.tags
	before := p.l1.find(a.Line, a.Bytes)
	marked, leaves := before.line >= 0 && t.Marked(before.line), none
	if before.line < 0 {
		if i := t.Leaves(a.Line); i >= 0 && t.Marked(i) {
			leaves = int32(i)
		}
	}
	o := p.operations.Items[a.op]
	if !p.access(now, a) {
		return false
	}
	after := t.Find(a.Line)
	if leaves != none && after == int(leaves) {
		x.evicted()
	}
	if marked && after < 0 {
		x.count(prefetch.Useless) // a store or an atomic has dropped it
	}
	if o.kind != opLoad || o.bypass {
		return true
	}
	if marked {
		x.wanted(t, before.line, before.pending != 0)
	}
	leading := x.op != a.op || x.issued != o.issued
	x.op, x.issued = a.op, o.issued
	x.read = prefetch.Access{
		Line: a.Line, Instruction: o.instruction, SM: p.sm, Warp: int(o.warp), Leading: leading, Hit: before.missing|before.pending == 0, First: marked,
	}
	for _, line := range x.proposals() {
		if x.room(line, p.l1.tags, p.l1.misses.Free()) {
			p.ask(now, line)
		}
	}
	return true
}

// ask asks for a line that is not there, for which the L1 has a place and MSHRs, behind
// all demand requests.
func (p *Port) ask(now clock.Cycle, line uint64) {
	x, f := p.prefetch, &p.l1
	i := f.tags.Victim(line)
	there := f.tags.Present(i)
	if p.early.Len() >= f.limit.Capacity() || there && f.tags.Dirty(i) != 0 && f.full() {
		x.count(prefetch.Dropped)
		return
	}
	if f.tags.Marked(i) {
		x.evicted()
	}
	i = p.allocate(now, f, line)
	sectors := f.tags.Touched(p.wholeLine(line))
	for m := sectors; m != 0; m &= m - 1 {
		s := bits.TrailingZeros8(uint8(m))
		f.tags.Await(i, s, f.misses.Take(i, s))
		x.under++
	}
	f.tags.Mark(i)
	if p.directory != nil {
		p.directory.Share(now, p.sm, line)
	}
	cause := p.instruction
	p.instruction = seam.NoInstruction
	n, r := p.newRequest(now, read, &f.fills[sectors&(1<<(cache.BlockBytes/32)-1)], line|p.tag)
	p.instruction = cause
	r.line, r.fill, r.sectors = int32(i), fillPrefetched, sectors
	p.early.Push(n)
	x.count(prefetch.Issued)
}

// filled is fill for an L1 with a prefetcher.
func (p *Port) filled(now clock.Cycle, r *request) {
	x, t := p.prefetch, p.l1.tags
	line, prefetched := t.Address(int(r.line)), r.fill == fillPrefetched
	if prefetched {
		x.under -= bits.OnesCount8(uint8(r.sectors))
	}
	if i := t.Displaces(int(r.line), r.sectors); i >= 0 && t.Marked(i) {
		x.evicted()
	}
	p.fill(now, &p.l1, r)
	for range t.TakeLost() {
		x.evicted()
	}
	x.policy.Filled(line, prefetched)
}

// leavesUnused counts a prefetched line that is dropped, and that no read has wanted.
func (p *Port) leavesUnused(i int) {
	if p.prefetch != nil && p.l1.tags.Marked(i) && p.l1.tags.Pending(i) == 0 {
		p.prefetch.count(prefetch.Useless)
	}
}

// invalidate empties the L1.
func (p *Port) invalidate() {
	if p.prefetch != nil {
		for i := range p.l1.tags.Len() {
			p.leavesUnused(i)
		}
	}
	p.l1.tags.Invalidate()
}
