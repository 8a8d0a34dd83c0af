// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
)

// lone is a level between a test that asks and one that answers.
type lone struct {
	*level
	counts   counters.Set
	now      int64
	asked    []levelAccess // wait to enter
	taken    int           // of all that were asked
	answered []answered
	moved    []transfer // to and from the level below
	fetching []int32    // registers of reads that are not filled yet
	deaf     bool       // answers are not taken
	refusing bool       // the level below takes nothing
	filling  bool       // and answers reads in the next cycle
}

// answered is an answer and the cycle in which it left.
type answered struct {
	Origin uint32
	At     int64
}

// transfer is what a level reads from the one below, or writes to it.
type transfer struct {
	What    string
	Address uint64
	Bytes   int
}

func (l *lone) answer(origin uint32) bool {
	if !l.deaf {
		l.answered = append(l.answered, answered{origin, l.now})
	}
	return !l.deaf
}
func (l *lone) waits() bool         { return len(l.asked) > 0 }
func (l *lone) missed(uint32, bool) {}
func (l *lone) far(uint32)          {}
func (l *lone) next(a *levelAccess) {
	*a, l.asked = l.asked[0], l.asked[1:]
	l.waiting--
	l.taken++
}

func (l *lone) read(address uint64, bytes int, register int32) bool {
	if !l.refusing {
		l.moved = append(l.moved, transfer{"read", address, bytes})
		l.fetching = append(l.fetching, register)
	}
	return !l.refusing
}

func (l *lone) write(address uint64, bytes int) bool {
	if !l.refusing {
		l.moved = append(l.moved, transfer{"write", address, bytes})
	}
	return !l.refusing
}

// small is a cache of one set of two lines of four sectors.
func small() *arch.Cache {
	return &arch.Cache{
		Bytes: 256, Ways: 2, LineBytes: 128, SectorBytes: 32, LatencyCycles: 3, Write: "back_allocate", Index: "linear",
		MSHRs: 8, MSHRMerges: 4, MissQueue: 4,
	}
}

// newLone makes a level whose input and answers have four places. It is filled in
// the cycle after a miss.
func newLone(c *arch.Cache, atomicCycles int) *lone {
	l := &lone{filling: true}
	l.level = newLevel(c, 4, atomicCycles, l2Counts(&l.counts))
	l.above, l.below = l, l
	return l
}

// ask lets n bytes of one block be accessed behind what was asked before; accesses
// are numbered from 0.
func (l *lone) ask(k kind, address uint64, n int) {
	a := levelAccess{address: address, bytes: cache.Range(int(address%cache.BlockBytes), n), origin: uint32(l.taken + len(l.asked)), kind: k}
	l.asked = append(l.asked, a)
	l.waiting++
}

func (l *lone) run(cycles int) {
	for range cycles {
		l.now++
		if l.filling {
			l.fillAll()
		}
		l.cycle(l.now)
	}
}

// fillAll answers what was read from below.
func (l *lone) fillAll() {
	for _, register := range l.fetching {
		l.fills.Push(register)
	}
	l.fetching = nil
}

// settle runs until nothing is inside.
func (l *lone) settle(t *testing.T) {
	t.Helper()
	for l.inside() > 0 || len(l.asked) > 0 {
		if l.run(1); l.now > 10_000 {
			t.Fatal("still busy after 10 thousand cycles")
		}
	}
}

// Of a dirty line its dirty sectors go, neighbours together, to where they belong; a
// clean line goes without a word.
func TestADirtyVictimsSectorsAreWrittenBackWhereTheyBelong(t *testing.T) {
	for _, c := range []struct {
		line int
		want []transfer
	}{
		{128, []transfer{
			{"write", 0x1020, 32}, {"write", 0x1060, 32}, {"read", 0x3000, 32},
			{"write", 0x2020, 64}, {"read", 0x4000, 32}, {"read", 0x5000, 32},
		}},
		// Lines of half a block: that at 0x1060 is the fourth that is written.
		{64, []transfer{
			{"write", 0x1020, 32}, {"write", 0x1060, 32}, {"write", 0x2020, 32}, {"read", 0x3000, 32},
			{"write", 0x2040, 32}, {"read", 0x4000, 32}, {"read", 0x5000, 32},
		}},
	} {
		config := small()
		config.Bytes, config.LineBytes = 2*c.line, c.line
		l := newLone(config, 1)
		l.ask(write, 0x1024, 4)
		l.ask(write, 0x1060, 4)
		if l.ask(write, 0x203c, 4); c.line == 128 {
			l.asked[2].bytes = cache.Range(0x3c, 8) // of two sectors
		} else {
			l.ask(write, 0x2040, 4)
		}
		for _, line := range []uint64{0x3000, 0x4000, 0x5000} {
			l.ask(read, line, 4)
		}
		l.settle(t)
		if diff := cmp.Diff(c.want, l.moved); diff != "" {
			t.Errorf("lines of %d bytes: (-want +got)\n%s", c.line, diff)
		}
		if got := l.counts[counters.L2WriteBack]; got != 4 {
			t.Errorf("lines of %d bytes: %d sectors written back, want 4", c.line, got)
		}
	}
}

func TestEveryUseOfALineKeepsItFromBeingReplaced(t *testing.T) {
	for _, use := range []kind{read, write, atomic} {
		l := newLone(small(), 1)
		l.ask(read, 0x1000, 4)
		l.ask(read, 0x2000, 4)
		l.settle(t) // both are there
		l.ask(use, 0x1000, 4)
		l.ask(read, 0x3000, 4)
		l.settle(t)
		l.ask(read, 0x1000, 4)
		l.settle(t)
		want := []transfer{{"read", 0x1000, 32}, {"read", 0x2000, 32}, {"read", 0x3000, 32}}
		if diff := cmp.Diff(want, l.moved); diff != "" {
			t.Errorf("use %d: the line used last was replaced (-want +got)\n%s", use, diff)
		}
	}
}

// A write fetches nothing. What it has written can be read; other bytes have their
// sector fetched, after which the sector is still dirty.
func TestASectorWrittenInPartIsFetchedWhenItsOtherBytesAreRead(t *testing.T) {
	l := newLone(small(), 1)
	l.ask(write, 0x1020, 16)
	l.ask(read, 0x1024, 8)
	l.settle(t)
	if len(l.moved) != 0 || l.counts[counters.L2ReadHit] != 1 {
		t.Errorf("the bytes that were written: %d hits, %v", l.counts[counters.L2ReadHit], l.moved)
	}
	l.ask(read, 0x102c, 8) // half of it outside of the bytes that were written
	l.settle(t)
	l.ask(read, 0x1020, 32)
	l.settle(t)
	if diff := cmp.Diff([]transfer{{"read", 0x1020, 32}}, l.moved); diff != "" || l.counts[counters.L2ReadMiss] != 1 || l.counts[counters.L2ReadHit] != 2 {
		t.Errorf("%d misses, %d hits (-want +got)\n%s", l.counts[counters.L2ReadMiss], l.counts[counters.L2ReadHit], diff)
	}
	l.ask(read, 0x2000, 4)
	l.ask(read, 0x3000, 4)
	l.settle(t)
	if diff := cmp.Diff(transfer{"write", 0x1020, 32}, l.moved[len(l.moved)-2]); diff != "" {
		t.Errorf("after its fetch the sector is not written back: (-want +got)\n%s", diff)
	}
}

func TestAsManyReadsAsMayMergeWaitForOneSector(t *testing.T) {
	for _, merges := range []int{1, 2, 4} {
		config := small()
		config.MSHRMerges = merges
		l := newLone(config, 1)
		l.filling = false
		for range 6 {
			l.ask(read, 0x1000, 4)
		}
		l.run(40)
		if got := l.counts[counters.L2ReadMiss] + l.counts[counters.L2ReadMerge]; got != uint64(merges) || l.counts[counters.L2ReadMiss] != 1 || len(l.moved) != 1 {
			t.Errorf("%d reads wait for a sector, and %d may; %d are fetched", got, merges, len(l.moved))
		}
		l.filling = true
		l.settle(t)
		if got := l.counts[counters.L2ReadHit]; got != uint64(6-merges) || l.counts[counters.L2ReadMerge] != uint64(merges-1) {
			t.Errorf("%d hits after the fill, want %d; %d merges", got, 6-merges, l.counts[counters.L2ReadMerge])
		}
		for i, a := range l.answered {
			if a.Origin != uint32(i) {
				t.Errorf("answer %d is for read %d", i, a.Origin)
			}
		}
	}
}

// A level below that takes nothing is asked for as much as the miss queue holds, one
// that never answers for as much as there are MSHRs.
func TestMissesWaitForTheMissQueueAndForRegisters(t *testing.T) {
	for n := 1; n <= 3; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			config := small()
			config.Bytes, config.Ways, config.MissQueue = 8*128, 8, n
			queue := newLone(config, 1)
			queue.refusing = true
			config.MissQueue, config.MSHRs = 4, n
			registers := newLone(config, 1)
			registers.filling = false
			for i := range uint64(5) {
				queue.ask(read, i<<12, 4)
				registers.ask(read, i<<12, 4)
			}
			queue.run(40)
			if got := queue.counts[counters.L2ReadMiss]; got != uint64(n) {
				t.Errorf("%d misses with a queue of %d", got, n)
			}
			registers.run(40)
			if got := len(registers.moved); got != n {
				t.Errorf("%d reads with %d MSHRs", got, n)
			}
			// One that is filled makes room for one more.
			registers.fills.Push(registers.fetching[0])
			registers.run(40)
			if got := len(registers.moved); got != n+1 {
				t.Errorf("%d reads with %d MSHRs after one fill", got, n)
			}

			config = small()
			config.MissQueue = n
			writes := newLone(config, 1)
			writes.refusing = true
			for i := range uint64(8) {
				writes.ask(write, i<<12, 4)
			}
			writes.run(40)
			if got := writes.counts[counters.L2WriteMiss]; got != uint64(2+n) {
				t.Errorf("%d lines written to a cache of two with a queue of %d", got, n)
			}
		})
	}
}

// The first of several atomics on a sector that is there leaves after the latency,
// each other when the one before has had its cycles; and what follows them, too.
func TestAnAtomicHoldsTheTagsForItsCyclesAndLeavesItsSectorDirty(t *testing.T) {
	for cycles, apart := range map[int]int64{0: 1, 1: 1, 2: 2, 5: 5} {
		l := newLone(small(), cycles)
		l.ask(read, 0x1000, 4)
		l.settle(t)
		l.answered = nil
		first := l.now + 1 + 3 // enters in the next cycle, and takes the latency
		for range 3 {
			l.ask(atomic, 0x1008, 4)
		}
		l.ask(read, 0x1000, 4)
		l.settle(t)
		want := []answered{{1, first}, {2, first + apart}, {3, first + 2*apart}, {4, first + 3*apart}}
		if diff := cmp.Diff(want, l.answered); diff != "" {
			t.Errorf("atomics of %d cycles: (-want +got)\n%s", cycles, diff)
		}
		l.ask(read, 0x2000, 4)
		l.ask(read, 0x3000, 4)
		l.settle(t)
		moved := []transfer{{"read", 0x1000, 32}, {"read", 0x2000, 32}, {"write", 0x1000, 32}, {"read", 0x3000, 32}}
		if diff := cmp.Diff(moved, l.moved); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

func TestAnAtomicOnASectorThatIsNotThereFetchesIt(t *testing.T) {
	l := newLone(small(), 5)
	l.ask(atomic, 0x1048, 4)
	l.settle(t)
	if diff := cmp.Diff([]transfer{{"read", 0x1040, 32}}, l.moved); diff != "" || l.counts[counters.L2Atomic] != 1 || l.counts[counters.L2ReadMiss] != 1 {
		t.Errorf("%d atomics, %d misses (-want +got)\n%s", l.counts[counters.L2Atomic], l.counts[counters.L2ReadMiss], diff)
	}
}

// A hit is answered after the latency, sector by sector, one a cycle.
func TestSectorsThatAreThereFollowEachOtherByACycle(t *testing.T) {
	l := newLone(small(), 1)
	l.ask(read, 0x1000, 128)
	l.settle(t)
	l.answered = nil
	start := l.now
	l.ask(read, 0x1020, 64) // two of the four
	l.ask(read, 0x1000, 4)
	l.settle(t)
	want := []answered{{1, start + 4}, {1, start + 5}, {2, start + 6}}
	if diff := cmp.Diff(want, l.answered); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What a level takes when nothing goes on: four places before the tags, three under
// way; and four hits have room for their answers when these are not taken.
func TestALevelTakesAsMuchAsItsQueuesHold(t *testing.T) {
	config := small()
	config.MissQueue = 1
	l := newLone(config, 1)
	l.refusing = true
	for i := range uint64(20) {
		l.ask(read, i<<12, 4)
	}
	l.run(60)
	if l.taken != 1+4+3 {
		t.Errorf("%d accesses are taken, want one that misses and 7 behind it", l.taken)
	}

	l = newLone(small(), 1)
	l.ask(read, 0x1000, 4)
	l.settle(t)
	l.deaf = true
	for range 8 {
		l.ask(read, 0x1000, 4)
	}
	l.run(60)
	if got := l.counts[counters.L2ReadHit]; got != 4 {
		t.Errorf("%d hits with room for 4 answers", got)
	}
}

// What is the level's own is answered by itself, sector by sector, and nothing is read for it.
func TestOwnAccessesAreAnsweredWithoutTheLevelBelow(t *testing.T) {
	l := newLone(small(), 1)
	l.ask(own, 0x1000, 4)
	l.ask(own, 0x2010, 64) // of three sectors
	l.settle(t)
	var origins []uint32
	for _, a := range l.answered {
		origins = append(origins, a.Origin)
	}
	if diff := cmp.Diff([]uint32{0, 1, 1, 1}, origins); diff != "" || len(l.moved) > 0 {
		t.Errorf("answers (-want +got):\n%s\nmoved %v", diff, l.moved)
	}
}
