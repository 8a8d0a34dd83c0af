// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/divergence"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// asking is an assistant that holds an instruction of warp 0 until a cycle, and notes what it hears. It asks the SM to look again
// at all warps in the cycles of rechecks.
type asking struct {
	seam.FrontEnd
	sm       *sm.SM
	hook     sm.Assistance
	at       uint32
	hold     sm.Hold
	until    clock.Cycle
	now      clock.Cycle
	rechecks []clock.Cycle
	seen     func(now clock.Cycle) // called in every cycle, nil for none

	asked                  map[uint32]int // how often, by instruction
	issued, loaded, opened []heard
	masks                  []uint32
}

func (a *asking) Placed(clock.Cycle, int) {}
func (a *asking) Holds(w int, instruction uint32) sm.Hold {
	a.asked[instruction]++
	if w == 0 && instruction == a.at && a.now < a.until {
		return a.hold
	}
	return sm.HoldNothing
}
func (a *asking) Issued(now clock.Cycle, w int, instruction, mask uint32) {
	a.issued, a.masks = append(a.issued, heard{now, 0, w, instruction}), append(a.masks, mask)
}
func (a *asking) Loaded(now clock.Cycle, w int, instruction uint32) {
	a.loaded = append(a.loaded, heard{now, 0, w, instruction})
}
func (a *asking) Opened(now clock.Cycle, slot int) {
	a.opened = append(a.opened, heard{now, 0, slot, 0})
}
func (a *asking) ExtraEnded(clock.Cycle)      {}
func (a *asking) Ended(clock.Cycle, int) bool { return false }

func (a *asking) Cycle(now clock.Cycle) clock.Cycle {
	if a.now = now; a.seen != nil {
		a.seen(now)
	}
	if slices.Contains(a.rechecks, now) {
		for rest := a.sm.Present(); !rest.Empty(); rest = rest.Rest() {
			a.hook.Recheck(rest.Lowest())
		}
	}
	a.FrontEnd.Cycle(now)
	return now + 1
}

// withAssistant replays a launch with the assistant, which is asked of some instructions.
func withAssistant(t *testing.T, m *arch.Machine, a *asking, l gputest.Launch, marked ...int) *gpu.Run {
	t.Helper()
	x := driven(func(s *sm.SM, next seam.FrontEnd) (front seam.FrontEnd, err error) {
		a.FrontEnd, a.sm, a.asked = next, s, map[uint32]int{}
		a.hook, err = s.Assist(a)
		return a, err
	})
	x.Programs = assisted(marked...)
	return tried(t, m, steady(), x, l)
}

// An instruction that the assistant holds issues in the cycle of the look behind the hold, and its slots are lost to what the
// assistant says. Others are not asked of. What the hold does not reach, nothing delays.
func TestAnAssistantHoldsAnInstruction(t *testing.T) {
	const held = 60
	for _, class := range []trace.OpClass{trace.ClassF32Fma, trace.ClassNop} { // one that needs a unit, and one that needs none
		for hold, stall := range map[sm.Hold]counters.ID{sm.HoldCompute: counters.StallCompute, sm.HoldMemory: counters.StallMemory} {
			k := gputest.NewKernel("held")
			k.Op(trace.ClassF32Fma, 1, 2).Op(class, gputest.None, 3).Op(trace.ClassF32Fma, 4, 5).Exit()
			a := &asking{at: 1, hold: hold, until: held, rechecks: []clock.Cycle{20, 40, held + 7, held + 20}}
			r := withAssistant(t, gputest.Machine(), a, straight(k), 1)
			const issues = held + 7 // the first look behind it
			if want := clock.Cycle(issues + 1 + addition + 1); r.Cycles != want || r.Total[stall] != issues-firstIssue-1 {
				t.Errorf("%v held for reason %d: %d cycles and %d slots lost, want %d and %d", class, hold, r.Cycles, r.Total[stall], want, issues-firstIssue-1)
			}
			if want := []heard{{issues, 0, 0, 1}}; !slices.Equal(a.issued, want) || len(a.asked) != 1 || a.asked[1] < 4 {
				t.Errorf("%v: told of %+v, asked of %v; want %+v", class, a.issued, a.asked, want)
			}
		}
	}
}

// A scheduler that lets one warp issue, or stays with one, goes on to another while the first is held for something to be computed: the
// other may compute it. It does not while the first is held for memory.
func TestASchedulerLeavesAWarpThatWaitsForOthers(t *testing.T) {
	k := gputest.NewKernel("held")
	k.Op(trace.ClassF32Fma, 1, 2).Op(trace.ClassF32Fma, 3, 4).Exit()
	for name, change := range map[string]func(*arch.SM){
		"one at a time": func(s *arch.SM) { s.Scheduler, s.SchedulerWarps = "warp-limit", 1 }, "stays": func(s *arch.SM) { s.WarpSwitch = "non" },
	} {
		for hold, leaves := range map[sm.Hold]bool{sm.HoldCompute: true, sm.HoldMemory: false} {
			m := gputest.Machine()
			change(&m.SM)
			a := &asking{at: 1, hold: hold, until: 100, rechecks: []clock.Cycle{30, 100}}
			withAssistant(t, m, a, gputest.Launch{Kernel: k, Blocks: 1, Threads: 64}, 1)
			if len(a.issued) != 2 {
				t.Fatalf("%s: told of %+v", name, a.issued)
			}
			if other := a.issued[0].who == 1 && a.issued[0].at < 30; other != leaves || a.issued[0].who == 0 && a.issued[0].at != 100 {
				t.Errorf("%s, held for reason %d: %+v", name, hold, a.issued)
			}
		}
	}
}

// The assistant hears of issues with the lanes that take part, of loads when their registers are written, and of
// barriers when they open. Not of what it has not asked for.
func TestAnAssistantHearsOfItsInstructions(t *testing.T) {
	k := gputest.NewKernel("told")
	k.Load(trace.SpaceGlobal, 1, 2).Load(trace.SpaceGlobal, 3, 4).Guarded(0).Op(trace.ClassIntAdd, 5, 6).Op(trace.ClassIntAdd, 7, 8).Barrier("sync", 0)
	k.Exit()
	a := &asking{}
	withAssistant(t, gputest.Machine(), a, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
		w.VisitGuarded(0, w.Lanes, 0xf0)
		w.Visit(1, w.Lanes)
	}}, 1, 3)
	wantIssued := []heard{{firstIssue + 1, 0, 0, 1}, {firstIssue + 3, 0, 0, 3}}
	wantLoaded, wantOpened := []heard{{firstIssue + 1 + access, 0, 0, 1}}, []heard{{firstIssue + 4, 0, 0, 0}}
	if !slices.Equal(a.issued, wantIssued) || !slices.Equal(a.masks, []uint32{0xf0, gputest.Full}) || !slices.Equal(a.loaded, wantLoaded) || !slices.Equal(a.opened, wantOpened) {
		t.Errorf("issued %+v %#x, loaded %+v, opened %+v; want %+v, %+v, %+v", a.issued, a.masks, a.loaded, a.opened, wantIssued, wantLoaded, wantOpened)
	}
}

// visited is the stream of a warp that a test starts: visits of basic block 0.
type visited struct {
	left   int
	closed *int
}

func (v *visited) Next(visit *seam.Visit) bool {
	v.left--
	*visit = seam.Visit{BasicBlock: 0, Mask: 1}
	return v.left >= 0
}
func (v *visited) Guard() uint32                        { return 1 }
func (v *visited) Access() (trace.Access, *wtape.Chunk) { return trace.Access{}, nil }
func (v *visited) Arrives(mask uint32, _ bool) uint32   { return mask }
func (v *visited) Resumes(lanes uint32) (uint32, bool)  { return lanes, true }
func (v *visited) Close()                               { *v.closed++ }

// starting is an assistant that starts its own warp whenever none is there, until left is zero.
type starting struct {
	asking
	left, closed int
	ends         []clock.Cycle
	there        bool
	wrong        int // cycles in which its slot is taken without it, or free with it, and ends with an open stream
}

func (a *starting) Placed(now clock.Cycle, slot int) { a.start(now) }
func (a *starting) start(now clock.Cycle) {
	if a.left > 0 && !a.there {
		a.left, a.there = a.left-1, true
		a.hook.StartExtra(now, &visited{left: 2, closed: &a.closed})
	}
}
func (a *starting) ExtraEnded(now clock.Cycle) {
	if a.ends, a.there = append(a.ends, now), false; a.closed != len(a.ends) {
		a.wrong++
	}
}

func (a *starting) Cycle(now clock.Cycle) clock.Cycle {
	if a.sm.Present().Has(a.hook.ExtraSlot()) != a.there {
		a.wrong++
	}
	if a.sm.Resident() > 0 {
		a.start(now)
	}
	return a.asking.Cycle(now)
}

// An assistant can start its own warp again and again among the warps of thread blocks. The slot is free between two starts.
func TestAnAssistantsWarpCanBeStartedAgain(t *testing.T) {
	const links, times = 3, 4
	k := gputest.NewKernel("both")
	chained(k, links).Barrier("sync", 0) // which the assistant's warp passes alone
	chained(k, 200).Exit()
	a := &starting{left: times}
	m := gputest.Machine()
	x := driven(func(s *sm.SM, next seam.FrontEnd) (front seam.FrontEnd, err error) {
		a.FrontEnd, a.sm, a.asked = next, s, map[uint32]int{}
		a.hook, err = s.Assist(a)
		return a, err
	})
	x.Divergence = func(_ *arch.Machine, next divergence.Policy) divergence.Policy {
		next.KeepsInstructions = false // there are more
		return next
	}
	r := tried(t, m, steady(), x, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32})
	if got, want := r.Total[counters.IssuedWarp], uint64(links+1+200+1+times*2*(links+1)); got != want || a.closed != times || len(a.ends) != times {
		t.Errorf("%d instructions, want %d; %d of %d streams closed, ends in %v", got, want, a.closed, times, a.ends)
	}
	if a.wrong > 0 {
		t.Errorf("the slot or stream of the assistant's warp is wrong in %d cycles", a.wrong)
	}
	if got := r.Total[counters.IssuedThread]; got != 32*(links+1+200+1)+times*2*(links+1) {
		t.Errorf("%d thread instructions: the assistant's warp has one lane", got)
	}
	for i := 1; i < len(a.ends); i++ {
		if d := a.ends[i] - a.ends[i-1]; d < 2*links*addition {
			t.Errorf("the assistant's warp ends in cycles %v, which %d additions are longer than", a.ends, 2*links)
		}
	}
}

// An SM that has all warps that the model takes has no slot left for an assistant's.
func TestAnAssistantNeedsASlotOfItsOwn(t *testing.T) {
	for more, refused := range []bool{true, false} {
		m := gputest.Machine()
		m.SM.MaxWarps = warpset.Max - more
		m.SetSection("trial", &trial{driven(func(s *sm.SM, next seam.FrontEnd) (seam.FrontEnd, error) {
			_, err := s.Assist(&asking{})
			return next, err
		})})
		if _, err := gpu.New(m, options(nil)); (err != nil) != refused || refused && !strings.Contains(err.Error(), "sm.max_warps") {
			t.Errorf("%d warps: %v", m.SM.MaxWarps, err)
		}
	}
}
