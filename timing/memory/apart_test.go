// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/tracetest"
)

// A player issues what it has been given, each as soon as its port takes it, and logs what it is told.
type player struct {
	port  seam.Port
	list  []played
	now   clock.Cycle
	until clock.Cycle // it has run all cycles before
	next  clock.Cycle // in which it is called
	log   []report
}

// A report is what a port tells a player, or the player does.
type report struct {
	at   clock.Cycle
	what string
	of   uint64
}

type played struct {
	at     clock.Cycle
	access seam.MemoryAccess
	line   int64 // of instructions, to fetch with it; negative: none
}

func (p *player) Complete(now clock.Cycle, token uint32) { p.told(now, "complete", uint64(token)) }
func (p *player) Fetched(now clock.Cycle, line uint64)   { p.told(now, "fetched", line) }
func (p *player) WriteDone(now clock.Cycle, warp int)    { p.told(now, "written", uint64(warp)) }
func (p *player) Wake()                                  { p.next = min(p.next, p.now) }

func (p *player) told(now clock.Cycle, what string, of uint64) {
	p.log = append(p.log, report{now, what, of})
	p.next = min(p.next, now+1)
}

// cycle is the cycle now of the player's SM.
func (p *player) cycle(now clock.Cycle) {
	p.now, p.next, p.until = now, clock.Never, now+1
	due := p.port.Cycle(now)
	p.next = min(p.next, due)
	if len(p.list) > 0 && p.list[0].at <= now && p.port.Ready(now) {
		first := p.list[0]
		p.list = p.list[1:]
		p.port.Issue(now, &first.access)
		if first.line >= 0 {
			what := "misses"
			if p.port.FetchLine(now, uint64(first.line)) {
				what = "has"
			}
			p.told(now, what, uint64(first.line))
		}
		p.told(now, "issues", uint64(first.access.Token))
	}
	if len(p.list) > 0 {
		p.next = min(p.next, max(p.list[0].at, now+1))
	}
}

// A play has players on a memory system, which have run all cycles before now.
type play struct {
	*rig
	players []*player
	now     clock.Cycle
	window  clock.Cycle // to which the players of this round run
	apart   int         // cycles that they have run apart
}

// newPlay is on the first machine drawn whose parts can run apart.
func newPlay(t *testing.T, seed uint64) *play {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 29))
	x := &play{now: 1}
	for x.rig == nil || !x.system.Partible() {
		x.rig = newRig(t, randomMachine(t, rng))
	}
	m := x.m
	region := uint64(1) << (10 + rng.IntN(14))
	for i := range m.GPU.SMs {
		p := &player{next: 1, now: 1}
		entry, err := x.system.Port(i, p)
		if err != nil {
			t.Fatal(err)
		}
		p.port, x.sms[i].port = entry.Port, entry.Port
		at := clock.Cycle(1)
		for token := range uint32(40) {
			if rng.IntN(4) == 0 {
				at += clock.Cycle(rng.IntN(100))
			}
			e := played{at, randomAccess(rng, m, token, region), -1}
			if rng.IntN(5) == 0 {
				e.line = int64(rng.IntN(64) * m.Instruction.LineBytes)
			}
			p.list = append(p.list, e)
		}
		x.players = append(x.players, p)
	}
	return x
}

// together runs all cycles before to with all parts in step; false when nothing is left to do.
func (x *play) together(to clock.Cycle) (more bool) {
	for x.now < to {
		next := clock.Never
		for _, p := range x.players {
			next = min(next, p.next)
		}
		if t := x.system.NextEvent(); t != clock.NeverTime {
			next = min(next, x.clocks.Core.CyclesUntil(t))
		}
		if more = next < clock.Never; next >= to {
			x.now = to
			break
		}
		x.now = max(x.now, next)
		for _, p := range x.players {
			p.now = x.now
		}
		x.system.Advance(x.clocks.Core.Start(x.now))
		for _, p := range x.players {
			if p.next <= x.now {
				p.cycle(x.now)
			}
		}
		x.now++
	}
	return more
}

// runApart runs all cycles before to with all parts apart, in rounds as an SM's team does them. Which parts go first, and
// which not at all in a round, is drawn.
func (x *play) runApart(rng *rand.Rand, to clock.Cycle) {
	for _, p := range x.players {
		p.now, p.until = x.now, x.now
	}
	x.apart += int(to - x.now)
	x.system.Depart(x.now)
	x.window = 0
	period := x.clocks.Core.Period
	for rounds := 0; x.now < to; rounds++ {
		if rounds > 200_000 {
			x.t.Fatalf("the parts wait for one another in cycle %d:\n%v", x.now, x.system.Describe())
		}
		if x.now >= x.window {
			sms, partitions := x.system.Reach()
			x.window = min(sms, max(clock.Cycle(partitions/period), x.now+1))
		}
		known := clock.Cycle(x.system.Between()/period) + 1
		end := min(x.window, to)
		for _, i := range rng.Perm(len(x.players)) {
			if rng.IntN(5) > 0 {
				x.run(i, min(x.window, to), known)
			}
			end = min(end, x.players[i].until)
		}
		x.follow(rng, x.clocks.Core.Start(end))
		x.now = end
	}
	x.system.Meet()
}

// follow brings the memory system to a time.
func (x *play) follow(rng *rand.Rand, to clock.Time) {
	for {
		_, reach := x.system.Reach()
		for _, i := range rng.Perm(x.system.Partitions()) {
			x.system.RunPartition(i, min(reach, to))
		}
		if x.system.RunNetworks(to); x.system.Between() >= to {
			return
		}
	}
}

// run lets a player go on to a bound. It stops before a cycle that depends on what the networks have yet to do (seam.Sight).
func (x *play) run(i int, bound, known clock.Cycle) {
	p := x.players[i]
	s := x.system.Look(i)
	for p.until < bound {
		from := p.until
		if s.Refused && from >= known {
			return
		}
		next := max(min(p.next, s.Answer), from)
		if s.Refused {
			next = min(next, from+1)
		}
		switch {
		case next >= bound:
			p.until = bound
		case s.Room <= 0 && next >= known:
			p.until = next
			return
		case s.Refused && next > from:
			p.until = next
		default:
			p.now = next
			if s.Answer <= next {
				x.system.Wake(i)
			}
			p.cycle(next)
		}
	}
}

// Parts that run apart do the same as those that run in step, to the cycle and in all counters: on random machines, for
// random stretches of the time.
func TestPartsThatRunApartDoTheSame(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 200, tracetest.Fewer(4, 20)) {
		step, apart := newPlay(t, seed), newPlay(t, seed)
		rng := rand.New(rand.NewPCG(seed, 31))
		for more := true; more; {
			to := step.now + clock.Cycle(1+rng.IntN(1+rng.IntN(800)))
			more = step.together(to)
			if rng.IntN(2) == 0 {
				apart.together(to)
			} else {
				apart.runApart(rng, to)
			}
			for i, p := range apart.players {
				q := step.players[i]
				if !slices.Equal(p.log, q.log) {
					t.Fatalf("seed %d, before cycle %d, SM %d: %s", seed, to, i, firstDifference(p.log, q.log))
				}
				p.log, q.log = p.log[:0], q.log[:0]
			}
			if step.now > 10_000_000 {
				t.Fatalf("seed %d: still busy", seed)
			}
		}
		apart.together(apart.now + 100_000) // what no SM waits for
		step.together(step.now + 100_000)
		apart.system.Advance(apart.clocks.Core.Start(apart.now))
		step.system.Advance(step.clocks.Core.Start(step.now))
		apart.conserved()
		for c := range counters.ID(counters.Count) {
			for i := range apart.sets {
				if got, want := apart.sets[i][c], step.sets[i][c]; got != want {
					t.Errorf("seed %d: SM %d has %d of %s, want %d", seed, i, got, counters.Declared(c).Name, want)
				}
			}
			if got, want := apart.global[c], step.global[c]; got != want {
				t.Errorf("seed %d: %d of %s, want %d", seed, got, counters.Declared(c).Name, want)
			}
		}
	}
}

func firstDifference(got, want []report) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%+v, want %+v", got[i], want[i])
		}
	}
	return fmt.Sprintf("%d reports, want %d", len(got), len(want))
}

// Ports, slices and crossbars can run apart. Not so meshes, which do not tell when a packet arrives, nor what else uses
// the memory system.
func TestOnlyPortsSlicesAndCrossbarsRunApart(t *testing.T) {
	for name, want := range map[string]bool{"gtx480": true, "gpsim-soc": true, "mesh56": false, "gtx480+mesh+xy-routing": false, "gtx480+butterfly": false} {
		s := newRig(t, machine(t, name, nil)).system
		if s.Partible() != want || (s.Path().Lookahead != nil) != want {
			t.Errorf("%s can run apart: %v", name, s.Partible())
		}
	}
	for name, join := range map[string]func(s *System){
		"a user of the last-level cache": func(s *System) { s.JoinLastLevel(0, nil) },
		"a level behind a slice":         func(s *System) { s.Divert(0, func(seam.Upper) seam.Lower { return &userEntry{} }) },
		"an offloader":                   func(s *System) { s.offloader = &offloader{} },
	} {
		s := newRig(t, machine(t, "gpsim-soc", nil)).system
		if join(s); s.Partible() {
			t.Errorf("with %s it can run apart", name)
		}
	}
}
