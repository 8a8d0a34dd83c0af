// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
)

// forming puts the thread blocks of a launch together to clusters. They come in the order of
// their numbers, in which the rows of a cluster are apart. Clusters leave in the order of
// their first thread blocks.
type forming struct {
	launch *trace.Launch
	queue  []*formed // those with thread blocks, by their first
	of     map[uint64]*formed
	spare  []*formed
	read   uint64 // one more than the number of the thread block that came last
}

// formed is the thread blocks of a cluster. Of a sample some may be missing.
type formed struct {
	number uint64 // of the cluster
	end    uint64 // the highest number of a thread block
	blocks []core.Assignment
}

// newForming is nil for a launch without clusters.
func newForming(l *trace.Launch) *forming {
	if !l.InClusters() {
		return nil
	}
	return &forming{launch: l, of: map[uint64]*formed{}}
}

// add takes the next thread block.
func (f *forming) add(a core.Assignment) {
	number, rank := f.launch.ClusterOf(a.Block)
	c := f.of[number]
	if c == nil {
		c = f.take(number)
		f.of[number] = c
		f.queue = append(f.queue, c)
	}
	a.Rank = rank
	c.blocks = append(c.blocks, a)
	f.read = a.Block + 1
}

func (f *forming) take(number uint64) *formed {
	c := new(formed)
	if n := len(f.spare); n > 0 {
		c, f.spare = f.spare[n-1], f.spare[:n-1]
	}
	*c = formed{number: number, end: f.launch.ClusterEnd(number), blocks: c.blocks[:0]}
	return c
}

// first is the cluster that leaves next, nil while thread blocks of it have yet to come; over
// says that none will.
func (f *forming) first(over bool) *formed {
	if len(f.queue) == 0 || !over && f.read <= f.queue[0].end {
		return nil
	}
	return f.queue[0]
}

// leave removes that cluster, which the caller has done with.
func (f *forming) leave() {
	c := f.queue[0]
	f.queue = f.queue[1:]
	delete(f.of, c.number)
	clear(c.blocks)
	f.spare = append(f.spare, c)
}

// nextCluster is the cluster of a launch that is placed next.
func (g *GPU) nextCluster(ctx context.Context, l *launchState) (*formed, error) {
	for {
		over := l.chunk >= l.endChunk
		if c := l.forming.first(over); c != nil {
			return c, nil
		}
		a, err := g.nextAssignment(ctx, l)
		if err != nil {
			return nil, err
		}
		l.forming.add(a)
	}
}
