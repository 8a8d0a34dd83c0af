// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// gate is a part of the chip whose supply is cut while a counter counts.
type gate struct {
	path   string
	cycles counters.ID
	// secondsPerCycle of a counted cycle, over the instances: the part of the node
	// that an instance is.
	secondsPerCycle float64
	spared          []spared
	saved           float64 // part of the leakage that is saved: 1 - residual
}

// spared are events of a counter that cost nothing in the part: those of by.
type spared struct{ counter, by counters.ID }

// gate adds a part that is switched off, and what switching it on costs.
func (b *builder) gate(key string, g *arch.PowerGate) {
	if g.Instances < 1 || g.Source == "" || !(g.Residual >= 0 && g.Residual <= 1) || !(g.WakePJ >= 0) {
		b.fail(fmt.Errorf("BUG: power gate %q of %s: instances %d, residual %g, wake-up %g pJ, source %q", g.Path, key, g.Instances, g.Residual, g.WakePJ, g.Source))
		return
	}
	found := false
	for i := range b.components {
		found = found || under(b.components[i].Path, g.Path)
	}
	for _, other := range b.gates {
		if under(other.path, g.Path) || under(g.Path, other.path) {
			found = false
		}
	}
	if !found {
		b.fail(fmt.Errorf("BUG: power gate of %s: there is no component %q, or it is gated twice", key, g.Path))
		return
	}
	var free []spared
	for _, x := range g.Spared {
		free = append(free, spared{b.counterOf(key, x.Counter), b.counterOf(key, x.By)})
	}
	b.gates = append(b.gates, gate{
		spared: free,
		path:   g.Path, cycles: b.counterOf(key, g.GatedCycles),
		secondsPerCycle: 1e-6 / b.machine.Clocks.CoreMHz / float64(g.Instances), saved: 1 - g.Residual,
	})
	if g.WakeUps != "" && g.WakePJ > 0 {
		c := b.add(g.Path[len("chip/"):] + " wake-up")
		c.Added = true
		pj := g.WakePJ * logicScale(b.machine.Technology.NodeNM, b.tech.NodeNM) * b.tech.dynamic()
		c.charge(pj, b.counterOf(key, g.WakeUps))
	}
}

// sparedJ is what a component does not spend on events that happened without it.
func (m *Model) sparedJ(c *Component, set *counters.Set) float64 {
	pj := 0.0
	for _, g := range m.gates {
		if under(c.Path, g.path) {
			for _, x := range g.spared {
				pj += float64(float64(set[x.by]) * c.pricePJ(x.counter))
			}
		}
	}
	return float64(pj * 1e-12)
}

// offSeconds is how long a component had no supply, as part of all its instances
// and of its leakage.
func (m *Model) offSeconds(path string, set *counters.Set) float64 {
	for _, g := range m.gates {
		if under(path, g.path) {
			return float64(set[g.cycles]) * g.secondsPerCycle * g.saved
		}
	}
	return 0
}
