// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// withGiven prices gtx480 at a node with values that its description gives.
func withGiven(t *testing.T, nm float64, given string) (*Model, error) {
	t.Helper()
	m := load(t, "gtx480")
	m.Technology.Given = given
	tech := TechnologyOf(m)
	tech.NodeNM = nm
	return NewModel(m, tech, DefaultCoefficients())
}

// dynamicPJ is the dynamic energy of counts on the whole chip.
func dynamicPJ(t *testing.T, m *Model, set *counters.Set) float64 {
	t.Helper()
	r := account(t, m, set, 0)
	return r.Total().DynamicJ * 1e12
}

// TestValuesOfTheMachineWin: a scratchpad bank's read of 100 pJ, a scoreboard's
// leakage. The terms that are not the array's (the crossbar) stay, other
// structures do not change, and another node scales the value as logic.
func TestValuesOfTheMachineWin(t *testing.T) {
	plain := model(t, "gtx480")
	given, err := withGiven(t, 40, "shared_memory.read_pj=100, sm.scoreboard.leakage_mw = 2.5")
	if err != nil {
		t.Fatal(err)
	}
	across := func(m *Model) float64 {
		b := &builder{tech: m.Technology, coefficients: DefaultCoefficients()}
		return b.laneCrossbar(32 + load(t, "gtx480").Shared.Banks)
	}
	var set counters.Set
	set[counters.SharedLaneRead] = 1
	if got, want := dynamicPJ(t, given, &set), 100+across(given); !near(got, want) {
		t.Errorf("a read costs %g pJ, want %g", got, want)
	}
	smaller, err := withGiven(t, 32, "shared_memory.read_pj=100")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dynamicPJ(t, smaller, &set), 100*logicScale(40, 32)+across(smaller); !near(got, want) {
		t.Errorf("at 32 nm a read costs %g pJ, want %g", got, want)
	}
	a, b := account(t, plain, randomCounts(6), 1), account(t, given, randomCounts(6), 1)
	for i, l := range a.Leaves {
		changed := l.DynamicJ != b.Leaves[i].DynamicJ || l.StaticJ != b.Leaves[i].StaticJ
		if want := l.Path == "chip/sm/shared memory/banks" || l.Path == "chip/sm/front end/scoreboard"; changed != want {
			t.Errorf("%s: changed is %t", l.Path, changed)
		}
	}
	if got := b.Node("chip/sm/front end/scoreboard").StaticJ; !near(got, 16*2.5e-3) {
		t.Errorf("scoreboards of 2.5 mW leak %g J in a second", got)
	}
}

func TestGivenValuesThatFitNothingAreRefusedByName(t *testing.T) {
	for text, want := range map[string]string{
		"l3.read_pj=1":                   `"l3" is no structure of this machine; there are instruction_cache`,
		"l1.read=1":                      `"l1.read" names no quantity; there are read_pj`,
		"l1.read_pj":                     "write STRUCTURE.QUANTITY=VALUE",
		"l1.read_pj=-1":                  "zero or more",
		"l1.read_pj=NaN":                 "zero or more",
		"l1.read_pj=1, l1.read_pj=2":     "given twice",
		",":                              "write STRUCTURE.QUANTITY=VALUE",
		"l1.read_pj=1,, l1.write_pj=0.2": "write STRUCTURE.QUANTITY=VALUE",
	} {
		if _, err := withGiven(t, 40, text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "gtx480") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestClocksThatAreNotGatedDrawPowerAllTheTime: 1.59 W an SM and the routers'
// clock trees, whatever happens; dynamic energy stays.
func TestClocksThatAreNotGatedDrawPowerAllTheTime(t *testing.T) {
	m := load(t, "gtx480")
	gated := account(t, model(t, "gtx480"), randomCounts(7), 1)
	m.Technology.ClockGating = "none"
	ungated, err := Account(m, randomCounts(7), 1, TechnologyOf(m))
	if err != nil {
		t.Fatal(err)
	}
	if got := ungated.Node("chip/sm/clock").StaticJ; !near(got, 16*1.59) {
		t.Errorf("the SMs' clocks use %g J in a second", got)
	}
	network := ungated.Node("chip/network/clock").StaticJ
	if network <= 0 || !near(ungated.Total().StaticJ, gated.Total().StaticJ+16*1.59+network) || !near(ungated.Total().DynamicJ, gated.Total().DynamicJ) {
		t.Errorf("gated %+v, not gated %+v, network %g", gated.Total(), ungated.Total(), network)
	}
}

// TestClocksOfAMeshByHand: two networks of 64 routers with five inputs and five
// outputs at 1.4 GHz; the coefficient is near DSENT's 1.658 pJ a cycle for one.
func TestClocksOfAMeshByHand(t *testing.T) {
	m := load(t, "mesh56")
	m.Technology.ClockGating = "none"
	tech := TechnologyOf(m)
	tech.NodeNM = 45
	r, err := Account(m, &counters.Set{}, 1, tech)
	if err != nil {
		t.Fatal(err)
	}
	if got, dsent := r.Node("chip/network/clock").StaticJ, 2*64*1.658e-12*1.4e9; got < 0.9*dsent || got > 1.2*dsent {
		t.Errorf("clocks draw %g W, DSENT's routers %g W", got, dsent)
	}
}

// FuzzParseGiven: no text crashes the parser, and what it takes is a number.
func FuzzParseGiven(f *testing.F) {
	f.Add("none")
	f.Add("l1.read_pj=120, l2.slice.area_mm2=2")
	f.Add("=,.=1,a.read_pj=1e999")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := parseGiven(text)
		if err != nil {
			return
		}
		for key, v := range g.values {
			if !(v >= 0 && v < 1e12) || key == "" {
				t.Errorf("%q gives %q = %g", text, key, v)
			}
		}
	})
}

var _ arch.PowerGated = (*probe)(nil)

// Structures whose dynamic energy is given are listed once each, in order. Those whose leakage or area alone is given are not.
func TestGivenDynamicEnergiesAreListedByStructure(t *testing.T) {
	g, err := parseGiven("shared_memory.write_pj=9, l1.leakage_mw=3, shared_memory.read_pj=100, instruction_cache.read_pj=64, l2.area_mm2=1")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(g.dynamic(), " "); got != "instruction_cache shared_memory" {
		t.Errorf("%q", got)
	}
}
