// SPDX-License-Identifier: Apache-2.0

package clock

import (
	"math/rand/v2"
	"testing"
)

// TestDuesFindWhatAScanFinds runs random parts twice: found by groups, and by looking at
// all. Parts that are called wake others, before and behind them, now or later.
func TestDuesFindWhatAScanFinds(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		n := 1 + rng.IntN(40)
		d, scan := NewDues[Cycle](n), make([]Cycle, n)
		for i := range scan {
			scan[i] = Never
		}
		wake := func(i int, at Cycle) {
			d.Lower(i, at)
			scan[i] = min(scan[i], at)
		}
		for now := Cycle(1); now < 60; now++ {
			for range rng.IntN(3) {
				wake(rng.IntN(n), now+Cycle(rng.IntN(5)))
			}
			set := rng.IntN(8) == 0
			if set {
				i, at := rng.IntN(n), now+Cycle(rng.IntN(9))
				d.Set(i, at)
				scan[i] = at
			}
			if rng.IntN(8) == 0 {
				i, at := rng.IntN(n), now+Cycle(rng.IntN(9))
				*d.At(i) = at
				scan[i] = at
				d.Settle()
			}
			callDue(t, rng, &d, scan, now, wake)
			sure := Never
			for _, at := range scan {
				sure = min(sure, at)
			}
			if least := d.Least(); least > sure || least < sure && !set {
				t.Fatalf("seed %d, cycle %d: the least is %d, not %d", seed, now, least, sure)
			}
			if d.Settle(); d.Least() != sure {
				t.Fatalf("seed %d, cycle %d: settled, the least is %d, not %d", seed, now, d.Least(), sure)
			}
		}
	}
}

// callDue calls what is due, as groups find it, and expects it to be what a scan finds.
func callDue(t *testing.T, rng *rand.Rand, d *Dues[Cycle], scan []Cycle, now Cycle, wake func(i int, at Cycle)) {
	t.Helper()
	for g := range d.Groups() {
		if d.Groups()[g] > now {
			continue
		}
		group, least := d.Open(g), Never
		for j := range group {
			i := g<<GroupBits + j
			if group[j] <= now {
				if scan[i] != group[j] {
					t.Fatalf("cycle %d: part %d is due at %d, not at %d", now, i, scan[i], group[j])
				}
				next := Never
				if rng.IntN(2) == 0 {
					next = now + 1 + Cycle(rng.IntN(4))
				}
				group[j], scan[i] = next, next
				for range rng.IntN(3) {
					if other := rng.IntN(len(scan)); other != i {
						wake(other, now+1+Cycle(rng.IntN(3)))
					}
				}
			}
			least = min(least, group[j])
		}
		d.Keep(g, least)
	}
	for i, at := range scan {
		if *d.At(i) != at {
			t.Fatalf("cycle %d: part %d is due at %d, not at %d", now, i, *d.At(i), at)
		}
		if at <= now {
			t.Fatalf("cycle %d: part %d is due at %d and was not called", now, i, at)
		}
		if d.Groups()[i>>GroupBits] > at {
			t.Fatalf("cycle %d: group of part %d is due at %d, behind %d", now, i, d.Groups()[i>>GroupBits], at)
		}
	}
}

func TestAnAlarmOfAPlaceLowersItsTime(t *testing.T) {
	at := Cycle(9)
	a := AlarmOf(&at)
	a.Lower(12)
	if a.Lower(4); at != 4 || !a.IsSet() || (Alarm[Cycle]{}).IsSet() {
		t.Errorf("due at %d", at)
	}
}
