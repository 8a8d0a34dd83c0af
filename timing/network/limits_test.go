// SPDX-License-Identifier: Apache-2.0

package network

import (
	"testing"

	"github.com/warptape/warptape/timing/counters"
)

// A router with the most ports, and the most virtual channels on all of them, delivers
// between each pair of its ports. One with more of either is refused, and so is one
// without a channel for each class.
func TestARouterMayHaveAsManyPortsAndChannelsAsItsBounds(t *testing.T) {
	const router, link = 1, 1
	ends := everywhere(maxPorts)
	full := Butterfly(maxPorts, 1, ends, ends)
	c := plain
	c.VirtualChannels = maxPortChannels / maxPorts
	f := fabric(full, c, new(counters.Set), nil)
	now := int64(0)
	for i := range ends {
		for o := range ends {
			f.Send(i, Packet{ID: uint32(i*maxPorts + o), To: uint16(o), Flits: 1})
			for end := now + router + 2*link; now <= end; now++ {
				f.Cycle(now)
			}
			if p, ok := f.Head(o); !ok || p.ID != uint32(i*maxPorts+o) {
				t.Fatalf("the packet from %d to %d is not there", i, o)
			}
			f.Pop(o, now)
		}
	}
	refuses := func(what string, want bool, topology *Topology, c RouterConfig) {
		t.Helper()
		defer func() {
			why := recover()
			if (why != nil) != want || want && why != "BUG: network: virtual channels do not fit" {
				t.Errorf("%s: refused with %v", what, why)
			}
		}()
		fabric(topology, c, new(counters.Set), nil)
	}
	small := Mesh(2, 2, true, everywhere(4), everywhere(4))
	of := func(channels, classes int) RouterConfig {
		c := plain
		c.VirtualChannels, c.Classes, c.ClassOf = channels, classes, make([]uint8, 4)
		return c
	}
	refuses("a channel a class", false, small, of(2, 2))
	refuses("more classes than channels", true, small, of(1, 2))
	refuses("channels of all ports beyond the bound", true, small, of(maxPortChannels/small.Ports+1, 1))
	more := everywhere(maxPorts + 1)
	refuses("ports beyond the bound", true, Butterfly(maxPorts+1, 1, more, more), of(1, 1))
}
