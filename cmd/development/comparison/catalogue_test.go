// SPDX-License-Identifier: Apache-2.0

package comparison

import (
	"os"
	"strings"
	"testing"

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
