// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"github.com/warptape/warptape/trace"
)

// Thread blocks run in a row: those of a cluster follow each other, and a wave has whole
// clusters. All thread blocks of a cooperative launch are in one wave. By segments, the states
// of all thread blocks that run at the same time are on the device.

// cluster is the size of the launch's clusters; zero for thread blocks by themselves.
func (p *program) cluster() [3]uint32 {
	if c := p.launch.Cluster; !p.launch.Cooperative && c.Count() > 1 {
		return [3]uint32{c.X, c.Y, c.Z}
	}
	return [3]uint32{}
}

// inStep is the number of thread blocks that must run at the same time.
func (p *program) inStep() uint64 { return max(p.launch.Cluster.Count(), 1) }

// placeInRow is a thread block's place among those that run in a row.
func (p *program) placeInRow(at trace.Dim3) uint64 {
	g, c := p.launch.Grid, p.cluster()
	if c == [3]uint32{} {
		return linear(at, g.X, g.Y)
	}
	rank := linear(trace.Dim3{X: at.X % c[0], Y: at.Y % c[1], Z: at.Z % c[2]}, c[0], c[1])
	cluster := linear(trace.Dim3{X: at.X / c[0], Y: at.Y / c[1], Z: at.Z / c[2]}, g.X/c[0], g.Y/c[1])
	return cluster*p.inStep() + rank
}

// rank is that of the context's thread block in its cluster.
func (c *context) rank() int {
	if p := c.program; p.cluster() != [3]uint32{} {
		return int(c.place % p.inStep())
	}
	return 0
}

func linear(at trace.Dim3, x, y uint32) uint64 {
	return (uint64(at.Z)*uint64(y)+uint64(at.Y))*uint64(x) + uint64(at.X)
}
