// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// cleaner notes what has been issued when it is asked to clean.
type cleaner struct {
	seam.Cleaner
	behind *behind
	issued []int
}

func (c *cleaner) Clean(clock.Cycle, seam.Lines, seam.PortCleaned, uint32) {
	c.issued = append(c.issued, len(c.behind.got))
}

// A cleaner of the SM's lines gets what the lanes have of them first, and nothing
// else: the words reach the port behind before it begins.
func TestCleaningHandsModifiedWordsOnFirst(t *testing.T) {
	b := newBench(testSection())
	store := func(address uint64, space trace.Space) {
		b.Issue(b.now, &seam.MemoryAccess{Class: trace.ClassStore, Space: space, LaneBytes: 4, Mask: 1, Access: trace.Access{Base: address, Lanes: -1}, Token: seam.NoToken})
		b.now++
	}
	store(0x1000, trace.SpaceGlobal)
	store(0x8000, trace.SpaceGlobal)
	store(0x40, trace.SpaceShared)
	b.behind.ready = false
	c := &cleaner{behind: b.behind}
	// A line of the L1 of 128 bytes; the lane has the first 32.
	b.Clean(b.now, seam.Lines{Mask: ^uint64(0), First: 0x1000, Last: 0x1000}, nil, 1, c)
	if len(c.issued) != 0 {
		t.Fatal("the port behind cleans before it has the words")
	}
	b.behind.ready = true
	for range 8 {
		b.now++
		b.Cycle(b.now)
	}
	if len(c.issued) != 1 || c.issued[0] != 1 {
		t.Fatalf("cleaned after %v accesses", c.issued)
	}
	if got := b.behind.got; len(got) != 1 || len(got[0].Lines) != 1 || got[0].Lines[0].Address != 0x1000 {
		t.Errorf("handed on: %+v", got)
	}
	if b.inFlight() != 0 {
		t.Errorf("%d are left", b.inFlight())
	}
}

// A listener to a load's end may, in that cycle, give the port behind something to do after
// its turn: a kernel's end has the lines written back.
func TestThePortBehindHasAnotherTurnAfterAHit(t *testing.T) {
	b := newBench(testSection())
	b.hits.Push(hit{done: 5, token: 1})
	if next := b.Cycle(5); next != 6 || len(b.listener.completed) != 1 {
		t.Errorf("next cycle %d, %d loads have ended", next, len(b.listener.completed))
	}
}
