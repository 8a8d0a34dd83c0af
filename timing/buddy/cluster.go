package buddy

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
)

// cluster drives the SMs of a cluster; it implements seam.FrontEnd.
type cluster struct {
	chip   *chip
	sms    []*sm.SM
	solo   []seam.FrontEnd
	all    map[[2]int]*group // by first member and size, made when first needed
	groups []*group          // the formation
	// formed is the cycle in which the dispatcher chose the formation, -1 for none
	// yet; split says that it is not the whole cluster.
	formed clock.Cycle
	split  bool
}

func newCluster(c *chip, sms []*sm.SM, solo []seam.FrontEnd) (*cluster, error) {
	cl := &cluster{chip: c, sms: sms, solo: solo, all: map[[2]int]*group{}, formed: -1}
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

// Begin implements seam.FrontEnd. Every kernel begins with whole clusters, unless
// the dispatcher has just chosen another formation for it.
func (c *cluster) Begin(now clock.Cycle) {
	if c.formed != now && c.split {
		c.mustPartition([]int{len(c.sms)})
	}
	for _, g := range c.groups {
		g.begin(now)
	}
}

// form changes the formation of a cluster without thread blocks.
func (c *cluster) form(now clock.Cycle, sizes []int) {
	c.Settle(now)
	c.mustPartition(sizes)
	c.formed = now
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
