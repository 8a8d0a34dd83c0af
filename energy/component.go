// SPDX-License-Identifier: Apache-2.0

package energy

import "github.com/warptape/warptape/timing/counters"

// Charge is the energy of one event of a counter in a component.
type Charge struct {
	Counter counters.ID
	PJ      float64 // picojoules per event
	// But are counters of some of these events, which have a price of their own.
	But []counters.ID
}

// events is how many a charge is for.
func (ch *Charge) events(set *counters.Set) uint64 {
	n := set[ch.Counter]
	for _, other := range ch.But {
		n -= min(n, set[other])
	}
	return n
}

// Component is a leaf of the tree.
type Component struct {
	// Path names the leaf from the chip down: "chip/sm/front end/fetch".
	Path string
	// Added says that a mechanism brings it, Hierarchy that it is then part of the
	// on-chip memory hierarchy.
	Added, Hierarchy bool
	Charges          []Charge
	// StaticW is drawn for the whole time by all instances together, in watts.
	StaticW float64
	// AreaMM2 is that of all instances together.
	AreaMM2 float64
}

// dynamicJ is the component's dynamic energy in joules.
func (c *Component) dynamicJ(set *counters.Set) float64 {
	sum := 0.0
	for i := range c.Charges {
		sum += float64(float64(c.Charges[i].events(set)) * c.Charges[i].PJ)
	}
	return float64(sum * 1e-12) // rounded also where it is inlined into a sum
}

// pricePJ is what the component charges for a counter.
func (c *Component) pricePJ(id counters.ID) float64 {
	for _, ch := range c.Charges {
		if ch.Counter == id {
			return ch.PJ
		}
	}
	return 0
}
