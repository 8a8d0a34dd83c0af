// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestViewsNameNodesThatDoNotOverlap(t *testing.T) {
	machine := load(t, "gpsim-soc")
	machine.Texture = machine.L1 // now it has every component
	r, err := Account(machine, randomCounts(1), 1, TechnologyOf(machine))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Views() {
		owner := map[string]string{}
		for _, g := range v.Groups {
			for _, n := range g.Nodes {
				found := false
				for _, l := range r.Leaves {
					if !under(l.Path, n) {
						continue
					}
					found = true
					if other, ok := owner[l.Path]; ok {
						t.Errorf("%s: %s is in %q and in %q", v.Name, l.Path, other, g.Name)
					}
					owner[l.Path] = g.Name
				}
				if !found {
					t.Errorf("%s: no component at %s", v.Name, n)
				}
			}
		}
		for _, l := range r.Leaves {
			if _, ok := owner[l.Path]; !ok && !v.Hierarchy && (l.DynamicJ > 0 || v.Static) {
				t.Errorf("%s leaves out %s", v.Name, l.Path)
			}
		}
	}
}

// What mechanisms add outside of a view's groups is a share of its own. It has static energy where the view shows that,
// and nothing that the view leaves out.
func TestAViewHasWhatMechanismsAdd(t *testing.T) {
	r := &Report{Leaves: []Leaf{
		{Path: "chip/a", DynamicJ: 1, StaticJ: 2, Hierarchy: true},
		{Path: "chip/a/added", DynamicJ: 3, StaticJ: 5, Hierarchy: true, Added: true}, // in a group
		{Path: "chip/b", DynamicJ: 7, StaticJ: 11, Hierarchy: true},                   // added by no mechanism
		{Path: "chip/c", DynamicJ: 13, StaticJ: 17, Hierarchy: true, Added: true},
		{Path: "chip/d", DynamicJ: 19, StaticJ: 23, Added: true}, // none of the memory hierarchy
		{Path: "chip/e", DynamicJ: 29, StaticJ: 31, Hierarchy: true, Added: true},
	}}
	for _, c := range []struct {
		hierarchy, static bool
		want              float64
	}{{false, false, 13 + 19 + 29}, {false, true, 13 + 19 + 29 + 17 + 23 + 31}, {true, false, 13 + 29}, {true, true, 13 + 29 + 17 + 31}} {
		v := &View{Hierarchy: c.hierarchy, Static: c.static, Groups: []Group{{"a", []string{"chip/a"}}}}
		shares := v.Shares(r)
		if last := shares[len(shares)-1]; len(shares) != 2 || last.Name != "added by mechanisms" || last.Joules != c.want {
			t.Errorf("hierarchy %v, static %v: %+v, want %g J", c.hierarchy, c.static, shares, c.want)
		}
		group := 1.0 + 3
		if c.static {
			group += 2 + 5
		}
		for i, joules := range []float64{group, c.want} {
			if want := 100 * joules / (group + c.want); shares[i].Joules != joules || !near(shares[i].Percent, want) {
				t.Errorf("hierarchy %v, static %v: %+v, want %g J and %g %%", c.hierarchy, c.static, shares[i], joules, want)
			}
		}
	}
}

// What mechanisms add has a row of microjoules and percent for each machine, with none for one that has no mechanism.
func TestTheRowOfWhatIsAdded(t *testing.T) {
	a := Report{Machine: "a", Leaves: []Leaf{{Path: "chip/a", DynamicJ: 6e-6}, {Path: "chip/b", DynamicJ: 2e-6, Added: true}}}
	plain := Report{Machine: "b", Leaves: []Leaf{{Path: "chip/a", DynamicJ: 6e-6}}}
	v := &View{Name: "parts", Groups: []Group{{"group", []string{"chip/a"}}}}
	for want, reports := range map[string][]Report{
		"added by mechanisms 2.000 25.0 0.000 0.0": {a, plain}, "added by mechanisms 0.000 0.0 2.000 25.0": {plain, a}, "": {plain, plain},
	} {
		var b strings.Builder
		writeView(&b, v, reports)
		_, row, _ := strings.Cut(b.String(), addedName)
		if row != "" {
			row, _, _ = strings.Cut(addedName+row, "\n")
		}
		if got := strings.Join(strings.Fields(row), " "); got != want {
			t.Errorf("%q, want %q in\n%s", got, want, b.String())
		}
	}
}

func TestSharesOfAViewAddUpTo100(t *testing.T) {
	r := account(t, model(t, "gpsim-soc"), randomCounts(2), 1e-3)
	for i := range views {
		sum := 0.0
		for _, s := range views[i].Shares(&r) {
			sum += s.Percent
		}
		if math.Abs(sum-100) > 1e-9 {
			t.Errorf("%s: shares add up to %g %%", views[i].Name, sum)
		}
	}
}

func TestTableNamesEveryComponentAndIsRepeatable(t *testing.T) {
	reports := []Report{account(t, model(t, "gtx480"), randomCounts(1), 1), account(t, model(t, "gpsim-soc"), randomCounts(1), 1)}
	var first string
	for range 3 {
		var b bytes.Buffer
		if err := WriteTable(&b, reports); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		} else if first != b.String() {
			t.Fatal("the same reports give another table")
		}
	}
	for i := range reports {
		for _, l := range reports[i].Leaves {
			if name := l.Path[strings.LastIndex(l.Path, "/")+1:]; !strings.Contains(first, name) {
				t.Errorf("the table has no %s", l.Path)
			}
		}
	}
	for _, v := range Views() {
		if !strings.Contains(first, v.Name) {
			t.Errorf("the table has no view %s", v.Name)
		}
	}
}

func TestSummariesFollowFromTotals(t *testing.T) {
	r := Report{Seconds: 2, ThreadInstructions: 4, Leaves: []Leaf{{Path: "chip/sm", DynamicJ: 5, StaticJ: 1}, {Path: "chip/DRAM", DynamicJ: 2}}}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"power", r.AverageW(), 4},
		{"energy-delay", r.EnergyDelay(), 16},
		{"energy-delay squared", r.EnergyDelaySquared(), 32},
		{"energy per instruction", r.PJPerInstruction(), 2e12},
		{"instructions per joule", r.InstructionsPerJoule(), 0.5},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s is %g, want %g", c.name, c.got, c.want)
		}
	}
	if empty := (&Report{}).AverageW(); !math.IsNaN(empty) {
		t.Errorf("a run of no time has %g W", empty)
	}
}

// A view's energies have three places in microjoules, its shares one in percent.
func TestPlacesOfAView(t *testing.T) {
	r := account(t, model(t, "gtx480"), randomCounts(3), 1)
	v := &Views()[0]
	var b strings.Builder
	writeView(&b, v, []Report{r})
	shares := v.Shares(&r)
	for g := range v.Groups {
		want := fmt.Sprintf("%.3f %.1f", shares[g].Joules*1e6, shares[g].Percent)
		found := false
		for _, line := range strings.Split(b.String(), "\n") {
			if strings.HasPrefix(line, v.Groups[g].Name+" ") {
				found = found || strings.HasSuffix(strings.Join(strings.Fields(line), " "), " "+want)
			}
		}
		if !found {
			t.Errorf("no row of %s ends with %s:\n%s", v.Groups[g].Name, want, b.String())
		}
	}
}
