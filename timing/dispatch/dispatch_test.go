// SPDX-License-Identifier: Apache-2.0

package dispatch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/seam"
)

func TestRoundRobinGoesOnAfterTheLastChoiceAndSkipsFullSMs(t *testing.T) {
	build, err := Policies.Lookup("round_robin")
	if err != nil {
		t.Fatal(err)
	}
	d := build(4)
	d.Begin(0, 100, seam.Footprint{})
	room := []int{1, 2, 0, 2}
	var order []int
	for {
		sm := d.Next(0, 0, func(sm int) bool { return room[sm] > 0 })
		if sm < 0 {
			break
		}
		room[sm]--
		order = append(order, sm)
	}
	if diff := cmp.Diff([]int{0, 1, 3, 1, 3}, order); diff != "" {
		t.Error(diff)
	}
	d.Retired(9, 0, 2, 0)
	room[2], room[0] = 1, 1
	if got := d.Next(9, 0, func(sm int) bool { return room[sm] > 0 }); got != 0 {
		t.Errorf("after SM 3 comes SM %d, want 0", got)
	}
}

// The next SM with room is the first one in circular order, wherever the last choice was.
func TestRoundRobinGoesRoundAllSMs(t *testing.T) {
	for sms := 1; sms <= 5; sms++ {
		for last := range sms {
			for room := range 1 << sms {
				d := &roundRobin{sms: sms}
				d.Next(0, 0, func(sm int) bool { return sm == last })
				want := -1
				for n := 1; n <= sms && want < 0; n++ {
					if sm := (last + n) % sms; room>>sm&1 != 0 {
						want = sm
					}
				}
				if got := d.Next(0, 0, func(sm int) bool {
					if sm < 0 || sm >= sms {
						t.Fatalf("%d SMs: SM %d is asked", sms, sm)
					}
					return room>>sm&1 != 0
				}); got != want {
					t.Errorf("%d SMs with room %b: SM %d behind SM %d, want %d", sms, room, got, last, want)
				}
			}
		}
	}
}

func TestUnknownPolicyListsTheKnown(t *testing.T) {
	if _, err := Policies.Lookup("random"); err == nil || !strings.Contains(err.Error(), "round_robin") {
		t.Errorf("got %v", err)
	}
}

func TestLowestTakesTheFirstWithRoom(t *testing.T) {
	build, err := Policies.Lookup("lowest")
	if err != nil {
		t.Fatal(err)
	}
	d := build(4)
	for _, c := range []struct {
		room string // of each SM
		want int
	}{{".x.x", 1}, {".x.x", 1}, {"...x", 3}, {"xxxx", 0}, {"....", -1}} {
		if got := d.Next(0, 0, func(sm int) bool { return c.room[sm] == 'x' }); got != c.want {
			t.Errorf("%s: SM %d, want %d", c.room, got, c.want)
		}
	}
}

func TestTheOrderBeginsAnewWithEachLaunch(t *testing.T) {
	build, err := Policies.Lookup("round_robin_anew")
	if err != nil {
		t.Fatal(err)
	}
	d := build(3)
	for launch := range 2 {
		d.Begin(launch, 2, seam.Footprint{})
		for want := range 2 {
			if got := d.Next(0, launch, func(int) bool { return true }); got != want {
				t.Errorf("launch %d: SM %d, want %d", launch, got, want)
			}
		}
	}
}
