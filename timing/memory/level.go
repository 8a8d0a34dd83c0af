// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/limits"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/dram"
	"github.com/warptape/warptape/timing/ring"
)

// level is one cache beyond the network: an L2 slice, or the last-level cache
// of a partition. Its cycles are L2 cycles.
//
// An access waits LatencyCycles in the input, then takes the tags for one cycle
// per sector. A read hit, a write (which allocates without fetching) and a
// filled miss are answered sector by sector. When the line, an MSHR, the miss
// queue or the answer queue lacks room, the head of the input waits and all
// behind it.
//
// What each cycle looks at lies together, in the first lines of the host's cache.
type level struct {
	aside   bool // it may have a unit next to it, or lines to clean: see cycleAside
	busy    bool // something has gone on in this cycle
	through bool // there is no cache: everything goes on to the level below
	// apart says that the level is through or has a prefetcher: what every access does then differs.
	apart  bool
	pieces bool // see arch.L2, WritePieces
	sends  bool // writes that miss go on: see sendOn
	// refused says that the level below has refused the head of queue: until it
	// wakes this one because it has room again, it need not be asked.
	refused bool
	// lacks says that the sector at the head of input was neither there nor on its
	// way, and lacked an MSHR, a place in queue or one in its set: nothing but
	// serving it changes the former, so that it need not be looked up again. Of its
	// line, absent is what looking up has found.
	lacks    bool
	waiting  int   // what those above have for it: accesses, and messages to an offloader
	free     int64 // first cycle in which the tags are free
	late     *late // nil: all answers are as early as they can be
	input    ring.Ring[levelAccess]
	fills    ring.Ring[int32]
	answers  ring.Ring[uint32]
	queue    ring.Ring[levelMiss]
	limit    limits.Limit // of queue
	room     limits.Limit // of answers that wait
	entrance limits.Limit // of input: as many, and those that are under way at one a cycle
	latency  int64
	absent   int
	tags     *cache.Tags
	misses   *cache.MSHRs
	counts   *levelCounts
	above    above
	below    below
	// channel is the level below where that is nothing but a DRAM channel, nil
	// elsewhere: it is asked whether it takes anything before anything is put together.
	channel dram.Channel
	distant []bool // per MSHR: the level below has missed, too
	atomic  int64  // cycles for which an atomic holds the tags
	// direct holds accesses of a unit next to the cache, which have no way to it:
	// they go before those of input.
	direct   ring.Ring[levelAccess]
	prefetch *levelPrefetch // of a prefetcher, nil without one
	clean    levelCleans
	beside
}

// levelAccess is one request to a level.
type levelAccess struct {
	address uint64
	bytes   cache.Bytes
	more    cache.Sectors // besides those of bytes
	ready   int64
	origin  uint32 // what to answer
	kind    kind
	left    cache.Sectors // sectors not yet served; zero until it is at the head
}

// levelMiss is what a level wants of the one below: a sector for an MSHR, or
// the dirty sectors of a line to be written back.
type levelMiss struct {
	address uint64 // of the line
	mshr    int32  // none for a write-back, cleaned for one that cleanLine asks for, sent for a write that goes on
	sectors cache.Sectors
	size    uint8 // of a write that goes on, in bytes from address on
}

// above is what asks a level.
type above interface {
	// answer passes one sector's answer on; false when it has to wait.
	answer(origin uint32) bool
	// waits reports whether one of those that level.waiting counts is an access that
	// wants to enter; next then writes it to a.
	waits() bool
	next(a *levelAccess)
	// missed tells that a sector of a read waits for the level below, for one that
	// was asked for before if merged; far that a sector has
	// come for it for which that level had to wait, too.
	missed(origin uint32, merged bool)
	far(origin uint32)
}

// below is where a level sends its misses; both are false when they have to
// wait. Every accepted read comes back through fill.
type below interface {
	read(address uint64, bytes int, mshr int32) bool
	write(address uint64, bytes int) bool
}

// levelCounts names the counters of a level.
type levelCounts struct {
	set                                                                    *counters.Set
	read, readHit, readMiss, readMerge, write, writeHit, writeMiss, atomic counters.ID
	writeBack, writeSectorMiss                                             counters.ID
}

func (c *levelCounts) add(id counters.ID) { c.set[id]++ }

func newLevel(c *arch.Cache, inputQueue, atomicCycles int, counts *levelCounts) *level {
	tags, through := tagsOf(c)
	return &level{
		tags: tags, through: through, apart: through, misses: cache.NewMSHRs(c.MSHRs, max(c.MSHRMerges, 1)), counts: counts,
		sends: c.Write == arch.SendsMisses, latency: int64(c.LatencyCycles), atomic: int64(atomicCycles), room: limits.New(inputQueue), entrance: limits.New(inputQueue + c.LatencyCycles),
		input: ring.New[levelAccess](inputQueue + c.LatencyCycles), answers: ring.New[uint32](inputQueue + c.MSHRMerges),
		queue: ring.New[levelMiss](c.MissQueue + 1), limit: limits.New(c.MissQueue), fills: ring.New[int32](c.MSHRs),
		distant: make([]bool, c.MSHRs), clean: newLevelCleans(),
	}
}

// cycle advances the level to L2 cycle now and returns the next cycle in which
// time alone lets it go on. It calls no part of itself that has nothing to do.
func (l *level) cycle(now int64) int64 {
	if l.aside {
		return l.cycleAside(now)
	}
	l.busy = false
	if l.late != nil {
		l.busy = l.releaseLate(now)
	}
	if l.fills.Len() > 0 && !l.crowded() {
		l.fillFirst()
		l.busy = true
	}
	if l.free <= now && l.input.Len() > 0 && l.serves(now) {
		l.busy = true
	}
	if l.answers.Len() > 0 && l.answer() {
		l.busy = true
	}
	if l.queue.Len() > 0 && !l.refused && l.miss() {
		l.busy = true
	}
	if l.waiting > 0 && l.accept(now) || l.busy {
		return now + 1
	}
	due := l.dueAt(now, &l.input)
	if l.late != nil {
		due = min(due, l.late.due(now))
	}
	return due
}

// cycleAside is cycle of a level that may have a unit next to it or lines to clean.
func (l *level) cycleAside(now int64) int64 {
	l.busy = false
	if l.late != nil {
		l.busy = l.releaseLate(now)
	}
	if l.fills.Len()+l.held.Len() > 0 && l.fill() {
		l.busy = true
	}
	if l.clean.scanning.Len() > 0 && l.cleanLine() {
		l.busy = true
	}
	if l.free <= now {
		if l.direct.Len()+l.near.Len() > 0 {
			l.busy = l.serveBeside(now) || l.busy
		} else if l.input.Len() > 0 && l.serves(now) {
			l.busy = true
		}
	}
	if l.answers.Len() > 0 && l.answer() {
		l.busy = true
	}
	if l.stay.Len() > 0 && l.answerBeside() {
		l.busy = true
	}
	if l.queue.Len() > 0 && !l.refused && l.miss() {
		l.busy = true
	}
	if l.waiting > 0 && l.accept(now) || l.busy {
		return now + 1
	}
	due := min(l.dueAt(now, &l.input), l.dueAt(now, &l.near))
	if l.late != nil {
		due = min(due, l.late.due(now))
	}
	return due
}

// serves serves the first access of input, if it is at the tags and can go on.
func (l *level) serves(now int64) bool {
	return l.input.Head().ready <= now && (!l.lacks || !l.cannotMiss()) && l.serveHead(now, &l.input)
}

// dueAt is the later cycle in which the first access of a queue comes to the tags;
// never for none, or for one that is there and waits for room.
func (l *level) dueAt(now int64, queue *ring.Ring[levelAccess]) int64 {
	if queue.Len() > 0 {
		if at := max(queue.Head().ready, l.free); at > now {
			return at
		}
	}
	return never
}

const never = int64(1<<63 - 1)

// full reports whether the input has no room: as many as are under way at one
// a cycle, and the queue in front of the tags.
func (l *level) full() bool { return l.entrance.Full(l.input.Len()) }

// accept takes one access a cycle of those above.
func (l *level) accept(now int64) bool {
	if l.full() || !l.above.waits() {
		return false
	}
	a := l.input.Add()
	l.above.next(a)
	a.ready, a.left = now+l.latency, 0
	return true
}

// cannotMiss reports whether a miss has to wait for an MSHR or for a place in
// the queue.
func (l *level) cannotMiss() bool { return l.misses.Lacks(1, 0) || l.limit.Full(l.queue.Len()) }

// serveHead serves a sector of the first access of a queue.
func (l *level) serveHead(now int64, queue *ring.Ring[levelAccess]) bool {
	a := queue.Head()
	if a.left == 0 {
		a.left = l.tags.Touched(a.bytes) | a.more
	}
	if l.crowded() && !l.stays(a.origin) || !l.sector(a, bits.TrailingZeros8(uint8(a.left))) {
		return false
	}
	if a.left &= a.left - 1; a.left == 0 {
		if a.kind == atomic {
			l.free = now + max(l.atomic, 1)
		}
		queue.Drop()
	}
	return true
}

// sector serves one sector, for whose answer there is room; false, with nothing changed,
// when it has to wait.
func (l *level) sector(a *levelAccess, sector int) bool {
	if a.kind == own {
		l.answers.Push(a.origin)
		return true
	}
	line := l.tags.Line(a.address)
	if l.apart {
		return l.sectorApart(a, line, sector)
	}
	if l.lacks {
		return l.fetch(a, l.absent, line, sector)
	}
	i := l.tags.Find(line)
	if a.kind == write {
		return l.write(a, i, line, sector)
	}
	return l.read(a, i, line, sector)
}

// read reads a sector: a hit is answered, a miss waits for the level below.
func (l *level) read(a *levelAccess, i int, line uint64, sector int) bool {
	if i < 0 {
		return l.fetch(a, i, line, sector)
	}
	if l.tags.Readable(i, sector, l.bytes(a, sector)) {
		l.countRead(a, l.counts.readHit)
		l.touch(a, i, sector)
		l.reply(a.origin, line, sector, false)
		return true
	}
	if l.tags.Pending(i)>>(sector&7)&1 != 0 {
		return l.merge(a, i, sector)
	}
	return l.fetch(a, i, line, sector)
}

// bytes is those of a sector that an access wants.
func (l *level) bytes(a *levelAccess, sector int) cache.Bytes {
	return a.bytes.And(l.tags.Bytes(sector))
}

// fetch lets a read wait for a sector that is neither there nor on its way, though its
// line i may be.
func (l *level) fetch(a *levelAccess, i int, line uint64, sector int) bool {
	l.lacks, l.absent = true, i
	if l.cannotMiss() {
		return false
	}
	if i < 0 {
		if i = l.allocate(line); i < 0 {
			return false
		}
	} else {
		l.tags.Use(i)
	}
	l.lacks = false
	mshr := l.misses.TakeFor(i, sector, a.origin)
	l.tags.Await(i, sector, mshr)
	m := l.queue.Add()
	m.address, m.mshr, m.sectors = line, int32(mshr), 1<<(sector&7)
	l.countRead(a, l.counts.readMiss)
	l.above.missed(a.origin, false)
	if a.kind == atomic {
		l.tags.Write(i, sector, l.bytes(a, sector))
	}
	return true
}

// merge lets a read wait for a sector that is on its way.
func (l *level) merge(a *levelAccess, i, sector int) bool {
	mshr := l.tags.MSHR(i, sector)
	if !l.misses.CanMerge(mshr) {
		return false
	}
	l.countRead(a, l.counts.readMerge)
	l.above.missed(a.origin, true)
	l.misses.Wait(mshr, a.origin)
	l.touch(a, i, sector)
	return true
}

// touch marks the use of a line; an atomic writes it as well.
func (l *level) touch(a *levelAccess, i, sector int) {
	if a.kind == atomic {
		l.tags.Write(i, sector, l.bytes(a, sector))
	}
	l.tags.Use(i)
}

func (l *level) countRead(a *levelAccess, outcome counters.ID) {
	c := l.counts
	set := c.set
	if a.kind == atomic {
		set[c.atomic]++
	}
	set[c.read]++
	set[outcome]++
}

// write puts bytes into a sector; a line that is not there is allocated
// without being fetched.
func (l *level) write(a *levelAccess, i int, line uint64, sector int) bool {
	if l.sends && !l.hasWhole(i, sector) {
		return l.sendOn(a, i, line, sector)
	}
	outcome := l.counts.writeHit
	fresh := i < 0 || !l.tags.Has(i, sector)
	if i < 0 {
		outcome = l.counts.writeMiss
		if i = l.allocate(line); i < 0 {
			return false
		}
	} else {
		if !l.tags.Has(i, sector) {
			l.counts.add(l.counts.writeSectorMiss)
		}
		l.tags.Use(i)
	}
	l.counts.add(l.counts.write)
	l.counts.add(outcome)
	l.tags.Write(i, sector, l.bytes(a, sector))
	if fresh && l.pieces && l.countsAsWhole(a, sector) {
		l.tags.Load(i, sector)
	}
	if l.late != nil {
		l.late.written(line)
	}
	l.reply(a.origin, line, sector, false)
	return true
}

// countsAsWhole reports whether a write of a whole line's sectors is taken for one of all
// bytes of a sector: with those of the sectors before it, it has as many bytes as a sector
// (arch.L2, WritePieces).
func (l *level) countsAsWhole(a *levelAccess, sector int) bool {
	size := l.tags.SectorBytes
	return l.tags.Touched(a.bytes)|a.more == l.tags.Touched(cache.Range(0, cache.BlockBytes)) && a.bytes.And(cache.Range(0, (sector+1)*size)).Count() == size
}

// allocate reserves a line, which is used now, writing a dirty one back; -1 when it has to wait.
func (l *level) allocate(line uint64) int {
	i := l.tags.Victim(line)
	if i < 0 {
		return -1
	}
	if dirty := l.tags.Dirty(i); dirty != 0 {
		if l.limit.Full(l.queue.Len()) {
			return -1
		}
		l.queue.Push(levelMiss{address: l.tags.Address(i), mshr: none, sectors: dirty})
	}
	l.tags.Replace(i, line)
	return i
}

// fill takes one sector that has come from below, out of those that wait or are held, and
// answers all that waits for it.
func (l *level) fill() bool {
	if l.crowded() {
		return l.fillBeside()
	}
	if l.held.Len() > 0 {
		l.release()
		return true
	}
	l.fillFirst()
	return true
}

// fillFirst takes the first sector that waits, for whose answers there is room.
func (l *level) fillFirst() {
	mshr := int(l.fills.Pop())
	line, sector := l.misses.Sector(mshr)
	if !l.apart {
		l.tags.Fill(line, sector)
	} else {
		l.fillApart(mshr, line, sector)
	}
	address := l.tags.Address(line)
	far := &l.distant[mshr]
	for range l.misses.Waiters(mshr) {
		origin, _ := l.misses.Next(mshr)
		l.reply(origin, address, sector, true)
		if *far {
			l.above.far(origin)
		}
	}
	*far = false
	l.misses.Release(mshr)
}

// answer passes one of the answers a cycle on.
func (l *level) answer() bool {
	if !l.above.answer(*l.answers.Head()) {
		return false
	}
	l.answers.Drop()
	return true
}

// miss sends one request of the queue a cycle to the level below: a sector to read, or
// a run of neighbouring dirty sectors to write, which shares DRAM bursts.
func (l *level) miss() bool {
	if l.channel != nil && !l.channel.Takes() {
		l.refused = true
		return false
	}
	m := l.queue.Head()
	if m.mshr == sent {
		return l.sendWrite(m)
	}
	first := bits.TrailingZeros8(uint8(m.sectors))
	address := m.address&^(cache.BlockBytes-1) + uint64(first*l.tags.SectorBytes)
	if m.mshr < 0 {
		return l.writeBack(m, first, address)
	}
	if !l.below.read(address, l.tags.SectorBytes, m.mshr) {
		return false
	}
	l.queue.Drop()
	return true
}

// writeBack sends the first run of dirty sectors of m, from sector first and an address on,
// to the level below.
func (l *level) writeBack(m *levelMiss, first int, address uint64) bool {
	run := bits.TrailingZeros8(^uint8(m.sectors >> (first & 7)))
	if !l.below.write(address, run*l.tags.SectorBytes) {
		return false
	}
	l.counts.set[l.counts.writeBack] += uint64(run)
	if m.sectors &^= cache.Sectors(1<<run-1) << first; m.sectors == 0 {
		if m.mshr == cleaned {
			l.clean.written()
		}
		l.queue.Pop()
	}
	return true
}

// inside is the number of accesses, misses and answers in the level.
func (l *level) inside() int {
	return l.input.Len() + l.direct.Len() + l.answers.Len() + l.late.held() + l.queue.Len() + l.fills.Len() + l.misses.Used() + l.clean.scanning.Len() + l.near.Len() + l.stay.Len()
}
