// SPDX-License-Identifier: Apache-2.0

package suggestion

import (
	"strconv"
	"strings"
	"testing"
)

func TestTheNearestWordIsSuggested(t *testing.T) {
	known := []string{"cycles", "time_ns", "energy_j", "energy_static_j"}
	for word, want := range map[string]string{
		"cycle":      "; did you mean cycles?",
		"Time_ns":    "; did you mean time_ns?",
		"energy_sta": "; did you mean energy_static_j?",
		"x":          "; known: cycles, time_ns, energy_j, energy_static_j",
	} {
		if got := For(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	var many []string
	for i := range mostListed + 1 {
		many = append(many, "counter_"+strconv.Itoa(i))
	}
	if got := For("x", many[:mostListed]); got != "; known: "+strings.Join(many[:mostListed], ", ") {
		t.Errorf("%q: a list that is just short enough", got)
	}
	if got := For("x", many); got != "" {
		t.Errorf("%q: a long list is no help", got)
	}
}
