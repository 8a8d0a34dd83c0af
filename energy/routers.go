// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/counters"
)

// routed is the shape of the networks of routers of a machine, all together.
type routed struct {
	ports     float64 // of a router, inputs and outputs alike
	routers   float64
	buffers   float64 // input ports that something is wired to
	links     float64 // between routers
	linkMM    float64
	terminals float64 // links between a router and an end
}

// mesh is the shape of a machine's meshes.
func (b *builder) mesh() routed {
	m := b.machine
	p, err := m.MeshPlacement()
	if err != nil && b.err == nil {
		b.err = err
	}
	networks := 2.0
	if m.Network.Sharing == "shared" {
		networks = 1
	}
	rows, columns := float64(p.Rows), float64(p.Columns)
	r := routed{ports: 5, routers: networks * rows * columns, linkMM: b.value("network.die_mm") / max(rows, columns, 1)}
	r.links = networks * 2 * (float64(rows*(columns-1)) + float64(columns*(rows-1)))
	r.terminals = 2 * float64(len(p.SMs)+len(p.Slices)) // one in and one out per end, whichever network they belong to
	r.buffers = float64(r.links) + float64(r.terminals/2)
	return r
}

// butterfly is the shape of a machine's butterflies.
func (b *builder) butterfly() routed {
	n := &b.machine.Network
	p, err := b.machine.ButterflyPlacement()
	if err != nil && b.err == nil {
		b.err = err
	}
	terminals, radix, stages := float64(p.Columns), float64(n.Radix), float64(n.Stages)
	r := routed{ports: radix, routers: 2 * stages * terminals / radix, linkMM: b.value("network.stage_mm")}
	r.links = 2 * (stages - 1) * terminals
	r.terminals = 2 * float64(len(p.SMs)+len(p.Slices))
	r.buffers = float64(r.links) + float64(r.terminals/2)
	return r
}

// routers adds networks of routers. A flit is written to a buffer, read, sent
// through the switch and allocated in each router, and crosses a link behind it.
// The link to an end is half as long as one between routers.
func (b *builder) routers(r routed) {
	n := &b.machine.Network
	width := float64(n.FlitBytes) / 32
	buffer := b.memory("network.vc_flits", sram.Query{Class: sram.RAM, Bytes: max(32*n.VirtualChannels*n.VCFlits, smallestRAM), OutBytes: 32})
	crosspoints := r.ports * r.ports
	c := b.add("network/routers")
	flit := buffer.ReadPJ + buffer.WritePJ + float64(8*b.laneCrossbar(int(2*r.ports)))
	c.charge(float64(flit*width)+float64(b.energy("network.allocation_pj_per_port2")*crosspoints), counters.RouterFlits)
	c.structure(buffer, r.buffers*width)
	c.StaticW += float64(r.routers * crosspoints * width * b.value("network.leakage_mw_per_crosspoint") * 1e-3 * b.tech.leakage())
	c.AreaMM2 += float64(r.routers * crosspoints * width * b.area("network.mm2_per_crosspoint"))
	c = b.add("network/links")
	pj := b.energy("network.link_pj_per_mm") * r.linkMM * width
	c.charge(pj, counters.RequestFlitHops, counters.ReplyFlitHops)
	c.charge(pj, counters.RequestFlits, counters.ReplyFlits) // half a link at either end
	mm := (r.links + float64(r.terminals/2)) * r.linkMM * width
	c.StaticW = mm * b.value("network.link_leakage_mw_per_mm") * 1e-3 * b.tech.leakage()
	c.AreaMM2 = mm * b.area("network.link_mm2_per_mm")
}
