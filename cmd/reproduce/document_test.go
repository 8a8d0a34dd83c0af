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

// The committed pages say of each study what its committed results give: figures and claims.
// Sensitivities, which compute all figures again and again, are those of a drawn study.
func TestPagesSayWhatResultsGive(t *testing.T) {
	all, err := committedOnce()
	if err != nil {
		t.Fatal(err)
	}
	drawn := tracetest.Draw(t, Studies(), 1)
	for _, s := range Studies() {
		t.Run(s.Name, func(t *testing.T) {
			page, err := os.ReadFile("../../docs/" + s.Page())
			if err != nil {
				t.Fatal(err)
			}
			without := *s
			if !slices.Contains(drawn, s) {
				without.Headline = nil
			}
			var b bytes.Buffer
			if err := without.write(&b, slices.DeleteFunc(slices.Clone(all), func(r *Results) bool { return r.Study != s.Name })); err != nil {
				t.Fatal(err)
			}
			note, err := notes.ReadFile("notes/" + s.Name + ".md")
			if err != nil {
				t.Fatal(err)
			}
			tables, ends := strings.CutSuffix(b.String(), "\n"+string(note))
			if !ends || !strings.HasSuffix(string(page), "\n"+string(note)) {
				t.Errorf("%s does not end with the notes: run 'warptape-dev docs'", s.Page())
			}
			if !strings.Contains(string(page), tables) {
				for _, line := range strings.Split(tables, "\n") {
					if !strings.Contains(string(page), line) {
						t.Errorf("no line %q", line)
					}
				}
				t.Errorf("%s is stale: run 'warptape-dev docs'", s.Page())
			}
		})
	}
}

// A run would measure what committed results have, workload by workload, and nothing else.
func TestCommittedResultsAreThoseOfARun(t *testing.T) {
	all, err := committedOnce()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		s, err := Find(r.Study)
		if err != nil {
			t.Fatal(err)
		}
		type place struct{ workload, machine string }
		measured := map[place]int{}
		for i := range r.Measurements {
			measured[place{r.Measurements[i].Workload, r.Measurements[i].Architecture}]++
		}
		for i := range s.Workloads {
			w := &s.Workloads[i]
			for _, spec := range s.runs(w, r.Size) {
				measured[place{w.Label, spec}]--
			}
		}
		for p, n := range measured {
			if n != 0 {
				t.Errorf("%s at %s: %s on %s is measured %+d times more than a run does", r.Study, r.Size, p.workload, p.machine, n)
			}
		}
	}
}
