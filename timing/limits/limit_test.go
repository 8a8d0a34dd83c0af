// SPDX-License-Identifier: Apache-2.0

package limits_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/limits"
)

// The least capacity that a certificate names is the least with which all tests come out as
// they did: every smaller one changes one of them, every greater one none.
func TestTheLeastCapacityIsTheLeastThatChangesNoTest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	certified := 0
	for range 2000 {
		capacity, most := 1+r.IntN(12), 1+r.IntN(12)
		l := limits.New(capacity)
		var tests []int
		for range 1 + r.IntN(20) {
			tests = append(tests, r.IntN(most))
		}
		for _, n := range tests {
			if l.Full(n) != (n >= capacity) {
				t.Fatalf("%d of %d: full is %v", n, capacity, l.Full(n))
			}
		}
		c := new(limits.Certificate)
		c.Add("dram.queue", &l, 0)
		least, ok := c.Least("dram.queue")
		if ok {
			certified++
		}
		for other := 1; other <= 14; other++ {
			same := true
			for _, n := range tests {
				same = same && (n >= other) == (n >= capacity)
			}
			if covered := ok && other >= least; covered && !same || !covered && ok && same {
				t.Fatalf("tests %v of %d: %d covered %v, and the same %v", tests, capacity, other, covered, same)
			}
		}
	}
	if certified < 200 {
		t.Errorf("%d are certified", certified)
	}
}
