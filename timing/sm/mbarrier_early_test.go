// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"context"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm"
	"github.com/warptape/warptape/trace"
)

// Basic blocks of the kernel that newEarly makes.
const (
	earlyFill = iota // a load of shared memory, for which the port is busy
	earlyInit
	earlyMeet
	earlyLook
	earlyMark
	earlyWork
	earlyArrive
	earlyBehind
	earlyCopy
	earlyInvalid
	earlyExpect
	earlyFetch // cp.async
	earlyEnd
)

func newEarly() *gputest.Kernel {
	k := gputest.NewKernel("early")
	k.Load(trace.SpaceShared, 1, 2)
	k.Block()
	k.Mbarrier("init", "shared::cta")
	k.Block()
	k.Barrier("sync")
	k.Mbarrier("try_wait", "parity", "shared::cta")
	k.Block()
	k.Store(trace.SpaceGlobal, 2, 3)
	k.Block()
	k.Op(trace.ClassIntAdd, 1, 1)
	k.Block()
	k.Mbarrier("arrive", "shared::cta")
	k.Block()
	k.Mbarrier("async", "mbarrier", "arrive", "noinc", "shared")
	k.Instructions[len(k.Instructions)-1].Opcode = "cp"
	k.Block()
	k.BulkCopy()
	k.Block()
	k.Mbarrier("inval", "shared::cta")
	k.Block()
	k.Mbarrier("expect_tx", "relaxed", "shared::cta")
	k.Block()
	k.AsyncCopy(2)
	k.Block()
	k.Exit()
	return k
}

// earlyWarp records one warp of that kernel.
type earlyWarp struct{ *gputest.Warp }

func (w earlyWarp) at(block, mask uint32, word uint64) {
	w.VisitWith(block, mask, func(int) (uint64, int64, *[32]uint64) { return word, 0, nil })
}

func (w earlyWarp) number(block uint32, place uint64, number uint32) {
	w.at(block, 1, trace.WithNumber(place, number))
}

func (w earlyWarp) look(place uint64, parity uint8) {
	w.number(earlyLook, place, trace.Look{Parity: parity, Passed: true, Known: true}.Number())
}

func (w earlyWarp) times(n int, block uint32) {
	for range n {
		w.Visit(block, w.Lanes)
	}
}

func (w earlyWarp) mark() { w.at(earlyMark, 1, 0xC000_0000+uint64(w.Warp.Warp)*128) }

// replayEarly replays a thread block of two warps, and gives the cycles of their marks. The port is
// busy with each access for so long.
func replayEarly(t *testing.T, busy clock.Cycle, first, second func(w earlyWarp)) (marks [2]clock.Cycle, err error) {
	t.Helper()
	memory := &gputest.Memory{LatencyCycles: 400, TakesCycles: busy}
	memory.Seen = func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
		if a.Class == trace.ClassStore && a.Space == trace.SpaceGlobal {
			marks[a.Access.Base/128%2] = now
		}
	}
	l := gputest.Launch{Kernel: newEarly(), Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		[]func(w earlyWarp){first, second}[w.Warp](earlyWarp{w})
	}}
	_, err = build(t, gputest.Machine(), memory).Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil)
	return marks, err
}

// A barrier opens before the port has taken the accesses in front of it. A warp behind it looks at
// the mbarrier that is initialised there, not at none.
func TestALookKnowsAnInitialisationThatThePortHasYetToTake(t *testing.T) {
	marks, err := replayEarly(t, 30, func(w earlyWarp) {
		w.times(6, earlyFill)
		w.number(earlyInit, 8, 1)
		w.times(1, earlyMeet)
		w.times(200, earlyWork)
		w.mark()
		w.number(earlyArrive, 8, 1)
		w.times(1, earlyEnd)
	}, func(w earlyWarp) {
		w.times(1, earlyMeet)
		w.look(8, 0)
		w.mark()
		w.times(1, earlyEnd)
	})
	if err != nil {
		t.Fatal(err)
	}
	if marks[0] == 0 || marks[1] <= marks[0] {
		t.Errorf("the looker goes on in cycle %d, before the arrival behind cycle %d", marks[1], marks[0])
	}
}

// Nor is an arrival lost that is no access of the port.
func TestAnArrivalBehindNoCopiesIsNotLostToAnInitialisation(t *testing.T) {
	_, err := replayEarly(t, 30, func(w earlyWarp) {
		w.times(6, earlyFill)
		w.number(earlyInit, 8, 2)
		w.times(1, earlyMeet)
		w.number(earlyArrive, 8, 1)
		w.look(8, 0)
		w.times(1, earlyEnd)
	}, func(w earlyWarp) {
		w.times(1, earlyMeet)
		w.number(earlyBehind, 8, 1)
		w.look(8, 0)
		w.times(1, earlyEnd)
	})
	if err != nil {
		t.Error(err)
	}
}

// Lanes that look at an mbarrier and at one that never was initialised hold their warp once: it
// does not pass the next look when the copies of the second have come.
func TestLanesThatLookAtDifferentMbarriersHoldTheirWarpOnce(t *testing.T) {
	marks, err := replayEarly(t, 1, func(w earlyWarp) {
		w.number(earlyInit, 8, 1)
		w.times(1, earlyMeet)
		w.times(20, earlyWork)
		w.number(earlyArrive, 8, 1)
		w.times(300, earlyWork)
		w.mark()
		w.number(earlyArrive, 8, 1)
		w.times(1, earlyEnd)
	}, func(w earlyWarp) {
		w.times(1, earlyMeet)
		var b trace.BulkCopy
		b.Add(0xD000_0000, 64)
		b.Completes(16, 0, 64)
		w.Copied(earlyCopy, 1, &b)
		passed := trace.Look{Passed: true, Known: true}.Number()
		w.VisitWith(earlyLook, 3, func(int) (uint64, int64, *[32]uint64) {
			return 0, 0, &[32]uint64{trace.WithNumber(8, passed), trace.WithNumber(16, passed)}
		})
		w.look(8, 1)
		w.mark()
		w.times(1, earlyEnd)
	})
	if err != nil {
		t.Fatal(err)
	}
	if marks[0] == 0 || marks[1] <= marks[0] {
		t.Errorf("the looker goes on in cycle %d, before the arrival behind cycle %d", marks[1], marks[0])
	}
}

// A look waits for the copies that complete its mbarrier where too little is known, and for no
// phase: no warp arrives here.
func TestALookOfWhichTooLittleIsKnownWaitsForCopies(t *testing.T) {
	passed := trace.Look{Passed: true, Known: true}.Number()
	for name, word := range map[string]uint64{
		"without a number": 8, "without an answer": trace.WithNumber(8, trace.Look{}.Number()),
		"in another thread block": trace.WithNumber(8|3<<trace.ClusterRankShift, passed), "not initialised": trace.WithNumber(16, passed),
	} {
		marks, err := replayEarly(t, 1, func(w earlyWarp) {
			w.number(earlyInit, 8, 1)
			w.times(1, earlyMeet)
			w.mark()
			w.times(1, earlyEnd)
		}, func(w earlyWarp) {
			w.times(1, earlyMeet)
			var b trace.BulkCopy
			b.Add(0xD000_0000, 64)
			b.Completes(trace.AddressOf(word), 0, 64)
			w.Copied(earlyCopy, 1, &b)
			w.at(earlyLook, 1, word)
			w.mark()
			w.times(1, earlyEnd)
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if marks[1] < marks[0]+350 {
			t.Errorf("%s: the looker goes on in cycle %d, the copy takes 400 from about cycle %d", name, marks[1], marks[0])
		}
	}
}

// A warp that waits for a phase goes on when something has happened to an mbarrier of its thread
// block, or of its cluster, that is not known; so does one whose mbarrier has become invalid.
func TestWhatIsNotKnownEndsWaits(t *testing.T) {
	several := func(w earlyWarp) {
		var b trace.BulkCopy
		b.Add(0xD000_0000, 64)
		b.Completes(24, 0, 64)
		b.Several = true
		w.Copied(earlyCopy, 1, &b)
	}
	invalid := func(w earlyWarp) { w.number(earlyInvalid, 8, 0) }
	for name, c := range map[string]struct {
		blocks int
		do     func(w earlyWarp)
	}{"a copy to several": {1, several}, "one of another thread block": {2, several}, "an invalid mbarrier": {1, invalid}} {
		m := clusterMachine()
		m.GPU.Clusters.GPCs = 1
		l := gputest.Launch{Kernel: newEarly(), Blocks: c.blocks, Threads: 64, Record: func(w *gputest.Warp) {
			e := earlyWarp{w}
			if w.Warp == 0 {
				e.number(earlyInit, 8, 1)
			}
			e.times(1, earlyMeet)
			if w.Warp == 1 && w.Block == c.blocks-1 {
				e.look(8, 0)
			} else if w.Warp == 0 && w.Block == 0 {
				e.times(100, earlyWork) // the look is before
				c.do(e)
			}
			e.times(1, earlyEnd)
		}}
		if c.blocks > 1 {
			l.Cluster = inRow(c.blocks)
		}
		if _, err := build(t, m, &gputest.Memory{LatencyCycles: 400}).Replay(context.Background(), gputest.NewSource(gputest.Trace(t, l)), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A warp whose path ends with a look stays until the phase is complete, so that none releases
// another one in its place.
func TestAWarpThatEndsWithALookStays(t *testing.T) {
	for _, arrives := range []bool{true, false} {
		_, err := replayEarly(t, 1, func(w earlyWarp) {
			w.number(earlyInit, 8, 1)
			w.times(1, earlyMeet)
			w.times(100, earlyWork)
			if arrives {
				w.number(earlyArrive, 8, 1)
			}
			w.times(1, earlyEnd)
		}, func(w earlyWarp) {
			w.times(1, earlyMeet)
			w.look(8, 0)
		})
		if arrives && err != nil {
			t.Error(err)
		}
		if !arrives && (err == nil || !strings.Contains(err.Error(), "mbarrier at 0x8")) {
			t.Errorf("without an arrival: %v", err)
		}
	}
}

// So does one whose path ends with a look for copies: its slot is taken until they have come.
func TestAWarpThatEndsWithALookForCopiesStays(t *testing.T) {
	const latency = 400
	l := gputest.Launch{Kernel: newEarly(), Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
		e := earlyWarp{w}
		if w.Warp == 1 {
			e.times(1, earlyMeet)
			e.times(10, earlyWork)
			e.at(earlyLook, 1, 8) // no number
			return
		}
		e.number(earlyInit, 8, 1)
		e.times(1, earlyMeet)
		var b trace.BulkCopy
		b.Add(0xD000_0000, 64)
		b.Completes(8, 0, 64)
		w.Copied(earlyCopy, 1, &b)
		e.times(1, earlyEnd)
	}}
	copied, looker := clock.Cycle(0), clock.Cycle(0)
	memory := &gputest.Memory{LatencyCycles: latency, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
		if a.Lines != nil {
			copied = now + latency
		}
	}}
	stepped(t, gputest.Machine(), memory, l, func(now clock.Cycle, s *sm.SM, _ sm.Lockstep) {
		if s.Present().Has(1) {
			looker = now
		}
	})
	if looker < copied {
		t.Errorf("the looker is there until cycle %d, the copy comes in %d", looker, copied)
	}
}

// A look whose phase an arrival completes goes on in the cycle behind the one in which the port takes that access.
func TestALookGoesOnBehindTheArrival(t *testing.T) {
	for _, work := range []int{10, 11, 30} {
		arrived, marked := clock.Cycle(0), clock.Cycle(0)
		memory := &gputest.Memory{LatencyCycles: 400, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
			switch {
			case a.Space == trace.SpaceGlobal:
				marked = now
			case a.WarpSlot == 0:
				arrived = now
			}
		}}
		replay(t, build(t, gputest.Machine(), memory), gputest.Launch{Kernel: newEarly(), Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
			e := earlyWarp{w}
			if w.Warp == 0 {
				e.number(earlyInit, 8, 1)
				e.times(1, earlyMeet)
				e.times(work, earlyWork)
				e.number(earlyArrive, 8, 1)
			} else {
				e.times(1, earlyMeet)
				e.look(8, 0)
				e.mark()
			}
			e.times(1, earlyEnd)
		}})
		if want := arrived + 1 + gputest.OperandRead; arrived == 0 || marked != want {
			t.Errorf("the arrival comes to the port in cycle %d, the mark in %d, want %d", arrived, marked, want)
		}
	}
}

// Each lane of an initialisation is of an mbarrier of its own, and each is known before the port has taken the access.
func TestLanesInitialiseTheirOwnMbarriers(t *testing.T) {
	for lane, place := range map[int]uint64{0: 8, 1: 64, 4: 24, 31: 40} {
		marks, err := replayEarly(t, 30, func(w earlyWarp) {
			w.times(6, earlyFill)
			var words [32]uint64
			for l, place := range map[int]uint64{0: 8, 1: 64, 4: 24, 31: 40} {
				words[l] = trace.WithNumber(place, 1)
			}
			w.VisitWith(earlyInit, 1<<31|1<<4|3, func(int) (uint64, int64, *[32]uint64) { return 0, 0, &words })
			w.times(1, earlyMeet)
			w.times(200, earlyWork)
			w.mark()
			w.number(earlyArrive, place, 1)
			w.times(1, earlyEnd)
		}, func(w earlyWarp) {
			w.times(1, earlyMeet)
			w.look(place, 0)
			w.mark()
			w.times(1, earlyEnd)
		})
		if err != nil || marks[0] == 0 || marks[1] <= marks[0] {
			t.Errorf("the mbarrier of lane %d: the looker goes on in cycle %d, the arrival is behind cycle %d, %v", lane, marks[1], marks[0], err)
		}
	}
}

// A look goes on with an arrival behind copies, whether those are under way or have come.
func TestALookGoesOnWithAnArrivalBehindCopies(t *testing.T) {
	for _, copies := range []int{0, 1, 3} {
		copied, marked := clock.Cycle(0), clock.Cycle(0)
		memory := &gputest.Memory{LatencyCycles: 400, Seen: func(now clock.Cycle, _ int, a *seam.MemoryAccess) {
			if a.Space == trace.SpaceGlobal && a.WarpSlot == 0 {
				copied = now
			} else if a.Space == trace.SpaceGlobal {
				marked = now
			}
		}}
		replay(t, build(t, gputest.Machine(), memory), gputest.Launch{Kernel: newEarly(), Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
			e := earlyWarp{w}
			if w.Warp == 0 {
				e.number(earlyInit, 8, 1)
				e.times(1, earlyMeet)
				e.times(50, earlyWork) // the look is before
				for range copies {
					e.at(earlyFetch, 1, 0xE000_0000)
				}
				e.number(earlyBehind, 8, 1)
			} else {
				e.times(1, earlyMeet)
				e.look(8, 0)
				e.mark()
			}
			e.times(1, earlyEnd)
		}})
		if least := copied + 400; marked == 0 || copies > 0 && marked != least+1+gputest.OperandRead {
			t.Errorf("%d copies, the last answered in cycle %d: the mark comes in %d", copies, least, marked)
		}
	}
}

// A copy that lies beyond its tensor moves nothing, and completes its bytes at once.
func TestACopyOfNothingCompletesAtOnce(t *testing.T) {
	for _, completes := range []bool{true, false} {
		reached := 0
		_, err := build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 400, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
			if a.Lines != nil {
				reached++
			}
		}}).Replay(t.Context(), gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: newEarly(), Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
			e := earlyWarp{w}
			if w.Warp == 1 {
				e.times(1, earlyMeet)
				e.look(8, 0)
				e.times(1, earlyEnd)
				return
			}
			e.number(earlyInit, 8, 1)
			e.times(1, earlyMeet)
			e.number(earlyExpect, 8, 64)
			e.number(earlyArrive, 8, 1)
			e.times(20, earlyWork)
			var b trace.BulkCopy
			if completes {
				b.Completes(8, 0, 64)
			}
			w.Copied(earlyCopy, 1, &b)
			e.times(1, earlyEnd)
		}})), nil)
		if (err == nil) != completes || reached > 0 {
			t.Errorf("it completes %v: %d copies at the port, %v", completes, reached, err)
		}
	}
}
