// SPDX-License-Identifier: Apache-2.0

package arch

import "cmp"

// Clusters is how thread blocks of a cluster meet, on a machine that has clusters (see
// Lacks.Clusters). All of a cluster run at the same time on SMs of one graphics processing
// cluster (GPC).
type Clusters struct {
	// GPCs divide the SMs as evenly as pairs go. A machine of fewer SMs has one for each.
	GPCs int `yaml:"gpcs" unit:"GPCs" range:"1..256" default:"1" digest:"used"`
	// RemoteCycles are those of a load from the shared memory of another SM, until its data is there.
	RemoteCycles int `yaml:"remote_cycles" unit:"core cycles" range:"2..100000" default:"180" digest:"used"`
	// BytesPerCycle leave an SM for others, and enter it from others, in a cycle.
	BytesPerCycle int `yaml:"bytes_per_cycle" unit:"bytes" range:"1..4096" default:"16" digest:"used"`
	// BarrierCycles pass from the last arrival at the cluster's barrier until it opens.
	BarrierCycles int `yaml:"barrier_cycles" unit:"core cycles" range:"1..100000" default:"180" digest:"used"`
}

// Remote is RemoteCycles, Barrier is BarrierCycles, and Bytes is BytesPerCycle, with their
// defaults in a machine built in Go.
func (c *Clusters) Remote() int { return cmp.Or(c.RemoteCycles, 180) }

// Barrier is documented with Remote.
func (c *Clusters) Barrier() int { return cmp.Or(c.BarrierCycles, 180) }

// Bytes is documented with Remote.
func (c *Clusters) Bytes() int { return cmp.Or(c.BytesPerCycle, 16) }

// unusedClusters reports whether a key says what it is without, or the machine has no clusters.
func (m *Machine) unusedClusters(key string) bool {
	c := &m.GPU.Clusters
	if m.SM.Lacks.Clusters {
		return true
	}
	switch key {
	case "gpcs":
		return c.GPCs <= 1
	case "remote_cycles":
		return c.Remote() == 180
	case "bytes_per_cycle":
		return c.Bytes() == 16
	}
	return c.Barrier() == 180
}
