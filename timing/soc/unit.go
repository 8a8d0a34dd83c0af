// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/tlb"
)

// unit is a TLB with its walks.
type unit struct {
	chip   *system
	number int
	tlb    *tlb.TLB // nil: every page is walked for
	walks  *tlb.Walks
	// keeps says that SMs have lines of pages by this TLB: dropping one flushes. A TLB
	// that every access of an SM passes need not be left by the lines.
	keeps bool
	fill  counters.ID
}

// Waiters of walks: the kind of waiter, above the number of what waits.
const (
	waiterShift           = 24
	waiterMiss     uint32 = iota << waiterShift // of the SMs' L2
	waiterCore                                  // a translation of a core
	waiterPort                                  // an SM with a TLB of its own
	waiterNumberOf = 1<<waiterShift - 1
)

// smTLBEntries of a private TLB of an SM: "comparable to the CPU cores" (section
// 4.6.1), whose TLBs Table 4.2 gives. It is fully associative as theirs.
func (c *system) smTLBEntries() int { return c.cpu.TLBEntries }

// buildUnits makes the TLBs of the section.
func (c *system) buildUnits(sms int) error {
	s := c.section
	if s.TLBs == "private" {
		c.processor = c.addUnit(nil)
		for range sms {
			t, err := c.newTLB(c.smTLBEntries(), c.smTLBEntries())
			if err != nil {
				return err
			}
			u := c.addUnit(t)
			u.fill = countSMTLBFill
		}
		return nil
	}
	t, err := c.newTLB(s.TLBEntries, s.TLBWays)
	if err != nil {
		return err
	}
	c.sms = c.addUnit(t)
	c.sms.keeps = true
	c.processor = c.sms
	if s.TLBs == "split" {
		if t, err = c.newTLB(s.TLBEntries, s.TLBWays); err != nil {
			return err
		}
		c.processor = c.addUnit(t)
	}
	return nil
}

// newTLB makes a TLB that replaces as the section says.
func (c *system) newTLB(entries, ways int) (*tlb.TLB, error) {
	t, err := tlb.New(entries, ways)
	if err != nil {
		return nil, err
	}
	return t, t.Replace(c.section.TLBReplacement)
}

func (c *system) addUnit(t *tlb.TLB) *unit {
	n := len(c.units)
	u := &unit{chip: c, number: n, tlb: t, walks: tlb.NewWalks(c.section.Walks, c.cpu.Cores, uint64(c.section.Seed)<<8|uint64(n)), fill: countTLBFill}
	c.units = append(c.units, u)
	return u
}

// ownCore lets a walk be executed by a core that is picked at random.
const ownCore = -1

// miss lets a waiter wait for a page; false when it has to try again. The walk is
// executed by a core, or by one that is picked at random (ownCore; section 4.4.6).
func (u *unit) miss(now clock.Time, space uint16, page uint64, waiter uint32, core int) bool {
	n, picked, fresh, ok := u.walks.Begin(space, page, waiter)
	if !fresh {
		return ok
	}
	c := u.chip
	c.count(countWalk)
	c.counts[cpu.PageWalks]++
	if core == ownCore {
		core = picked
	}
	x := cpu.Exception{Token: uint32(u.number)<<16 | uint32(n), Cycles: cpu.Cycle(c.cpu.WalkCycles)}
	c.walk = c.pages.Walk(space, page, c.walk[:0])
	x.Count = copy(x.Loads[:], c.walk)
	c.cores.Interrupt(now, core, x)
	return true
}

// Handled implements cpu.Chip: a core has walked.
func (c *system) Handled(now clock.Time, _ int, x cpu.Exception) {
	c.handled = append(c.handled, x.Token)
	c.wake(now)
}

// endWalks takes the pages that were walked for into the TLBs.
func (c *system) endWalks() {
	for _, token := range c.handled {
		c.units[token>>16].walked(c.now, int(token&0xffff))
	}
	c.handled = c.handled[:0]
}

// walked ends walk n.
func (u *unit) walked(now clock.Time, n int) {
	c := u.chip
	space, page := u.walks.Page(n)
	frame := c.pages.Frame(space, page)
	if u.tlb != nil {
		c.count(u.fill)
		dropped, full := u.tlb.Insert(tlb.Entry{Page: page, Space: space, Frame: frame})
		if full && u.keeps && c.isHeld(dropped.Frame) {
			c.flushPage(now, dropped.Space, dropped.Page, dropped.Frame, noWaiter)
		}
	}
	c.waiters = c.waiters[:0]
	for w, ok := u.walks.Next(n); ok; w, ok = u.walks.Next(n) {
		c.waiters = append(c.waiters, w)
	}
	u.walks.End(n) // those that are told may begin the next
	for _, w := range c.waiters {
		switch w &^ waiterNumberOf {
		case waiterMiss:
			c.misses.translated(now, int32(w&waiterNumberOf), frame)
		case waiterCore:
			c.requests.translated(now, int32(w&waiterNumberOf), frame)
		case waiterPort:
			c.ports[w&waiterNumberOf].translated(now)
		}
	}
}

// drop takes a page out of every TLB, those of the cores included.
func (c *system) drop(now clock.Time, space uint16, page uint64) {
	for _, u := range c.units {
		if u.tlb != nil {
			u.tlb.Drop(space, page)
		}
	}
	c.cores.ShootDown(now, cpu.Space(space), page*c.pages.PageBytes())
}
