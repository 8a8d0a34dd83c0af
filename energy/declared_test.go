// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// A CAM that searches a part of each entry is a CAM of that part and a RAM of the rest,
// side by side. A read is of the rest, a write of both, a search of the first.
func TestASearchedEntryIsACAMAndARAM(t *testing.T) {
	read, write, search, leaf := mustProbe(t, 45, arch.Structure{Kind: arch.CAM, Entries: 64, EntryBits: 48 + 64, TagBits: 48})
	_, camWrite, camSearch, cam := mustProbe(t, 45, arch.Structure{Kind: arch.CAM, Entries: 64, EntryBits: 48})
	ramRead, ramWrite, _, ram := mustProbe(t, 45, arch.Structure{Kind: arch.RAM, Entries: 64, EntryBits: 64})
	if !near(read, ramRead) || !near(write, camWrite+ramWrite) || !near(search, camSearch) {
		t.Errorf("read %g, write %g, search %g pJ; want %g, %g, %g", read, write, search, ramRead, camWrite+ramWrite, camSearch)
	}
	if !near(leaf.AreaMM2, cam.AreaMM2+ram.AreaMM2) || !near(leaf.StaticJ, cam.StaticJ+ram.StaticJ) {
		t.Errorf("%g mm2 and %g J, want %g and %g", leaf.AreaMM2, leaf.StaticJ, cam.AreaMM2+ram.AreaMM2, cam.StaticJ+ram.StaticJ)
	}
}

// A declared cache whose tags are as wide as CACTI's, four bytes a line, takes CACTI's
// area, however it is divided into tags and data.
func TestADeclaredCacheIsCACTIs(t *testing.T) {
	memories, err := sram.Default()
	if err != nil {
		t.Fatal(err)
	}
	want, err := memories.Estimate(sram.Query{Class: sram.Cache, Bytes: 32 << 10, Ways: 4, LineBytes: 64, OutBytes: 64, NodeNM: 45})
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, leaf := mustProbe(t, 45, arch.Structure{Kind: arch.CacheArray, Entries: 512, EntryBits: 64 * 8, Ways: 4, TagBits: 32})
	if !near(leaf.AreaMM2, want.AreaMM2) {
		t.Errorf("%g mm2, CACTI's cache of 32 KiB has %g", leaf.AreaMM2, want.AreaMM2)
	}
}

// Two crossbars, of requests and replies, between 16 SMs and 12 slices, with flits of
// twice the width that the constants are given for.
func TestCrossbarsByHand(t *testing.T) {
	m := load(t, "gtx480")
	m.Network.FlitBytes = 64
	tech, c := Technology{NodeNM: 40, TemperatureK: 360, VoltageRatio: 1}, DefaultCoefficients()
	priced, err := NewModel(m, tech, c)
	if err != nil {
		t.Fatal(err)
	}
	pj := func(key string) float64 {
		x := c.get(key)
		if x.NodeNM == 0 {
			return x.Value
		}
		return x.Value * logicScale(x.NodeNM, 40)
	}
	lane := pj("crossbar.lane_pj") + 28*pj("crossbar.lane_pj_per_port")
	flit := 2*(pj("network.buffer")+8*lane) + 16*12*pj("network.allocation_pj_per_port2")
	link := 2 * pj("network.link_pj_per_mm") * c.get("network.link_mm").Value
	area := 2 * 28 * 2 * c.get("network.mm2_per_port").Value * areaScale(c.get("network.mm2_per_port").NodeNM, 40)
	static := 2 * 28 * 2 * c.get("network.leakage_mw_per_port").Value * 1e-3 * tech.leakage()
	for _, x := range priced.Components {
		for _, id := range []counters.ID{counters.RequestFlits, counters.ReplyFlits} {
			if want := map[string]float64{"chip/network/routers": flit, "chip/network/links": link}[x.Path]; !near(x.pricePJ(id), want) {
				t.Errorf("%s: a flit costs %g pJ, by hand %g", x.Path, x.pricePJ(id), want)
			}
		}
		if x.Path == "chip/network/routers" && (!near(x.AreaMM2, area) || !near(x.StaticW, static)) {
			t.Errorf("%g mm2 and %g W, by hand %g and %g", x.AreaMM2, x.StaticW, area, static)
		}
	}
}
