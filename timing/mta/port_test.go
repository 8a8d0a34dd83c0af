// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// fakePort is a port behind that keeps what it is given until the test answers.
type fakePort struct {
	seam.Port
	issued []seam.MemoryAccess
	asked  []uint64
	tokens []uint32
	held   map[uint64]bool
	ends   []string // of thread blocks and kernels
}

func (f *fakePort) Ready(clock.Cycle) bool                    { return true }
func (f *fakePort) Issue(_ clock.Cycle, a *seam.MemoryAccess) { f.issued = append(f.issued, *a) }
func (f *fakePort) Cycle(clock.Cycle) clock.Cycle             { return clock.Never }
func (f *fakePort) BlockEnd(clock.Cycle, int, int)            { f.ends = append(f.ends, "block") }
func (f *fakePort) KernelBegin(seam.KernelStart)              {}
func (f *fakePort) KernelEnd(clock.Cycle)                     { f.ends = append(f.ends, "kernel") }
func (f *fakePort) Holds(address uint64) bool                 { return f.held[address] }
func (f *fakePort) ReadEarly(_ clock.Cycle, a uint64, token uint32) bool {
	f.asked, f.tokens = append(f.asked, a), append(f.tokens, token)
	return true
}

// fakeSM notes what completes.
type fakeSM struct{ done []uint32 }

func (s *fakeSM) Complete(_ clock.Cycle, token uint32) { s.done = append(s.done, token) }
func (s *fakeSM) Fetched(clock.Cycle, uint64)          {}
func (s *fakeSM) WriteDone(clock.Cycle, int)           {}
func (s *fakeSM) Wake()                                {}

// bench is a port between a fake SM and a fake port.
type bench struct {
	*port
	behind *fakePort
	sm     *fakeSM
	set    *counters.Set
	now    clock.Cycle
}

func newBench(change func(*Section)) *bench {
	s := &Section{
		Enabled: true, Strides: "both", BufferBytes: 16 << 10, BufferWays: 8, LatencyCycles: 35, OutstandingLines: 32, QueueEntries: 32,
		WarpEntries: 256, GlobalEntries: 8, ThreadEntries: 8, TrainingWarps: 3, Distance: 1, PeriodCycles: 1 << 30, HighPercent: 2, LowPercent: 1,
	}
	change(s)
	b := &bench{behind: &fakePort{held: map[uint64]bool{}}, sm: &fakeSM{}, set: new(counters.Set)}
	b.port = newPort(s, 128, 8, 0, b.sm, b.set)
	b.own = new(seam.Path).Tokens()
	b.Port, b.early = b.behind, b.behind
	return b
}

func (b *bench) counted(which counters.ID) uint64 { return b.set[firstCounter+which] }

// load issues a load of consecutive words, from base on, and lets a cycle pass.
func (b *bench) load(warp int, instruction uint32, base uint64, token uint32) {
	b.now += 100
	b.Issue(b.now, &seam.MemoryAccess{
		Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Mask: ^uint32(0), Access: trace.Access{Lanes: -1, Base: base, Stride: 4},
		WarpSlot: warp, Token: token, Instruction: instruction,
	})
	b.Cycle(b.now)
}

// TestStridedLoadsAreFetchedAheadFromTheThirdOn: of n loads of a warp, n-3 find their
// line in the buffer, and one line more than that is asked for.
func TestStridedLoadsAreFetchedAheadFromTheThirdOn(t *testing.T) {
	for _, n := range []int{3, 4, 20, 500} {
		b := newBench(func(s *Section) { s.Strides = "intra_warp" })
		for i := range n {
			b.load(0, 9, uint64(i)*256, uint32(i))
			for _, token := range b.behind.tokens {
				b.Complete(b.now, token)
			}
			b.behind.tokens = nil
		}
		b.Cycle(b.now + 100)
		if got, want := b.counted(countHit), uint64(n-3); got != want || len(b.behind.issued) != 3 {
			t.Errorf("%d loads: %d hits and %d for the L1, want %d and 3", n, got, len(b.behind.issued), want)
		}
		if got, want := b.counted(countPrefetch), uint64(n-2); got != want {
			t.Errorf("%d loads: %d lines asked for, want %d", n, got, want)
		}
		if len(b.sm.done) != n-3 {
			t.Errorf("%d loads: %v completed without the L1", n, b.sm.done)
		}
		if loads, lookups := b.counted(countLoad), b.counted(countLookup); loads != uint64(n) || lookups != uint64(n) {
			t.Errorf("%d loads of a line each: %d loads are counted, %d lines are looked up", n, loads, lookups)
		}
		// Of those that the buffer has, each is told in the next cycle that the test visits, a hundred later.
		if requests, cycles := b.set[counters.LoadRequests], b.set[counters.LoadLatencySum]; requests != uint64(n-3) || cycles != 100*uint64(n-3) {
			t.Errorf("%d loads: %d are counted with %d cycles", n, requests, cycles)
		}
	}
}

// TestAStrideOfThreeWarpsServesAFourthAtOnce: its first access is followed by the
// prefetch of its second.
func TestAStrideOfThreeWarpsServesAFourthAtOnce(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "intra_warp" })
	for warp := range 3 {
		for i := range 3 {
			b.load(warp, 9, uint64(warp)<<20+uint64(i)*128, 0)
		}
	}
	b.behind.asked = nil
	b.load(3, 9, 3<<20, 0)
	if want := []uint64{3<<20 + 128}; !slices.Equal(b.behind.asked, want) {
		t.Errorf("asked for %#x, want %#x", b.behind.asked, want)
	}
	if got := b.counted(countPromotion); got != 1 {
		t.Errorf("%d strides hold for all warps, want 1", got)
	}
}

// What a port is told of the ends of thread blocks and kernels it tells the one behind. A line that is withdrawn has gone.
func TestEndsArePassedOn(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "intra_warp" })
	for i := range 4 {
		b.load(0, 9, uint64(i)*128, 0)
	}
	b.Complete(b.now, b.behind.tokens[0])
	access := &seam.MemoryAccess{Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Mask: 1, Access: trace.Access{Lanes: -1, Base: 3*128 + 8}}
	if !b.Keeps(access) {
		t.Fatal("the line is not there")
	}
	if b.Withdraw(b.now, access); b.Keeps(access) {
		t.Error("a line that is withdrawn is there")
	}
	before := slices.Clone(b.blocks)
	b.BlockEnd(b.now, 2, 0)
	b.KernelEnd(b.now)
	if !slices.Equal(b.behind.ends, []string{"block", "kernel"}) {
		t.Errorf("the port behind is told of %v", b.behind.ends)
	}
	seen := map[uint32]bool{}
	for slot, number := range b.blocks {
		if seen[number] || number == 0 || (number != before[slot]) != (slot == 2) {
			t.Errorf("thread blocks have the numbers %d, after %d", b.blocks, before)
		}
		seen[number] = true
	}
}

// Of a load that comes as parts of lines those go on that the buffer lacks.
func TestPartsOfLinesThatTheBufferHasStay(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "intra_warp" })
	for i := range 4 {
		b.load(0, 9, uint64(i)*128, 0)
	}
	b.Complete(b.now, b.behind.tokens[0]) // line 3 is there, line 4 on its way
	b.behind.issued, b.sm.done = nil, nil
	parts := []seam.LinePart{{Address: 3 * 128, HalfWords: 3}, {Address: 7 * 128, HalfWords: 12}, {Address: 9 * 128, HalfWords: 1}}
	b.Issue(b.now+100, &seam.MemoryAccess{Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Mask: 7, Lines: parts, Token: 5, WarpSlot: 3, Instruction: 30})
	if len(b.behind.issued) != 1 || !slices.Equal(b.behind.issued[0].Lines, parts[1:]) {
		t.Fatalf("%+v goes on, want the parts %+v", b.behind.issued, parts[1:])
	}
	if b.Complete(b.now+200, b.behind.issued[0].Token); !slices.Equal(b.sm.done, []uint32{5}) {
		t.Errorf("complete are %v", b.sm.done)
	}
}

func TestWarpsFetchForTheNextOne(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "inter_thread"; s.Distance = 2 })
	for warp := range 6 {
		b.load(warp, 9, uint64(warp)*128, 0)
	}
	if want := []uint64{5 * 128, 6 * 128, 7 * 128}; !slices.Equal(b.behind.asked, want) {
		t.Errorf("asked for %#x, want %#x", b.behind.asked, want)
	}
}

// TestALoadWaitsForALineOnItsWay and for what the buffer lacks: of two lines one was
// asked for early.
func TestALoadWaitsForALineOnItsWay(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "intra_warp" })
	for i := range 3 {
		b.load(0, 9, uint64(i)*128, 0)
	}
	b.behind.issued = nil
	b.load(1, 10, 3*128+64, 77) // lines 3, on its way, and 4
	if len(b.behind.issued) != 1 || b.behind.issued[0].Mask != 0xFFFF0000 {
		t.Fatalf("handed on: %+v, want the upper lanes", b.behind.issued)
	}
	b.Complete(b.now, b.behind.issued[0].Token)
	if len(b.sm.done) != 0 {
		t.Fatal("the load ends before its line has come")
	}
	b.Complete(b.now, b.behind.tokens[0])
	if !slices.Equal(b.sm.done, []uint32{77}) || b.inFlight() != 0 {
		t.Errorf("completed %v, %d in flight", b.sm.done, b.inFlight())
	}
	if b.counted(countLateHit) != 1 || b.counted(countUseful) != 1 {
		t.Errorf("%d late hits, %d useful", b.counted(countLateHit), b.counted(countUseful))
	}
}

func TestLinesThatTheL1HasAreNotAskedFor(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "intra_warp" })
	b.behind.held[3*128] = true
	for i := range 4 {
		b.load(0, 9, uint64(i)*128, 0)
	}
	if want := []uint64{4 * 128}; !slices.Equal(b.behind.asked, want) || b.counted(countRedundant) != 1 {
		t.Errorf("asked for %#x, want %#x; %d redundant", b.behind.asked, want, b.counted(countRedundant))
	}
}

// TestUnusedLinesThatAreEvictedStopPrefetching: a buffer of two lines, and loads that
// never come where they seem to go.
func TestUnusedLinesThatAreEvictedStopPrefetching(t *testing.T) {
	b := newBench(func(s *Section) {
		s.Strides, s.BufferBytes, s.BufferWays, s.PeriodCycles = "intra_warp", 256, 2, 5000
	})
	for i := range 100 {
		for k := range 3 { // trained, and then gone
			b.load(0, 9, uint64(i)<<20+uint64(k)*128, 0)
		}
		for _, token := range b.behind.tokens {
			b.Complete(b.now, token)
		}
		b.behind.tokens = nil
	}
	// A period has 50 loads of 100 cycles, 16 or 17 of them with a prediction; two
	// lines stay. After the first period all early prefetches were evictions: nothing
	// goes on. Later periods, without evictions, let a fifth more through until the
	// next eviction.
	if first := b.counted(countPrefetch); first < 16 || first > 40 {
		t.Errorf("%d of 100 predictions were asked for, want 16 of the first period and few more", first)
	}
	if b.counted(countEarlyEviction) != b.counted(countPrefetch)-2 {
		t.Errorf("%d early evictions of %d prefetches into two lines", b.counted(countEarlyEviction), b.counted(countPrefetch))
	}
	if sum := b.counted(countPrefetch) + b.counted(countThrottled); sum != 100 {
		t.Errorf("%d predictions, want 100", sum)
	}
}

func TestStoresDropTheirLines(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "intra_warp" })
	for i := range 3 {
		b.load(0, 9, uint64(i)*128, 0)
	}
	b.Complete(b.now, b.behind.tokens[0])
	b.Issue(b.now, &seam.MemoryAccess{Class: trace.ClassStore, Space: trace.SpaceGlobal, LaneBytes: 4, Mask: 1, Access: trace.Access{Lanes: -1, Base: 3*128 + 8}, Token: seam.NoToken})
	b.behind.issued = nil
	b.load(1, 11, 3*128, 5)
	if len(b.behind.issued) != 1 || b.counted(countInvalidated) != 1 {
		t.Errorf("after a store %d loads go on, %d lines are invalidated; want 1 and 1", len(b.behind.issued), b.counted(countInvalidated))
	}
}

func TestAKernelEndEmptiesTheBuffer(t *testing.T) {
	b := newBench(func(s *Section) { s.Strides = "intra_warp" })
	for i := range 4 {
		b.load(0, 9, uint64(i)*128, 0)
	}
	b.Complete(b.now, b.behind.tokens[0])
	b.KernelEnd(b.now) // line 3 is there and useful, line 4 on its way
	b.Complete(b.now, b.behind.tokens[1])
	if b.inFlight() != 0 || b.counted(countInvalidated) != 1 {
		t.Errorf("%d in flight, %d invalidated; want 0 and 1", b.inFlight(), b.counted(countInvalidated))
	}
	for i := range b.buffer.entries {
		if b.buffer.entries[i].state != empty {
			t.Errorf("entry %d is %v", i, b.buffer.entries[i])
		}
	}
}

// Words that reach into the next line are of both: eight bytes, four before the end.
func TestWordsAcrossTheEndOfALineAreOfBothLines(t *testing.T) {
	b := newBench(func(*Section) {})
	b.find(&seam.MemoryAccess{Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 8, Mask: 1, Access: trace.Access{Lanes: -1, Base: 4096 + 124}})
	var lines []uint64
	for _, x := range b.transactions {
		lines = append(lines, x.Line)
	}
	if !slices.Equal(lines, []uint64{4096, 4096 + 128}) {
		t.Errorf("lines %v", lines)
	}
}

// What is under way is counted, each kind by itself: a replay must not end before.
func TestEveryKindOfWorkUnderWayIsCounted(t *testing.T) {
	for what, add := range map[string]func(b *bench){
		"a line that is asked for": func(b *bench) { b.buffer.pending++ },
		"a hit":                    func(b *bench) { b.hits.Push(hit{}) },
		"a load of several lines":  func(b *bench) { b.loads.Take() },
	} {
		b := newBench(func(*Section) {})
		if add(b); b.inFlight() != 1 {
			t.Errorf("%s: %d under way", what, b.inFlight())
		}
	}
}
