// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

func modelOf(t testing.TB, spec string) *Model {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	model, err := NewModel(m, TechnologyOf(m), DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func TestLinesAndRestAddUpToTheDynamicEnergy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, spec := range []string{"gtx480", "gpsim-soc", "mesh56"} {
		model := modelOf(t, spec)
		var total counters.Set
		lines := make([]*counters.Set, 20)
		for i := range lines {
			lines[i] = new(counters.Set)
			for id := range counters.Count {
				lines[i][id] = r.Uint64N(1000)
			}
			total.Add(lines[i])
		}
		for id := range counters.Count {
			total[id] += r.Uint64N(5000)
		}
		by := model.Attribute(lines, &total)
		sum := 0.0
		for _, pj := range by.PJ {
			sum += pj
		}
		for _, l := range by.Rest {
			if l.DynamicJ < 0 {
				t.Errorf("%s: %s has %g J too much in lines", spec, l.Path, -l.DynamicJ)
			}
			sum += l.DynamicJ * 1e12
		}
		report, err := model.Account(&total, 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := report.Total().DynamicJ * 1e12; !near(sum, want) {
			t.Errorf("%s: lines and rest have %g pJ of %g", spec, sum, want)
		}
	}
}

func TestGroupsAreThePartsOfAnSMAndWhatIsBesideIt(t *testing.T) {
	r := Report{Leaves: []Leaf{
		{Path: "chip/sm/front end/fetch", DynamicJ: 1, StaticJ: 10}, {Path: "chip/sm/register file", DynamicJ: 2}, {Path: "chip/sm/front end/decode", DynamicJ: 4, StaticJ: 20},
		{Path: "chip/L2/tags", DynamicJ: 8}, {Path: "chip/L2/data", DynamicJ: 16}, {Path: "chip/constant", StaticJ: 3},
	}}
	want := []Leaf{{Path: "sm/front end", DynamicJ: 5, StaticJ: 30}, {Path: "sm/register file", DynamicJ: 2}, {Path: "L2", DynamicJ: 24}, {Path: "constant", StaticJ: 3}}
	if diff := cmp.Diff(want, r.Groups()); diff != "" {
		t.Error(diff)
	}
}

func TestPartsOfOneKernelAreMergedAndAddUp(t *testing.T) {
	model := modelOf(t, "gtx480")
	var set counters.Set
	set[counters.IssuedThread], set[counters.L1Read] = 100, 50
	one, err := model.Account(&set, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	merged := Merge([]Part{{"a", 1, one}, {"b", 1, one}, {"a", 1, one}})
	if len(merged) != 2 || merged[0].Number != 2 || !near(merged[0].Report.Total().TotalJ(), 2*one.Total().TotalJ()) || merged[0].Report.ThreadInstructions != 200 {
		t.Errorf("%d parts, the first of %d launches with %g J", len(merged), merged[0].Number, merged[0].Report.Total().TotalJ())
	}
	if !near(merged[1].Report.Total().TotalJ(), one.Total().TotalJ()) {
		t.Error("merging changes the other parts")
	}
	var b strings.Builder
	if err := WriteParts(&b, "kernel", merged); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 5 || !strings.HasPrefix(strings.Join(strings.Fields(lines[2]), " "), "a 2 2.00 ") || !strings.Contains(lines[1], "sm/L1 [uJ]") {
		t.Errorf("%q", lines)
	}
}
