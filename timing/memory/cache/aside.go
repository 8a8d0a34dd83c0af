package cache

import "github.com/warptape/warptape/timing/arch"

// aside is the places of lines that are on their way to a cache that allocates on
// fill: line indexes beyond those of the sets, one per MSHR.
type aside struct {
	on    bool
	first int // index of the first place
	free  []int32
	used  []int32
}

func newAside(c *arch.Cache, lines int) aside {
	a := aside{on: c.Allocate == "on_fill", first: lines}
	if a.on {
		a.used = make([]int32, 0, c.MSHRs)
		for i := range c.MSHRs {
			a.free = append(a.free, int32(lines+i))
		}
	}
	return a
}

// next is a free place, -1 when there is none.
func (a *aside) next() int {
	if len(a.free) == 0 {
		return -1
	}
	return int(a.free[len(a.free)-1])
}

// take takes the place at index i, which next gave, if it is one.
func (a *aside) take(i int) {
	if a.on && i >= a.first {
		a.free = a.free[:len(a.free)-1]
		a.used = append(a.used, int32(i))
	}
}

// give frees the place at index i.
func (a *aside) give(i int) {
	for k, u := range a.used {
		if int(u) == i {
			a.used[k] = a.used[len(a.used)-1]
			a.used = a.used[:len(a.used)-1]
			break
		}
	}
	a.free = append(a.free, int32(i))
}

// Settle is called when sectors of line index i have been filled: one that waited
// aside, and has none on its way any more, takes the place of the victim of
// its set.
func (t *Tags) Settle(i int) {
	if !t.aside.on || i < t.aside.first || t.state[i].pending != 0 {
		return
	}
	to := t.oldest(t.Address(i))
	t.tags[to], t.state[to], t.written[to] = t.tags[i], t.state[i], t.written[i]
	t.rank[to] = t.rank[i]&^(t.tick-1) | uint64(to)
	if t.policy != nil {
		t.inserted(to)
	}
	t.Drop(i)
	t.aside.give(i)
}
