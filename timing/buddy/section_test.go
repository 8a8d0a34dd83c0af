// SPDX-License-Identifier: Apache-2.0

package buddy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/buddy"
	"github.com/warptape/warptape/timing/counters"
	_ "github.com/warptape/warptape/timing/tinycache"
)

func TestOverlaysLoadOnTheirMachines(t *testing.T) {
	for _, spec := range []string{
		"gtx480+buddy(members=2)", "gtx480+buddy(members=4)", "gtx480+buddy(members=8)", "gtx480+buddy(members=2,formation=default)", "gtx480+buddy(members=4,halfway=true)",
		"gtx480+buddy(members=8,divergence=mask)", "mesh56+buddy(members=8)", "gtx480+tinycache+buddy(members=4)",
	} {
		m, err := arch.Load(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
		if err != nil {
			t.Errorf("%s has no energy: %v", spec, err)
		} else if names := model.Unpriced([]string{"buddy"}); len(names) > 0 {
			t.Errorf("%s: counters without a price: %v", spec, names)
		}
	}
}

// Each member but the master has a link to its neighbour, of 5 mm (section 4.7), and each cluster has one scoreboard.
func TestClustersHaveALinkForEachMemberButTheMaster(t *testing.T) {
	for _, members := range []int{2, 4, 8} {
		m, err := arch.Load(fmt.Sprintf("gtx480+buddy(members=%d)", members))
		if err != nil {
			t.Fatal(err)
		}
		clusters, found := m.GPU.SMs/members, 0
		for _, s := range m.Section("buddy").Structures(m) {
			switch s.Path {
			case "chip/buddy/network":
				if found++; s.Count != clusters*(members-1) || s.MillimetresLong != 5 {
					t.Errorf("%d links of %g mm in %d clusters of %d", s.Count, s.MillimetresLong, clusters, members)
				}
			case "chip/buddy/scoreboard":
				if found++; s.Count != clusters {
					t.Errorf("%d scoreboards in %d clusters", s.Count, clusters)
				}
			}
		}
		if found != 2 {
			t.Errorf("%d of both structures", found)
		}
	}
}

func TestClustersThatDoNotFitAreRefusedWithTheReason(t *testing.T) {
	_, err := arch.Load("gtx480-15+buddy(members=4)")
	if err == nil || !strings.Contains(err.Error(), "15 SMs cannot be divided into clusters of 4") || !strings.Contains(err.Error(), "buddy.size") {
		t.Errorf("got %v", err)
	}
}

// TestASlavesInstructionCostsItsFrontEndNothing: what an instruction costs in
// buffer, scheduler and scoreboard is paid once for a pair.
func TestASlavesInstructionCostsItsFrontEndNothing(t *testing.T) {
	m, err := arch.Load("gtx480+buddy(members=2)")
	if err != nil {
		t.Fatal(err)
	}
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	spent := func(slaves uint64) float64 {
		var set counters.Set
		set[counters.IssuedWarp] = 1000
		id, _ := counters.Lookup("buddy_slave_instructions")
		set[id] = slaves
		r, err := model.Account(&set, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		return r.Node("chip/sm/front end").DynamicJ
	}
	if all, half := spent(0), spent(500); all <= 0 || half < 0.4999*all || half > 0.5001*all {
		t.Errorf("%g J with half of the instructions in slaves, %g J without", half, all)
	}
}

// All of the front end is gated but the SIMT stack (section 4.1), and what is not there is
// not gated.
func TestTheFrontEndIsGatedPartByPart(t *testing.T) {
	m, err := arch.Load("gtx480+buddy(members=4)")
	if err != nil {
		t.Fatal(err)
	}
	gated := func() (parts []string) {
		for _, g := range m.Section("buddy").(*buddy.Section).PowerGates(m) {
			parts = append(parts, strings.TrimPrefix(g.Path, "chip/sm/front end/"))
			if g.Instances != m.GPU.SMs || g.GatedCycles != "buddy_gated_cycles" {
				t.Errorf("%s: %d of %d SMs in %s", g.Path, g.Instances, m.GPU.SMs, g.GatedCycles)
			}
		}
		return parts
	}
	all := []string{"fetch", "instruction buffer", "decode", "scheduler", "scoreboard", "pipeline"}
	if got := gated(); !slices.Equal(got, all) {
		t.Errorf("gated: %q", got)
	}
	m.Instruction.Bytes = 0
	if got := gated(); !slices.Equal(got, all[1:]) {
		t.Errorf("gated without an instruction cache: %q", got)
	}
}
