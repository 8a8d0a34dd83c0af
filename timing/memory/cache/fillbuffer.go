// SPDX-License-Identifier: Apache-2.0

package cache

import "github.com/warptape/warptape/timing/arch"

// fillBuffer is the places of lines that are on their way to a cache that allocates on
// fill: line indexes beyond those of the sets, one per MSHR.
type fillBuffer struct {
	on    bool
	first int  // index of the first place
	stuck bool // some line in it may have come without a place in its set
	lost  int  // marked lines for which others have come in late: see TakeLost
	free  []int32
	used  []int32
}

func newFillBuffer(c *arch.Cache, lines int) fillBuffer {
	a := fillBuffer{on: c.Allocate == "on_fill", first: lines}
	if a.on {
		n := c.MSHRs + c.StreamRegisters()
		a.used = make([]int32, 0, n)
		for i := range n {
			a.free = append(a.free, int32(lines+i))
		}
	}
	return a
}

// next is a free place, -1 when there is none.
func (a *fillBuffer) next() int {
	if len(a.free) == 0 {
		return -1
	}
	return int(a.free[len(a.free)-1])
}

// take takes the place at index i, which next gave, if it is one.
func (a *fillBuffer) take(i int) {
	if a.on && i >= a.first {
		a.free = a.free[:len(a.free)-1]
		a.used = append(a.used, int32(i))
	}
}

// give frees the place at index i.
func (a *fillBuffer) give(i int) {
	for k, u := range a.used {
		if int(u) == i {
			a.used[k] = a.used[len(a.used)-1]
			a.used = a.used[:len(a.used)-1]
			break
		}
	}
	a.free = append(a.free, int32(i))
}

// Settle is called when sectors of line index i have been filled. A line that waited in the
// fill buffer, and has no sector on its way any more, takes the place of the victim of its set.
// Where every line of the set has sectors on their way there is no victim. The line then stays
// in the fill buffer, where it can be read, until one of them has come.
func (t *Tags) Settle(i int) {
	switch {
	case !t.fillBuffer.on || t.state[i].pending != 0:
	case i >= t.fillBuffer.first:
		t.comeIn(i)
	case t.fillBuffer.stuck:
		t.comeInto(t.set(t.Address(i)))
	}
}

// comeIn gives a line in the fill buffer a place in its set, if there is one.
func (t *Tags) comeIn(i int) {
	to := t.oldest(t.Address(i))
	if to < 0 {
		t.fillBuffer.stuck = true
		return
	}
	t.fate.replaced |= t.tags[to]
	t.setTag(to, t.tags[i])
	t.state[to] = t.state[i]
	if t.state[i].flags&partlyWritten != 0 {
		t.written[to] = t.written[i]
	}
	t.setRank(to, t.rank[i]&^(t.tick-1)|uint64(to))
	if t.policy != nil {
		t.inserted(to)
	}
	dropped := t.fate.dropped
	t.Drop(i)
	t.fate.dropped = dropped // the line is not lost
}

// comeInto settles the lines that could not come into the set that begins at a line
// index.
func (t *Tags) comeInto(first int) {
	t.fillBuffer.stuck = false
	for k := len(t.fillBuffer.used) - 1; k >= 0; k-- { // comeIn takes k out, and puts the last there
		i := int(t.fillBuffer.used[k])
		switch {
		case t.state[i].pending != 0:
		case t.set(t.Address(i)) == first:
			if to := t.oldest(t.Address(i)); to >= 0 && t.state[to].flags&marked != 0 {
				t.fillBuffer.lost++
			}
			t.comeIn(i)
		default:
			t.fillBuffer.stuck = true
		}
	}
}
