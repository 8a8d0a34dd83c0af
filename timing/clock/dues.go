// SPDX-License-Identifier: Apache-2.0

package clock

// Dues keeps when each of many parts has something to do next. It finds those that are due
// by the least time of each group of neighbours. So a machine with hundreds of parts does not
// look at all of them in every cycle.
//
// A group's least time is never later than a time in the group. It may be earlier after Set.
type Dues[T ~int64] struct {
	times []Group[T]
	least []T
}

// GroupBits says how many parts are neighbours, as a power of two. The parts of group g have
// the numbers from g<<GroupBits on.
const GroupBits = 3

// Group is the times of neighbours.
type Group[T ~int64] = [1 << GroupBits]T

const latest = 1<<63 - 1 // Never and NeverTime

// NewDues is for n parts that have nothing to do.
func NewDues[T ~int64](n int) Dues[T] {
	groups := (n + 1<<GroupBits - 1) >> GroupBits
	d := Dues[T]{times: make([]Group[T], groups), least: make([]T, groups)}
	for g := range d.times {
		for i := range d.times[g] {
			d.times[g][i] = latest
		}
		d.least[g] = latest
	}
	return d
}

// At is the place of a part's time. Who writes there calls Settle, or keeps the group as
// Group says.
func (d *Dues[T]) At(i int) *T { return &d.times[i>>GroupBits][i&(1<<GroupBits-1)] }

// Lower lets part i be due at t, unless it is earlier.
func (d *Dues[T]) Lower(i int, t T) {
	d.Alarm(i).Lower(t)
}

// Set lets part i be due at t.
func (d *Dues[T]) Set(i int, t T) {
	*d.At(i) = t
	d.Keep(i>>GroupBits, t)
}

// Groups is the least times of the groups.
func (d *Dues[T]) Groups() []T { return d.least }

// Least is the least time of all.
func (d *Dues[T]) Least() T {
	least := T(latest)
	for _, t := range d.least {
		least = min(least, t)
	}
	return least
}

// Open is the times of group g, to call the parts that are due. The caller passes the least
// of them to Keep afterwards. Lower may name parts of the group in between.
func (d *Dues[T]) Open(g int) *Group[T] {
	d.least[g] = latest
	return &d.times[g]
}

// Keep tells that a part of group g is due at t.
func (d *Dues[T]) Keep(g int, t T) { d.least[g] = min(d.least[g], t) }

// Settle finds the least times anew.
func (d *Dues[T]) Settle() {
	for g := range d.times {
		d.least[g] = latest
		for _, t := range d.times[g] {
			d.Keep(g, t)
		}
	}
}

// Alarm is the time of one part, for who wakes it.
type Alarm[T ~int64] struct{ at, least *T }

// Alarm is that of part i.
func (d *Dues[T]) Alarm(i int) Alarm[T] { return Alarm[T]{d.At(i), &d.least[i>>GroupBits]} }

// AlarmOf is that of a part whose time is nowhere but at a place.
func AlarmOf[T ~int64](at *T) Alarm[T] { return Alarm[T]{at, at} }

// Lower lets the part be due at t, unless it is earlier.
func (a Alarm[T]) Lower(t T) {
	if *a.at > t {
		*a.at = t
		if *a.least > t {
			*a.least = t
		}
	}
}

// IsSet reports whether the alarm is one of a part.
func (a Alarm[T]) IsSet() bool { return a.at != nil }
