// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"math"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
)

// Widths of packets in bits (section 4.7). A downlink takes an instruction packet
// a cycle of the network's clock, an uplink one of the others.
const (
	instructionBits = 64
	uplinkBits      = 16
)

// network converts between the cycles of the SMs and those of the cluster's
// network: tick t begins at t/ticks of a core cycle.
type network struct {
	ticksKHz, coreKHz int64
	hop               int64 // ticks between neighbouring SMs
}

func newNetwork(s *Section, m *arch.Machine) network {
	return network{
		ticksKHz: int64(math.Round(s.NetworkMHz * 1000)), coreKHz: max(int64(math.Round(m.Clocks.CoreMHz*1000)), 1),
		hop: int64(s.HopCycles),
	}
}

// tick is the first tick that begins at or after a core cycle.
func (n *network) tick(at clock.Cycle) int64 {
	return (int64(at)*n.ticksKHz + n.coreKHz - 1) / n.coreKHz
}

// cycle is the first core cycle that begins at or after a tick.
func (n *network) cycle(tick int64) clock.Cycle {
	return clock.Cycle((tick*n.coreKHz + n.ticksKHz - 1) / n.ticksKHz)
}

// stage is the length of the communicate stage of a group: the cycles to the
// farthest member, at least one.
func (n *network) stage(size int) clock.Cycle {
	if size < 2 {
		return 0
	}
	return max(n.cycle(int64(farthest(size))*n.hop), 1)
}

// link is a wire pair to or from a slave: it carries a packet a tick.
type link struct{ free int64 }

// send takes the next free tick from a core cycle on and gives the core cycle in
// which the packet has passed the hops.
func (l *link) send(n *network, now clock.Cycle, hops int) clock.Cycle {
	at := max(l.free, n.tick(now))
	l.free = at + 1
	return max(n.cycle(at+int64(hops)*n.hop), now+1)
}

// open reports whether a packet can leave within a core cycle.
func (l *link) open(n *network, now clock.Cycle) bool { return l.free < n.tick(now+1) }
