// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// clusterRun executes the thread blocks of a cluster together: each has a scheduler,
// and they take turns round by round, so that blocks can wait for each other.
type clusterRun struct {
	members []*scheduler
	logs    []*recordLog
	budget  *logBudget
	// opening says that the barrier of the cluster is being opened.
	opening bool
}

// clusterSize is the size of the launch's clusters: of the grid, when it is cooperative.
func (l *LaunchRequest) clusterSize() trace.Dim3 {
	if l.Cooperative {
		return l.Grid
	}
	if l.Cluster != (trace.Dim3{}) {
		return l.Cluster
	}
	if c := l.Kernel.contaminated.PTX.RequiredCluster; c != [3]uint32{} {
		return trace.Dim3{X: c[0], Y: c[1], Z: c[2]}
	}
	return trace.Dim3{X: 1, Y: 1, Z: 1}
}

// Clusters is the size of the clusters of a launch that asks for them of the given size, as
// a trace has it: zeros for clusters of one thread block.
func (k *LoadedKernel) Clusters(size trace.Dim3) trace.Dim3 {
	l := LaunchRequest{Kernel: k, Cluster: size}
	if c := l.clusterSize(); c.Count() > 1 {
		return c
	}
	return trace.Dim3{}
}

// ClusterBlocks is the number of thread blocks in the clusters of a launch that asks
// for them of the given size.
func (k *LoadedKernel) ClusterBlocks(size trace.Dim3) uint64 {
	l := LaunchRequest{Kernel: k, Cluster: size}
	return l.clusterSize().Count()
}

func (l *LaunchRequest) checkCluster() error {
	k, c := l.Kernel.contaminated.PTX, l.clusterSize()
	n := c.Count()
	switch want := k.RequiredCluster; {
	case l.Cooperative && (l.Cluster != trace.Dim3{} || want != [3]uint32{}):
		return errors.New("a cooperative launch in clusters; launch it without one of the two")
	case l.Cooperative && n > maxCooperativeBlocks:
		return fmt.Errorf("a cooperative launch of %d thread blocks; at most %d are possible", n, maxCooperativeBlocks)
	case l.Cooperative:
	case n == 0 || n > ptx.MaxClusterBlocks:
		return fmt.Errorf("cluster (%d,%d,%d) has no thread blocks or more than %d", c.X, c.Y, c.Z, ptx.MaxClusterBlocks)
	case l.Grid.X%c.X != 0 || l.Grid.Y%c.Y != 0 || l.Grid.Z%c.Z != 0:
		return fmt.Errorf("grid (%d,%d,%d) is no multiple of the cluster (%d,%d,%d)", l.Grid.X, l.Grid.Y, l.Grid.Z, c.X, c.Y, c.Z)
	case want != [3]uint32{} && want != [3]uint32{c.X, c.Y, c.Z}:
		return fmt.Errorf("cluster (%d,%d,%d), but .reqnctapercluster demands (%d,%d,%d)", c.X, c.Y, c.Z, want[0], want[1], want[2])
	case k.MaxCluster != 0 && n > uint64(k.MaxCluster):
		return fmt.Errorf("cluster of %d thread blocks, but .maxclusterrank allows %d", n, k.MaxCluster)
	case l.Cluster != (trace.Dim3{}) && !k.ExplicitCluster && readsExplicitCluster(k):
		return errors.New("the kernel reads %is_explicit_cluster, which is told by .explicitcluster or .reqnctapercluster only: write one of them")
	}
	return nil
}

func readsExplicitCluster(k *ptx.Kernel) bool {
	for i := range k.Body {
		for j := range k.Body[i].Operands {
			if o := &k.Body[i].Operands[j]; o.Kind == ptx.OperandSpecial && o.Special == ptx.IsExplicitCluster {
				return true
			}
		}
	}
	return false
}

// runClusters executes all clusters of a launch one after the other. Records are
// handed on in the order of thread blocks, which is another one when clusters have
// several rows: those of blocks whose turn has not come are kept.
func (s *scheduler) runClusters() error {
	c := s.newCluster()
	defer func() {
		for _, m := range c.members {
			if m.block.Races != nil {
				s.block.Races.Merge(m.block.Races)
			}
		}
	}()
	g, size := s.launch.Grid, s.launch.Cluster
	kept := map[uint64]*recordLog{}
	next := uint64(0)
	var spare []*recordLog
	for z := uint32(0); z < g.Z; z += size.Z {
		for y := uint32(0); y < g.Y; y += size.Y {
			for x := uint32(0); x < g.X; x += size.X {
				for i := range c.logs {
					c.logs[i], spare = takeLog(spare, c.budget)
				}
				blocks, err := c.run(s, trace.Dim3{X: x, Y: y, Z: z})
				if err != nil {
					return err
				}
				for i, block := range blocks {
					kept[block] = c.logs[i]
				}
				for log := kept[next]; log != nil; log = kept[next] {
					if s.request.Recorder != nil {
						if err := log.replay(next, s.request.Recorder); err != nil {
							return err
						}
						log.forget()
					}
					delete(kept, next)
					spare = append(spare, log)
					next++
				}
				if s.request.Progress != nil {
					s.request.Progress(next)
				}
			}
		}
	}
	return nil
}

func takeLog(spare []*recordLog, budget *logBudget) (*recordLog, []*recordLog) {
	if n := len(spare); n > 0 {
		return spare[n-1], spare[:n-1]
	}
	return &recordLog{budget: budget}, nil
}

// newCluster makes the schedulers of a cluster.
func (s *scheduler) newCluster() *clusterRun {
	c := &clusterRun{budget: &logBudget{recorder: s.request.Recorder, most: s.device.options.LogBytes}}
	var blocks []*coexecution.BlockState
	for i := range int(s.launch.Cluster.Count()) {
		request := *s.request
		m := newScheduler(s.device, &request, i)
		m.cluster = c
		if !s.launch.Cooperative { // whose thread blocks are clusters of one
			m.block.Rank = i
		}
		c.members, c.logs, blocks = append(c.members, m), append(c.logs, nil), append(blocks, &m.block)
	}
	for _, m := range c.members {
		if !s.launch.Cooperative {
			m.block.Cluster = blocks
		}
	}
	return c
}

// run executes the cluster whose first block is at a place in the grid, and gives the
// blocks by rank.
func (c *clusterRun) run(s *scheduler, at trace.Dim3) ([]uint64, error) {
	g, size := s.launch.Grid, s.launch.Cluster
	blocks := make([]uint64, len(c.members))
	for i, m := range c.members {
		x, y, z := at.X+uint32(i)%size.X, at.Y+uint32(i)/size.X%size.Y, at.Z+uint32(i)/(size.X*size.Y)
		blocks[i] = (uint64(z)*uint64(g.Y)+uint64(y))*uint64(g.X) + uint64(x)
		if s.request.Recorder != nil {
			m.request.Recorder = c.logs[i]
		}
		m.result = s.result // so that clock and budget go on
		m.beginBlock(blocks[i])
	}
	for left := len(c.members); left > 0; {
		ended, err := c.round(s)
		if err == nil {
			err = c.budget.err
		}
		if err != nil {
			return nil, err
		}
		left -= ended
	}
	return blocks, nil
}

// round gives each block of the cluster a round, and counts those that end.
func (c *clusterRun) round(s *scheduler) (ended int, err error) {
	ready := false
	for _, m := range c.members {
		if m.block.Ended || m.live&^m.waiting == 0 {
			continue
		}
		ready = true
		m.result = s.result
		if err := m.round(); err != nil {
			return 0, err
		}
		s.result = m.result
		if m.live != 0 {
			continue
		}
		if err := m.endBlock(); err != nil {
			return 0, err
		}
		s.result = m.result
		m.block.Ended = true
		ended++
		c.openIfComplete()
	}
	if ready {
		return ended, nil
	}
	for _, m := range c.members {
		if !m.block.Ended {
			if err := m.deadlock(); err != nil {
				return 0, err
			}
		}
	}
	return ended, nil
}

// complete reports whether all blocks wait at the barrier of the cluster; if so it
// opens in all others, too.
func (c *clusterRun) complete() bool {
	if c.opening || c.members[0].launch.Cooperative {
		return true
	}
	for _, m := range c.members {
		if m.live != 0 && !m.completed(coexecution.ClusterBarrierID) {
			return false
		}
	}
	c.opening = true
	for _, m := range c.members {
		if m.live != 0 && m.barriers[coexecution.ClusterBarrierID].active {
			m.release(coexecution.ClusterBarrierID)
		}
	}
	c.opening = false
	return false // it is open already
}

// openIfComplete opens the barrier of the cluster when it waited for a block that
// ended.
func (c *clusterRun) openIfComplete() {
	if c.members[0].launch.Cooperative {
		return
	}
	for _, m := range c.members {
		if m.live != 0 && m.barriers[coexecution.ClusterBarrierID].active {
			c.complete()
			return
		}
	}
}

// hash adds what the blocks of the cluster may change.
func (c *clusterRun) hash(h *maphash.Hash) {
	var state []byte
	for _, m := range c.members {
		h.Write(m.block.Shared)
		for i := range m.warps {
			w := &m.warps[i]
			if context, ok := w.context.(Stater); ok && w.live != 0 {
				state = context.AppendLocal(context.AppendRegisters(w.stack.appendState(state[:0])))
				h.Write(state)
			}
		}
	}
}
