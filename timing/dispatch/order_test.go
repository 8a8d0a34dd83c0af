// SPDX-License-Identifier: Apache-2.0

package dispatch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/seam"
)

// served lists the launches that an order lets dispatch in n tries.
func served(t *testing.T, order string, n int, running ...seam.RunningLaunch) []int {
	t.Helper()
	build, err := Orders.Lookup(order)
	if err != nil {
		t.Fatal(err)
	}
	o := build()
	var out []int
	for range n {
		if i := o.Next(running); i < 0 {
			out = append(out, -1)
		} else {
			out = append(out, running[i].Launch)
		}
	}
	return out
}

func TestLeftoverServesOnlyTheOldest(t *testing.T) {
	if diff := cmp.Diff([]int{4, 4}, served(t, "leftover", 2, seam.RunningLaunch{Launch: 4, Able: true}, seam.RunningLaunch{Launch: 2, Able: true})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{-1}, served(t, "leftover", 1, seam.RunningLaunch{Launch: 4}, seam.RunningLaunch{Launch: 2, Able: true})); diff != "" {
		t.Errorf("a younger launch overtook: %s", diff)
	}
}

func TestRoundRobinOrderTakesTurnsAmongTheAble(t *testing.T) {
	running := []seam.RunningLaunch{{Launch: 7, Able: true}, {Launch: 2, Able: true}, {Launch: 5}, {Launch: 9, Able: true}}
	if diff := cmp.Diff([]int{2, 7, 9, 2, 7}, served(t, "round_robin", 5, running...)); diff != "" {
		t.Error(diff)
	}
	// The lowest stands first.
	if diff := cmp.Diff([]int{3, 6, 8, 3, 6}, served(t, "round_robin", 5, seam.RunningLaunch{Launch: 3, Able: true}, seam.RunningLaunch{Launch: 6, Able: true}, seam.RunningLaunch{Launch: 8, Able: true})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{-1}, served(t, "round_robin", 1, seam.RunningLaunch{Launch: 1})); diff != "" {
		t.Error(diff)
	}
}
