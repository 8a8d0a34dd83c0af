// SPDX-License-Identifier: Apache-2.0

package resemblance

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// slowMissing is the part of the different strings of a payload that a root lacks.
func slowMissing(payload, root []byte) float64 {
	strings := func(b []byte) map[string]bool {
		set := map[string]bool{}
		for i := 0; i+8 <= len(b); i++ {
			set[string(b[i:i+sharedBytes])] = true
		}
		return set
	}
	have := strings(root)
	missing, all := 0, 0
	for s := range strings(payload) {
		all++
		if !have[s] {
			missing++
		}
	}
	return float64(missing) / float64(max(1, all))
}

func TestMissingStringsAreEstimated(t *testing.T) {
	for _, bytes := range []int{0, 5, 300, 3000, 40_000, 100_000, 700_000}[:tracetest.Fewer(6, 7)] {
		for _, changed := range []int{0, 1, 10, 100} { // of a hundred blocks
			rng := rand.New(rand.NewPCG(11, uint64(bytes+changed)))
			root := make([]byte, bytes)
			for i := range root {
				root[i] = byte(rng.Uint32N(40))
			}
			payload := append([]byte(nil), root...)
			for i := range payload {
				if i*100/len(payload) < changed {
					payload[i] = byte(40 + rng.Uint32N(40))
				}
			}
			var s, of Sample
			s.Take(payload)
			of.Take(root)
			// A string in eight may pass for one that the root has.
			got, want := s.Missing(&of.Set), slowMissing(payload, root)
			if got > want+0.05 || got < 0.8*want-0.05 || math.IsNaN(got) {
				t.Errorf("%d bytes, %d %% changed: %.3f of the strings are missing, want %.3f", bytes, changed, got, want)
			}
		}
	}
}
