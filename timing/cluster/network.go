// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/coalesce"
)

// Network is the network between the SMs of a graphics processing cluster. An access to
// another SM's shared memory leaves its own SM through one port and enters the other through
// another. Each port moves some bytes a cycle. The access is served there in as many wavefronts as
// its bank conflicts make.
type Network struct {
	remote  clock.Cycle // of a load without contention, from the issue to its data
	barrier clock.Cycle
	bytes   int // that a port moves in a cycle
	front   int // cycles of a wavefront
	own     int // cycles of a load from an SM's own shared memory
	banks   coalesce.Banks
	out, in []clock.Cycle // when the ports of each SM are free
}

// NewNetwork is that of a machine.
func NewNetwork(m *arch.Machine) *Network {
	c := &m.GPU.Clusters
	return &Network{
		remote: clock.Cycle(c.Remote()), barrier: clock.Cycle(c.Barrier()), bytes: c.Bytes(),
		front: max(m.Shared.WavefrontCycles, 1), own: max(m.Shared.LatencyCycles, 1), banks: coalesce.Banks{Count: max(m.Shared.Banks, 1), WordBytes: max(m.Shared.BankBytes, 4)},
		out: make([]clock.Cycle, m.GPU.SMs), in: make([]clock.Cycle, m.GPU.SMs),
	}
}

// Begin forgets what is under way: a replay begins.
func (n *Network) Begin() {
	clear(n.out)
	clear(n.in)
}

// Access is a part of a memory instruction: the lanes of a warp that reach one other SM.
type Access struct {
	From, To int // SMs; To is -1 where the other is not known, whose port is free then
	Lanes    coalesce.Warp
	Atomic   bool // operations on one word come one after the other
}

// Send gives the cycle in which an access that enters the network now has been performed, and
// for loads its data is there. Until then it has waited for both ports. Left is the cycle from
// which the SM can send the next.
//
// Segments of 32 bytes travel whole, and those of lanes that share one travel once: the
// network wants accesses that are coalesced as for global memory (NVIDIA Hopper tuning guide,
// section 1.4.1.2).
func (n *Network) Send(now clock.Cycle, a *Access) (left, done clock.Cycle) {
	pass := clock.Cycle((segments(&a.Lanes)*segmentBytes + n.bytes - 1) / n.bytes)
	start := max(now, n.out[a.From])
	left = start + pass
	n.out[a.From] = left
	// Ways there are equally long, so that it does not matter when accesses enter the other SM, but
	// in which order: as though they did when they leave.
	arrives := start
	served := max(pass, clock.Cycle(n.banks.Cycles(&a.Lanes, a.Atomic)*n.front))
	if a.To >= 0 {
		arrives = max(arrives, n.in[a.To])
		n.in[a.To] = arrives + served
	}
	// A load of one segment takes the network's latency.
	one := clock.Cycle(max((segmentBytes+n.bytes-1)/n.bytes, n.front))
	return left, arrives + max(served-one, 0) + n.remote
}

// Own gives the cycle in which lanes that stay with their SM's own shared memory have their data,
// where nothing else is on its way to it.
func (n *Network) Own(now clock.Cycle, lanes *coalesce.Warp, atomic bool) clock.Cycle {
	return now + clock.Cycle((n.banks.Cycles(lanes, atomic)-1)*n.front+n.own)
}

// segmentBytes is what the network moves at least.
const segmentBytes = 32

// segments counts the segments that the lanes of an access touch.
func segments(w *coalesce.Warp) int {
	var seen [2 * 32]uint64 // lanes have at most 16 bytes, in two segments
	n := 0
	for rest := w.Mask; rest != 0; rest &= rest - 1 {
		at := w.Address(bits.TrailingZeros32(rest))
		for s := at / segmentBytes; s <= (at+uint64(max(w.LaneBytes, 1))-1)/segmentBytes; s++ {
			if !slices.Contains(seen[:n], s) {
				seen[n] = s
				n++
			}
		}
	}
	return n
}
