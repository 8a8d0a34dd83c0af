// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Accesses to the shared memory of another thread block of the cluster (PTX ISA 5.1.7) go
// through the cluster's network. Lanes that stay with their own thread block go to the port at
// the same time. The instruction ends with the last of its lanes.

// sendRemote hands the lanes of an access to shared memory that reach other SMs to the
// cluster's network, and others to the port. False: all stay, and nothing has been done.
func (s *SM) sendRemote(now clock.Cycle, a *seam.MemoryAccess) bool {
	if a.Lines != nil { // a bulk copy, whose words are no addresses
		return false
	}
	b := s.residents.In(a.BlockSlot)
	x := cluster.Access{From: s.id, Atomic: a.Class == trace.ClassAtomic}
	addresses := &s.remoteLanes
	x.Lanes = coalesce.Warp{LaneBytes: max(int(a.LaneBytes), 1), Addresses: addresses}
	remote := uint32(0)
	for rest := a.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		addresses[lane] = trace.AddressOf(a.Chunk.Lane(a.Access, lane))
		if trace.ClusterRank(addresses[lane], b.Rank) != b.Rank {
			remote |= 1 << lane
		}
	}
	if remote == 0 {
		return false
	}
	done := now
	for rest := remote; rest != 0; rest &^= x.Lanes.Mask {
		rank := trace.ClusterRank(addresses[bits.TrailingZeros32(rest)], b.Rank)
		x.Lanes.Mask = lanesOf(rank, b.Rank, rest, addresses)
		x.To = b.Cluster.SMOf(rank)
		left, end := b.Cluster.Network().Send(now, &x)
		s.sends, done = left, max(done, end)
		s.countRemote(a)
		if a.Mbarrier != 0 {
			s.synchronizeRemote(end, a, x.Lanes.Mask, rank)
		}
	}
	own := a.Mask &^ remote
	if own != 0 {
		x.Lanes.Mask = own
		done = max(done, b.Cluster.Network().Own(now, &x.Lanes, x.Atomic))
	}
	s.inbox.Put(s.sends, message{about: topicLeave})
	s.inbox.Put(done, message{about: topicAccess, warp: a.WarpSlot, token: a.Token})
	if own != 0 {
		part := *a
		part.Mask, part.Token = own, seam.NoToken
		s.port.Issue(now, &part)
		s.portWake = min(s.portWake, now+1)
	}
	return true
}

// lanesOf are the lanes that reach the thread block of a rank.
func lanesOf(rank, own int, lanes uint32, addresses *[trace.WarpSize]uint64) (mask uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		if lane := bits.TrailingZeros32(lanes); trace.ClusterRank(addresses[lane], own) == rank {
			mask |= 1 << lane
		}
	}
	return mask
}

func (s *SM) countRemote(a *seam.MemoryAccess) {
	s.set[counters.RemoteSharedAccess]++
	if s.byInstruction != nil {
		s.byInstruction[a.Instruction][counters.RemoteSharedAccess]++
	}
}

// receive does what a message says.
func (s *SM) receive(now clock.Cycle, m *message) {
	switch {
	case m.about == topicOpen:
		s.openCluster(now, m.slot)
	case m.about == topicLeave: // drainQueue follows
	case m.about == topicSignal:
		s.signalled(now, m)
	case m.token != seam.NoToken:
		s.Complete(now, m.token)
	default:
		s.performed(m.warp)
	}
}

// performed ends an access of warp w for which nothing waits but fences and the warp's end.
func (s *SM) performed(w int) {
	p := &s.warps[w]
	p.outstanding--
	p.memory--
	s.checkFence(w)
	s.tryRetire(w)
}
