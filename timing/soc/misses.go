// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// missPath is the way of what the SMs' L2 misses and writes back: translation, the
// directory of the cores' lines, the last-level cache. It implements seam.Lower for
// the L2 and seam.Upper for the last-level cache.
type missPath struct {
	chip    *system
	up      seam.Upper
	down    seam.Lower
	list    []miss
	free    []int32
	writes  int    // of those in list
	order   uint64 // of the last write that was taken
	refused bool
	lookups ring.Ring[int32] // before the TLB
	ready   ring.Ring[int32] // translated, before the last-level cache
}

// miss is one access.
type miss struct {
	virtual, physical uint64
	page              uint64
	ready             clock.Time
	bytes             int
	id                uint32 // of the L2
	space             uint16
	write             bool
	order             uint64 // of a write
	seen              bool   // by the directory
	dirty             bool   // a core's newer line goes first
}

func newMissPath(c *system) missPath {
	n := c.section.Queue
	p := missPath{chip: c, list: make([]miss, n), lookups: ring.New[int32](n), ready: ring.New[int32](n)}
	for i := range n {
		p.free = append(p.free, int32(n-1-i))
	}
	c.lastLevel.Divert(0, func(up seam.Upper) seam.Lower {
		p.up = up
		return &c.misses
	})
	p.down = c.lastLevel.JoinLastLevel(0, &c.misses)
	return p
}

// Read implements seam.Lower.
func (p *missPath) Read(now clock.Time, address uint64, bytes int, id uint32) bool {
	return p.take(now, address, bytes, id, false)
}

// Write implements seam.Lower.
func (p *missPath) Write(now clock.Time, address uint64, bytes int) bool {
	return p.take(now, address, bytes, 0, true)
}

func (p *missPath) take(now clock.Time, address uint64, bytes int, id uint32, write bool) bool {
	if len(p.free) == 0 {
		p.refused = true
		return false
	}
	c := p.chip
	i := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	space, virtual := c.layout.place(address &^ seam.TagMask)
	p.list[i] = miss{
		virtual: virtual, page: c.pages.Page(virtual), ready: c.wakeIn(now, c.section.TLBCycles),
		bytes: bytes, id: id, space: space, write: write,
	}
	p.lookups.Push(i)
	if write {
		p.writes++
		p.order++
		p.list[i].order = p.order
	}
	return true
}

// written reports whether the last-level cache has every write up to one. Those that
// miss the TLB are passed by others.
func (p *missPath) written(order uint64) bool {
	if p.writes == 0 {
		return true
	}
	for i := range p.list {
		if m := &p.list[i]; m.write && m.order <= order {
			return false
		}
	}
	return true
}

// release ends an access.
func (p *missPath) release(now clock.Time, i int32) {
	p.free = append(p.free, i)
	if p.list[i].write {
		p.list[i].write = false
		p.writes--
	}
	if p.refused {
		p.refused = false
		p.up.Room(now)
	}
}

// inside is the number of accesses.
func (p *missPath) inside() int { return len(p.list) - len(p.free) }

// step translates one access, and passes one on.
func (p *missPath) step(now clock.Time) {
	c := p.chip
	if p.lookups.Len() > 0 {
		if i := *p.lookups.Head(); p.list[i].ready <= now && p.translate(now, i) {
			p.lookups.Drop()
		}
	}
	if p.ready.Len() > 0 {
		if i := *p.ready.Head(); p.list[i].ready <= now && p.pass(now, &p.list[i], i) {
			p.ready.Drop()
		}
	}
	for _, r := range []*ring.Ring[int32]{&p.lookups, &p.ready} {
		if r.Len() > 0 {
			c.due = min(c.due, max(p.list[*r.Head()].ready, now+c.l2.Period))
		}
	}
}

// translate looks the page of an access up; false when it has to wait in front of
// the TLB.
func (p *missPath) translate(now clock.Time, i int32) bool {
	c, m := p.chip, &p.list[i]
	u := c.sms
	if u == nil {
		// The SM's own TLB has translated it.
		p.translated(now, i, c.pages.Frame(m.space, m.page))
		return true
	}
	if frame, ok := u.tlb.Lookup(m.space, m.page); ok {
		c.count(countTLBLookupSM)
		p.translated(now, i, frame)
		return true
	}
	if frame, ok := c.flushes.frame(m.space, m.page); ok {
		p.translated(now, i, frame) // the page is being written back for leaving the TLB
		return true
	}
	if !u.miss(now, m.space, m.page, waiterMiss|uint32(i), ownCore) {
		return false
	}
	c.count(countTLBLookupSM)
	c.count(countTLBMissSM)
	return true
}

// translated takes the frame of an access.
func (p *missPath) translated(now clock.Time, i int32, frame uint64) {
	c, m := p.chip, &p.list[i]
	if m.write && c.section.CopyOnWrite {
		frame = c.copyOnWrite(now, m.space, m.page, frame)
	}
	m.physical = c.pages.Physical(frame, m.virtual)
	c.hold(frame, m.space, m.page)
	m.ready = c.wakeIn(now, 1)
	p.ready.Push(i)
}

// pass hands an access to the last-level cache; false when it has to wait.
func (p *missPath) pass(now clock.Time, m *miss, i int32) bool {
	c := p.chip
	line := m.physical / uint64(c.cpu.LineBytes) * uint64(c.cpu.LineBytes)
	if !m.seen {
		if !p.see(now, m, line) {
			return false
		}
		if m.ready > now {
			return false
		}
	}
	if m.dirty {
		if !p.down.Write(now, line, c.cpu.LineBytes) {
			return false
		}
		m.dirty = false
		return false
	}
	if m.write {
		if !p.down.Write(now, m.physical, m.bytes) {
			return false
		}
		c.count(countSMWrite)
		p.release(now, i)
		return true
	}
	if !p.down.Read(now, m.physical, m.bytes, uint32(i)) {
		return false
	}
	c.count(countSMRead)
	return true
}

// see asks the directory for cores that have the line, which an access of an SM
// takes from them as a core's would (section 4.4.5). The SMs are not among its
// holders afterwards: they are not coherent with the cores. False while the line is
// busy.
func (p *missPath) see(now clock.Time, m *miss, line uint64) bool {
	c := p.chip
	if c.directory.Busy(line) {
		return false
	}
	m.seen = true
	c.counts[cpu.DirectoryLookups]++
	agent := c.cpu.Cores
	order := c.directory.Begin(line, agent, m.write)
	c.directory.End(line)
	c.directory.Leave(line, agent)
	if order.Probe == 0 {
		return true
	}
	if c.probe(now, line, order) == coherence.Modified {
		m.dirty = true
	}
	m.ready = c.wakeIn(now, c.probeCycles())
	return true
}

// Filled implements seam.Upper.
func (p *missPath) Filled(now clock.Time, id uint32) {
	p.up.Filled(now, p.list[id].id)
	p.release(now, int32(id))
}

// Missed implements seam.Upper.
func (p *missPath) Missed(id uint32) {
	p.chip.count(countSMMiss)
	p.up.Missed(p.list[id].id)
}

// Room implements seam.Upper.
func (p *missPath) Room(now clock.Time) { p.chip.wake(now) }
