// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// dated is a port behind, and the SM in front, that note the cycles of what they hear.
type dated struct {
	behind
	seam.Completions
	log []string
	at  clock.Cycle // in which it has something to do itself; Never for nothing
}

func (d *dated) note(now clock.Cycle, format string, a ...any) {
	d.log = append(d.log, fmt.Sprintf("%d: ", now)+fmt.Sprintf(format, a...))
}

func (d *dated) Issue(now clock.Cycle, a *seam.MemoryAccess) {
	d.note(now, "%v of %d lines", a.Class, len(a.Lines))
	d.behind.Issue(now, a)
}
func (d *dated) Complete(now clock.Cycle, token uint32) { d.note(now, "load %d ends", token) }
func (d *dated) WriteDone(now clock.Cycle, w int)       { d.note(now, "writes of warp %d end", w) }
func (d *dated) Wake()                                  {}
func (d *dated) Cycle(clock.Cycle) clock.Cycle          { return d.at }
func (d *dated) Barrier(now clock.Cycle, b int)         { d.note(now, "barrier of block %d", b) }
func (d *dated) Fence(now clock.Cycle, w int)           { d.note(now, "fence of warp %d", w) }
func (d *dated) BlockEnd(now clock.Cycle, blockSlot, last int) {
	d.note(now, "block %d ends with warp %d", blockSlot, last)
}

// datedPort is a port of four cycles' latency between the two.
func datedPort() (*port, *dated) {
	s := testSection()
	s.LatencyCycles = 4
	d := &dated{behind: behind{ready: true}, at: clock.Never}
	p := newPort(s, 4, 0, d, new(counters.Set))
	p.own = new(seam.Path).Tokens()
	p.Port = d
	return p, d
}

// asleep runs a port only in the cycles that it asks for.
func asleep(p *port, from clock.Cycle) {
	for now := from; now < from+100; {
		now = p.Cycle(now)
	}
}

func word(class trace.OpClass, address uint64, token uint32) *seam.MemoryAccess {
	return &seam.MemoryAccess{Class: class, Space: trace.SpaceGlobal, LaneBytes: 4, Mask: 1, Access: trace.Access{Base: address, Lanes: -1}, Token: token, WarpSlot: 2}
}

func TestEverythingLeavesALatencyAfterItCame(t *testing.T) {
	everyLine := seam.Lines{Mask: ^uint64(0), Last: ^uint64(0)}
	for _, c := range []struct {
		what string
		do   func(p *port, now clock.Cycle)
		want []string
	}{
		{"a miss", func(p *port, now clock.Cycle) { p.Issue(now, word(trace.ClassLoad, 4096, 7)) }, []string{"104: load of 1 lines"}},
		{"an atomic of a modified line", func(p *port, now clock.Cycle) { p.Issue(now, word(trace.ClassAtomic, 64, 7)) }, []string{"104: store of 1 lines", "104: writes of warp 2 end", "104: atomic of 0 lines"}},
		{"a hit", func(p *port, now clock.Cycle) { p.Issue(now, word(trace.ClassLoad, 64, 7)) }, []string{"104: load 7 ends"}},
		{"a barrier", func(p *port, now clock.Cycle) { p.Barrier(now, 3) }, []string{"100: barrier of block 3", "104: store of 1 lines", "104: writes of warp 2 end"}},
		{"a fence", func(p *port, now clock.Cycle) { p.Fence(now, 1) }, []string{"100: fence of warp 1", "104: store of 1 lines", "104: writes of warp 2 end"}},
		{"a block's end", func(p *port, now clock.Cycle) { p.BlockEnd(now, 3, 1) }, []string{"100: block 3 ends with warp 1", "104: store of 1 lines", "104: writes of warp 2 end"}},
		{"a cleaning", func(p *port, now clock.Cycle) { p.Clean(now, everyLine, nil, 1, &cleaner{behind: new(behind)}) }, []string{"104: store of 1 lines", "104: writes of warp 2 end"}},
		{"a withdrawal", func(p *port, now clock.Cycle) { p.Withdraw(now, word(trace.ClassLoad, 64, 7)) }, []string{"104: store of 1 lines", "104: writes of warp 2 end"}},
	} {
		p, d := datedPort()
		p.Issue(10, word(trace.ClassStore, 64, seam.NoToken))
		asleep(p, 10)
		c.do(p, 100)
		asleep(p, 100)
		if !slices.Equal(d.log, c.want) {
			t.Errorf("%s in cycle 100: %q, want %q", c.what, d.log, c.want)
		}
	}
}

// TestThePortAsksForTheCycleOfItsNextEvent, whichever comes first.
func TestThePortAsksForTheCycleOfItsNextEvent(t *testing.T) {
	p, d := datedPort()
	if next := p.Cycle(5); next != clock.Never {
		t.Errorf("an empty port asks for cycle %d", next)
	}
	p.Issue(5, word(trace.ClassStore, 64, seam.NoToken))
	if next := p.Cycle(5); next != 6 {
		t.Errorf("a port whose entry is free in cycle 6 asks for %d", next)
	}
	p.Issue(6, word(trace.ClassLoad, 64, 1)) // a hit, in 10
	if next := p.Cycle(7); next != 10 {
		t.Errorf("a port with a hit that ends in cycle 10 asks for %d", next)
	}
	p.Issue(7, word(trace.ClassLoad, 4096, 2)) // a miss, that leaves in 11
	if next := p.Cycle(10); next != 11 {
		t.Errorf("a port with a miss that leaves in cycle 11 asks for %d", next)
	}
	d.at = 8
	if next := p.Cycle(7); next != 8 {
		t.Errorf("a port before one that has to do in cycle 8 asks for %d", next)
	}
}

// TestTheLastUsedLinesStay: of sets of four lines, the one that was used longest ago
// goes, whatever used it.
func TestTheLastUsedLinesStay(t *testing.T) {
	for _, use := range []trace.OpClass{trace.ClassLoad, trace.ClassStore} {
		s := testSection()
		s.Ways = 4 // one set
		b := newBench(s)
		at := func(line int) uint64 { return 4096 + uint64(line*s.LineBytes) }
		load := func(line int) (missed bool) {
			got := b.do(*word(trace.ClassLoad, at(line), 1))
			for _, a := range got {
				if a.Class == trace.ClassLoad {
					b.Complete(b.now, a.Token)
				}
				missed = missed || a.Class == trace.ClassLoad
			}
			return missed
		}
		for line := range 4 {
			load(line)
		}
		again := word(use, at(0), seam.NoToken)
		if use == trace.ClassLoad {
			again.Token = 1
		}
		b.do(*again)
		load(9) // takes the place of line 1
		if load(0) || load(2) || load(3) || !load(1) {
			t.Errorf("a %v of the oldest line does not keep it", use)
		}
	}
}
