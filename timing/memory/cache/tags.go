package cache

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
)

// Tags is the state of a set-associative cache: lines with valid, dirty and
// pending sectors. Lines are named by their index; -1 is none.
type Tags struct {
	Geometry
	ways      int
	setMask   uint64
	lineShift uint
	indexBits uint
	index     index
	tags      []uint64 // line address | present
	rank      []uint64 // in LRU order: time of last use, zero without a line, and awaited with pending sectors
	state     []state
	written   []Bytes // bytes written to sectors that are not valid
	aside     aside
	locks     locks
	clock     uint64
	last      int // the line index that was found or taken last: the next is often for it
}

// state is the sectors of one line.
type state struct {
	valid, dirty, pending Sectors
	mshr                  [BlockBytes / 32]int16 // of the pending sectors
}

// present marks a tag as taken; line addresses have their low bits free.
const present = 1

// awaited puts the rank of a line with pending sectors behind all others.
const awaited = uint64(1) << 63

// NewTags makes the state of a cache that exists (Bytes not zero).
func NewTags(c *arch.Cache) *Tags {
	lines := c.Bytes / c.LineBytes
	sets := lines / c.Ways
	places := newAside(c, lines)
	lines += len(places.free)
	return &Tags{
		aside:    places,
		Geometry: NewGeometry(c.SectorBytes), ways: c.Ways, setMask: uint64(sets - 1),
		lineShift: uint(bits.TrailingZeros(uint(c.LineBytes))), indexBits: uint(bits.TrailingZeros(uint(sets))), index: indexOf(c.Index),
		tags: make([]uint64, lines), rank: make([]uint64, lines), state: make([]state, lines), written: make([]Bytes, lines),
	}
}

// Line is the address of the line that holds an address.
func (t *Tags) Line(address uint64) uint64 { return address >> t.lineShift << t.lineShift }

// set is the first line index of the set of a line.
func (t *Tags) set(line uint64) int {
	n := line >> t.lineShift
	switch t.index {
	case indexXor:
		n = xorIndex(n, t.indexBits)
	case indexFermi:
		n = fermiIndex(n)
	}
	return int(n&t.setMask) * t.ways
}

// Find gives the index of a line, or -1.
func (t *Tags) Find(line uint64) int {
	want := line | present
	if t.tags[t.last] == want {
		return t.last
	}
	first := t.set(line)
	for i, tag := range t.tags[first : first+t.ways] {
		if tag == want {
			t.last = first + i
			return t.last
		}
	}
	for _, i := range t.aside.used {
		if t.tags[i] == want {
			return int(i)
		}
	}
	return -1
}

// Victim gives the index to replace by a line that misses: that of a free line or
// of the least recently used without pending sectors, -1 when all have some; or a
// place aside in a cache that allocates on fill.
func (t *Tags) Victim(line uint64) int {
	if t.aside.on {
		return t.aside.next()
	}
	return t.oldest(line)
}

// oldest is the victim in the set of a line: that of the lowest rank.
func (t *Tags) oldest(line uint64) int {
	first := t.set(line)
	if t.locks.total > 0 {
		return t.oldestUnlocked(first)
	}
	way, lowest := -1, awaited
	for i, rank := range t.rank[first : first+t.ways] {
		if rank < lowest {
			way, lowest = i, rank
		}
	}
	if way < 0 {
		return -1
	}
	return first + way
}

// oldestUnlocked is the victim in a set of which lines may be locked.
func (t *Tags) oldestUnlocked(first int) int {
	best, lowest := -1, awaited
	for i := first; i < first+t.ways; i++ {
		if t.rank[i] < lowest && (t.tags[i] == 0 || !t.Locked(t.tags[i]&^present)) {
			best, lowest = i, t.rank[i]
		}
	}
	return best
}

// MakesRoom reports whether Victim may find a place for a line now that nothing of
// line index i is on its way any more.
func (t *Tags) MakesRoom(i int, line uint64) bool {
	first := t.set(line)
	return t.aside.on || i >= first && i < first+t.ways
}

// Address is the line address of a present line.
func (t *Tags) Address(i int) uint64 { return t.tags[i] &^ present }

// Present reports whether line index i holds a line.
func (t *Tags) Present(i int) bool { return t.tags[i] != 0 }

// Len is the number of line indexes, those aside included.
func (t *Tags) Len() int { return len(t.tags) }

// Replace puts a line with no valid sector at index i.
func (t *Tags) Replace(i int, line uint64) {
	t.tags[i] = line | present
	t.last = i
	t.rank[i] = 0
	t.state[i] = state{}
	t.written[i] = Bytes{}
	t.aside.take(i)
	t.Use(i)
}

// Use marks a line as most recently used.
func (t *Tags) Use(i int) {
	t.clock++
	t.rank[i] = t.clock | t.rank[i]&awaited
}

// Drop empties line index i; it has no pending sector.
func (t *Tags) Drop(i int) {
	t.tags[i] = 0
	t.rank[i] = 0
	t.state[i] = state{}
}

// Pending is the sectors that are on their way.
func (t *Tags) Pending(i int) Sectors { return t.state[i].pending }

// Valid is the sectors whose every byte can be read.
func (t *Tags) Valid(i int) Sectors { return t.state[i].valid }

// Has reports whether anything of a sector is there or on its way.
func (t *Tags) Has(i, sector int) bool {
	s := &t.state[i]
	return (s.valid|s.dirty|s.pending)>>sector&1 != 0
}

// Dirty is the sectors that the level below has not seen.
func (t *Tags) Dirty(i int) Sectors { return t.state[i].dirty }

// Register is the MSHR of a pending sector.
func (t *Tags) Register(i, sector int) int { return int(t.state[i].mshr[sector]) }

// Await makes a sector pending under an MSHR.
func (t *Tags) Await(i, sector, mshr int) {
	t.rank[i] |= awaited
	t.state[i].pending |= 1 << sector
	t.state[i].mshr[sector] = int16(mshr)
}

// Fill makes a pending sector valid.
func (t *Tags) Fill(i, sector int) {
	s := &t.state[i]
	s.valid |= 1 << sector
	if s.pending &^= 1 << sector; s.pending == 0 {
		t.rank[i] &^= awaited
	}
}

// Load makes a sector valid without a register: its data have come from outside.
func (t *Tags) Load(i, sector int) { t.state[i].valid |= 1 << sector }

// Readable reports whether all of the bytes b, which lie in one sector, can be
// read: the sector is valid, or exactly these bytes have been written.
func (t *Tags) Readable(i, sector int, b Bytes) bool {
	return t.state[i].valid>>sector&1 != 0 || b.AndNot(t.written[i]).Empty()
}

// Write marks bytes of one sector as written here and dirty. A sector written
// in full is valid without ever having been fetched.
func (t *Tags) Write(i, sector int, b Bytes) {
	s := &t.state[i]
	s.dirty |= 1 << sector
	if s.valid>>sector&1 != 0 {
		return
	}
	t.written[i] = t.written[i].Or(b)
	if t.bytes[sector].AndNot(t.written[i]).Empty() && s.pending>>sector&1 == 0 {
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
	t.state[i].valid, t.state[i].dirty = 0, 0
	t.written[i] = Bytes{}
}
