// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"regexp"
	"testing"
)

func TestEveryCounterIsDeclaredOnce(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	seen := map[string]ID{}
	for id := ID(0); int(id) < Count; id++ {
		d := Declared(id)
		if !name.MatchString(d.Name) || d.Unit == "" || d.Meaning == "" {
			t.Errorf("counter %d: incomplete declaration %+v", id, d)
		}
		if other, ok := seen[d.Name]; ok {
			t.Errorf("counters %d and %d are both named %q", other, id, d.Name)
		}
		seen[d.Name] = id
	}
}

func TestCausesAreTheSlotCounters(t *testing.T) {
	want := map[Cause]string{CauseIssued: "slots_issued", CauseIdle: "stall_idle", CauseLSU: "stall_lsu", CauseFence: "stall_fence"}
	for c, name := range want {
		if got := Declared(c.Counter()).Name; got != name {
			t.Errorf("cause %v counts into %q, want %q", c, got, name)
		}
	}
	for c := Cause(0); int(c) < CauseCount; c++ {
		if c.String() == "" {
			t.Errorf("cause %d has no name", c)
		}
		if u := Declared(c.Counter()).Unit; u != Slots {
			t.Errorf("cause %v is counted in %q, not in issue slots", c, u)
		}
	}
}

// A number that a newer version gives a cause has no name here.
func TestACauseOutOfRangeIsUnknown(t *testing.T) {
	for _, c := range []Cause{Cause(CauseCount), Cause(CauseCount) + 1, 255} {
		if got := c.String(); got != "unknown" {
			t.Errorf("cause %d is %q", c, got)
		}
	}
	if got := (Cause(CauseCount) - 1).String(); got != "fence" {
		t.Errorf("the last cause is %q", got)
	}
}

func TestAddSumsEveryCounter(t *testing.T) {
	var a, b Set
	for i := range a {
		a[i], b[i] = uint64(i), uint64(2*i)
	}
	a.Add(&b)
	for i := range a {
		if a[i] != uint64(3*i) {
			t.Fatalf("counter %d is %d, want %d", i, a[i], 3*i)
		}
	}
}

func TestSubTakesAwayWhatAddHasAdded(t *testing.T) {
	var a, b Set
	for i := range a {
		a[i], b[i] = uint64(7*i), uint64(i*i+1)
	}
	want := a
	a.Add(&b)
	a.Sub(&b)
	if a != want {
		t.Error("what was added is not taken away")
	}
}
