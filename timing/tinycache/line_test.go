// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"math/rand/v2"
	"testing"
)

// slowLine is a line half-word by half-word, as section 5.3.1 tells it.
type slowLine struct {
	there        bool
	valid, dirty []bool
}

func (s *slowLine) each(mask uint64, f func(i int)) {
	for i := range s.valid {
		if mask>>i&1 != 0 {
			f(i)
		}
	}
}

func (s *slowLine) fetch() { // merges with what is dirty
	for i := range s.valid {
		s.valid[i] = true
	}
}

func (s *slowLine) write(mask uint64) {
	s.there = true
	s.each(mask, func(i int) { s.valid[i], s.dirty[i] = true, true })
}

func (s *slowLine) has(mask uint64) bool {
	all := true
	s.each(mask, func(i int) { all = all && s.valid[i] })
	return all
}

// replace gives the dirty half-words and empties the line.
func (s *slowLine) replace() uint64 {
	var out uint64
	for i := range s.dirty {
		if s.dirty[i] {
			out |= 1 << i
		}
	}
	clear(s.valid)
	clear(s.dirty)
	s.there = false
	return out
}

// state is what Figure 5.3 calls the line.
func (s *slowLine) state() state {
	valid, dirty := true, false
	for i := range s.valid {
		valid, dirty = valid && s.valid[i], dirty || s.dirty[i]
	}
	switch {
	case !s.there:
		return invalid
	case !valid:
		return dirtyPartial
	case dirty:
		return dirtyValid
	}
	return clean
}

func TestLinesGoThroughTheStatesOfFigure53(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 3))
	for _, halfWords := range []int{8, 16, 32, 64} {
		all := ^uint64(0) >> (64 - halfWords)
		var l line
		slow := slowLine{valid: make([]bool, halfWords), dirty: make([]bool, halfWords)}
		reached := map[state]int{}
		for step := range 20000 {
			mask := uint64(1) << random.IntN(halfWords)
			if random.IntN(4) == 0 {
				mask = random.Uint64() & all
			}
			mask = max(mask, 1)
			switch {
			case random.IntN(40) == 0:
				if got, want := l.replace(), slow.replace(); got != want {
					t.Fatalf("step %d: writes back %x, want %x", step, got, want)
				}
			case random.IntN(2) == 0 && l.state == invalid:
				l.readMiss()
				slow.there = true
				slow.fetch()
			case l.state == invalid:
				l.writeMiss(mask, all)
				slow.write(mask)
			case random.IntN(3) == 0:
				there := slow.has(mask)
				if got := l.read(mask); got != there {
					t.Fatalf("step %d: read of %x is there: %t, want %t", step, mask, got, there)
				}
				if !there {
					slow.fetch()
				}
			default:
				l.write(mask, all)
				slow.write(mask)
			}
			if l.state != slow.state() {
				t.Fatalf("step %d: state %d, want %d", step, l.state, slow.state())
			}
			reached[l.state]++
		}
		for s := invalid; s <= dirtyPartial; s++ {
			if reached[s] == 0 {
				t.Errorf("%d half-words: state %d was never reached", halfWords, s)
			}
		}
	}
}

// TestTransitionsAreThoseOfTheText takes the sentences of section 5.3.1 in turn.
func TestTransitionsAreThoseOfTheText(t *testing.T) {
	const all = 0xf
	var l line
	check := func(event string, want line) {
		t.Helper()
		if l != want {
			t.Errorf("%s: %+v, want %+v", event, l, want)
		}
	}
	l.readMiss()
	check("rm", line{clean, 0})
	l.write(0b0010, all)
	check("wh on C", line{dirtyValid, 0b0010})
	l.write(0b0100, all)
	check("wh on D_v", line{dirtyValid, 0b0110})
	if !l.read(0b1000) {
		t.Error("any hit on D_v is a half-word hit")
	}
	if l.replace() != 0b0110 {
		t.Error("rpl on D_v writes the dirty half-words back")
	}
	check("rpl", line{})
	l.writeMiss(0b0001, all)
	check("wm", line{dirtyPartial, 0b0001})
	if !l.read(0b0001) {
		t.Error("rh(v) on D_pv needs no fetch")
	}
	check("rh(v)", line{dirtyPartial, 0b0001})
	l.write(0b0110, all)
	check("wh on D_pv", line{dirtyPartial, 0b0111})
	l.write(0b1000, all)
	check("wh(last)", line{dirtyValid, all})
	l.replace()
	l.writeMiss(0b0001, all)
	if l.read(0b0011) {
		t.Error("rh(i) on D_pv needs a fetch")
	}
	check("rh(i)", line{dirtyValid, 0b0001})
}
