// SPDX-License-Identifier: Apache-2.0

package loadstore

import (
	"math/rand/v2"
	"testing"
)

// The twin keeps every copy with its group. Random copies start, are committed and end.
func TestGroupsAreThoseOfAllCopies(t *testing.T) {
	type flight struct {
		group  int
		number uint32
		over   bool
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		var g Groups
		g.Reset()
		var all []flight
		open := 0
		most := 1 + r.IntN(6)
		for range 2000 {
			switch r.IntN(4) {
			case 0:
				g.Commit()
				open++
			case 1, 2:
				if len(all) < 1 || r.IntN(most) > 0 {
					all = append(all, flight{group: open, number: g.Start()})
				}
			}
			for i := range all {
				if !all[i].over && r.IntN(40) == 0 {
					all[i].over = true
					g.Finish(all[i].number)
				}
			}
			n := r.IntN(remembered - 2)
			over, started := true, 0
			for _, f := range all {
				if f.group < open-n && !f.over {
					over = false
				}
				if f.group >= open-n {
					started++
				}
			}
			if g.Over(n) != over || g.Latest(n) != started {
				t.Fatalf("seed %d: all but the latest %d are over: %v, want %v; %d copies in those, want %d", seed, n, g.Over(n), over, g.Latest(n), started)
			}
		}
	}
}

// Groups of a long loop take no more room than those that are remembered and under way. So many are forgotten at a time
// that a commit moves one group, on average.
func TestGroupsOfALongLoopTakeNoRoom(t *testing.T) {
	var g Groups
	g.Reset()
	step := func() {
		n := g.Start()
		g.Commit()
		g.Finish(n)
	}
	moved, commits, before := 0, 1000, len(g.groups)
	for range commits {
		step()
		if now := len(g.groups); now != before+1 {
			moved += now
			if now < remembered {
				t.Fatalf("%d groups are remembered", now)
			}
		}
		before = len(g.groups)
	}
	if moved == 0 || moved > commits {
		t.Errorf("%d commits move %d groups", commits, moved)
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 || len(g.groups) >= 2*remembered {
		t.Errorf("%v allocations a group, %d groups", n, len(g.groups))
	}
	for range 2 * remembered {
		if step(); len(g.groups) >= 2*remembered {
			t.Fatalf("%d groups", len(g.groups))
		}
	}
}
