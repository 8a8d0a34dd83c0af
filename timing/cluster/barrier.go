// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"

	"github.com/warptape/warptape/timing/clock"
)

// SM is the SM of a thread block, as its cluster sees it.
type SM interface {
	// OpenCluster opens the cluster's barrier, for the thread block in a slot, in a cycle
	// that has yet to come.
	OpenCluster(at clock.Cycle, slot int)
	// Signal tells the thread block of a cluster in a slot what happens to an mbarrier of
	// its shared memory, in a cycle that has yet to come.
	Signal(at clock.Cycle, slot int, of *Cluster, s Signal)
}

// Cluster is a cluster whose thread blocks are on SMs. Its barrier has phases. A phase is
// complete when all warps with instructions left have arrived. Then it opens, some cycles
// later, for each thread block whose warps all wait.
type Cluster struct {
	network *Network
	members []member // by rank
	running int      // warps with instructions left
	arrived int      // of these, in this phase
	last    clock.Cycle
	phase   uint64      // phases that are complete
	opens   clock.Cycle // when the last of them does
}

// member is a thread block of the cluster.
type member struct {
	sm      SM
	id      int // of the SM
	slot    int
	passed  uint64 // phases that have opened for it
	waiting bool
}

// New is a cluster of so many ranks with warps in all. A sample may lack some
// thread blocks.
func New(n *Network, ranks, warps int) *Cluster {
	c := &Cluster{network: n, members: make([]member, ranks), running: warps}
	for i := range c.members {
		c.members[i].id = -1
	}
	return c
}

// Join places the thread block of a rank on an SM.
func (c *Cluster) Join(rank int, sm SM, id, slot int) {
	c.members[rank] = member{sm: sm, id: id, slot: slot}
}

// Arrive counts a warp that has arrived, and gives the number of the phase in which it has, from
// one. What it does before is performed in the cycle now at the latest.
func (c *Cluster) Arrive(now clock.Cycle) (phase uint64) {
	phase = c.phase + 1
	c.arrived++
	c.last = max(c.last, now)
	c.complete()
	return phase
}

// Leave drops a warp without instructions left. In is the phase in which it has arrived last,
// which may be over; zero for none.
func (c *Cluster) Leave(now clock.Cycle, in uint64) {
	c.running--
	if in == c.phase+1 {
		c.arrived--
	}
	c.last = max(c.last, now)
	c.complete()
}

// complete ends a phase in which all have arrived.
func (c *Cluster) complete() {
	if c.arrived == 0 || c.arrived < c.running {
		return
	}
	c.arrived = 0
	c.phase++
	c.opens = c.last + c.network.barrier
	for i := range c.members {
		if m := &c.members[i]; m.waiting {
			c.open(m, c.opens)
		}
	}
}

// Wait tells that all warps of a thread block wait for the phase to open.
func (c *Cluster) Wait(now clock.Cycle, rank int) {
	m := &c.members[rank]
	m.waiting = true
	if m.passed < c.phase {
		c.open(m, max(c.opens, now+1))
	}
}

func (c *Cluster) open(m *member, at clock.Cycle) {
	m.waiting = false
	m.passed = c.phase
	m.sm.OpenCluster(at, m.slot)
}

// Signal tells the thread block of a rank what happens to an mbarrier, in a cycle that has yet
// to come. One that is not in the trace does not hear of it.
func (c *Cluster) Signal(rank int, at clock.Cycle, s Signal) {
	if rank < 0 || rank >= len(c.members) || c.members[rank].sm == nil {
		return
	}
	m := &c.members[rank]
	m.sm.Signal(at, m.slot, c, s)
}

// SignalAll is Signal to all thread blocks.
func (c *Cluster) SignalAll(at clock.Cycle, s Signal) {
	for rank := range c.members {
		c.Signal(rank, at, s)
	}
}

// Whole reports whether all thread blocks of the cluster are in the trace.
func (c *Cluster) Whole() bool {
	return !slices.ContainsFunc(c.members, func(m member) bool { return m.sm == nil })
}

// State describes the barrier: the warps that have arrived, and those it expects.
func (c *Cluster) State() (arrived, expected int) { return c.arrived, c.running }

// SMOf is the SM of a rank; -1 for a thread block that is not in the trace, or no rank.
func (c *Cluster) SMOf(rank int) int {
	if rank < 0 || rank >= len(c.members) {
		return -1
	}
	return c.members[rank].id
}

// Network is that between the cluster's SMs.
func (c *Cluster) Network() *Network { return c.network }
