// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
)

// areaBelow is the area of the components of a machine whose path begins so, in mm2, of
// one of so many instances.
func areaBelow(t *testing.T, spec, path string, instances float64) float64 {
	t.Helper()
	m, err := arch.Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i := range model.Components {
		if c := &model.Components[i]; strings.HasPrefix(c.Path, path) {
			sum += c.AreaMM2
		}
	}
	if sum == 0 {
		t.Fatalf("%s has nothing below %s", spec, path)
	}
	return sum / instances
}

// claimedArea is the area of the first part of a claim, one instance of it, in mm2.
func claimedArea(t *testing.T, name string) float64 {
	t.Helper()
	claims, err := energy.Claims()
	if err != nil {
		t.Fatal(err)
	}
	for i := range claims {
		if claims[i].Name == name {
			return claims[i].Parts[0].Value / claims[i].Parts[0].Count
		}
	}
	t.Fatalf("no claim %q", name)
	return 0
}

// TestMachinesPriceTinyCachesAsTheClaimsDo: a machine has once had tiny instruction caches
// of 14 times the area with which the claims had them, and tinyCaches of 50 times.
func TestMachinesPriceTinyCachesAsTheClaimsDo(t *testing.T) {
	for _, c := range []struct {
		claim, spec, path string
		instances, within float64
	}{
		{"EESI: tinyIcache over the register file of a core", eesiHalf, "chip/sm/front end/tinyICache/data", 64, 0.01},
		// The claim has the tags in the same array as the data. The machine has them next to it, as CACTI organises
		// an array of their own, which takes 27 % more.
		{"tinyCaches of an SM over its share of the on-chip memory hierarchy", tinyBase, "chip/sm/tinycache/arrays", 4 * 32, 0.3},
	} {
		want, got := claimedArea(t, c.claim), areaBelow(t, c.spec, c.path, c.instances)
		if off := got/want - 1; off > c.within || off < -c.within {
			t.Errorf("%s: %s has %.3g mm2, the claim %q %.3g mm2", c.spec, c.path, got, c.claim, want)
		}
	}
}

// TestLanesHaveTheAreasOfSection655: decoders take 14 to 15.6 % of the registers, to a hundredth of it; tiny
// instruction caches about 7 %, within a factor of two as all claims of shares. Both
// together take 4 to 5 % of a core of five register files, within a fifth.
func TestLanesHaveTheAreasOfSection655(t *testing.T) {
	registers := areaBelow(t, eesiHalf, "chip/sm/register file", 64)
	decoder := 100 * areaBelow(t, eesiHalf, "chip/sm/front end/lane decoders", 64) / registers
	cache := 100 * areaBelow(t, eesiHalf, "chip/sm/front end/tinyICache", 64) / registers
	if decoder < 14 || decoder > 15.6*1.01 {
		t.Errorf("decoders take %.1f %% of the registers", decoder)
	}
	if cache < 3.5 || cache > 14 {
		t.Errorf("tiny instruction caches take %.1f %% of the registers", cache)
	}
	if core := (decoder + cache) / 5; core < 4/1.2 || core > 5*1.2 {
		t.Errorf("both take %.1f %% of a core", core)
	}
	t.Logf("decoder %.1f %%, tinyICache %.1f %%", decoder, cache)
}

// A pipeline that costs by the lanes that take part costs as any where all do. Where some do
// not, the base needs less than before, and EESI more of it.
func TestPipelinesByLanesDifferWhereLanesTakeNoPart(t *testing.T) {
	s, err := Find("eesi")
	if err != nil {
		t.Fatal(err)
	}
	all, err := committedOnce()
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.assess(slices.DeleteFunc(slices.Clone(all), func(r *Results) bool { return r.Study != s.Name }))
	if err != nil {
		t.Fatal(err)
	}
	whole := []string{"saxpy", "sgemm", "transpose"} // 100 % of their lanes are active (docs/divergence.md)
	for _, a := range list {
		by := map[string]map[string]float64{}
		for _, table := range a.tables {
			if i := slices.Index(table.Series, "EESI"); i >= 0 && strings.HasPrefix(table.ID, "6.5") {
				by[table.ID] = map[string]float64{}
				for _, row := range table.Values {
					by[table.ID][row.Label] = row.Values[i]
				}
			}
		}
		for _, w := range eesiWorkloads {
			got, plain := by["6.5-lanes"][w.Label], by["6.5"][w.Label]
			if plain == 0 || slices.Contains(whole, w.Label) && math.Abs(got-plain) > 1e-9 || got < plain-1e-9 {
				t.Errorf("%s, size %s: %g %% of a base that pays by lanes, %g %% of the base", w.Label, a.results.Size, got, plain)
			}
		}
		if got, plain := by["6.5-lanes"]["bfs"], by["6.5"]["bfs"]; got < plain+5 {
			t.Errorf("bfs, size %s: %g and %g %%", a.results.Size, got, plain)
		}
	}
}
