// SPDX-License-Identifier: Apache-2.0

package energy

// clocks adds what clock trees draw that are not gated: every cycle, whether
// anything works or not. With perfect gating (GPSim thesis section 4.6.1) a clock
// only costs in the cycles of an access, in whose energy it is contained.
func (b *builder) clocks() {
	if b.machine.Technology.ClockGating != "none" {
		return
	}
	c := b.add("sm/clock")
	c.StaticW = b.energy("clock.sm_w") * b.sms()
	perCycle := b.energy("network.clock_pj_per_port") * b.routerPorts() * float64(b.machine.Network.FlitBytes) / 32
	c = b.add("network/clock")
	c.StaticW = perCycle * b.machine.Clocks.NetworkMHz * 1e-6
}

// routerPorts is the number of inputs and outputs of all routers.
func (b *builder) routerPorts() float64 {
	var r routed
	switch b.machine.Network.Topology {
	case "mesh":
		r = b.mesh()
	case "butterfly":
		r = b.butterfly()
	default: // a crossbar each for requests and replies
		return 2 * float64(b.machine.GPU.SMs+b.machine.L2.Partitions*b.machine.L2.SlicesPerPartition)
	}
	return r.routers * 2 * r.ports
}
