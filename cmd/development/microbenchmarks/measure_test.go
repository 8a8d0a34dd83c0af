// SPDX-License-Identifier: Apache-2.0

package microbenchmarks

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/published"
	"github.com/warptape/warptape/trace/tracetest"
)

// A replay of the workload measures on a card what was published of it, within the tolerance of
// the figure, and not where the figure is said to be missed.
func TestTheWorkloadMeasuresWhatWasPublishedOfTheCards(t *testing.T) {
	tracetest.Nightly(t)
	figures, err := published.MeasuredBy("program")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tracetest.Draw(t, Machines, 1) {
		m, err := arch.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		values, err := Measure(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range figures {
			value, ok := values[f.Benchmark]
			switch within := value >= f.Least && value <= f.Most; {
			case f.Machine != name:
			case !ok:
				t.Errorf("nothing measures %q", f.Benchmark)
			case within != (f.Missed == ""):
				t.Errorf("%s: %s: %.1f %s, published are %v, %v to %v are allowed, and missed %q (%s)", name, f.Benchmark, value, f.Unit, f.Published, f.Least, f.Most, f.Missed, f.Source)
			}
		}
	}
}
