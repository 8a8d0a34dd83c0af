// SPDX-License-Identifier: Apache-2.0

package gpu

import "testing"

// Two pairs of stretches are tried, the first apart, and the second of each pair is measured. The faster way has those
// that follow: twice as many each time in a row up to a bound, and as few as at first when the other way becomes faster.
// A small gain is none.
func TestTheFasterWayHasMoreAndMoreStretches(t *testing.T) {
	var p pace
	want := fewestKept
	for round, gain := range []float64{2, 2, 2, 2, 2, 2, 2, 2, 0.5, 0.5, 0.5, 2, leastGain, 0.9} {
		better := 0
		if gain > leastGain {
			better = 1
		}
		if want = min(2*want, mostKept); round == 0 || better != p.better {
			want = fewestKept
		}
		for i := range stretchesTried {
			way := []int{1, 1, 0, 0}[i]
			if !p.tried() || p.way() != way || p.measured() != (i%2 == 1) {
				t.Fatalf("round %d, stretch %d: tried %v in way %d, measured %v", round, i, p.tried(), p.way(), p.measured())
			}
			if p.measured() {
				p.rate[way] = []float64{1, gain}[way]
			}
			p.next()
		}
		kept := 0
		for ; !p.tried(); kept++ {
			if p.way() != better {
				t.Fatalf("round %d: way %d is kept", round, p.way())
			}
			p.next()
		}
		if kept != want {
			t.Errorf("round %d: %d stretches are kept, want %d", round, kept, want)
		}
	}
}
