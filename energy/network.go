// SPDX-License-Identifier: Apache-2.0

package energy

import "github.com/warptape/warptape/timing/counters"

// network adds the networks for requests and replies. Perfectly gated clocks: an
// idle router draws leakage only.
func (b *builder) network() {
	switch b.machine.Network.Topology {
	case "mesh":
		b.routers(b.mesh())
	case "butterfly":
		b.routers(b.butterfly())
	default:
		b.crossbars()
	}
}

// crossbars adds the request and the reply crossbar, each with a port per SM and
// per L2 slice.
func (b *builder) crossbars() {
	n := &b.machine.Network
	slices := b.machine.L2.Partitions * b.machine.L2.SlicesPerPartition
	ports := float64(b.machine.GPU.SMs + slices)
	width := float64(n.FlitBytes) / 32
	c := b.add("network/routers")
	flit := b.energy("network.buffer") + float64(8*b.laneCrossbar(b.machine.GPU.SMs+slices))
	allocation := float64(b.energy("network.allocation_pj_per_port2") * float64(b.machine.GPU.SMs*slices))
	c.charge(float64(flit*width)+allocation, counters.RequestFlits, counters.ReplyFlits)
	c.StaticW = 2 * ports * width * b.value("network.leakage_mw_per_port") * 1e-3 * b.tech.leakage()
	c.AreaMM2 = 2 * ports * width * b.area("network.mm2_per_port")
	c = b.add("network/links")
	c.charge(b.energy("network.link_pj_per_mm")*b.value("network.link_mm")*width, counters.RequestFlits, counters.ReplyFlits)
}

// dram adds the channels. Background power is drawn all the time; a simple
// model of DRAM has no rows, so nothing is charged for them.
func (b *builder) dram() {
	c := b.add("DRAM/activate")
	c.charge(b.energy("dram.activate"), counters.DRAMActivate)
	c = b.add("DRAM/precharge")
	c.charge(b.energy("dram.precharge"), counters.DRAMPrecharge)
	c = b.add("DRAM/read")
	c.charge(b.energy("dram.byte"), counters.DRAMReadBytes)
	c = b.add("DRAM/write")
	c.charge(b.energy("dram.byte"), counters.DRAMWriteBytes)
	// Of every bank that a command refreshes a row is opened and closed.
	banks := 1.0
	if b.machine.DRAM.Refresh == "all_bank" {
		banks = float64(b.machine.DRAM.Banks)
	}
	c = b.add("DRAM/refresh")
	c.charge((b.energy("dram.activate")+b.energy("dram.precharge"))*banks, counters.DRAMRefresh)
	// A copy over a link writes or reads the DRAM; one on the die does both.
	accesses := 1.0
	if b.machine.Link.Kind == "on_die" {
		accesses = 2
	}
	c = b.add("DRAM/copies")
	c.charge(b.energy("dram.byte")*accesses, counters.CopyToDeviceBytes, counters.CopyToHostBytes)
	c = b.add("DRAM/background")
	c.StaticW = b.value("dram.background_mw") * 1e-3 * float64(b.machine.L2.Partitions)
}

// constant adds what a card was found to draw apart from its activity: clocks and
// whatever else no counter sees.
func (b *builder) constant() {
	c := b.add("constant")
	c.StaticW = b.energy("chip.constant_w_per_sm") * b.sms()
}
