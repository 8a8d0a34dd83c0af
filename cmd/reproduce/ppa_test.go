// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/energy"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/tesla"
)

func TestMachinesOfEqualAreaFitAndNoOneMoreDoes(t *testing.T) {
	for _, budget := range ppaBudgets {
		area := float64(budget) * 25.41 / 16 // Table 5.2
		for _, n := range ppaProcessors {
			one, count := ppaSizes(n).Multiprocessor().AreaMM2, float64(ppaFit(budget, n))
			if count*one > 1.01*area || (count+1)*one < 0.99*area {
				t.Errorf("%g multiprocessors of %d processors, %.3f mm² each, in %.2f mm²", count, n, one, area)
			}
		}
	}
}

// What replays is priced by structures of the same sizes as the tables of section 5.2.
func TestMachinesThatReplayHaveTheSizesOfTheTables(t *testing.T) {
	for _, spec := range ppaSpecs(16) {
		m, err := arch.Load(spec)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Section(tesla.Key).(*tesla.Section).Sizes()
		if want := *ppaSizes(got.Processors); got != want {
			t.Errorf("%s: %+v, want %+v", spec, got, want)
		}
	}
}

// At the uses of the synthesis a machine draws the power of the synthesis, and without a
// use less; what it uses comes on top of the rest.
func TestPowerIsThatOfTheSynthesisAtItsUses(t *testing.T) {
	for _, n := range ppaProcessors {
		m, err := arch.Load(ppaSpec(16, n))
		if err != nil {
			t.Fatal(err)
		}
		model, err := energy.NewModel(m, energy.TechnologyOf(m), energy.DefaultCoefficients())
		if err != nil {
			t.Fatal(err)
		}
		rest, used := 0.0, 0.0
		for _, c := range model.Components {
			rest += c.StaticW
			charged := map[string]float64{}
			for _, ch := range c.Charges {
				charged[counters.Declared(ch.Counter).Name] = ch.PJ
			}
			for _, s := range m.Section(tesla.Key).Structures(m) {
				for _, ch := range s.Charges {
					if s.Path == c.Path {
						used += charged[ch.Counter] * ch.PerCycle * float64(s.Count) * 300e-6 // pJ in a cycle of 300 MHz
					}
				}
			}
		}
		want := float64(ppaFit(16, n)) * ppaSizes(n).Multiprocessor().PowerW
		if math.Abs((rest+used)/want-1) > 1e-9 || used < 0.01*want || used > 0.5*want {
			t.Errorf("%d processors: %g W and %g W by use, the synthesis has %g W", n, rest, used, want)
		}
	}
}

// Two kernels on one machine take another power, for they use it otherwise; what is used
// is priced by hand for one.
func TestEnergyGoesWithWhatAKernelUses(t *testing.T) {
	s, results := committedStudy(t, "ppa")
	d := NewData(s, results)
	power := map[string]float64{}
	for _, kernel := range []string{"hash", "reduction"} {
		m, err := d.Run(kernel, ppaSpec(8, 32))
		if err != nil {
			t.Fatal(err)
		}
		got, err := ppaMicrojoules(d, m)
		if err != nil {
			t.Fatal(err)
		}
		power[kernel] = got / float64(m.Cycles) * 300
	}
	idle := float64(ppaFit(8, 32)) * ppaSizes(32).Multiprocessor().PowerW
	if power["hash"] < 1.03*power["reduction"] || power["hash"] > idle || power["reduction"] < 0.8*idle {
		t.Errorf("%v W, the synthesis %g W", power, idle)
	}
}

// committedStudy gives a study with its committed results.
func committedStudy(t *testing.T, name string) (*Study, *Results) {
	t.Helper()
	all, err := CommittedResults()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if s, err := Find(name); err == nil && r.Study == name {
			return s, r
		}
	}
	t.Fatalf("%s has no results", name)
	return nil, nil
}

func TestTheFrontIsOfRowsThatNoOtherBeats(t *testing.T) {
	rows := []Row{{Values: []float64{1, 5}}, {Values: []float64{2, 2}}, {Values: []float64{2, 3}}, {Values: []float64{5, 1}}, {Values: []float64{5, 1}}, {Values: []float64{6, 6}}}
	for i, want := range []bool{true, true, false, true, true, false} {
		if got := onFront(rows, &rows[i]); got != want {
			t.Errorf("%v on the front: %t", rows[i].Values, got)
		}
	}
}

func TestPlanesAreDrawnWithTheirLabels(t *testing.T) {
	table := &Table{Figure: &Figure{ID: "1", Series: []string{"time", "energy"}, Plane: true}, Values: []Row{
		{Label: "here", Values: []float64{1, 2}}, {Label: "there", Values: []float64{2, 1}}, {Label: "nowhere", Values: []float64{math.NaN(), 1}},
	}}
	var svg bytes.Buffer
	if err := table.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	if text := svg.String(); !strings.Contains(text, "there") || !strings.Contains(text, "Pareto front") || strings.Contains(text, "nowhere") {
		t.Errorf("the plot has other labels:\n%.2000s", text)
	}
}
