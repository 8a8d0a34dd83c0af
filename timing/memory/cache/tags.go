// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/memory/ipoly"
	"github.com/warptape/warptape/timing/replacement"
	"github.com/warptape/warptape/trace/hugepages"
)

// Tags is the state of a set-associative cache: lines with valid, dirty and
// pending sectors. Lines are named by their index; -1 is none.
//
// What each look-up needs lies together, in the first lines of the host's cache.
type Tags struct {
	// last is the line index that was found or taken last: the next is often for it. lastTag
	// is its tag, so that others need not look there.
	last      int
	lastTag   uint64
	lineShift uint
	setMask   uint64
	ways      int // line indexes of a set: see stride
	open      int // ways that lines may come into: the first of a set
	// near and far are how far a line number is shifted to be folded into itself. With
	// indexXor they fold the tag into the index bits, so that strides of a power of two
	// spread over all sets.
	near, far uint
	spread    *ipoly.Hash // of indexIPOLY, nil for others
	index     index
	tags      []uint64 // line address | present
	rank      []uint64 // in LRU order: see oldest
	table     table
	floors    floors
	clock     uint64 // of Use, in steps of tick
	tick      uint64 // a power of two above every line index
	state     []state
	written   []Bytes            // bytes written to sectors that are not valid, of lines that are partly written
	policy    replacement.Policy // nil for LRU, which rank is
	Geometry
	fillBuffer fillBuffer
	locks      locks
	fate       fate
	choice     choice // of the policy
	indexBits  uint
}

// state is the sectors of one line.
type state struct {
	valid, dirty, pending Sectors
	flags                 uint8
	mshr                  [BlockBytes / 32]int16 // of the pending sectors
}

// The flags of a line.
const (
	marked        = 1 << iota // see Mark
	partlyWritten             // bytes of it are in written, which else has nothing of it
)

// present marks a tag as taken; line addresses have their low bits free.
const present = 1

// awaited puts the rank of a line with pending sectors behind all others.
const awaited = uint64(1) << 63

// newIndexing makes tags without any places: only set can be asked of them.
func newIndexing(c *arch.Cache) *Tags {
	sets := c.Bytes / c.LineBytes / c.Ways
	t := &Tags{
		Geometry: NewGeometry(c.SectorBytes), ways: stride(c.Ways), open: c.Ways, setMask: uint64(sets - 1),
		lineShift: uint(bits.TrailingZeros(uint(c.LineBytes))), indexBits: uint(bits.TrailingZeros(uint(sets))), index: indexOf(c.Index),
		near: 63, far: 63,
	}
	if t.index == indexXor {
		t.near, t.far = t.indexBits, 2*t.indexBits
	}
	if t.index == indexIPOLY {
		t.spread = ipoly.New(sets)
	}
	return t
}

// NewTags makes the state of a cache that exists (Bytes not zero).
func NewTags(c *arch.Cache) *Tags {
	t := newIndexing(c)
	lines := c.Sets() * t.ways
	t.fillBuffer = newFillBuffer(c, lines)
	lines += len(t.fillBuffer.free)
	if c.Ways > manyWays {
		t.table, t.floors = newTable(lines), newFloors(lines)
	}
	t.tags, t.rank = hugepages.BackPart(make([]uint64, lines)), hugepages.BackPart(make([]uint64, lines))
	t.state, t.written = hugepages.BackPart(make([]state, lines)), make([]Bytes, lines)
	t.tick = 1 << bits.Len(uint(lines))
	t.setPolicy(c.Replacement, c.Sets())
	for i := range t.rank {
		t.rank[i] = uint64(i)
	}
	return t
}

// Line is the address of the line that holds an address.
func (t *Tags) Line(address uint64) uint64 {
	return address >> (t.lineShift & 63) << (t.lineShift & 63)
}

// set is the first line index of the set of a line.
func (t *Tags) set(line uint64) int {
	// No shift is by 64 or more: to say so keeps the processor from asking. A line
	// number has no bit 63, so that shifts by that fold nothing into it.
	n := line >> (t.lineShift & 63)
	switch {
	case t.index == indexFermi:
		n = fermiIndex(n)
	case t.index == indexModulo:
		return int(n%(t.setMask+1)) * t.ways
	case t.spread != nil:
		n = t.spread.Of(n)
	default:
		n ^= n>>(t.near&63) ^ n>>(t.far&63)
	}
	return int(n&t.setMask) * t.ways
}

// Find gives the index of a line, or -1.
func (t *Tags) Find(line uint64) int {
	want := line | present
	if t.lastTag == want {
		return t.last
	}
	if t.table.on() {
		i := t.table.find(t.tags, want)
		if i >= 0 {
			t.last, t.lastTag = i, want
		}
		return i
	}
	first := t.set(line)
	if way := where(t.tags[first:first+t.open], want); way >= 0 {
		t.last, t.lastTag = first+way, want
		return t.last
	}
	for _, i := range t.fillBuffer.used {
		if t.tags[i] == want {
			return int(i)
		}
	}
	return -1
}

// Victim gives the index to replace by a line that misses. It is that of a free line or
// of the least recently used (or the policy's choice) without pending sectors, -1 when
// all have some. In a cache that allocates on fill it is a place of the fill buffer.
func (t *Tags) Victim(line uint64) int {
	if t.fillBuffer.on {
		i := t.fillBuffer.next()
		t.fate.refused = t.fate.refused || i < 0
		return i
	}
	return t.oldest(line)
}

// oldest is the victim in the set of a line: what the policy chooses, or that of the
// lowest rank. A rank is the time of the last use, zero without a line. Below it is the
// line index itself, so that the lowest rank says which line has it. Above it is
// awaited, with pending sectors.
func (t *Tags) oldest(line uint64) int {
	first := t.set(line)
	if t.policy != nil {
		return t.chosen(first)
	}
	if t.locks.total > 0 {
		return t.oldestUnlocked(first)
	}
	lowest := t.lowest(first)
	if lowest == awaited {
		t.fate.refused = true
		return -1
	}
	return int(lowest & (t.tick - 1))
}

// lowest is the lowest rank of the set that begins at a line index, awaited where no line may
// make room.
func (t *Tags) lowest(first int) uint64 {
	if t.floors != nil {
		return t.floors.lowest(t.rank, first, first+t.open)
	}
	return least(t.rank[first:first+t.open], awaited)
}

// oldestUnlocked is the victim in a set that may have locked lines.
func (t *Tags) oldestUnlocked(first int) int {
	best, lowest := -1, awaited
	for i := first; i < first+t.open; i++ {
		if t.rank[i] < lowest && (t.tags[i] == 0 || !t.Locked(t.tags[i]&^present)) {
			best, lowest = i, t.rank[i]
		}
	}
	t.fate.refused = t.fate.refused || best < 0
	return best
}

// MakesRoom reports whether Victim may find a place for a line now that nothing of
// line index i is on its way any more.
func (t *Tags) MakesRoom(i int, line uint64) bool {
	first := t.set(line)
	return t.fillBuffer.on || i >= first && i < first+t.open
}

// Address is the line address of a present line.
func (t *Tags) Address(i int) uint64 { return t.tags[i] &^ present }

// Present reports whether line index i holds a line.
func (t *Tags) Present(i int) bool { return t.tags[i] != 0 }

// Len is the number of line indexes, those of the fill buffer included.
func (t *Tags) Len() int { return len(t.tags) }

// Replace puts a line with no valid sector at index i.
func (t *Tags) Replace(i int, line uint64) {
	t.fate.replaced |= t.tags[i]
	t.last = i
	t.setTag(i, line|present) // lastTag as well
	t.state[i] = state{}
	if t.fillBuffer.on {
		t.fillBuffer.take(i)
	}
	t.clock += t.tick
	t.rank[i] = t.clock | uint64(i)
	if t.policy != nil {
		t.inserted(i)
	}
}

// Use tells that a line was hit: it becomes the most recently used.
func (t *Tags) Use(i int) {
	if t.policy != nil {
		t.used(i)
	}
	t.clock += t.tick
	rank := &t.rank[i]
	*rank = t.clock | uint64(i) | *rank&awaited
}

// Drop empties line index i; it has no pending sector.
func (t *Tags) Drop(i int) {
	if t.tags[i] == 0 {
		return
	}
	if t.fillBuffer.on && i >= t.fillBuffer.first {
		t.fillBuffer.give(i)
	}
	t.fate.dropped = true
	t.setTag(i, 0)
	t.setRank(i, uint64(i))
	t.state[i] = state{}
}

// setTag gives line index i a tag.
func (t *Tags) setTag(i int, tag uint64) {
	if t.table.on() {
		t.table.remove(i, t.tags[i])
		t.table.insert(i, tag)
	}
	t.tags[i] = tag
	if i == t.last {
		t.lastTag = tag
	}
}

// setRank gives line index i a rank that may be lower than the one that it had.
func (t *Tags) setRank(i int, rank uint64) {
	t.rank[i] = rank
	if t.floors != nil {
		t.floors.lower(i, rank)
	}
}

// Pending is the sectors that are on their way.
func (t *Tags) Pending(i int) Sectors { return t.state[i].pending }

// Valid is the sectors whose every byte can be read.
func (t *Tags) Valid(i int) Sectors { return t.state[i].valid }

// Has reports whether anything of a sector is there or on its way.
func (t *Tags) Has(i, sector int) bool {
	s := &t.state[i]
	return (s.valid|s.dirty|s.pending)>>(sector&7)&1 != 0
}

// Dirty is the sectors that the level below has not seen.
func (t *Tags) Dirty(i int) Sectors { return t.state[i].dirty }

// MSHR is the miss status holding register of a pending sector.
func (t *Tags) MSHR(i, sector int) int {
	s := &t.state[i]
	return int(s.mshr[sector&(len(s.mshr)-1)])
}

// Await makes a sector pending under an MSHR.
func (t *Tags) Await(i, sector, mshr int) {
	t.rank[i] |= awaited
	s := &t.state[i]
	s.pending |= 1 << (sector & 7)
	s.mshr[sector&(len(s.mshr)-1)] = int16(mshr)
}

// Fill makes a pending sector valid.
func (t *Tags) Fill(i, sector int) {
	s := &t.state[i]
	bit := Sectors(1) << (sector & 7)
	s.valid |= bit
	if s.pending &^= bit; s.pending == 0 {
		t.setRank(i, t.rank[i]&^awaited)
	}
}

// Load makes a sector valid without a register: its data have come from outside.
func (t *Tags) Load(i, sector int) { t.state[i].valid |= 1 << sector }

// Readable reports whether all of the bytes b, which lie in one sector, can be
// read: the sector is valid, or exactly these bytes have been written.
func (t *Tags) Readable(i, sector int, b Bytes) bool {
	s := &t.state[i]
	return s.valid>>(sector&7)&1 != 0 || b.AndNot(t.writtenTo(i, s)).Empty()
}

// writtenTo is the bytes that are written to sectors of a line that are not valid.
func (t *Tags) writtenTo(i int, s *state) Bytes {
	if s.flags&partlyWritten == 0 {
		return Bytes{}
	}
	return t.written[i]
}

// Write marks bytes of one sector as written here and dirty. A sector written
// in full is valid without ever having been fetched.
func (t *Tags) Write(i, sector int, b Bytes) {
	s := &t.state[i]
	s.dirty |= 1 << sector
	if s.valid>>sector&1 != 0 {
		return
	}
	written := t.writtenTo(i, s).Or(b)
	s.flags |= partlyWritten
	t.written[i] = written
	if t.bytes[sector].AndNot(written).Empty() && s.pending>>sector&1 == 0 {
		s.valid |= 1 << sector
	}
}

// Clean forgets that a line is dirty.
func (t *Tags) Clean(i int) { t.state[i].dirty = 0 }

// Invalidate drops every line without pending sectors, and makes the others
// empty except for what is on its way.
func (t *Tags) Invalidate() {
	for i := range t.tags {
		t.Empty(i)
	}
}

// Empty drops a line without pending sectors, and makes one with some empty except
// for what is on its way.
func (t *Tags) Empty(i int) {
	if t.state[i].pending == 0 {
		t.Drop(i)
		return
	}
	s := &t.state[i]
	s.valid, s.dirty, s.flags = 0, 0, s.flags&^partlyWritten
}
