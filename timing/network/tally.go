// SPDX-License-Identifier: Apache-2.0

package network

import "github.com/warptape/warptape/timing/counters"

// Counts says where a network counts what happens in it. Times are sums over
// packets of network cycles.
type Counts struct {
	Set *counters.Set
	// Injection is the time in the queue of an input, Traversal that from there
	// to the arrival of the tail, Ejection that until the packet is taken.
	Injection, Traversal, Ejection counters.ID
	// FlitHops counts flits times links between routers: the weighted hop count
	// of Opportunistic computing section 6.
	FlitHops counters.ID
}

// RouterCounts says where routers count what happens in them.
type RouterCounts struct {
	Set *counters.Set
	// Flits counts switch traversals; Buffered sums the flits in buffers, and
	// Stalled the virtual channels that wait for a credit, over network cycles.
	Flits, Buffered, Stalled counters.ID
}

// tally counts the packets in the three stages, and integrates the first two
// over time: what enters between two calls of Cycle does so at the second one.
type tally struct {
	queued, flying, arrived uint64
	// The numbers when Cycle was last called.
	wasQueued, wasFlying uint64
	hops                 uint64 // of flits since then
	// Where they are counted.
	injection, traversal, ejection, flitHops *uint64
}

// newTally, without a set, counts into one that no report shows.
func newTally(c Counts) tally {
	if c.Set == nil {
		c.Set = new(counters.Set)
	}
	return tally{injection: &c.Set[c.Injection], traversal: &c.Set[c.Traversal], ejection: &c.Set[c.Ejection], flitHops: &c.Set[c.FlitHops]}
}

// popped counts a packet that has waited for some cycles at its output.
func (t *tally) popped(cycles int64) {
	t.arrived--
	*t.ejection += uint64(cycles)
}

// elapse counts the cycles since the last call of Cycle.
func (t *tally) elapse(cycles uint64) {
	*t.injection += t.wasQueued * cycles
	*t.traversal += t.wasFlying * cycles
}

// settle keeps the numbers at the end of Cycle.
func (t *tally) settle() {
	t.wasQueued, t.wasFlying = t.queued, t.flying
}

// settleHops counts what hop there has been since the last call.
func (t *tally) settleHops() {
	*t.flitHops += t.hops
	t.hops = 0
}
