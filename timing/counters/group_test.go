// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"fmt"
	"strings"
	"testing"
)

func TestAMechanismsCountersFollowTheBaselines(t *testing.T) {
	defer func(g []Group, n int) { groups, declared = g, n }(groups, declared)
	first := Register("victim", Declaration{"victim_hits", Accesses, "found"}, Declaration{"victim_misses", Accesses, "not found"})
	if int(first) < Count {
		t.Fatalf("first ID %d is one of the baseline's %d", first, Count)
	}
	for i, name := range []string{"victim_hits", "victim_misses"} {
		if id, ok := Lookup(name); !ok || id != first+ID(i) || Declared(id).Name != name {
			t.Errorf("%s has ID %d", name, id)
		}
	}
	if g, ok := GroupOf("victim"); !ok || g.First != first || len(g.Rows) != 2 {
		t.Errorf("group %+v", g)
	}
	if _, ok := GroupOf("other"); ok {
		t.Error("a group that was never registered")
	}
	if next := Register("another", Declaration{"another_hits", Accesses, "found"}); next != first+2 {
		t.Errorf("the counters of the next mechanism begin at %d, after two from %d on", next, first)
	}
}

func TestRegisteringACounterTwiceIsABug(t *testing.T) {
	defer func(g []Group, n int) { groups, declared = g, n }(groups, declared)
	for name, rows := range map[string][]Declaration{
		"exists":     {{"l1_reads", Accesses, "again"}},
		"no unit":    {{"x", "", "no unit"}},
		"no name":    {{"", Accesses, "no name"}},
		"no meaning": {{"x", Accesses, ""}},
		"no room":    make([]Declaration, Capacity),
	} {
		func() {
			defer func() {
				if m, ok := recover().(string); !ok || !strings.HasPrefix(m, "BUG: counters of m") {
					t.Errorf("%s: recovered %q", name, m)
				}
			}()
			Register("m", rows...)
		}()
	}
}

func TestAFreeCounterHasOneReason(t *testing.T) {
	defer func(g []Group, n int) { groups, declared = g, n; clear(freeReasons) }(groups, declared)
	first := Register("victim", Declaration{"victim_waits", Cycles, "waiting"})
	RegisterFree(map[string]string{"victim_waits": "time"})
	if FreeReason(first) != "time" || FreeReason(first+1) != "" {
		t.Errorf("reasons %q, %q", FreeReason(first), FreeReason(first+1))
	}
	for name, reason := range map[string]string{"victim_waits": "twice", "victim_wait": "unknown", "l1_reads": ""} {
		func() {
			defer func() {
				if m, ok := recover().(string); !ok || !strings.HasPrefix(m, "BUG: counter") {
					t.Errorf("%s: recovered %q", name, m)
				}
			}()
			RegisterFree(map[string]string{name: reason})
		}()
	}
}

func TestThereIsRoomForAsManyCountersAsASetHas(t *testing.T) {
	defer func(g []Group, n int) { groups, declared = g, n }(groups, declared)
	rows := make([]Declaration, Capacity-declared)
	for i := range rows {
		rows[i] = Declaration{fmt.Sprintf("full_%d", i), Accesses, "one of many"}
	}
	if first := Register("full", rows...); int(first)+len(rows) != len(Set{}) {
		t.Errorf("the last of %d counters is not the last of a set", len(rows))
	}
}
