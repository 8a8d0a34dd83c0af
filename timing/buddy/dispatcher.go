// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// dispatcher gives the members of a group their thread blocks together (section
// 4.3). The dispatcher that the machine has without it chooses among masters and
// independent SMs. The slaves' thread blocks follow their master's. It
// implements seam.Dispatcher.
type dispatcher struct {
	chip     *chip
	next     seam.Dispatcher
	launches []*running
	// What Next was called with, for allows.
	of   *running
	fits func(sm int) bool
}

// running is a launch with thread blocks to dispatch.
type running struct {
	launch    int
	remaining uint64
	residue   uint64 // those that the split cluster gets (section 4.8)
	tried     bool   // its formation has been chosen
	split     *cluster
	filling   *group // its members from filled on await their thread blocks
	filled    int
}

// Begin implements seam.Dispatcher.
func (d *dispatcher) Begin(launch int, blocks uint64, need seam.Footprint) {
	r := &running{launch: launch, remaining: blocks}
	if s := d.chip.section; s.Formation == "adaptive" && s.Size > 1 {
		r.residue = blocks % uint64(s.Size)
	}
	d.launches = append(d.launches, r)
	d.next.Begin(launch, blocks, need)
}

// Retired implements seam.Dispatcher.
func (d *dispatcher) Retired(now clock.Cycle, launch, sm int, block uint64) {
	d.next.Retired(now, launch, sm, block)
}

// End implements seam.Dispatcher.
func (d *dispatcher) End(launch int) {
	for i, r := range d.launches {
		if r.launch == launch {
			d.launches = append(d.launches[:i], d.launches[i+1:]...)
			break
		}
	}
	for _, c := range d.chip.clusters {
		if c.launch == launch {
			c.launch = noLaunch
		}
		if c.formedFor == launch {
			c.formedFor = noLaunch
		}
	}
	d.next.End(launch)
}

// Next implements seam.Dispatcher.
func (d *dispatcher) Next(now clock.Cycle, launch int, fits func(sm int) bool) int {
	r := d.find(launch)
	if g := r.filling; g != nil {
		return d.fill(r, g)
	}
	d.of, d.fits = r, fits
	d.adapt(now, r)
	if at := d.residual(r); at >= 0 {
		return d.take(r, at)
	}
	if r.split != nil && r.remaining <= r.residue {
		return -1 // the responsible SMs get them
	}
	at := d.next.Next(now, launch, d.allows)
	if at < 0 && d.ungroupEmpty(now, r) {
		at = d.next.Next(now, launch, d.allows)
	}
	if at < 0 {
		return -1
	}
	return d.take(r, at)
}

func (d *dispatcher) find(launch int) *running {
	for _, r := range d.launches {
		if r.launch == launch {
			return r
		}
	}
	panic("BUG: buddy: a thread block of a launch that has not begun")
}

// take dispatches to an SM; behind a master the slaves follow.
func (d *dispatcher) take(r *running, at int) int {
	r.remaining--
	c := d.chip.clusterOf(at)
	if g, _, joined := c.groupFor(r.launch, at%d.chip.section.Size); joined && len(g.sms) > 1 {
		r.filling, r.filled = g, 1
	}
	if c.launch != r.launch {
		c.taking = r.launch
	}
	return at
}

// fill is the next member of a group whose master has its thread block already. A member's lies
// in the same slots as the master's, although others may have become free since: they issue
// together by warp slot.
func (d *dispatcher) fill(r *running, g *group) int {
	s := &g.sms[r.filled]
	s.TakeSlotsOf(g.sms[0].SM)
	at := s.ID()
	r.remaining--
	if r.filled++; r.filled == len(g.sms) {
		r.filling = nil
	}
	return at
}

// inGroup reports whether the members issue together and are not asked to stop.
func (g *group) inGroup() bool {
	return g.mode == together || g.mode == requested || g.rejoin.phase != hopeless
}

// allows reports whether a thread block may go to an SM. It may to a master
// with thread blocks left for all members and room on all of them (the K-bit
// vector of section 4.3), or to an independent SM.
func (d *dispatcher) allows(sm int) bool {
	c := d.chip.clusterOf(sm)
	g, i, joined := c.groupFor(d.of.launch, sm%d.chip.section.Size)
	if !joined {
		return d.fits(sm)
	}
	if i > 0 || d.of.remaining < uint64(len(g.sms)) || c.launch == d.of.launch && g.mode != together && g.rejoin.phase == hopeless {
		return false
	}
	for _, s := range g.sms {
		if !d.fits(s.ID()) {
			return false
		}
	}
	return true
}

// adapt splits the last cluster for a launch whose thread blocks cannot be
// divided, before its first is dispatched.
func (d *dispatcher) adapt(now clock.Cycle, r *running) {
	if r.tried {
		return
	}
	r.tried = true
	if last := d.last(); r.residue > 0 && last.vacant() && d.fits(last.sms[0].ID()) {
		last.form(now, d.split(r, last))
	}
}

// atBegin gives the parts into which a cluster is split when it begins with a launch; nil for
// a whole one. An SM that the launch before has left independent, and that is so again, is not
// a slave in between, and has its instruction cache.
func (d *dispatcher) atBegin(c *cluster) []int {
	if d == nil || c != d.last() {
		return nil
	}
	for _, r := range d.launches {
		if r.launch == c.launch && r.residue > 0 && !r.tried {
			r.tried = true
			return d.split(r, c)
		}
	}
	return nil
}

// last is the cluster that is split for a residue.
func (d *dispatcher) last() *cluster { return d.chip.clusters[len(d.chip.clusters)-1] }

// split notes that a cluster takes the residue of a launch, and gives its parts.
func (d *dispatcher) split(r *running, c *cluster) []int {
	c.formedFor = r.launch
	r.split = c
	return formation(d.chip.section.Size, int(r.residue))
}

// formation splits a cluster of size SMs for the residue, 1 to size-1 thread blocks. The
// parts are halves, quarters and so on down to the largest power of two that divides the
// residue. There are two parts of that last size (Table I for sizes 2 and 4).
func formation(size, residue int) []int {
	smallest := residue & -residue
	var sizes []int
	for n := size / 2; n > smallest; n /= 2 {
		sizes = append(sizes, n)
	}
	return append(sizes, smallest, smallest)
}

// residual is the SM for one of the launch's last thread blocks: the first group
// of the split cluster that they suffice for (Table I's responsible SMs). It is
// -1 when there is none.
func (d *dispatcher) residual(r *running) int {
	if r.split != nil && !r.split.split {
		r.split = nil // another launch has had the cluster since
	}
	if r.split == nil || r.remaining > r.residue || r.remaining == 0 {
		return -1
	}
	for _, g := range r.split.groups {
		for _, s := range g.sms {
			if d.allows(s.ID()) {
				return s.ID()
			}
		}
	}
	return -1
}

// ungroupEmpty ungroups the first group without thread blocks that is too large
// for those that are left; false when there is none.
func (d *dispatcher) ungroupEmpty(now clock.Cycle, r *running) bool {
	for _, c := range d.chip.clusters {
		for _, g := range c.formationFor(r.launch) {
			if c.joins(g, r.launch) && len(g.sms) > 1 && uint64(len(g.sms)) > r.remaining && g.vacant() && d.fits(g.sms[0].ID()) {
				if c.launch == r.launch {
					g.ungroupForResidue(now)
				} else {
					g.loose = true // until then its members work for another
				}
				return true
			}
		}
	}
	return false
}
