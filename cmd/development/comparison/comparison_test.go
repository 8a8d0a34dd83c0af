// SPDX-License-Identifier: Apache-2.0

package comparison

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/development/cputime"
	"github.com/warptape/warptape/timing/validation"
	"github.com/warptape/warptape/trace/tracetest"
)

// What the model has reached on the rows that take little time: the cycles in
// percent, the miss rates in points. D9 and D10 in docs/deviations.md say what is
// behind the rest.
var validationBounds = map[string]struct{ cycles, missRates float64 }{
	"saxpy_1048576": {cycles: 2, missRates: 1.2},
	"sgemm_256":     {cycles: 4, missRates: 1.5},
}

func TestModelStaysWithinItsBoundsOfTheReference(t *testing.T) {
	rows, err := validation.Rows()
	if err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile("../../../docs/validation.md")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := newCollection(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	names := tracetest.Draw(t, slices.Sorted(maps.Keys(validationBounds)), 1)
	checked := 0
	var off float64 // mean of the cycles' errors
	for i := range rows {
		if !slices.Contains(names, rows[i].Name) {
			continue
		}
		bound := validationBounds[rows[i].Name]
		checked++
		got, err := validateRow(context.Background(), "../../..", &rows[i], kept)
		if err != nil {
			t.Fatal(err)
		}
		if off := got.CyclesOff(&rows[i].Reference); math.Abs(off) > bound.cycles {
			t.Errorf("%s: %.0f cycles, %+.1f %% off the reference, more than %g %%", rows[i].Name, got.Cycles, off, bound.cycles)
		}
		off += math.Abs(got.CyclesOff(&rows[i].Reference)) / float64(len(names))
		line := fmt.Sprintf("| %s | cycles | %.0f | %.0f |", rows[i].Name, rows[i].Reference.Cycles, got.Cycles)
		if !strings.Contains(string(report), line) {
			t.Errorf("docs/validation.md is stale: it has no line %q; run 'make validate' and commit the result", line)
		}
		if off := got.MissRateOff(&rows[i].Reference); off > bound.missRates {
			t.Errorf("%s: miss rates %.4f and %.4f, %.2f points off, more than %g", rows[i].Name, got.L1MissRate, got.L2MissRate, off, bound.missRates)
		}
	}
	correlation, err := kept.compare(t.Context(), "gpgpusim.csv")
	if err != nil {
		t.Fatal(err)
	}
	if f := correlation.Models[0].Figures[0]; f.Name != "cycles" || len(f.Pairs) != checked || math.Abs(float64(f.AbsoluteError.Value)-off) > 1e-9 {
		t.Errorf("correlate gives %+v, and the mean absolute error is %g %%", f, off)
	}
	if checked != len(names) {
		t.Errorf("%d of %d rows checked", checked, len(validationBounds))
	}
}

// BenchmarkReferenceRows measures replays of the reference's kernels on its
// machine, on one core, and how many times the reference's rate that is.
func BenchmarkReferenceRows(b *testing.B) {
	rows, err := validation.Rows()
	if err != nil {
		b.Fatal(err)
	}
	for i := range rows {
		b.Run(rows[i].Name, func(b *testing.B) {
			recorded, err := recordRow(b.Context(), "../../..", &rows[i])
			if err != nil {
				b.Fatal(err)
			}
			before := cputime.Used()
			for b.Loop() {
				if _, err := replayRow(b.Context(), recorded, &rows[i], nil); err != nil {
					b.Fatal(err)
				}
			}
			rate := float64(rows[i].WarpInstructions) * float64(b.N) / (cputime.Used() - before).Seconds()
			b.ReportMetric(rate, "warp-insn/cpu-s")
			b.ReportMetric(rate/rows[i].Rate, "x-reference")
		})
	}
}
