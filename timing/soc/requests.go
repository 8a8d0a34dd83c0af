// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// requestPath is the way of what the cores ask: pages, and lines that their private
// caches miss. It implements seam.Upper for the last-level cache.
type requestPath struct {
	chip *system
	down seam.Lower
	list []request
	free []int32
	room []bool // per core: Send was refused

	blocked ring.Ring[int32] // wait for a line that is busy
	grants  ring.Ring[int32] // need nothing of the last-level cache any more
	offers  ring.Ring[int32] // want the last-level cache, in order

	pages     []cpu.Translation
	freePages []int32
	lookups   ring.Ring[pageLookup]
}

// request is a line that a core wants or brings.
type request struct {
	cpu.Request
	ready clock.Time
	grant coherence.State
	write bool // to the last-level cache
	copy  bool // the core executes a copy of the host
	after bool // a write to the last-level cache goes before the grant
}

// pageLookup is a translation that reaches the TLB at a time.
type pageLookup struct {
	page  int32
	ready clock.Time
}

func newRequestPath(c *system) requestPath {
	n := c.cpu.Cores * (2*c.cpu.Misses + 2)
	p := requestPath{
		chip: c, list: make([]request, n), room: make([]bool, c.cpu.Cores),
		blocked: ring.New[int32](n), grants: ring.New[int32](n), offers: ring.New[int32](n), lookups: ring.New[pageLookup](16),
	}
	for i := range n {
		p.free = append(p.free, int32(n-1-i))
	}
	p.down = c.lastLevel.JoinLastLevel(0, &c.requests)
	return p
}

// inside is the number of requests and translations.
func (p *requestPath) inside() int {
	return len(p.list) - len(p.free) + len(p.pages) - len(p.freePages)
}

// Translate implements cpu.Chip.
func (c *system) Translate(now clock.Time, t cpu.Translation) {
	p := &c.requests
	var i int32
	if n := len(p.freePages); n > 0 {
		i = p.freePages[n-1]
		p.freePages = p.freePages[:n-1]
		p.pages[i] = t
	} else {
		i = int32(len(p.pages))
		p.pages = append(p.pages, t)
	}
	p.lookups.Push(pageLookup{i, c.wakeIn(now, c.section.TLBCycles)})
}

// translate looks one page up.
func (p *requestPath) translate(now clock.Time) {
	c := p.chip
	if p.lookups.Len() == 0 || p.lookups.Head().ready > now {
		return
	}
	i := p.lookups.Head().page
	t := &p.pages[i]
	u, page := c.processor, c.pages.Page(t.Virtual)
	if u.tlb != nil {
		if frame, ok := u.tlb.Lookup(uint16(t.Space), page); ok {
			c.count(countTLBLookupCPU)
			p.lookups.Drop()
			p.translated(now, i, frame)
			return
		}
	}
	if u.miss(now, uint16(t.Space), page, waiterCore|uint32(i), t.Core) {
		if u.tlb != nil {
			c.count(countTLBLookupCPU)
		}
		c.count(countTLBMissCPU)
		p.lookups.Drop()
	}
}

// translated answers a translation.
func (p *requestPath) translated(now clock.Time, i int32, frame uint64) {
	t := p.pages[i]
	p.freePages = append(p.freePages, i)
	p.chip.cores.Translated(now, t.Core, t.Space, t.Virtual, frame*p.chip.pages.PageBytes(), false)
}

// Send implements cpu.Chip. The directory is changed at once.
func (c *system) Send(now clock.Time, r *cpu.Request) bool {
	p := &c.requests
	if r.Access == cpu.Drop {
		c.counts[cpu.DirectoryLookups]++
		c.directory.Leave(r.Physical, r.Core)
		return true
	}
	if len(p.free) == 0 {
		p.room[r.Core] = true
		return false
	}
	i := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	x := &p.list[i]
	*x = request{Request: *r, ready: c.wakeIn(now, 1), copy: c.host.copies(r.Core)}
	switch {
	case r.Access == cpu.WriteBack:
		c.counts[cpu.DirectoryLookups]++
		c.directory.Leave(r.Physical, r.Core)
		x.write = true
		p.offers.Push(i)
	default:
		p.enter(now, i)
	}
	return true
}

// enter lets a request begin, behind those of busy lines. One of a page of the SMs
// comes back when they have written the page back. Until then the directory does not
// know of it: what the SMs write back and read would wait for its line, and it waits
// for them.
func (p *requestPath) enter(now clock.Time, i int32) {
	c, x := p.chip, &p.list[i]
	frame := c.pages.Page(x.Physical)
	switch {
	case c.flushes.join(frame, i):
	case c.isHeld(frame):
		c.flushFrame(now, frame, i)
	default:
		p.queue(now, i)
	}
}

// queue begins a request, behind those of busy lines.
func (p *requestPath) queue(now clock.Time, i int32) {
	if p.blocked.Len() > 0 || p.chip.directory.Busy(p.list[i].Physical) {
		p.blocked.Push(i)
		return
	}
	p.begin(now, i)
}

// begin asks the directory for a request, and probes.
func (p *requestPath) begin(now clock.Time, i int32) {
	c, x := p.chip, &p.list[i]
	c.counts[cpu.DirectoryLookups]++
	o := c.directory.Begin(x.Physical, x.Core, x.Access != cpu.Read)
	x.grant = o.Grant
	dirty := false
	if o.Probe != 0 {
		if dirty = c.probe(now, x.Physical, o) == coherence.Modified; dirty && o.Grant.Writable() {
			x.grant = coherence.Modified // newer than the last-level cache
		}
		x.ready = max(x.ready, c.wakeIn(now, c.probeCycles()))
	}
	switch {
	case dirty && o.Keep == coherence.Shared:
		// The last-level cache keeps up with what two may read.
		x.write, x.after = true, true
		p.offers.Push(i)
	case dirty, x.Access == cpu.Upgrade && o.Had:
		p.grants.Push(i)
	default:
		p.offers.Push(i)
	}
	c.wake(now)
}

// flushed lets a request begin for which SMs had to write a page back. They may have
// lines of it again by now: those are of accesses behind the request.
func (p *requestPath) flushed(now clock.Time, i int32) {
	p.queue(now, i)
	p.chip.wake(now)
}

// probeCycles are those of the L2's clock for the way to a core, a lookup there, and
// the way back.
func (c *system) probeCycles() int {
	return max(1, int((clock.Time(c.cpu.ProbeCycles)*c.cpuPeriod+c.l2.Period-1)/c.l2.Period))
}

// probe looks into the private caches of cores, and gives Modified when one had the
// line so.
func (c *system) probe(now clock.Time, line uint64, o coherence.Order) coherence.State {
	found := coherence.Invalid
	for m := o.Probe; m != 0; m &= m - 1 {
		core := bits.TrailingZeros64(m)
		if core == c.cpu.Cores {
			continue
		}
		c.count(countProbe)
		if c.cores.Probe(now, core, line, o.Keep) == coherence.Modified {
			c.count(countProbeDirty)
			c.counts[cpu.CacheToCache]++
			found = coherence.Modified
		}
	}
	return found
}

// step does a cycle: a page, a request of the last-level cache, and all grants that
// are due.
func (p *requestPath) step(now clock.Time) {
	c := p.chip
	p.translate(now)
	for range p.grants.Len() {
		i := p.grants.Pop()
		if p.list[i].ready > now {
			p.grants.Push(i)
			c.due = min(c.due, p.list[i].ready)
			continue
		}
		p.grant(now, i)
	}
	p.unblock(now)
	if p.offers.Len() > 0 {
		if i := *p.offers.Head(); p.list[i].ready <= now && p.offer(now, i) {
			p.offers.Drop()
		}
	}
	if p.offers.Len() > 0 {
		c.due = min(c.due, max(p.list[*p.offers.Head()].ready, now+c.l2.Period))
	}
	if p.lookups.Len() > 0 {
		c.due = min(c.due, max(p.lookups.Head().ready, now+c.l2.Period))
	}
}

// unblock lets requests go on whose line is free; those of one line stay in order.
func (p *requestPath) unblock(now clock.Time) {
	for range p.blocked.Len() {
		i := p.blocked.Pop()
		if p.chip.directory.Busy(p.list[i].Physical) {
			p.blocked.Push(i)
		} else {
			p.begin(now, i)
		}
	}
}

// offer hands a request to the last-level cache; false when it has to wait.
func (p *requestPath) offer(now clock.Time, i int32) bool {
	c, x := p.chip, &p.list[i]
	if !x.write {
		if !p.down.Read(now, x.Physical, c.cpu.LineBytes, uint32(i)) {
			return false
		}
		c.count(countCPURead)
		if x.copy {
			c.count(countCopyRead)
		}
		return true
	}
	if !p.down.Write(now, x.Physical, c.cpu.LineBytes) {
		return false
	}
	c.count(countCPUWrite)
	if x.copy {
		c.count(countCopyWrite)
	}
	if x.after {
		p.grants.Push(i)
		c.wake(now) // grants have been looked at
	} else {
		p.release(now, i)
	}
	return true
}

// grant ends a request of a line.
func (p *requestPath) grant(now clock.Time, i int32) {
	c, x := p.chip, &p.list[i]
	c.directory.End(x.Physical)
	c.cores.Granted(now, x.Core, x.Physical, x.grant)
	p.release(now, i)
	if p.blocked.Len() > 0 {
		c.wake(now)
	}
}

func (p *requestPath) release(now clock.Time, i int32) {
	p.free = append(p.free, i)
	for core, waits := range p.room {
		if waits {
			p.room[core] = false
			p.chip.cores.Room(now, core)
		}
	}
}

// Filled implements seam.Upper.
func (p *requestPath) Filled(now clock.Time, id uint32) { p.grant(now, int32(id)) }

// Missed implements seam.Upper.
func (p *requestPath) Missed(uint32) { p.chip.count(countCPUMiss) }

// Room implements seam.Upper.
func (p *requestPath) Room(now clock.Time) { p.chip.wake(now) }
