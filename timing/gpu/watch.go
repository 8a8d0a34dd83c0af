// SPDX-License-Identifier: Apache-2.0

package gpu

import "github.com/warptape/warptape/timing/seam"

// watchMemory connects the watcher with the memory system, if both can.
func (g *GPU) watchMemory() {
	system := g.memory.Watchable
	if g.options.Watcher == nil || system == nil {
		return
	}
	system.Watch(g.options.Watcher)
	if d, ok := g.options.Watcher.(seam.DepthWatcher); ok {
		d.Measure(system.Gauges(), system.Depths)
		g.depths = d
	}
}

// watchDriver lets the SMs of a driver that has been called tell what their
// warps do.
func (g *GPU) watchDriver(d int) {
	for _, s := range g.drivers[d].Cores {
		s.Watched(g.now)
	}
}

// watchBinding tells which launch the SMs of a driver work for.
func (g *GPU) watchBinding(d int) {
	to := g.options.Watcher
	if to == nil {
		return
	}
	for _, sm := range g.bindings.smsOf[d] {
		if l := g.bindings.owner[d]; l != nil {
			to.Bound(g.now, sm, l.index, l.program.Kernel())
		} else {
			to.Bound(g.now, sm, -1, nil)
		}
	}
}
