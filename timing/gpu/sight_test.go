// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
)

// seen is a memory path that shows an SM one thing.
type seen struct {
	seam.Lookahead
	sight seam.Sight
	woken int
}

func (s *seen) Look(int) *seam.Sight { return &s.sight }

// Wake brings the answer; no other one is known.
func (s *seen) Wake(int) { s.woken, s.sight.Answer = s.woken+1, clock.Never }

// cycles is a front end with nothing but cycles.
type cycles struct {
	seam.FrontEnd
	run func(clock.Cycle) clock.Cycle
}

func (c cycles) Cycle(now clock.Cycle) clock.Cycle { return c.run(now) }

// An SM runs the cycles in which it wakes or an answer comes, up to the round's bound. One whose port waits for room runs
// only cycles for which the networks are known. One with no room stops before the first other cycle.
func TestAnSMRunsAsFarAsItSees(t *testing.T) {
	const bound, known = 20, 10
	for _, c := range []struct {
		what    string
		from    clock.Cycle
		wakes   []clock.Cycle // in order; each is told by the cycle before
		answer  clock.Cycle
		room    int
		refused bool
		want    []clock.Cycle // cycles that it runs
		until   clock.Cycle
	}{
		{"it sleeps", 3, nil, clock.Never, 1, false, nil, bound},
		{"it sleeps without room", 3, nil, clock.Never, 0, false, nil, bound},
		{"it sleeps, refused", 3, nil, clock.Never, 0, true, nil, known},
		{"it sleeps, refused, and there may be room", 3, nil, clock.Never, 1, true, nil, known},
		{"it wakes later, refused", 3, []clock.Cycle{7}, clock.Never, 1, true, []clock.Cycle{7}, known},
		{"it wakes twice, refused", 3, []clock.Cycle{3, 8}, clock.Never, 0, true, []clock.Cycle{3, 8}, known},
		{"it wakes too late, refused", 3, []clock.Cycle{12}, clock.Never, 0, true, nil, known},
		{"an answer comes, refused", 3, nil, 6, 0, true, []clock.Cycle{6}, known},
		{"an answer comes", 3, []clock.Cycle{5, 9}, 6, 1, false, []clock.Cycle{5, 6, 9}, bound},
		{"it wakes without room", 3, []clock.Cycle{4, 9, 13, 15}, clock.Never, 0, false, []clock.Cycle{4, 9}, 13},
		{"it wakes with room", 3, []clock.Cycle{4, 9, 13, 15}, clock.Never, 1, false, []clock.Cycle{4, 9, 13, 15}, bound},
		{"it wakes at the bound", 3, []clock.Cycle{bound}, clock.Never, 1, false, nil, bound},
		{"it is behind what is known, refused", known, []clock.Cycle{known}, clock.Never, 1, true, nil, known},
	} {
		memory := &seen{sight: seam.Sight{Answer: c.answer, Room: c.room, Refused: c.refused}}
		var got []clock.Cycle
		wakes := append(slices.Clone(c.wakes), clock.Never)
		next := 0
		g := &GPU{drivers: []core.Driver{{FrontEnd: cycles{run: func(now clock.Cycle) clock.Cycle {
			got = append(got, now)
			if wakes[next] <= now {
				next++
			}
			return wakes[next]
		}}}}}
		team := &team{gpu: g, memory: memory, runners: []runner{{until: c.from, wake: wakes[0]}}, bound: bound, known: known}
		team.run(0)
		r := &team.runners[0]
		if !slices.Equal(got, c.want) || r.until != c.until || r.now != c.until || r.calls != len(c.want) {
			t.Errorf("%s: it runs cycles %v, %d calls, up to %d; want %v up to %d", c.what, got, r.calls, r.until, c.want, c.until)
		}
		if want := slices.Contains(c.want, c.answer); (memory.woken > 0) != want {
			t.Errorf("%s: the port is woken %d times", c.what, memory.woken)
		}
	}
}
