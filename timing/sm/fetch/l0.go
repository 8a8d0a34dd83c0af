// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/warpset"
)

// L0 are the instruction caches of the sub-cores; each fetches for its own warps. The cache
// behind them, which they share, gives a line a cycle to one of them.
type L0 struct {
	line    uint64      // bytes of a line, as of the cache behind
	latency clock.Cycle // of a line that the cache behind has
	entries uint64      // of a stream buffer; zero: none
	sets    uint64      // a power of two
	ways    int
	cores   []l0
	clock   uint64      // numbers uses
	free    clock.Cycle // the first cycle for which the cache behind has promised no line
}

// l0 is the cache of one sub-core.
type l0 struct {
	members warpset.Set
	last    int // the warp that was fetched for last
	lines   []l0Line
	// The stream buffer holds the lines from head to before next, behind one that was missed or
	// taken from it. ahead are the cycles in which they come, by line modulo their number.
	head, next uint64
	ahead      []clock.Cycle
}

type l0Line struct {
	name  uint64 // the address and one; zero for no line
	ready clock.Cycle
	used  uint64
}

// NewL0 makes the caches of a machine; nil where there are none.
func NewL0(m *arch.Machine) *L0 {
	k := &m.SM.L0
	if k.Bytes == 0 {
		return nil
	}
	n := max(m.SM.Schedulers, 1)
	line := m.Instruction.LineBytes
	l := &L0{
		line: uint64(line), latency: clock.Cycle(m.Instruction.LatencyCycles), entries: uint64(k.StreamLines),
		sets: uint64(k.Bytes / (k.Ways * line)), ways: k.Ways, cores: make([]l0, n),
	}
	for i := range l.cores {
		l.cores[i] = l0{last: warpset.Max - 1, lines: make([]l0Line, l.sets*uint64(k.Ways)), ahead: make([]clock.Cycle, k.StreamLines)}
		for w := i; w < warpset.Max; w += n {
			l.cores[i].members.Add(w)
		}
	}
	return l
}

// Longest is the most cycles for which a warp waits for a line that the cache behind has. Each
// other warp may wait for one, and a stream buffer be full.
func (l *L0) Longest(warps int) int {
	if l == nil {
		return 0
	}
	return int(l.latency) + warps + int(l.entries) + 2
}

// Cores is the number of sub-cores. Warp w is in sub-core w modulo it.
func (l *L0) Cores() int { return len(l.cores) }

// Clear empties the caches.
func (l *L0) Clear() {
	for i := range l.cores {
		clear(l.cores[i].lines)
		l.cores[i].head, l.cores[i].next = 0, 0
	}
}

// Next is the warp of a sub-core to fetch for; false when it wants nothing.
func (l *L0) Next(core int, f *Buffers) (w int, ok bool) {
	c := &l.cores[core]
	wanted := f.wanted.And(c.members)
	if wanted.Empty() {
		return 0, false
	}
	if wanted.Meets(f.urgent) {
		wanted = wanted.And(f.urgent)
	}
	c.last = wanted.After(c.last)
	return c.last, true
}

// Find gives the cycle from which on the sub-core of a warp has a line; false when it has not
// asked for it. A line of the stream buffer goes into the cache.
func (l *L0) Find(w int, address uint64) (ready clock.Cycle, ok bool) {
	c := &l.cores[w%len(l.cores)]
	if e := l.find(c, address); e != nil {
		l.clock++
		e.used = l.clock
		return e.ready, true
	}
	if address < c.head || address >= c.next {
		return 0, false
	}
	ready = c.ahead[address/l.line%l.entries]
	l.put(c, address, ready)
	c.head = address + l.line
	return ready, true
}

func (l *L0) set(c *l0, address uint64) []l0Line {
	at := int(address/l.line&(l.sets-1)) * l.ways
	return c.lines[at : at+l.ways]
}

func (l *L0) find(c *l0, address uint64) *l0Line {
	set := l.set(c, address)
	for i := range set {
		if set[i].name == address+1 {
			return &set[i]
		}
	}
	return nil
}

// put replaces the line of its set that was used longest ago.
func (l *L0) put(c *l0, address uint64, ready clock.Cycle) {
	set := l.set(c, address)
	victim := &set[0]
	for i := range set {
		if set[i].name == address+1 {
			victim = &set[i]
			break
		}
		if set[i].used < victim.used {
			victim = &set[i]
		}
	}
	l.clock++
	*victim = l0Line{name: address + 1, ready: ready, used: l.clock}
}

// Take asks the cache behind for a line that it has, for the sub-core of a warp, and gives the
// cycle in which it comes.
func (l *L0) Take(now clock.Cycle, w int, address uint64) (ready clock.Cycle) {
	c := &l.cores[w%len(l.cores)]
	l.begin(c, address)
	ready = l.promise(now)
	l.put(c, address, ready)
	return ready
}

// promise is the cycle in which the cache behind gives its next line.
func (l *L0) promise(now clock.Cycle) clock.Cycle {
	from := max(now, l.free)
	l.free = from + 1
	return from + l.latency
}

// Come puts a line into the cache of a warp's sub-core that has come from beyond the cache
// behind.
func (l *L0) Come(now clock.Cycle, w int, address uint64) {
	c := &l.cores[w%len(l.cores)]
	l.begin(c, address)
	l.put(c, address, now)
}

// begin starts the stream buffer anew behind a line that has been missed.
func (l *L0) begin(c *l0, line uint64) { c.head, c.next = line+l.line, line+l.line }

// Ahead asks the cache behind for the lines with which the stream buffer of a warp's sub-core is
// full, up to the first that the cache behind does not have.
func (l *L0) Ahead(now clock.Cycle, w int, has func(address uint64) bool) {
	c := &l.cores[w%len(l.cores)]
	for end := c.head + l.entries*l.line; c.next < end && l.free <= now+clock.Cycle(l.entries); c.next += l.line {
		ready := &c.ahead[c.next/l.line%l.entries]
		if e := l.find(c, c.next); e != nil {
			*ready = e.ready
			continue
		}
		if !has(c.next) {
			return
		}
		*ready = l.promise(now)
	}
}

// AwaitL0 has warp w wait for what Request gave, which is on its way to its sub-core, until
// FromL0.
func (f *Buffers) AwaitL0(w int, address uint64, count int) {
	f.Await(w, address|onItsWay, count)
}

// onItsWay is the bit of an awaited address that no answer of the port has.
const onItsWay = 1

// FromL0 ends the wait of warp w, and gives the instructions that it takes.
func (f *Buffers) FromL0(w int) (count int) {
	p := &f.warps[w]
	f.awaiting.Remove(w)
	p.off &^= waits
	return int(p.count)
}
