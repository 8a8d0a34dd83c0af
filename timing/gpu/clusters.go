// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"fmt"

	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// clusterRoom is where the machine places clusters. All thread blocks of one are placed in the
// same cycle, on SMs of one graphics processing cluster (GPC). Each has an SM of its own where
// the GPC has as many as the cluster has thread blocks; otherwise they share SMs that are empty.
// GPCs take turns.
type clusterRoom struct {
	network *cluster.Network
	first   []int // the first SM of each GPC, and the number of all behind
	next    int   // the GPC that is tried first
	gpc     int   // that is tried
	// Of the cluster that is being placed: the SM of each thread block, how many each SM has, and
	// how many it may have now; empty says that thread blocks share SMs.
	chosen []int
	taken  []int
	most   int
	empty  bool
	within func(sm int) bool // an SM of the GPC that is tried, with room for one more
}

func newClusterRoom(g *GPU) clusterRoom {
	r := clusterRoom{
		network: cluster.NewNetwork(g.machine), first: cluster.Groups(g.machine.GPU.SMs, g.machine.GPU.Clusters.GPCs),
		taken: make([]int, g.machine.GPU.SMs),
	}
	r.within = func(sm int) bool {
		r := &g.clusters
		return sm >= r.first[r.gpc] && sm < r.first[r.gpc+1] && r.taken[sm] < r.most && (!r.empty || g.cores[sm].Resident() == 0) && g.fits(sm)
	}
	return r
}

// begin readies for a replay.
func (r *clusterRoom) begin() {
	r.network.Begin()
	r.next = 0
}

// checkClusters reports why the machine cannot run a launch in clusters, if it cannot.
func (g *GPU) checkClusters(l *trace.Launch, o *core.Occupancy) error {
	if !l.InClusters() {
		return nil
	}
	n := int(l.Cluster.Count())
	switch {
	case g.machine.SM.Lacks.Clusters:
		return fmt.Errorf("it runs in clusters of %d thread blocks, which the machine lacks (sm.lacks.clusters)", n)
	case g.withoutClusters() != "":
		return fmt.Errorf("it runs in clusters of %d thread blocks, but %s", n, g.withoutClusters())
	case !g.kind.Clusters:
		return fmt.Errorf("it runs in clusters of %d thread blocks, which cores of the kind %s lack; take a machine with gpu.core: simt", n, g.machine.GPU.CoreKind())
	}
	room := 0
	for gpc := range len(g.clusters.first) - 1 {
		room = max(room, (g.clusters.first[gpc+1]-g.clusters.first[gpc])*o.Blocks)
	}
	if room < n {
		return fmt.Errorf("its clusters of %d thread blocks are too large: a GPC has room for %d of them (gpu.sms, gpu.clusters.gpcs, and what limits the occupancy: %s)", n, room, o.Limiter)
	}
	return nil
}

// withoutClusters is why a mechanism of the machine goes without clusters.
func (g *GPU) withoutClusters() string {
	for _, x := range g.mechanisms {
		if x.WithoutClusters != "" {
			return x.WithoutClusters
		}
	}
	return ""
}

// roomForCluster chooses the SMs for the next cluster of a launch; nil when there is no room.
func (g *GPU) roomForCluster(ctx context.Context, l *launchState) (*formed, error) {
	c, err := g.nextCluster(ctx, l)
	if err != nil {
		return nil, err
	}
	r := &g.clusters
	gpcs := len(r.first) - 1
	for i := range gpcs {
		r.gpc = (r.next + i) % gpcs
		room, err := g.chooseSMs(l, len(c.blocks))
		if err != nil {
			return nil, err
		}
		if room {
			r.next = (r.gpc + 1) % gpcs
			return c, nil
		}
	}
	return nil, nil
}

// chooseSMs chooses an SM for each of n thread blocks in the GPC that is tried, if it has room.
// An SM without thread blocks takes as many as the launch's occupancy.
func (g *GPU) chooseSMs(l *launchState, n int) (room bool, err error) {
	r := &g.clusters
	r.chosen, r.most, r.empty = r.chosen[:0], 1, r.first[r.gpc+1]-r.first[r.gpc] < n
	clear(r.taken)
	free := 0
	for sm := r.first[r.gpc]; sm < r.first[r.gpc+1]; sm++ {
		if r.within(sm) {
			free++
		}
	}
	if free < n && (!r.empty || free*l.perSM < n) {
		return false, nil
	}
	for i := range n {
		r.most = i/free + 1
		sm := g.dispatcher.Next(g.now, l.index, r.within)
		if sm < 0 {
			if i > 0 {
				return false, fmt.Errorf("launch %d: the dispatch policy takes %d thread blocks of a cluster and leaves %d, which have room: take another gpu.dispatch", l.index, i, n-i)
			}
			return false, nil
		}
		r.taken[sm]++
		r.chosen = append(r.chosen, sm)
	}
	return true, nil
}

// placeCluster places the thread blocks of a cluster on the SMs that have been chosen.
func (g *GPU) placeCluster(l *launchState, c *formed) (placed int) {
	ranks := int(g.launches.source.Launches()[l.index].Cluster.Count())
	whole := cluster.New(g.clusters.network, ranks, len(c.blocks)*l.need.Warps)
	for i, a := range c.blocks {
		a.Cluster = whole
		g.placeOn(l, g.clusters.chosen[i], a)
	}
	placed = len(c.blocks)
	l.forming.leave()
	return placed
}
