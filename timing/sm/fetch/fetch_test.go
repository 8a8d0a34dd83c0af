// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/warpset"
)

func buffers(width, room, line int) *Buffers {
	f := New(&arch.Machine{SM: arch.SM{FetchWidth: width, InstructionBuffer: room, InstructionBytes: 8}, Instruction: arch.Cache{LineBytes: line}}, 8)
	f.Begin(1000)
	return &f
}

// A warp wants instructions while a whole fetch has room and its path goes on.
func TestAWarpWantsInstructionsWhileAFetchHasRoom(t *testing.T) {
	for _, c := range []struct{ width, room, fetches int }{{1, 2, 2}, {2, 2, 1}, {2, 5, 2}, {4, 2, 1}, {2, 8, 4}} {
		f := buffers(c.width, c.room, 0)
		f.Start(3)
		f.Enter(3, 10, 30)
		f.Update(3)
		n := 0
		for ; f.Wanted().Has(3); n++ {
			_, count := f.Request(3)
			f.Deliver(3, count, 5)
		}
		if n != c.fetches {
			t.Errorf("width %d, room %d: %d fetches fill the buffer, want %d", c.width, c.room, n, c.fetches)
		}
		f.Decoded(5)
		f.Take(3)
		f.Update(3)
		if want := (c.fetches*min(c.width, c.room) - 1 + min(c.width, c.room)) <= c.room; f.Wanted().Has(3) != want {
			t.Errorf("width %d, room %d: with one issued it wants more: %v", c.width, c.room, !want)
		}
	}
}

// A fetch ends with the line and with the path.
func TestAFetchEndsWithItsLineAndItsPath(t *testing.T) {
	for _, c := range []struct {
		line            int
		index, end      uint32
		address, number int
	}{
		{0, 0, 9, 1000, 4},     // no lines
		{32, 0, 9, 992, 3},     // 1000 is 8 bytes into its line of four instructions
		{32, 3, 9, 1024, 4},    // a line's first
		{32, 6, 9, 1024, 1},    // its last
		{32, 3, 5, 1024, 2},    // the path ends first
		{4, 1, 9, 1008, 1},     // lines shorter than an instruction
		{128, 1, 40, 896, 2},   // 1008 is the 15th of 16
		{128, 20, 21, 1152, 1}, // one is left
	} {
		f := buffers(4, 8, c.line)
		f.Enter(0, c.index, c.end)
		if at, n := f.Request(0); at != uint64(c.address) || n != c.number {
			t.Errorf("%+v: %d instructions from %d", c, n, at)
		}
	}
}

// What is delivered can issue when it is decoded, and what is buffered is not fetched
// again when the path goes on in memory.
func TestInstructionsIssueOnceTheyAreDecoded(t *testing.T) {
	f := buffers(2, 4, 0)
	f.Enter(1, 10, 13)
	f.Update(1)
	if first := f.Deliver(1, 1, 20); first != 10 || f.Ready(1) {
		t.Errorf("delivered from %d on, and ready before decode: %v", first, f.Ready(1))
	}
	f.Deliver(1, 1, 22)
	if _, ok := f.Decoded(19); ok || f.Ready(1) || f.Due() != 20 {
		t.Errorf("decoded before its cycle, or due in cycle %d", f.Due())
	}
	if w, ok := f.Decoded(21); w != 1 || !ok || !f.Ready(1) || f.Due() != 22 {
		t.Errorf("warp %d is decoded (%v), due in cycle %d", w, ok, f.Due())
	}
	f.Take(1)
	if f.Ready(1) {
		t.Error("ready with one that is still decoded")
	}
	f.Enter(1, 11, 20) // instruction 11 is in the buffer
	if at, n := f.Request(1); at != 1000+12*8 || n != 2 {
		t.Errorf("%d instructions from %d, want 2 from instruction 12", n, at)
	}
	if f.Quiet(warpset.Of(1)) || !f.Quiet(warpset.Of(2)) {
		t.Error("quiet while an instruction is decoded, or not for another warp")
	}
}

func TestFetchWaitsForABranch(t *testing.T) {
	f := buffers(1, 2, 0)
	f.Enter(1, 10, 13)
	f.Redirect(1)
	f.Update(1)
	if f.Wanted().Has(1) {
		t.Error("wanted before the branch is resolved")
	}
	f.Resolved(1)
	if !f.Wanted().Has(1) {
		t.Error("not wanted after it is")
	}
	f.End(1)
	if !f.Wanted().Empty() {
		t.Error("wanted by a warp that has issued everything")
	}
}

// All that wait for a line take it, the lowest slot first; others wait on.
func TestALineServesAllThatWaitForIt(t *testing.T) {
	f := buffers(2, 4, 0)
	for w, index := range []uint32{5, 9, 5} {
		f.Enter(w, index, 20)
		f.Update(w)
		address, n := f.Request(w)
		f.Await(w, address, n-w%2)
		f.Update(w)
	}
	if !f.Wanted().Empty() || f.Awaiting() != warpset.First(3) || f.Quiet(warpset.Set{}) || f.Awaited(1) != 1000+9*8 {
		t.Errorf("wanted %v, awaiting %v", f.Wanted(), f.Awaiting())
	}
	for _, want := range []int{0, 2} {
		if w, n, ok := f.Arrived(1000 + 5*8); w != want || n != 2 || !ok {
			t.Errorf("the line serves warp %d with %d instructions (%v), want %d with 2", w, n, ok, want)
		}
		f.Deliver(want, 2, 7)
	}
	if _, _, ok := f.Arrived(1000 + 5*8); ok || f.Awaiting() != warpset.Of(1) || f.Wanted() != warpset.Of(0).With(2) {
		t.Errorf("afterwards: awaiting %v, wanted %v", f.Awaiting(), f.Wanted())
	}
	if w, n, ok := f.Arrived(1000 + 9*8); w != 1 || n != 1 || !ok {
		t.Errorf("the other line serves warp %d with %d", w, n)
	}
}

// Where a line is taken in turn, the warps that wait for it take it in the order in which
// they asked, and nothing else is fetched for them meanwhile.
func TestALineIsTakenInTheOrderInWhichItWasAskedFor(t *testing.T) {
	f := New(&arch.Machine{SM: arch.SM{FetchWidth: 2, InstructionBuffer: 4, InstructionBytes: 8, FetchArrivals: true}}, 8)
	f.Begin(1000)
	for _, w := range []int{4, 1, 6, 2} {
		index := uint32(5)
		if w == 6 {
			index = 9
		}
		f.Enter(w, index, 20)
		f.Update(w)
		address, n := f.Request(w)
		f.Await(w, address, n)
		f.Update(w)
	}
	f.Arrive(1000 + 9*8)
	f.Arrive(1000 + 5*8)
	f.Arrive(1000 + 5*8) // another's access to the same line
	f.Update(2)          // as when a warp issues something meanwhile
	f.End(2)
	for i, want := range []int{6, 4, 1, 2} {
		if !f.Wanted().Has(want) || f.Quiet(warpset.Set{}) {
			t.Errorf("warp %d does not want its line", want)
		}
		w, n, ok := f.NextArrived()
		if w != want || n != 2 || !ok {
			t.Errorf("%d: warp %d takes %d instructions (%v), want warp %d", i, w, n, ok, want)
		}
		if f.Wanted().Has(w) || f.Awaiting().Has(w) {
			t.Errorf("warp %d still waits", w)
		}
		f.Deliver(w, n, 7)
	}
	if _, _, ok := f.NextArrived(); ok || !f.Awaiting().Empty() {
		t.Error("something waits that has been served")
	}
}

func TestUrgentWarpsAreFetchedForFirst(t *testing.T) {
	f := buffers(1, 2, 0)
	for w := range 6 {
		f.Enter(w, 0, 9)
		f.Update(w)
	}
	for last, want := range map[int]int{0: 1, 4: 5, 5: 0, 7: 0} {
		if got := f.Next(last); got != want {
			t.Errorf("after warp %d comes %d, want %d", last, got, want)
		}
	}
	f.SetUrgent(warpset.Of(2).With(7))
	for last, want := range map[int]int{0: 2, 2: 2, 4: 2} {
		if got := f.Next(last); got != want {
			t.Errorf("urgent is warp 2: after warp %d comes %d", last, got)
		}
	}
	f.SetUrgent(warpset.Of(7))
	if got := f.Next(0); got != 1 {
		t.Errorf("an urgent warp that wants nothing keeps fetch at %d", got)
	}
	f.Begin(0)
	if !f.Urgent().Empty() {
		t.Error("a warp is urgent in a new program")
	}
}

// A follower's instructions are always there, and none is fetched for it; when it
// follows no more, fetch begins at its next instruction.
func TestNothingIsFetchedForFollowers(t *testing.T) {
	f := buffers(2, 4, 0)
	f.Enter(1, 10, 20)
	f.Update(1)
	f.Deliver(1, 2, 3)
	f.Decoded(3)
	if changed := f.Follow(warpset.Of(1).With(2)); changed != warpset.Of(1).With(2) {
		t.Errorf("changed: %v", changed)
	}
	f.Restart(1, 11)
	if f.Wanted().Has(1) || !f.Ready(1) {
		t.Error("a follower wants instructions, or has none")
	}
	f.Take(1)
	f.Update(1)
	if changed := f.Follow(warpset.Of(2)); changed != warpset.Of(1) {
		t.Errorf("changed: %v", changed)
	}
	f.Restart(1, 12)
	if at, n := f.Request(1); !f.Wanted().Has(1) || f.Ready(1) || at != 1000+12*8 || n != 2 {
		t.Errorf("no more a follower: ready %v, %d instructions from %d", f.Ready(1), n, at)
	}
}

// What is delivered is decoded in that order, each in its cycle, however much is under
// way and wherever the ring of it begins.
func TestDecodeKeepsTheOrderOfDelivery(t *testing.T) {
	f := buffers(1, 64, 0)
	r := rand.New(rand.NewPCG(5, 6))
	type planned struct {
		at clock.Cycle
		w  int
	}
	var list []planned
	for now := clock.Cycle(0); now < 3000; now++ {
		var want, got []int
		for len(list) > 0 && list[0].at <= now {
			want, list = append(want, list[0].w), list[1:]
		}
		for w, ok := f.Decoded(now); ok; w, ok = f.Decoded(now) {
			got = append(got, w)
			f.Take(w)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("cycle %d: warps %v are decoded, want %v", now, got, want)
		}
		for range r.IntN(3) {
			p := planned{now + 1 + now/200, r.IntN(8)}
			f.Enter(p.w, 0, 9)
			f.Deliver(p.w, 1, p.at)
			list = append(list, p)
		}
		if due := append(list, planned{at: clock.Never})[0].at; f.Due() != due || f.Busy() != (len(list) > 0) {
			t.Fatalf("cycle %d: due in %d, want %d; busy %v", now, f.Due(), due, f.Busy())
		}
	}
}

// A warp that comes into a slot begins with an empty buffer, and fetches what it enters, whatever was left of the one
// before.
func TestAWarpBeginsWithAnEmptyBuffer(t *testing.T) {
	f := buffers(2, 6, 0)
	f.Start(3)
	f.Enter(3, 10, 30)
	f.Deliver(3, 2, 5)
	f.Decoded(5)
	f.Update(3)
	if !f.Ready(3) {
		t.Fatal("a warp with decoded instructions is not ready")
	}
	f.Redirect(3)
	f.Start(3)
	f.Enter(3, 50, 60)
	f.Update(3)
	if at, n := f.Request(3); f.Ready(3) || !f.Wanted().Has(3) || at != 1000+50*8 || n != 2 {
		t.Errorf("ready %v, wants %v, fetches %d from %d", f.Ready(3), f.Wanted().Has(3), n, at)
	}
}

// A warp that comes into a slot which follows another does so, also in a slot that is made after it was named. What held
// the warp before does not hold it.
func TestAWarpFollowsWhereItsSlotDoes(t *testing.T) {
	f := buffers(2, 4, 0)
	f.Follow(warpset.Of(1).With(9))
	f.Grow(10)
	f.Start(1)
	for _, w := range []int{1, 9} {
		f.Enter(w, 0, 9)
		f.Update(w)
		if !f.Ready(w) || f.Wanted().Has(w) {
			t.Errorf("the warp in slot %d, a follower, is ready: %v, wants instructions: %v", w, f.Ready(w), f.Wanted().Has(w))
		}
	}
	f.Redirect(2)
	f.Start(2)
	f.Enter(2, 30, 40)
	if f.Update(2); !f.Wanted().Has(2) {
		t.Error("the redirection of the warp before holds the next")
	}
}
