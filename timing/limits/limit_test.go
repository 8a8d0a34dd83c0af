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

// Of parts with one key the one that needs most counts, whatever their order, and one that was found full, or read otherwise, leaves no value. A
// part whose capacity is less than the key's value needs as much less of it.
func TestPartsOfOneKeyCountTogether(t *testing.T) {
	part := func(capacity, held int) *limits.Limit {
		l := limits.New(capacity)
		l.Full(held)
		return &l
	}
	const key = "dram.queue"
	for name, x := range map[string]struct {
		add   func(c *limits.Certificate)
		least int
		ok    bool
	}{
		"more behind less":    {func(c *limits.Certificate) { c.Add(key, part(9, 2), 0); c.Add(key, part(9, 5), 0) }, 6, true},
		"less behind more":    {func(c *limits.Certificate) { c.Add(key, part(9, 5), 0); c.Add(key, part(9, 2), 0) }, 6, true},
		"an offset":           {func(c *limits.Certificate) { c.Add(key, part(9, 5), 2) }, 4, true},
		"a full one behind":   {func(c *limits.Certificate) { c.Add(key, part(9, 5), 0); c.Add(key, part(4, 4), 0) }, 0, false},
		"a full one in front": {func(c *limits.Certificate) { c.Add(key, part(4, 4), 0); c.Add(key, part(9, 5), 0) }, 0, false},
		"refused behind":      {func(c *limits.Certificate) { c.Add(key, part(9, 5), 0); c.Refuse(key) }, 0, false},
		"refused in front":    {func(c *limits.Certificate) { c.Refuse(key); c.Add(key, part(9, 5), 0) }, 0, false},
		"without room":        {func(c *limits.Certificate) { c.Add(key, part(0, 0), 0) }, 0, false},
		"without a test":      {func(c *limits.Certificate) { l := limits.New(0); c.Add(key, &l, 0) }, 0, true},
		"told to be full": {func(c *limits.Certificate) {
			l := limits.New(0)
			l.Reach()
			c.Add(key, &l, 0)
		}, 0, false},
	} {
		var c limits.Certificate
		x.add(&c)
		if least, ok := c.Least(key); ok != x.ok || ok && least != x.least {
			t.Errorf("%s: %d, %v; want %d, %v", name, least, ok, x.least, x.ok)
		}
	}
}
