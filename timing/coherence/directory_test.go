// SPDX-License-Identifier: Apache-2.0

package coherence

import (
	"math/rand/v2"
	"testing"
)

// twin is the directory by a map and the definition of the protocol.
type twin map[uint64][]State

func (t twin) states(line uint64, agents int) []State {
	if t[line] == nil {
		t[line] = make([]State, agents)
	}
	return t[line]
}

// Random requests and evictions against the twin: which agents are probed, what each is
// left with, and that there is one writer or only readers.
func TestDirectoryAgreesWithTheTableOfStates(t *testing.T) {
	const agents, lines = 7, 300
	r := rand.New(rand.NewPCG(3, 5))
	d, want := New(agents), twin{}
	for range 200_000 {
		line, agent := 64*r.Uint64N(lines), r.IntN(agents)
		s := want.states(line, agents)
		if s[agent] != Invalid && r.IntN(3) == 0 {
			if !d.Leave(line, agent) {
				t.Fatalf("agent %d had %s and could not leave", agent, s[agent])
			}
			s[agent] = Invalid
			continue
		}
		own := r.IntN(2) == 0
		if s[agent].Writable() || !own && s[agent] == Shared {
			continue // a hit
		}
		step(t, d, s, line, agent, own)
	}
	for line, s := range want {
		holders, owned := d.Holders(line)
		for agent := range s {
			if holders>>agent&1 != 0 != (s[agent] != Invalid) || s[agent].Writable() && !owned {
				t.Fatalf("line %#x: holders %b, owned %v, states %v", line, holders, owned, s)
			}
		}
	}
}

func step(t *testing.T, d *Directory, s []State, line uint64, agent int, own bool) {
	t.Helper()
	o := d.Begin(line, agent, own)
	if !d.Busy(line) || o.Had != (s[agent] == Shared) {
		t.Fatalf("busy %v, had %v of %v", d.Busy(line), o.Had, s)
	}
	others := false
	for i := range s {
		probe := i != agent && (own && s[i] != Invalid || s[i].Writable())
		if o.Probe>>i&1 != 0 != probe {
			t.Fatalf("agent %d asks (own %v), probes %b, states %v", agent, own, o.Probe, s)
		}
		if probe {
			s[i] = o.Keep
		}
		others = others || i != agent && s[i] != Invalid
	}
	if grant := o.Grant; grant.Writable() == others {
		t.Fatalf("granted %s, others hold it: %v", grant, others)
	}
	s[agent] = o.Grant
	d.End(line)
}

func TestEmptyLinesLeaveNothingBehind(t *testing.T) {
	d := New(2)
	for round := range 3 {
		for line := range uint64(5000) {
			d.Begin(line*64, int(line)&1, line%3 == 0)
			d.End(line * 64)
		}
		for line := range uint64(5000) {
			if line%2 == 0 && d.Take(line*64) != 1 || line%2 == 1 && !d.Leave(line*64, 1) {
				t.Fatalf("line %d of round %d had other holders", line, round)
			}
		}
		if d.lines() != 0 {
			t.Fatalf("%d lines are left", d.lines())
		}
	}
	if d.Leave(64, 0) {
		t.Error("a line without holders was left")
	}
}

// Who has no copy does not leave: neither of a line that others have, nor of one that none has, nor twice.
func TestOnlyHoldersLeave(t *testing.T) {
	d := New(4)
	for _, agent := range []int{0, 1} {
		d.Begin(64, agent, false)
		d.End(64)
	}
	for i, c := range []struct {
		line  uint64
		agent int
		had   bool
	}{{64, 2, false}, {128, 0, false}, {64, 1, true}, {64, 1, false}, {64, 0, true}, {64, 0, false}} {
		if had := d.Leave(c.line, c.agent); had != c.had {
			t.Errorf("step %d: agent %d leaves line %d: %v", i, c.agent, c.line, had)
		}
	}
	if o := d.Begin(64, 3, false); o.Probe != 0 || o.Grant != Exclusive {
		t.Errorf("all have left, and %+v is ordered", o)
	}
}

// A line whose only holder leaves before its request has ended is busy till then, and gone after it.
func TestABusyLineWithoutHoldersStaysUntilItsEnd(t *testing.T) {
	d := New(2)
	for _, own := range []bool{false, true} {
		d.Begin(64, 1, own)
		if !d.Leave(64, 1) || !d.Busy(64) || d.lines() != 1 {
			t.Errorf("the line is busy: %t, of %d lines", d.Busy(64), d.lines())
		}
		if d.End(64); d.Busy(64) || d.lines() != 0 {
			t.Errorf("the line is busy: %t, of %d lines", d.Busy(64), d.lines())
		}
	}
}

func TestStatesHaveNames(t *testing.T) {
	for s, want := range map[State]string{Invalid: "invalid", Shared: "shared", Exclusive: "exclusive", Modified: "modified", stateEnd: "unknown", 255: "unknown"} {
		if got := s.String(); got != want {
			t.Errorf("state %d is %s, want %s", uint8(s), got, want)
		}
	}
}

func TestADirectoryHasOneToSixtyFourAgents(t *testing.T) {
	for agents, want := range map[int]bool{-1: false, 0: false, 1: true, 64: true, 65: false} {
		func() {
			defer func() {
				if (recover() == nil) != want {
					t.Errorf("%d agents: made %t", agents, !want)
				}
			}()
			New(agents)
		}()
	}
}

func TestASecondRequestOfABusyLineIsABug(t *testing.T) {
	d := New(2)
	d.Begin(0, 0, true)
	defer func() {
		if recover() == nil {
			t.Error("it was taken")
		}
	}()
	d.Begin(0, 1, true)
}

// BenchmarkDirectory isolates a request and an eviction among 100 000 lines.
func BenchmarkDirectory(b *testing.B) {
	d := New(6)
	for line := range uint64(100_000) {
		d.Begin(line*64, int(line%6), false)
		d.End(line * 64)
	}
	line := uint64(0)
	for b.Loop() {
		line = (line + 7919) % 100_000
		d.Leave(line*64, int(line%6))
		d.Begin(line*64, int(line%6), false)
		d.End(line * 64)
	}
}
