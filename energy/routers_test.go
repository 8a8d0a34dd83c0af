// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"testing"

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
