// SPDX-License-Identifier: Apache-2.0

package core_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

const (
	instructions = 5
	causes       = counters.CauseCount
)

// hearer writes down, per scheduler and place, to what its slots are charged. It adds
// up the slots of the cycles in between: what is told holds until something else is.
type hearer struct {
	seam.Watcher
	fate    map[[2]int]core.Blame
	charged map[core.Blame]uint64
	now     clock.Cycle
	other   bool // it watches another core
}

func (h *hearer) Watches(id int) bool { return (id == 3) != h.other }

func (h *hearer) Slots(now clock.Cycle, s seam.IssueSlots) {
	h.until(now)
	for place := s.First; place < s.First+s.Count; place++ {
		h.fate[[2]int{s.Scheduler, place}] = core.Blame{Instruction: s.Instruction, Cause: s.Cause}
	}
}

// until adds up the slots before the cycle now.
func (h *hearer) until(now clock.Cycle) {
	for _, b := range h.fate {
		h.charged[b] += uint64(now - h.now)
	}
	h.now = now
}

// book is the slow twin: it says what each slot of each cycle is charged to.
type book struct {
	charged map[core.Blame]uint64
	last    []core.Blame // per scheduler
	width   int
	slots   uint64
}

func (b *book) charge(blame core.Blame, n int) {
	b.charged[blame] += uint64(n)
	b.slots += uint64(n)
}

// turn is a cycle of a front end that does something.
func turn(r *rand.Rand, now clock.Cycle, s *core.Slots, b *book) {
	s.Awake(now)
	for k := range b.last {
		if r.IntN(3) == 0 {
			b.last[k] = anyBlame(r)
			s.Stall(now, k, 0, b.width, b.last[k])
			b.charge(b.last[k], b.width)
			continue
		}
		place := 0
		for place < b.width && r.IntN(3) > 0 {
			in := uint32(r.IntN(instructions))
			s.Use(now, k, place, in)
			b.charge(core.Blame{Instruction: in, Cause: counters.CauseIssued}, 1)
			place++
		}
		blame := anyBlame(r)
		if place < b.width && r.IntN(2) == 0 {
			other := anyBlame(r)
			s.Lose(now, k, place, 1, other)
			b.charge(other, 1)
			place++
		}
		s.Stall(now, k, place, b.width-place, blame)
		b.last[k] = blame
		b.charge(blame, b.width-place)
	}
}

func anyBlame(r *rand.Rand) core.Blame {
	if r.IntN(4) == 0 {
		return core.NoWarp
	}
	return core.Blame{Instruction: uint32(r.IntN(instructions)), Cause: counters.CauseFetch + counters.Cause(r.IntN(causes-int(counters.CauseFetch)))}
}

// check compares what has been collected with the book.
func check(t *testing.T, seed uint64, set *counters.Set, profile []uint64, b *book) {
	t.Helper()
	var all uint64
	for c := range counters.Cause(causes) {
		all += set[c.Counter()]
	}
	if all != b.slots || set[counters.IssueSlots] != b.slots {
		t.Fatalf("seed %d: %d slots existed, %d were counted and %d have a cause", seed, b.slots, set[counters.IssueSlots], all)
	}
	if got, want := set[counters.StallIdle], b.charged[core.NoWarp]; got != want {
		t.Fatalf("seed %d: %d idle slots, want %d", seed, got, want)
	}
	for in := range instructions {
		for c := range causes {
			want := b.charged[core.Blame{Instruction: uint32(in), Cause: counters.Cause(c)}]
			if got := profile[in*causes+c]; got != want {
				t.Fatalf("seed %d: instruction %d: %d slots %v, want %d", seed, in, got, counters.Cause(c), want)
			}
		}
	}
}

func TestEachSlotHasOneCause(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 61))
		var set counters.Set
		s := core.NewSlots(3, &set, nil)
		profile := make([]uint64, instructions*causes)
		b := &book{charged: map[core.Blame]uint64{}}
		now := clock.Cycle(r.IntN(100))
		for range 1 + r.IntN(4) { // launches, of front ends of several shapes
			b.last, b.width = make([]core.Blame, 1+r.IntN(4)), 1+r.IntN(3)
			for k := range b.last {
				b.last[k] = core.NoWarp
			}
			s.Load(instructions)
			s.Begin(now, len(b.last), b.width)
			for range r.IntN(30) {
				if r.IntN(5) > 0 {
					turn(r, now, &s, b)
					now++
				}
				if r.IntN(3) == 0 {
					n := r.IntN(50)
					for _, last := range b.last {
						b.charge(last, n*b.width)
					}
					now += clock.Cycle(n)
				}
				if r.IntN(6) == 0 { // the front end stops
					k := r.IntN(len(b.last))
					b.last[k] = anyBlame(r)
					s.Await(now, k, b.last[k])
				}
				if r.IntN(6) == 0 { // a reader wants the counters
					s.Settle(now)
					s.Collect(nil, profile)
					check(t, seed, &set, profile, b)
				}
			}
			s.Settle(now)
			s.Collect(nil, profile)
			check(t, seed, &set, profile, b)
		}
	}
}

func TestAWatcherHearsOfEachSlotWhatItIsChargedTo(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 62))
		h := &hearer{fate: map[[2]int]core.Blame{}, charged: map[core.Blame]uint64{}}
		var set counters.Set
		s := core.NewSlots(3, &set, h)
		schedulers, width := 2+r.IntN(2), 1+r.IntN(2)
		b := &book{charged: map[core.Blame]uint64{}, last: make([]core.Blame, schedulers), width: width}
		for k := range b.last {
			b.last[k] = core.NoWarp
		}
		s.Load(instructions)
		s.Begin(0, schedulers, width)
		now := clock.Cycle(r.IntN(5)) // until then there are no warps
		b.charge(core.NoWarp, int(now)*schedulers*width)
		for range 20 {
			// A stall of all slots, whose fate does not change while the front end sleeps.
			turn(r, now, &s, b)
			now++
			s.Awake(now)
			for k := range b.last {
				b.last[k] = anyBlame(r)
				s.Stall(now, k, 0, b.width, b.last[k])
				b.charge(b.last[k], b.width)
			}
			now++
			for range 2 {
				n := r.IntN(9)
				for _, last := range b.last {
					b.charge(last, n*b.width)
				}
				now += clock.Cycle(n)
				b.last[0] = anyBlame(r)
				s.Await(now, 0, b.last[0])
			}
		}
		s.Settle(now)
		h.until(now)
		for blame, want := range b.charged {
			if h.charged[blame] != want {
				t.Fatalf("seed %d: %v at %d: the watcher heard of %d slots, %d are charged", seed, blame.Cause, blame.Instruction, h.charged[blame], want)
			}
		}
	}
}

func TestAWatcherOfAnotherCoreHearsNothing(t *testing.T) {
	h := &hearer{fate: map[[2]int]core.Blame{}, other: true}
	var set counters.Set
	s := core.NewSlots(3, &set, h)
	s.Load(instructions)
	s.Begin(0, 2, 2)
	s.Awake(0)
	s.Use(0, 0, 0, 1)
	s.Lose(0, 0, 1, 1, core.NoWarp)
	s.Stall(0, 1, 0, 2, core.NoWarp)
	if len(h.fate) != 0 {
		t.Errorf("it heard of %d slots", len(h.fate))
	}
}

func TestSlotsChargeRecordedInstructions(t *testing.T) {
	var set counters.Set
	s := core.NewSlots(0, &set, nil)
	s.Load(3)
	s.Begin(10, 1, 2)
	s.Awake(10)
	s.Use(10, 0, 0, 2)
	s.Stall(10, 0, 1, 1, core.Blame{Instruction: 1, Cause: counters.CauseMemory})
	if s.Used(2) != 1 || s.Used(1) != 0 {
		t.Errorf("instructions 1 and 2 used %d and %d slots", s.Used(1), s.Used(2))
	}
	s.Settle(14)
	profile := make([]uint64, 2*causes)
	s.Collect([]uint32{0, 1, 0}, profile) // the third is a copy of the first
	want := make([]uint64, 2*causes)
	want[int(counters.CauseIssued)], want[causes+int(counters.CauseMemory)] = 1, 1+3*2
	for i := range want {
		if profile[i] != want[i] {
			t.Errorf("instruction %d, %v: %d slots, want %d", i/causes, counters.Cause(i%causes), profile[i], want[i])
		}
	}
	if s.Used(2) != 0 || set[counters.IssueSlots] != 8 || set[counters.SlotIssued] != 1 || set[counters.StallMemory] != 7 {
		t.Errorf("%d slots: %d issued, %d waited for memory", set[counters.IssueSlots], set[counters.SlotIssued], set[counters.StallMemory])
	}
}

func TestSlotsAllocateNothingFromTheSecondLaunchOn(t *testing.T) {
	var set counters.Set
	s := core.NewSlots(0, &set, nil)
	profile := make([]uint64, instructions*causes)
	now := clock.Cycle(0)
	launch := func() {
		s.Load(instructions)
		s.Begin(now, 2, 2)
		s.Awake(now)
		s.Use(now, 0, 0, 1)
		s.Lose(now, 0, 1, 1, core.Blame{Instruction: 1, Cause: counters.CauseUnit})
		s.Stall(now, 1, 0, 2, core.NoWarp)
		now += 7
		s.Settle(now)
		s.Collect(nil, profile)
	}
	launch()
	if n := testing.AllocsPerRun(10, launch); n != 0 {
		t.Errorf("%v allocations a launch", n)
	}
}
