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
	n := &b.machine.Network
	ports := b.machine.GPU.SMs + b.machine.L2.Partitions*b.machine.L2.SlicesPerPartition
	perCycle := b.energy("network.clock_pj_per_port") * 2 * float64(ports) * float64(n.FlitBytes) / 32
	c = b.add("network/clock")
	c.StaticW = perCycle * b.machine.Clocks.NetworkMHz * 1e-6
}
