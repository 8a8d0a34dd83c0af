// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// fakeL1 is an L1 of unlimited size: what it holds of each line, and the value.
type fakeL1 struct {
	seam.Cleaner
	lines map[uint64]*fakeLine
	below map[uint64]int
}

type fakeLine struct {
	value int
	dirty bool
}

func (f *fakeL1) Probe(_ clock.Cycle, line uint64, keep bool) (had, dirty bool) {
	l := f.lines[line]
	if l == nil {
		return false, false
	}
	if dirty = l.dirty; dirty {
		f.below[line], l.dirty = l.value, false
	}
	if !keep {
		delete(f.lines, line)
	}
	return true, dirty
}

// Random reads, writes and evictions of several SMs, as their ports tell the
// directory of them. A line has one writer or only readers, and a read gives what was
// written last.
func TestSMsReadWhatWasWrittenLast(t *testing.T) {
	const sms, lines = 5, 20
	rng := rand.New(rand.NewPCG(2, 9))
	c := &system{counts: new(counters.Set)}
	d := &smDirectory{c, coherence.New(sms)}
	below, last := map[uint64]int{}, map[uint64]int{}
	var l1s []*fakeL1
	for i := range sms {
		f := &fakeL1{lines: map[uint64]*fakeLine{}, below: below}
		l1s = append(l1s, f)
		c.ports = append(c.ports, &port{sm: i, front: f})
	}
	for step := 1; step < 100_000; step++ {
		sm, line := rng.IntN(sms), uint64(rng.IntN(lines))*64
		f := l1s[sm]
		l := f.lines[line]
		switch op := rng.IntN(4); {
		case op == 0 && l != nil:
			if l.dirty {
				below[line] = l.value
			}
			d.Left(sm, line)
			delete(f.lines, line)
		case op == 1:
			if !d.Owns(sm, line) {
				d.Own(0, sm, line)
			}
			f.lines[line] = &fakeLine{step, true}
			last[line] = step
		default:
			if l == nil {
				d.Share(0, sm, line)
				l = &fakeLine{below[line], false}
				f.lines[line] = l
			}
			if l.value != last[line] {
				t.Fatalf("step %d: SM %d reads %d of line %#x, written last was %d", step, sm, l.value, line, last[line])
			}
		}
		holders, writers := 0, 0
		for _, other := range l1s {
			if x := other.lines[line]; x != nil {
				holders++
				if x.dirty {
					writers++
				}
			}
		}
		if writers > 1 || writers == 1 && holders > 1 {
			t.Fatalf("step %d: line %#x has %d writers and %d holders", step, line, writers, holders)
		}
	}
	if n := c.counts[counts+countInvalidation]; n == 0 {
		t.Error("no line was ever lost")
	}
}
