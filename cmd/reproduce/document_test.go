// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// The committed pages say of each study what its committed results give: figures, claims, and sensitivities.
func TestPagesSayWhatResultsGive(t *testing.T) {
	all, err := CommittedResults()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range tracetest.Draw(t, Studies(), 2) {
		t.Run(s.Name, func(t *testing.T) {
			page, err := os.ReadFile("../../docs/" + s.Page())
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := s.write(&b, slices.DeleteFunc(slices.Clone(all), func(r *Results) bool { return r.Study != s.Name })); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(page), b.String()) {
				for _, line := range strings.Split(b.String(), "\n") {
					if !strings.Contains(string(page), line) {
						t.Errorf("no line %q", line)
					}
				}
				t.Errorf("%s is stale: run 'warptape-dev docs'", s.Page())
			}
		})
	}
}
