// SPDX-License-Identifier: Apache-2.0

package comparison

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/correlate"

	"github.com/warptape/warptape/timing/validation"
	"github.com/warptape/warptape/trace/tracetest"
)

// What the model has reached on the launches of the catalogue's programs; D9, D10 and D98 in
// docs/deviations.md say what is behind the rest.
var catalogueBounds = map[string]struct{ mean, worst, correlation float64 }{
	"gtx480-ref": {mean: 1.5, worst: 5.5, correlation: 0.999},
	"qv100-ref":  {mean: 2, worst: 7.5, correlation: 0.999},
}

func TestProgramsOfTheCatalogueStayWithinTheirBoundsOfTheReference(t *testing.T) {
	tracetest.Nightly(t)
	report, err := os.ReadFile("../../../docs/validation.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range tracetest.Draw(t, validation.Machines, 1) {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			pairs, err := compareCatalogue(t.Context(), m.Name)
			if err != nil {
				t.Fatal(err)
			}
			kernels := validation.Kernels(pairs)
			got, bound := validation.Agree(kernels), catalogueBounds[m.Name]
			if got.Mean > bound.mean || got.Worst > bound.worst || got.Correlation < bound.correlation {
				t.Errorf("%v Want %+v", got, bound)
			}
			if !strings.Contains(string(report), got.String()) {
				t.Errorf("docs/validation.md is stale: it does not say %q; run 'make validate' and commit the result", got)
			}
		})
	}
}

// The smallest run of each machine's launches is as near to the reference as the worst may be. A
// kernel with other registers than the reference was told is none of its launches.
func TestSmallestRunsStayWithinTheirBoundsOfTheReference(t *testing.T) {
	for _, machine := range validation.Machines {
		launches, err := validation.Catalogue(machine.Name)
		if err != nil {
			t.Fatal(err)
		}
		issued := map[string]uint64{}
		name := func(l validation.Launch) string { return l.Workload + " " + l.Parameters }
		for _, l := range launches {
			issued[name(l)] += l.WarpInstructions
		}
		least := slices.MinFunc(launches, func(a, b validation.Launch) int { return int(issued[name(a)]) - int(issued[name(b)]) })
		launches = slices.DeleteFunc(launches, func(l validation.Launch) bool { return name(l) != name(least) })
		pairs, err := compareLaunches(t.Context(), machine.Name, launches)
		if err != nil {
			t.Fatal(err)
		}
		if len(pairs) != len(launches) {
			t.Errorf("%s: %d pairs of %d launches", machine.Name, len(pairs), len(launches))
		}
		for n := range pairs {
			if off := 100 * (pairs[n].Ours/launches[n].Cycles - 1); pairs[n].Launch != &launches[n] || math.Abs(off) > catalogueBounds[machine.Name].worst {
				t.Errorf("%s, %s: launch %d is %+.1f %% off", machine.Name, name(least), n, off)
			}
		}
		launches[len(launches)-1].Registers++
		if _, err := compareLaunches(t.Context(), machine.Name, launches); err == nil || !strings.Contains(err.Error(), "and the reference was told") || !strings.Contains(err.Error(), name(least)) {
			t.Errorf("%s: with other registers: %v", machine.Name, err)
		}
	}
	if _, err := compareCatalogue(t.Context(), "none"); err == nil {
		t.Error("an unknown machine has launches")
	}
	if _, err := compareLaunches(t.Context(), "none", nil); err == nil {
		t.Error("an unknown machine replays")
	}
}

// The report has a line for each figure, under one head.
func TestReportHasALineForEachFigure(t *testing.T) {
	estimate := func(v, low, high float64) correlate.Estimate {
		return correlate.Estimate{Value: correlate.Decimal(v), Low: correlate.Decimal(low), High: correlate.Decimal(high)}
	}
	var b bytes.Buffer
	err := writeCorrelation(&b, &correlate.Report{Models: []correlate.Model{{Figures: []correlate.Figure{
		{Name: "cycles", AbsoluteError: estimate(1.25, 0.5, 2), Bias: -0.75, Pearson: estimate(0.9991, 0.99, 1), Spearman: estimate(1, 0.5, 1)},
		{Name: "dram_reads", AbsoluteError: estimate(3, 1, 5), Bias: 3, Pearson: estimate(0.5, 0, 1), Spearman: estimate(0.25, 0, 1)},
	}}}})
	want := "| figure | mean absolute error, % | bias, % | Pearson | Spearman |\n| --- | ---: | ---: | ---: | ---: |\n" +
		"| cycles | 1.2 (0.5 to 2.0) | -0.8 | 0.999 (0.990 to 1.000) | 1.000 (0.500 to 1.000) |\n" +
		"| dram_reads | 3.0 (1.0 to 5.0) | +3.0 | 0.500 (0.000 to 1.000) | 0.250 (0.000 to 1.000) |\n"
	if head, table, _ := strings.Cut(b.String(), "| figure"); err != nil || !strings.Contains(head, "with 95 % confidence intervals") || "| figure"+table != want {
		t.Errorf("%v\n%s", err, b.String())
	}
}
