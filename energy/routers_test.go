// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/counters"
)

// picojoules prices one event on a machine, in a node of the chip.
func picojoules(t *testing.T, machine, node string, id counters.ID) float64 {
	t.Helper()
	var set counters.Set
	set[id] = 1
	r := account(t, model(t, machine), &set, 0)
	return r.Node(node).DynamicJ * 1e12
}

// TestHopsArePricedAsTheirLinks compares with DSENT's 8.293 pJ per flit and mm at
// 32 nm and 6.037 at 22 nm, scaled from its 10.33 at 45 nm. A link of an 8x8 mesh
// on a die of 23 mm is an eighth of it.
func TestHopsArePricedAsTheirLinks(t *testing.T) {
	got := picojoules(t, "mesh56", "chip/network/links", counters.ReplyFlitHops)
	if dsent := 6.037 * 23 / 8; got < dsent/2 || got > dsent*1.5 {
		t.Errorf("a flit on a link of mesh56 costs %.2f pJ, DSENT's figure of that node gives %.2f", got, dsent)
	}
	if double := picojoules(t, "mesh56+double-network", "chip/network/links", counters.ReplyFlitHops); !near(double, 2*got) {
		t.Errorf("a flit of twice the width costs %.2f pJ, of once %.2f", double, got)
	}
	if both := picojoules(t, "mesh56", "chip/network/links", counters.RequestFlits); !near(both, got) {
		t.Errorf("the two half links to the ends cost %.2f pJ, a link %.2f", both, got)
	}
	if crossbar := picojoules(t, "mesh56+crossbar", "chip/network", counters.ReplyFlitHops); crossbar != 0 {
		t.Errorf("a crossbar charges %.2f pJ for hops that it does not have", crossbar)
	}
}

// TestRoutersArePricedNearDSENT: 4.143 pJ a flit for a router of 5 ports at 22 nm,
// with buffers of 8 flits; those of Table 2 hold 64.
func TestRoutersArePricedNearDSENT(t *testing.T) {
	got := picojoules(t, "mesh56", "chip/network/routers", counters.RouterFlits)
	if got < 4.143/2 || got > 4*4.143 {
		t.Errorf("a flit through a router costs %.2f pJ, DSENT gives 4.14 with an eighth of the buffers", got)
	}
}

func TestAreaFollowsTheNumberOfRouters(t *testing.T) {
	area := func(machine string) float64 {
		r := account(t, model(t, machine), &counters.Set{}, 1)
		if p := r.Node("chip/network").StaticJ; !(p > 0) {
			t.Errorf("%s: the network draws %g W when idle", machine, p)
		}
		return r.Node("chip/network/routers").AreaMM2
	}
	mesh, shared, double := area("mesh56"), area("mesh56+shared-mesh"), area("mesh56+double-network")
	if !(shared > mesh/2 && shared < 0.6*mesh) {
		t.Errorf("one shared mesh has %.2f mm2, two have %.2f", shared, mesh)
	}
	if !near(double, 2*mesh) {
		t.Errorf("routers of twice the width have %.2f mm2, of once %.2f", double, mesh)
	}
	if butterfly := area("mesh56+butterfly"); !(butterfly > 0 && butterfly < mesh) {
		t.Errorf("96 routers of 16 crosspoints have %.2f mm2, 128 of 25 have %.2f", butterfly, mesh)
	}
}

// TestRoutersByHand: two 8x8 meshes and two 4-ary 3-flies of 56 SMs and 8 slices, at the node of DSENT's
// figures. A mesh has 2 x 8 x 7 channels, with a link each way; a fly 64 links between each two of its stages.
// Each of the 64 ends has a link in and one out, of half the length. A link into a router ends in a buffer.
func TestRoutersByHand(t *testing.T) {
	memories, err := sram.Default()
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := memories.Estimate(sram.Query{Class: sram.RAM, Bytes: 8 * 8 * 32, OutBytes: 32, NodeNM: 45}) // eight flits of eight channels
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		machine                          string
		routers, ports, links, ends, mms float64
	}{
		{"mesh56", 2 * 64, 5, 2 * 2 * (2 * 8 * 7), 2 * 64, 23.0 / 8},
		{"mesh56+shared-mesh", 64, 5, 2 * (2 * 8 * 7), 2 * 64, 23.0 / 8},
		{"mesh56+butterfly", 2 * 3 * 16, 4, 2 * 2 * 64, 2 * 64, 7.7},
	} {
		m := modelAt(t, load(t, c.machine), Technology{NodeNM: 45, TemperatureK: 360, VoltageRatio: 1}, DefaultCoefficients())
		routers, links := m.component("network/routers"), m.component("network/links")
		buffers, mm := c.links+c.ends/2, (c.links+c.ends/2)*c.mms
		for _, x := range []struct {
			name      string
			got, want float64
		}{
			{"a flit in a router, pJ", routers.pricePJ(counters.RouterFlits), buffer.ReadPJ + buffer.WritePJ + 8*(0.0662+2*c.ports*0.0462) + c.ports*c.ports*0.0125},
			{"routers, mm2", routers.AreaMM2, buffers*buffer.AreaMM2 + c.routers*c.ports*c.ports*0.00283},
			{"routers, W", routers.StaticW, 1e-3 * (buffers*buffer.LeakageMW + c.routers*c.ports*c.ports*0.167)},
			{"a flit on a link, pJ", links.pricePJ(counters.RequestFlitHops), 10.33 * c.mms},
			{"links, mm2", links.AreaMM2, 0.005 * mm},
			{"links, W", links.StaticW, 0.1109e-3 * mm},
		} {
			if !near(x.got, x.want) {
				t.Errorf("%s: %s: %g, by hand %g", c.machine, x.name, x.got, x.want)
			}
		}
	}
}
