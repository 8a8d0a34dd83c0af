// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

type cleaner struct {
	seam.Cleaner
	calls int
}

func (c *cleaner) Clean(clock.Cycle, seam.Lines, seam.PortCleaned, uint32) { c.calls++ }

// A line that is recalled from an SM is not in its prefetch buffer any more.
func TestCleaningDropsPrefetchedLines(t *testing.T) {
	b := newBench(func(*Section) {})
	first, second := b.buffer.victim(0x1000), b.buffer.victim(0x2080)
	b.buffer.await(first, 0x1000)
	b.buffer.arrive(first)
	b.buffer.await(second, 0x2080)
	b.buffer.arrive(second)
	c := &cleaner{}
	b.Clean(0, seam.Lines{Mask: ^uint64(0), First: 0x1000, Last: 0x1fff}, nil, 1, c)
	if b.buffer.find(0x1000) != none || b.buffer.find(0x2080) == none || c.calls != 1 {
		t.Errorf("lines left: %v, %v; %d calls", b.buffer.find(0x1000) != none, b.buffer.find(0x2080) != none, c.calls)
	}
}

// A listener to a load's end may, in that cycle, give the port behind something to do after
// its turn: a kernel's end has the lines written back.
func TestThePortBehindHasAnotherTurnAfterAHit(t *testing.T) {
	b := newBench(func(*Section) {})
	b.hits.Push(hit{done: 5, token: 1})
	if next := b.Cycle(5); next != 6 || len(b.sm.done) != 1 {
		t.Errorf("next cycle %d, %d loads have ended", next, len(b.sm.done))
	}
}
