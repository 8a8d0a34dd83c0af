// SPDX-License-Identifier: Apache-2.0

package mbarrier

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// twin is an mbarrier by its definition (PTX ISA 9.7.13.15.4): what has happened since it was
// initialised, and from that, counted anew each time, how many phases are complete.
type twin struct {
	count   int64
	changes []Change
}

// phases plays all changes. An arrival beyond those pending counts in the next phase.
func (w *twin) phases() (n int) {
	expected, pending, tx := w.count, w.count, int64(0)
	for _, c := range w.changes {
		expected += c.Expected
		tx += c.Bytes
		pending += c.Pending
		if pending <= 0 && tx == 0 {
			n++
			pending += expected
			for expected > 0 && pending <= 0 {
				n++
				pending += expected
			}
			pending = max(pending, 0)
		}
	}
	return n
}

// Random arrivals, drops and bytes at several mbarriers: phases are those of the twins, and
// warps go on when all they wait for has completed.
func TestPhasesAreThoseOfTheDefinition(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		var table Table
		table.Reset()
		twins := make([]twin, 1+r.IntN(5))
		place := func(i int) uint64 { return uint64(i*8 + 64) }
		for i := range twins {
			twins[i].count = int64(1 + r.IntN(4))
			table.Init(place(i), uint32(twins[i].count))
		}
		type waiter struct{ warp, barrier, phase int } // the number of the phase
		var waiters []waiter
		passed := func(w waiter) bool { return twins[w.barrier].phases() > w.phase }
		for step := range 200 {
			i := r.IntN(len(twins))
			w := &twins[i]
			var c Change
			switch r.IntN(8) {
			case 0:
				c.Bytes = int64(16 * (1 + r.IntN(4)))
			case 1, 2: // bytes that are expected come, or some that are not
				sum := int64(0)
				for _, c := range w.changes {
					sum += c.Bytes
				}
				if c.Bytes = -sum; r.IntN(8) == 0 {
					c.Bytes = -16
				}
			case 3:
				if r.IntN(10) == 0 {
					c = Change{Pending: -1, Expected: -1}
				}
			case 4:
				c = Change{Pending: int64(r.IntN(2))}
			default:
				c = Change{Pending: -int64(1 + r.IntN(2))}
			}
			w.changes = append(w.changes, c)
			table.Change(place(i), c)
			n := w.phases()
			for parity := range uint8(2) {
				if got, known := table.Passed(place(i), parity); !known || got != (uint8(n&1) != parity) {
					t.Fatalf("seed %d step %d: after %d phases that of parity %d has completed: %v (known %v)", seed, step, n, parity, got, known)
				}
			}
			var resumed, want []int
			table.Released(func(w int) { resumed = append(resumed, w) })
			left := slices.DeleteFunc(slices.Clone(waiters), passed)
			for _, x := range waiters {
				gone := passed(x) && !slices.ContainsFunc(left, func(y waiter) bool { return y.warp == x.warp })
				if gone && !slices.Contains(want, x.warp) {
					want = append(want, x.warp)
				}
			}
			waiters = left
			if !slices.Equal(resumed, want) {
				t.Fatalf("seed %d step %d: warps %v go on, want %v", seed, step, resumed, want)
			}
			x := waiter{warp: r.IntN(8), barrier: r.IntN(len(twins))}
			if x.phase = twins[x.barrier].phases(); r.IntN(2) == 0 { // the present one, which is not complete
				table.Wait(x.warp, place(x.barrier), uint8(x.phase&1))
				if !slices.Contains(waiters, x) {
					waiters = append(waiters, x)
				}
			}

		}
	}
}

// No phase is known of an mbarrier that has not been initialised, that is invalid, or where
// something has been missed. A warp that waits for one goes on.
func TestWhatIsNotKnownHoldsNoWarp(t *testing.T) {
	var table Table
	known := func() bool {
		_, known := table.Passed(8, 0)
		return known
	}
	table.Change(8, Change{Pending: -1})
	if known() {
		t.Error("an mbarrier without a count is known")
	}
	table.Init(8, 2)
	if !known() {
		t.Error("an mbarrier with a count is not known")
	}
	table.Wait(3, 8, 0)
	table.Change(8, Change{Bytes: 48})
	if s, ok := table.State(3); !ok || s != (State{Place: 8, Pending: 2, Expected: 2, Bytes: 48}) {
		t.Errorf("warp 3 waits (%v): %+v", ok, s)
	}
	resumed := 0
	table.Released(func(int) { resumed++ })
	table.Forget()
	table.Released(func(int) { resumed += 10 })
	if known() || resumed != 10 {
		t.Errorf("known %v, %d", known(), resumed)
	}
	table.Reset()
	if table.Init(8, 1); !known() {
		t.Error("the next thread block inherits what was missed")
	}
	if table.Invalidate(8); known() {
		t.Error("an invalid mbarrier is known")
	}
	if table.Init(8, 0); known() { // no count that the ISA has
		t.Error("an mbarrier with a count of zero is known")
	}
	if _, ok := table.State(3); ok {
		t.Error("a warp that has gone on waits")
	}
}

// What is no access of the port comes behind initialisations that have been issued, and what is
// one comes in between.
func TestChangesComeBehindInitialisationsOnTheirWay(t *testing.T) {
	var table Table
	passed := func(parity uint8, want bool) {
		t.Helper()
		if got, known := table.Passed(8, parity); !known || got != want {
			t.Errorf("the phase of parity %d has completed: %v (known %v)", parity, got, known)
		}
	}
	table.Coming(8)
	passed(0, false)
	passed(1, false)
	table.ChangeBehind(8, Change{Pending: -1, Expected: -1, Bytes: 16})
	table.Wait(4, 8, 1)
	table.Init(8, 2)
	table.Released(func(w int) {
		if w != 4 {
			t.Errorf("warp %d goes on", w)
		}
	})
	passed(1, true) // as behind each initialisation
	passed(0, false)
	table.Change(8, Change{Bytes: -16})
	passed(0, false)
	table.Change(8, Change{Pending: -1})
	passed(0, true)
	table.Change(8, Change{Pending: -1}) // one is expected by now
	passed(0, false)

	table.Coming(8) // two more, the mbarrier invalid between them
	table.Coming(8)
	table.ChangeBehind(8, Change{Pending: -3})
	table.Init(8, 1)
	table.Change(8, Change{Pending: -1})
	passed(0, false)
	passed(1, false)
	table.Invalidate(8)
	passed(1, false)
	table.Init(8, 3)
	passed(0, true)
	table.ChangeBehind(8, Change{Pending: -3})
	passed(0, false)
	if s, ok := table.State(4); ok {
		t.Errorf("warp 4 waits: %+v", s)
	}
}

// Of an mbarrier to which more has come than is sensible, phases are counted in no time.
func TestManyArrivalsAreCountedAtOnce(t *testing.T) {
	var table Table
	table.Init(8, 3)
	table.Change(8, Change{Pending: -3*1<<50 - 1})
	if passed, known := table.Passed(8, 1); !passed || !known { // 2^50 phases, an even number
		t.Errorf("passed %v, known %v", passed, known)
	}
	table.Wait(2, 8, 0)
	if s, _ := table.State(2); s.Pending != 2 || s.Expected != 3 {
		t.Errorf("%+v", s)
	}
}

// A ring of phases takes no memory.
func TestPhasesTakeNoMemory(t *testing.T) {
	var table Table
	table.Init(8, 1)
	step := func() {
		passed, _ := table.Passed(8, 0)
		parity := uint8(0)
		if passed {
			parity = 1
		}
		table.Wait(1, 8, parity)
		table.Change(8, Change{Pending: -1})
		table.Released(func(int) {})
	}
	step()
	if n := testing.AllocsPerRun(100, step); n != 0 {
		t.Errorf("%v allocations a phase", n)
	}
}

// Arrivals that complete two phases let those go that wait for the first, also where others are
// told later, and hold those that wait for the next.
func TestAPhaseIsNotMissedWhenTheNextCompletes(t *testing.T) {
	for _, changes := range [][]int64{{-6}, {-3, -3}, {-2, -4}} {
		var table Table
		table.Init(8, 3)
		table.Init(16, 3)
		table.Wait(1, 8, 0)
		table.Wait(2, 16, 0)
		for _, n := range changes {
			table.Change(8, Change{Pending: n})
		}
		var resumed []int
		table.Released(func(w int) { resumed = append(resumed, w) })
		if !slices.Equal(resumed, []int{1}) {
			t.Errorf("%v arrivals: warps %v go on, want the one that waits for the first phase", changes, resumed)
		}
		if passed, _ := table.Passed(8, 0); passed {
			t.Errorf("%v arrivals: the third phase has completed", changes)
		}
		table.Wait(3, 8, 0)
		table.Released(func(w int) { t.Errorf("%v arrivals: warp %d goes on before its phase is complete", changes, w) })
		table.Change(8, Change{Pending: -3})
		resumed = nil
		table.Released(func(w int) { resumed = append(resumed, w) })
		if !slices.Equal(resumed, []int{3}) {
			t.Errorf("%v arrivals: then warps %v go on", changes, resumed)
		}
	}
}

// The phase before the first has completed when an mbarrier is initialised. A warp that waits for it from before then goes on,
// also where arrivals behind the initialisation complete the first phase with it.
func TestThePhaseBeforeTheFirstIsNotMissed(t *testing.T) {
	for arrivals := range int64(4) {
		var table Table
		table.Coming(8)
		table.Wait(1, 8, 1)
		table.ChangeBehind(8, Change{Pending: -arrivals})
		table.Released(func(w int) { t.Errorf("%d arrivals: warp %d goes on before the initialisation", arrivals, w) })
		table.Init(8, 1)
		var resumed []int
		table.Released(func(w int) { resumed = append(resumed, w) })
		if !slices.Equal(resumed, []int{1}) {
			t.Errorf("%d arrivals: warps %v go on, want the one that waits", arrivals, resumed)
		}
	}
}
