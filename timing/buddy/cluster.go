// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
)

// cluster drives the SMs of a cluster; it implements seam.FrontEnd.
type cluster struct {
	chip   *chip
	sms    []member
	solo   []seam.FrontEnd
	all    map[[2]int]*group // by first member and size, made when first needed
	groups []*group          // the formation
	split  bool              // the formation is not the whole cluster
	// launch is the one that the SMs work for. taking is the one that the dispatcher has
	// just given them to, which they begin with next. formedFor is the one for which it
	// chose the formation. Each is noLaunch for none.
	launch, taking, formedFor int
}

// noLaunch is no launch's number.
const noLaunch = -1

func newCluster(c *chip, sms []*sm.SM, solo []seam.FrontEnd) (*cluster, error) {
	members := make([]member, len(sms))
	for i, s := range sms {
		members[i] = member{s, s.Lockstep(), s.Rendezvous()}
	}
	cl := &cluster{chip: c, sms: members, solo: solo, all: map[[2]int]*group{}, launch: noLaunch, taking: noLaunch, formedFor: noLaunch}
	return cl, cl.partition([]int{len(sms)})
}

// partition makes groups of the sizes, which add up to the cluster.
func (c *cluster) partition(sizes []int) error {
	c.groups = nil
	at := 0
	for _, n := range sizes {
		g := c.all[[2]int{at, n}]
		if g == nil {
			var err error
			if g, err = newGroup(c.chip, c.sms[at:at+n], c.solo[at:at+n]); err != nil {
				return err
			}
			c.all[[2]int{at, n}] = g
		}
		c.groups = append(c.groups, g)
		at += n
	}
	c.split = len(sizes) > 1
	return nil
}

// together implements core.Driver.Together.
func (c *cluster) together(place int) (first, count int) {
	at := 0
	for _, g := range c.groups {
		if place >= at+len(g.sms) {
			at += len(g.sms)
			continue
		}
		if g.mode == apart {
			return place, 1
		}
		return at, len(g.sms)
	}
	panic("BUG: buddy: an SM belongs to no group")
}

// Begin implements seam.FrontEnd. Every kernel begins with whole clusters, unless
// the dispatcher has chosen another formation for it, or does now.
func (c *cluster) Begin(now clock.Cycle) {
	if c.launch, c.taking = c.taking, noLaunch; c.launch == noLaunch {
		c.launch = c.chip.oldest() // it owns the SMs that no other launch has taken
	}
	if sizes := c.chip.dispatcher.atBegin(c); sizes != nil {
		c.mustPartition(sizes)
	} else if c.split && c.formedFor != c.launch {
		c.mustPartition([]int{len(c.sms)})
	}
	for _, g := range c.groups {
		g.begin(now)
		if g.loose {
			g.loose = false
			g.ungroupForResidue(now)
		}
	}
}

// groupFor is the group of an SM, given by its place, when the cluster works for a
// launch, and its place there. joined says whether the members then issue together.
func (c *cluster) groupFor(launch, place int) (g *group, i int, joined bool) {
	for _, g := range c.formationFor(launch) {
		if place < len(g.sms) {
			return g, place, c.joins(g, launch)
		}
		place -= len(g.sms)
	}
	panic("BUG: buddy: an SM belongs to no group")
}

// formationFor is the formation in which the cluster works for a launch.
func (c *cluster) formationFor(launch int) []*group {
	if c.split && launch != c.launch && launch != c.formedFor {
		return []*group{c.all[[2]int{0, len(c.sms)}]}
	}
	return c.groups
}

// joins reports whether the members of a group issue together for a launch, when they
// work for it or begin with it.
func (c *cluster) joins(g *group, launch int) bool {
	if launch == c.launch {
		return g.inGroup()
	}
	return !g.loose
}

// form changes the formation of a cluster without thread blocks.
func (c *cluster) form(now clock.Cycle, sizes []int) {
	c.Settle(now)
	c.mustPartition(sizes)
	for _, g := range c.groups {
		g.begin(now)
	}
}

// mustPartition is partition after the cluster has been built, when the warp
// scheduler's name is known to exist.
func (c *cluster) mustPartition(sizes []int) {
	if err := c.partition(sizes); err != nil {
		panic("BUG: buddy: " + err.Error())
	}
}

// Cycle implements seam.FrontEnd.
func (c *cluster) Cycle(now clock.Cycle) clock.Cycle {
	next := clock.Never
	for _, g := range c.groups {
		next = min(next, g.cycle(now))
	}
	// The last thread block of a launch may have woken members that were called before.
	for _, s := range c.sms {
		next = min(next, max(s.NextEvent(now), now+1))
	}
	return next
}

// Settle implements seam.FrontEnd.
func (c *cluster) Settle(now clock.Cycle) {
	for _, g := range c.groups {
		g.settle(now)
	}
}

// vacant reports whether the SMs have no thread blocks.
func (c *cluster) vacant() bool {
	for _, s := range c.sms {
		if s.Resident() > 0 {
			return false
		}
	}
	return true
}
