// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/trace"
)

// Thread blocks of a cluster meet at barrier.cluster (PTX ISA 9.7.13.3). A warp arrives there
// with barrier.cluster.arrive, behind its accesses unless the arrival is relaxed. A warp that
// arrives with some of its lanes counts when it waits. barrier.cluster.wait is a barrier of the
// thread block. It opens when all warps of the thread block wait and all warps of the cluster
// have arrived (docs/deviations.md, D148).

// arrivesAtCluster reports whether an instruction is barrier.cluster.arrive.
func arrivesAtCluster(in *trace.Instruction) bool {
	return in.Opcode == "barrier" && slices.Contains(in.Modifiers, "cluster") && slices.Contains(in.Modifiers, "arrive")
}

// clusterOf is the cluster of warp w's thread block, nil without one.
func (s *SM) clusterOf(w int) *cluster.Cluster { return s.residents.In(s.warps[w].block).Cluster }

// arriveAtCluster counts warp w at its cluster's barrier when it has come with all its lanes.
func (s *SM) arriveAtCluster(now clock.Cycle, w int) {
	p := &s.warps[w]
	c := s.clusterOf(w)
	if c == nil || !p.arrivesWhole || p.arrived {
		return
	}
	p.arrived = true
	p.arrivedIn = c.Arrive(now)
}

// waitForCluster tells the cluster of a thread block that all its warps wait, if they do. Those
// that have not been counted have arrived now.
func (s *SM) waitForCluster(now clock.Cycle, slot int) {
	b := s.residents.In(slot)
	if s.atCluster&(1<<slot) != 0 || !s.barriers[slot].Complete(barrier.Cluster) {
		return
	}
	s.atCluster |= 1 << slot
	for rest := b.Slots(); !rest.Empty(); rest = rest.Rest() {
		if p := &s.warps[rest.Lowest()]; !p.finished && !p.arrived {
			p.arrived = true
			p.arrivedIn = b.Cluster.Arrive(now)
		}
	}
	b.Cluster.Wait(now, b.Rank)
}

// leaveCluster drops warp w, which has issued its last instruction, from its cluster's barrier.
func (s *SM) leaveCluster(now clock.Cycle, w int) {
	if c := s.clusterOf(w); c != nil {
		c.Leave(now, s.warps[w].arrivedIn)
	}
}

// OpenCluster implements cluster.SM.
func (s *SM) OpenCluster(at clock.Cycle, slot int) {
	s.inbox.Put(at, message{about: topicOpen, slot: slot})
	s.wake.Lower(at)
}

// openCluster opens the barrier of a cluster for the thread block in a slot.
func (s *SM) openCluster(now clock.Cycle, slot int) {
	s.atCluster &^= 1 << slot
	for rest := s.residents.In(slot).Slots(); !rest.Empty(); rest = rest.Rest() {
		s.warps[rest.Lowest()].arrived = false
	}
	s.open(now, slot, barrier.Cluster)
}
