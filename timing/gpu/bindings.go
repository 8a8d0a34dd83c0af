// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// bindings say which launch has which SMs. SMs that are driven together are
// bound together. While a launch runs every SM is bound to some launch, so that
// each of its issue slots has an owner. One that has no thread blocks is the
// oldest launch's until another launch places one there.
//
// One launch per SM is what GPGPU-Sim does by default (its option
// -gpgpu_concurrent_kernel_sm is 0); see D14 in docs/deviations.md.
type bindings struct {
	driverOf []int          // per SM
	smsOf    [][]int        // per driver
	owner    []*launchState // per driver; nil while no launch runs
	since    []clock.Cycle  // per driver: when it was bound
	before   []counters.Set // per SM: what it had counted then
	// shared is what the parts that belong to no SM had counted when a launch
	// last began or ended; overlap is what they have counted while several ran.
	shared, overlap counters.Set
	// host is what they have counted while none ran, on a machine that executes the
	// host's steps.
	host counters.Set
}

func newBindings(g *GPU) bindings {
	b := bindings{
		driverOf: make([]int, len(g.cores)), smsOf: make([][]int, len(g.drivers)), owner: make([]*launchState, len(g.drivers)),
		since: make([]clock.Cycle, len(g.drivers)), before: make([]counters.Set, len(g.cores)),
	}
	for d := range g.drivers {
		for _, s := range g.drivers[d].Cores {
			i := s.ID()
			b.driverOf[i] = d
			b.smsOf[d] = append(b.smsOf[d], i)
		}
	}
	return b
}

// vacant reports whether the SMs of a driver have no thread blocks.
func (g *GPU) vacant(d int) bool {
	for _, s := range g.drivers[d].Cores {
		if s.Resident() > 0 {
			return false
		}
	}
	return true
}

// bind gives the SMs of a driver, which have no thread blocks, to a launch.
func (g *GPU) bind(d int, l *launchState) {
	g.bindings.owner[d] = l
	g.bindings.since[d] = g.now
	for _, s := range g.drivers[d].Cores {
		s.Begin(l.program, l.division)
		s.CountByInstruction(l.lines)
	}
	g.watchBinding(d)
	g.drivers[d].Begin(g.now)
	g.wakes.Set(d, g.now)
}

// unbind takes the SMs of a driver from their launch, which keeps their counts.
func (g *GPU) unbind(d int) {
	l := g.bindings.owner[d]
	g.bindings.owner[d] = nil
	l.smCycles += uint64(g.now-g.bindings.since[d]) * uint64(len(g.drivers[d].Cores))
	g.drivers[d].Settle(g.now)
	for _, i := range g.bindings.smsOf[d] {
		g.cores[i].CountResidency(g.now)
		g.cores[i].End(g.now, l.profile)
		g.chargeSM(i, l)
	}
	g.watchBinding(d)
}

// chargeSM adds what an SM has counted since the last charge to a launch.
func (g *GPU) chargeSM(i int, l *launchState) {
	l.counts.Add(g.sets[i])
	l.counts.Sub(&g.bindings.before[i])
	g.bindings.before[i] = *g.sets[i]
}

// chargeShared takes what the parts that belong to no SM have counted since the last
// charge. It adds that to the only launch that runs, or to overlap when several run. With
// none, host takes it where the path executes steps of the host, or else the next launch.
func (g *GPU) chargeShared() {
	b := &g.bindings
	if g.memory.HostSteps != nil {
		g.memory.HostSteps.Settle(g.now)
	}
	var to *counters.Set
	switch len(g.launches.active) {
	case 0:
		if g.memory.HostSteps == nil {
			return // it is the next launch's
		}
		to = &b.host
	case 1:
		to = &g.launches.active[0].counts
	default:
		to = &b.overlap
	}
	to.Add(g.global)
	to.Sub(&b.shared)
	b.shared = *g.global
}

// bindFree gives the SMs without an owner to the oldest launch.
func (g *GPU) bindFree() {
	if len(g.launches.active) == 0 {
		return
	}
	for d, l := range g.bindings.owner {
		if l == nil {
			g.bind(d, g.launches.active[0])
		}
	}
}
