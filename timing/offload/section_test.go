// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// Routers that compute have a port of their own: as many ports and channels as are modelled may be, one more of either may not.
func TestPortsOfRoutersThatComputeAreBounded(t *testing.T) {
	for _, c := range []struct {
		radix, channels int
		good            bool
	}{{15, 4, true}, {7, 8, true}, {15, 5, false}, {16, 1, false}, {7, 9, false}} {
		m := new(arch.Machine)
		m.Network.Topology, m.Network.Radix, m.Network.VirtualChannels = "butterfly", c.radix, c.channels
		complaints := 0
		(&Section{At: "omni", Routers: "compute"}).Check(m, func(key, _ string) {
			if key == "routers" {
				complaints++
			}
		})
		if good := complaints == 0; good != c.good {
			t.Errorf("radix %d with %d channels: %d complaints", c.radix, c.channels, complaints)
		}
	}
}
