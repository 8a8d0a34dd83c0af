// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// fillLaunchSpecial fills the slot of a special register that depends on the
// launch and the warp's place in the block, but not on the block (10).
func (c *warpContext) fillLaunchSpecial(s specialSlot) {
	l := c.launch
	if s.wide && s.special == ptx.Gridid {
		lanes.Broadcast(c.at(s.offset), l.ID)
		return
	}
	z := lanes.Of[uint32](c.at(s.offset))
	for i := range z {
		thread := l.Thread(c.warp*trace.WarpSize + i)
		switch s.special {
		case ptx.TidX:
			z[i] = thread.X
		case ptx.TidY:
			z[i] = thread.Y
		case ptx.TidZ:
			z[i] = thread.Z
		case ptx.Laneid:
			z[i] = uint32(i)
		case ptx.LanemaskEq:
			z[i] = 1 << i
		case ptx.LanemaskLt:
			z[i] = 1<<i - 1
		case ptx.LanemaskLe:
			z[i] = 1<<(i+1) - 1
		case ptx.LanemaskGt:
			z[i] = ^uint32(1<<(i+1) - 1)
		case ptx.LanemaskGe:
			z[i] = ^uint32(1<<i - 1)
		default:
			if v, ok := c.launchSpecial(s.special); ok {
				z[i] = v
			}
		}
	}
}

// clusterOf is the size of clusters as a kernel sees it: the thread blocks of a cooperative grid take
// turns as those of a cluster do, and are each a cluster of its own.
func clusterOf(l *coexecution.LaunchState) trace.Dim3 {
	if l.Cooperative {
		return trace.Dim3{X: 1, Y: 1, Z: 1}
	}
	return l.Cluster
}

// launchSpecial gives the special registers that all threads of a launch share.
// There is one SM as far as a kernel can see: %smid says nothing about the
// machine that a trace will be replayed on.
func (c *warpContext) launchSpecial(s ptx.Special) (value uint32, ok bool) {
	l, cluster := c.launch, clusterOf(c.launch)
	if s >= ptx.Envreg && s <= ptx.LastEnvreg {
		return l.Environment[s-ptx.Envreg], true
	}
	switch s {
	case ptx.NtidX:
		return l.Block.X, true
	case ptx.NtidY:
		return l.Block.Y, true
	case ptx.NtidZ:
		return l.Block.Z, true
	case ptx.NctaidX:
		return l.Grid.X, true
	case ptx.NctaidY:
		return l.Grid.Y, true
	case ptx.NctaidZ:
		return l.Grid.Z, true
	case ptx.NclusteridX:
		return l.Grid.X / cluster.X, true
	case ptx.NclusteridY:
		return l.Grid.Y / cluster.Y, true
	case ptx.NclusteridZ:
		return l.Grid.Z / cluster.Z, true
	case ptx.ClusterNctaidX:
		return cluster.X, true
	case ptx.ClusterNctaidY:
		return cluster.Y, true
	case ptx.ClusterNctaidZ:
		return cluster.Z, true
	case ptx.ClusterNctarank:
		return uint32(cluster.Count()), true
	case ptx.Pm:
		return 0, true
	case ptx.Warpid:
		return uint32(c.warp), true
	case ptx.Nwarpid:
		return uint32((l.Block.Count() + trace.WarpSize - 1) / trace.WarpSize), true
	case ptx.Smid:
		return 0, true
	case ptx.Nsmid:
		return 1, true
	case ptx.Gridid:
		return uint32(l.ID), true
	case ptx.DynamicSmemSize:
		return l.DynamicShared, true
	case ptx.TotalSmemSize:
		return uint32(l.SharedBytes), true
	}
	return 0, false
}

// fillBlockSpecial fills the slot of a special register that depends on the block.
func (c *warpContext) fillBlockSpecial(s specialSlot) {
	index, cluster := c.identity.Block.Index, clusterOf(c.launch)
	value := uint32(0)
	switch s.special {
	case ptx.CtaidX:
		value = index.X
	case ptx.CtaidY:
		value = index.Y
	case ptx.CtaidZ:
		value = index.Z
	case ptx.ClusteridX:
		value = index.X / cluster.X
	case ptx.ClusteridY:
		value = index.Y / cluster.Y
	case ptx.ClusteridZ:
		value = index.Z / cluster.Z
	case ptx.ClusterCtaidX:
		value = index.X % cluster.X
	case ptx.ClusterCtaidY:
		value = index.Y % cluster.Y
	case ptx.ClusterCtaidZ:
		value = index.Z % cluster.Z
	case ptx.ClusterCtarank:
		value = uint32(c.identity.Block.Rank)
	default:
		return
	}
	lanes.Broadcast(c.at(s.offset), value)
}

// readClock refreshes the slot of a clock register. The clock counts the
// launch's warp instructions, so that it moves, and moves the same way in
// every run.
func (c *warpContext) readClock(r clockOperand) {
	now := c.launch.Clock + r.ahead // the launch's counter moves from segment to segment
	switch r.special {
	case ptx.Clock64, ptx.Globaltimer:
		lanes.Broadcast(c.at(r.slot), now)
	case ptx.ClockHi, ptx.GlobaltimerHi:
		lanes.Broadcast(c.at(r.slot), uint32(now>>32))
	default:
		lanes.Broadcast(c.at(r.slot), uint32(now))
	}
}

// isClock reports whether a special register changes while a kernel runs.
func isClock(s ptx.Special) bool { return s >= ptx.Clock && s <= ptx.GlobaltimerHi }
