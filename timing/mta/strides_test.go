// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"math/rand/v2"
	"testing"
)

func tables(warpEntries int) strides {
	return newStrides(&Section{WarpEntries: warpEntries, GlobalEntries: 4, ThreadEntries: 4, TrainingWarps: 3})
}

func TestAWarpsStrideIsKnownWhenItComesTwice(t *testing.T) {
	s := tables(64)
	at := place{1, 5}
	for i, want := range []int64{0, 0, 256, 256, 0, 0, -64} {
		address := []uint64{1000, 1256, 1512, 1768, 1800, 1736, 1672}[i]
		if got, _ := s.ofWarp(uint64(i+1), 7, at, address); got != want {
			t.Errorf("access %d: stride %d, want %d", i, got, want)
		}
	}
}

func TestAnAddressThatStaysIsNoStride(t *testing.T) {
	s := tables(64)
	for i := range uint64(5) {
		if got, _ := s.ofWarp(i+1, 7, place{1, 0}, 4096); got != 0 {
			t.Errorf("access %d: stride %d", i, got)
		}
	}
}

// TestThreeWarpsMakeAStrideHoldForAll: from then on without training.
func TestThreeWarpsMakeAStrideHoldForAll(t *testing.T) {
	s := tables(64)
	tick := uint64(0)
	for warp := range int32(3) {
		for i := range uint64(3) {
			tick++
			_, promoted := s.ofWarp(tick, 7, place{1, warp}, 1<<20*uint64(warp)+i*128)
			if want := warp == 2 && i == 2; promoted != want {
				t.Errorf("warp %d, access %d: promoted %v", warp, i, promoted)
			}
		}
	}
	if got := s.forAll(7); got != 128 {
		t.Errorf("the stride for all is %d, want 128", got)
	}
	if got := s.forAll(8); got != 0 {
		t.Errorf("another instruction has the stride %d", got)
	}
	s.forget()
	if got := s.forAll(7); got != 0 {
		t.Errorf("after a kernel's end the stride is %d", got)
	}
}

func TestNeighbouringWarpsTeachTheStrideBetweenThem(t *testing.T) {
	s := tables(64)
	for warp, want := range []int64{0, 0, 0, 512, 512} {
		if got := s.ofThreads(7, place{1, int32(warp)}, uint64(warp)*512); got != want {
			t.Errorf("warp %d: stride %d, want %d", warp, got, want)
		}
	}
	if got := s.ofThreads(7, place{2, 9}, 1<<30); got != 512 {
		t.Errorf("a warp of another thread block changes the stride to %d", got)
	}
	// The counter of four agreements falls by one for each that disagrees, and the
	// stride changes when it is at one.
	for i, want := range []int64{512, 0, 0, 0, 0, 64} {
		if got := s.ofThreads(7, place{2, int32(11 + 2*i)}, 1<<30+uint64(i+1)*128); got != want {
			t.Errorf("disagreement %d: stride %d, want %d", i, got, want)
		}
	}
}

// TestSmallTablesForgetWhatWasUsedLongestAgo names the instructions that remain.
func TestSmallTablesForgetWhatWasUsedLongestAgo(t *testing.T) {
	s := tables(64)
	for i := range uint32(5) {
		s.promote(i, int64(i)+1)
		s.ofThreads(i, place{1, 0}, 0)
		if i == 3 {
			s.forAll(0)
			s.ofThreads(0, place{1, 1}, 64)
		}
	}
	if s.forAll(0) != 1 || s.forAll(1) != 0 || s.forAll(4) != 5 {
		t.Errorf("global strides: %v", s.global)
	}
	for i := range s.threads {
		if s.threads[i].instruction == 1 {
			t.Errorf("strides between warps: %v", s.threads)
		}
	}
}

// slowStrides is the table of single warps without a limit of its size.
type slowStrides struct {
	last   map[slowKey]uint64
	stride map[slowKey]int64
	known  map[slowKey]bool
}

type slowKey struct {
	instruction uint32
	at          place
}

func (s *slowStrides) access(k slowKey, address uint64) (stride int64, promoted bool) {
	last, seen := s.last[k]
	s.last[k] = address
	if !seen {
		return 0, false
	}
	step := int64(address - last)
	s.known[k] = step != 0 && step == s.stride[k]
	s.stride[k] = step
	if !s.known[k] {
		return 0, false
	}
	agree := 0
	for other, known := range s.known {
		if known && other.instruction == k.instruction && s.stride[other] == step {
			agree++
		}
	}
	return step, agree >= 3
}

func TestTheTableOfWarpsIsTheSlowOneWhileItHasRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		fast := tables(4096)
		slow := slowStrides{map[slowKey]uint64{}, map[slowKey]int64{}, map[slowKey]bool{}}
		for i := range uint64(2000) {
			k := slowKey{uint32(r.IntN(4)), place{uint32(1 + r.IntN(2)), int32(r.IntN(12))}}
			address := slow.last[k] + []uint64{128, 128, 128, 256, 0, ^uint64(63)}[r.IntN(6)]
			stride, promoted := fast.ofWarp(i+1, k.instruction, k.at, address)
			wantStride, wantPromoted := slow.access(k, address)
			if stride != wantStride || promoted != wantPromoted {
				t.Fatalf("access %d: stride %d, promoted %v; the slow table says %d, %v", i, stride, promoted, wantStride, wantPromoted)
			}
		}
	}
}

func TestTheThrottleFollowsEarlyEvictions(t *testing.T) {
	th := newThrottle(&Section{PeriodCycles: 100, HighPercent: 2, LowPercent: 1, Degree: 2})
	for i, c := range []struct{ useful, evicted, want int }{
		{1000, 0, 1}, {1000, 5, 0}, {0, 0, 0}, {1000, 15, 1}, {1000, 20, 2}, {1000, 21, 5}, {1000, 15, 5}, {0, 1, 5}, {0, 0, 4},
	} {
		th.useful, th.evicted = c.useful, c.evicted
		th.set(th.next - 1)
		th.set(th.next)
		if th.degree != c.want {
			t.Errorf("period %d: %d early evictions of %d useful prefetches: degree %d, want %d", i, c.evicted, c.useful, th.degree, c.want)
		}
	}
	for degree := range mostThrottled + 1 {
		th := throttle{degree: degree}
		allowed := 0
		for range 100 {
			if th.allows() {
				allowed++
			}
		}
		if want := 100 - 20*degree; allowed != want {
			t.Errorf("degree %d allows %d of 100, want %d", degree, allowed, want)
		}
	}
}

// A set that is full gives up the warp that was used longest ago, not the one that came
// first.
func TestAFullSetForgetsTheWarpUsedLongestAgo(t *testing.T) {
	s := tables(warpWays) // one set
	tick := uint64(0)
	use := func(warp int, address uint64) int64 {
		tick++
		stride, _ := s.ofWarp(tick, 7, place{1, int32(warp)}, address)
		return stride
	}
	for warp := range warpWays {
		for n := range uint64(3) {
			use(warp, n*64)
		}
	}
	for warp := range warpWays {
		if warp != 2 {
			use(warp, 3*64)
		}
	}
	use(warpWays, 0)
	for warp := range warpWays {
		if warp == 2 {
			continue
		}
		if got := use(warp, 4*64); got != 64 {
			t.Errorf("warp %d, used lately, has stride %d", warp, got)
		}
	}
}

// Every period counts for itself.
func TestAPeriodOfTheThrottleBeginsWithNothing(t *testing.T) {
	h := throttle{period: 100, high: 2, low: 1, degree: 2, next: 100}
	h.evicted, h.useful = 5, 2 // more than two each
	h.set(100)
	if h.degree != mostThrottled {
		t.Fatalf("degree %d", h.degree)
	}
	h.evicted = 1 // and nothing useful
	h.degree = 2
	h.set(200)
	if h.degree != mostThrottled {
		t.Errorf("degree %d with an early eviction and nothing useful", h.degree)
	}
	h.degree, h.useful = 2, 1
	h.set(300)
	if h.degree != 1 {
		t.Errorf("degree %d with nothing evicted", h.degree)
	}
}

// Instructions do not disturb each other: as many as the table has entries learn what each learns alone.
func TestInstructionsLearnApart(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	for range 30 {
		together := tables(64)
		var alone [4]strides
		for i := range alone {
			alone[i] = tables(64)
		}
		for n := range 300 {
			i := uint32(r.IntN(len(alone)))
			at := place{uint32(1 + r.IntN(2)), int32(r.IntN(8))}
			address := uint64(i+1)*512*uint64(at.warp) + 64*uint64(r.IntN(2)*r.IntN(2))
			if got, want := together.ofThreads(i, at, address), alone[i].ofThreads(i, at, address); got != want {
				t.Fatalf("access %d, instruction %d: the stride to the next warp is %d, alone %d", n, i, got, want)
			}
		}
	}
}
