// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// bench runs a channel cycle by cycle and notes when reads come back.
type bench struct {
	channel Channel
	counts  counters.Set
	now     int64
	done    map[uint32]int64
	order   []uint32
	freed   int
}

func (b *bench) Done(id uint32) { b.done[id] = b.now; b.order = append(b.order, id) }
func (b *bench) Freed()         { b.freed++ }

func gtx480(t testing.TB) *arch.DRAM {
	t.Helper()
	m, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	d := m.DRAM
	d.ExtraCycles = 0
	return &d
}

func newBench(d *arch.DRAM) *bench {
	b := &bench{done: map[uint32]int64{}}
	if d.Model == "simple" {
		b.channel = NewSimple(d, 1, 850_000, &b.counts, b)
	} else {
		b.channel = NewBanked(d, &b.counts, b)
	}
	return b
}

// offer puts a request in front of the channel in the cycle b.now; it is seen
// in the next one.
func (b *bench) offer(r Request) bool { return b.channel.Offer(b.now, r) }

func (b *bench) run(cycles int64) {
	for range cycles {
		b.now++
		b.channel.Cycle(b.now)
	}
}

// runUntilIdle jumps from event to event.
func (b *bench) runUntilIdle(t testing.TB) {
	t.Helper()
	next := b.now + 1
	for steps := 0; next != Never; steps++ {
		if next <= b.now || steps > 10_000_000 {
			t.Fatalf("channel asks for cycle %d in cycle %d", next, b.now)
		}
		b.now = next
		next = b.channel.Cycle(next)
	}
	if n := b.channel.InFlight(); n != 0 {
		t.Fatalf("%d requests left inside", n)
	}
}

// TestReadLatenciesAreSumsOfConstraints gives the time from the cycle in which
// the scheduler sees a read to its data, for the three states of a row buffer.
// It does so for two values of each constraint.
func TestReadLatenciesAreSumsOfConstraints(t *testing.T) {
	for _, longer := range []int{0, 1} {
		d := gtx480(t)
		d.TCL += longer
		d.TRCD += longer
		d.TRP += longer
		tm := NewTiming(d)
		b := newBench(d)
		read := func(id uint32, row int64) int64 {
			start := b.now + 1
			b.offer(Request{Row: row, Bank: 3, Bytes: 32, ID: id})
			b.run(200)
			return b.done[id] - start
		}
		if got, want := read(1, 7), tm.RCD+tm.CL+tm.Burst; got != want {
			t.Errorf("closed row: %d cycles, want tRCD+tCL+burst = %d", got, want)
		}
		if got, want := read(2, 7), tm.CL+tm.Burst; got != want {
			t.Errorf("row hit: %d cycles, want tCL+burst = %d", got, want)
		}
		if got, want := read(3, 8), tm.RP+tm.RCD+tm.CL+tm.Burst; got != want {
			t.Errorf("row conflict: %d cycles, want tRP+tRCD+tCL+burst = %d", got, want)
		}
		want := counters.Set{}
		want[counters.DRAMRead], want[counters.DRAMRowHit], want[counters.DRAMRowMiss] = 3, 1, 2
		want[counters.DRAMActivate], want[counters.DRAMPrecharge] = 2, 1
		want[counters.DRAMReadBytes], want[counters.DRAMBusCycles] = 96, uint64(3*tm.Burst)
		if b.counts != want {
			t.Errorf("counts differ:\n%s", cmp.Diff(want, b.counts))
		}
	}
}

// pair gives the cycles between the data of two requests that arrive together.
func pair(t *testing.T, d *arch.DRAM, first, second Request) int64 {
	t.Helper()
	b := newBench(d)
	first.ID, second.ID = 1, 2
	b.offer(first)
	b.channel.Cycle(b.now)
	b.offer(second)
	b.run(500)
	return b.done[2] - b.done[1]
}

func TestConstraintsBetweenTwoReadsHoldAtTheirEdge(t *testing.T) {
	for _, longer := range []int{0, 1, 5} {
		d := gtx480(t)
		d.TRRD += longer
		d.TCCDL += longer
		d.TRC += 60 + longer
		d.TRAS += 10
		tm := NewTiming(d)
		same := Request{Row: 1, Bank: 0, Bytes: 64}
		if got := pair(t, d, same, Request{Row: 1, Bank: 0, Bytes: 64}); got != tm.CCDL {
			t.Errorf("two bursts of one bank are %d cycles apart, want tCCDL = %d", got, tm.CCDL)
		}
		if got := pair(t, d, same, Request{Row: 1, Bank: 1, Bytes: 64}); got != tm.RRD {
			t.Errorf("two closed banks are %d cycles apart, want tRRD = %d", got, tm.RRD)
		}
		if got := pair(t, d, same, Request{Row: 2, Bank: 0, Bytes: 64}); got != tm.RC {
			t.Errorf("two rows of one bank are %d cycles apart, want tRC = %d", got, tm.RC)
		}
		d.TRC = 1 + d.TRAS
		tm = NewTiming(d)
		if got, want := pair(t, d, same, Request{Row: 2, Bank: 0, Bytes: 64}), tm.RAS+tm.RP; got != want {
			t.Errorf("two rows of one bank are %d cycles apart, want tRAS+tRP = %d", got, want)
		}
	}
}

func TestBusTurnsAfterItsConstraints(t *testing.T) {
	for _, longer := range []int{0, 3} {
		d := gtx480(t)
		d.TCDLR += longer
		d.TCL += longer
		tm := NewTiming(d)
		b := newBench(d)
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, ID: 1}) // opens the row
		b.run(100)
		start := b.now + 1
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, Write: true, ID: 2})
		b.run(1)
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, ID: 3})
		b.run(100)
		if got, want := b.done[3]-start, tm.WTR+tm.CL+tm.Burst; got != want {
			t.Errorf("read after write: %d cycles, want tWTR+tCL+burst = %d", got, want)
		}
		start = b.now + 1
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, ID: 4})
		b.run(1)
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, Write: true, ID: 5})
		b.run(1)
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, ID: 6})
		b.run(1)
		if b.counts[counters.DRAMWrite] != 1 {
			t.Error("the second write issued without waiting for the bus")
		}
		b.run(100)
		// The younger read keeps the direction of the bus and passes the write.
		if got, want := b.done[6]-start, tm.RTW+tm.WTR+tm.CL+tm.Burst; got > want {
			t.Errorf("the last read took %d cycles, more than a write between allows (%d)", got, want)
		}
		if b.counts[counters.DRAMWrite] != 2 {
			t.Errorf("%d writes", b.counts[counters.DRAMWrite])
		}
	}
}

func TestWriteRecoversBeforePrecharge(t *testing.T) {
	d := gtx480(t)
	d.TRAS, d.TRC = 1, 1
	tm := NewTiming(d)
	b := newBench(d)
	b.offer(Request{Row: 1, Bank: 0, Bytes: 64, Write: true})
	b.run(1)
	start := b.now
	b.offer(Request{Row: 2, Bank: 0, Bytes: 64, ID: 9})
	b.run(200)
	if got, want := b.done[9]-start, tm.RCD+tm.WTP+tm.RP+tm.RCD+tm.CL+tm.Burst; got != want {
		t.Errorf("read of another row after a write: %d cycles, want tRCD+tWTP+tRP+tRCD+tCL+burst = %d", got, want)
	}
}

func TestRowHitsPassOlderConflictsButKeepTheirOrder(t *testing.T) {
	for scheduler, want := range map[string][]uint32{"frfcfs": {1, 3, 5, 2, 4}, "fcfs": {1, 2, 3, 4, 5}} {
		d := gtx480(t)
		d.Scheduler = scheduler
		b := newBench(d)
		for id, row := range []int64{1, 2, 1, 2, 1} {
			b.offer(Request{Row: row, Bank: 0, Bytes: 64, ID: uint32(id + 1)})
			b.channel.Cycle(b.now) // enqueued in order, at once
		}
		b.runUntilIdle(t)
		if !cmp.Equal(b.order, want) {
			t.Errorf("%s served %v, want %v", scheduler, b.order, want)
		}
	}
}

func TestACapLetsOlderConflictsGoAfterFourHits(t *testing.T) {
	d := gtx480(t)
	d.Scheduler = "frfcfs-cap"
	b := newBench(d)
	for id, row := range []int64{1, 2, 1, 1, 1, 1, 1, 1} {
		b.offer(Request{Row: row, Bank: 0, Bytes: 64, ID: uint32(id + 1)})
		b.channel.Cycle(b.now)
	}
	b.runUntilIdle(t)
	// The row of the first is opened for it and counts for nothing.
	if want := []uint32{1, 3, 4, 5, 6, 2, 7, 8}; !cmp.Equal(b.order, want) {
		t.Errorf("served %v, want %v", b.order, want)
	}
}

// TestStreamReachesThePinBandwidth: whole bursts to open rows of all banks in
// turn fill the data bus but for 2 percent of what refresh leaves. That is
// tREFI less tRFC, and the closing and opening of a row.
func TestStreamReachesThePinBandwidth(t *testing.T) {
	for _, refresh := range []string{"none", "all_bank", "per_bank"} {
		d := gtx480(t)
		d.Refresh = refresh
		b := newBench(d)
		const cycles = 40000
		n := int64(0)
		for range int64(cycles) {
			for {
				// The banks change rows one after the other, as they do for
				// streams that start at different places.
				bank := n % 16
				if !b.offer(Request{Row: (n + bank*64) / 1024, Bank: int32(bank), Bytes: 64, ID: uint32(n)}) {
					break
				}
				n++
			}
			b.run(1)
		}
		limit := 1.0
		if refresh == "all_bank" {
			limit -= float64(d.TRFC+d.TRP+d.TRCD) / float64(d.TREFI)
		}
		busy := float64(b.counts[counters.DRAMBusCycles]) / cycles
		if busy < 0.98*limit || busy > limit {
			t.Errorf("refresh %s: data bus busy for %.2f%% of the cycles, of at most %.2f%%", refresh, 100*busy, 100*limit)
		}
		if b.freed == 0 {
			t.Error("a full channel never told that it takes requests again")
		}
	}
}

func TestHalfBurstsWasteHalfTheBus(t *testing.T) {
	d := gtx480(t)
	b := newBench(d)
	for id := range uint32(20) {
		for !b.offer(Request{Row: 1, Bank: int32(id % 16), Bytes: 32, ID: id}) {
			b.run(1)
		}
	}
	b.runUntilIdle(t)
	if got := b.counts[counters.DRAMBusCycles]; got != 40 {
		t.Errorf("20 requests of half a burst took the bus for %d cycles, want 40", got)
	}
	if got := b.counts[counters.DRAMReadBytes]; got != 640 {
		t.Errorf("%d bytes", got)
	}
}

func TestLongRequestTakesSeveralBursts(t *testing.T) {
	d := gtx480(t)
	tm := NewTiming(d)
	b := newBench(d)
	b.offer(Request{Row: 1, Bank: 2, Bytes: 128, ID: 1})
	b.runUntilIdle(t)
	if got, want := b.done[1]-1, tm.RCD+tm.CCDL+tm.CL+tm.Burst; got != want {
		t.Errorf("two bursts: %d cycles, want tRCD+tCCDL+tCL+burst = %d", got, want)
	}
	if b.counts[counters.DRAMRead] != 2 || b.counts[counters.DRAMRowMiss] != 1 || b.counts[counters.DRAMRowHit] != 1 {
		t.Errorf("%d reads, %d misses, %d hits", b.counts[counters.DRAMRead], b.counts[counters.DRAMRowMiss], b.counts[counters.DRAMRowHit])
	}
}

// TestRandomRequestsAllComeBackAndJumpingChangesNothing compares a run that
// jumps over idle cycles with one that does not.
func TestRandomRequestsAllComeBackAndJumpingChangesNothing(t *testing.T) {
	for _, model := range []string{"frfcfs", "fcfs", "simple"} {
		run := func(jump bool) *bench {
			rng := rand.New(rand.NewPCG(11, 12))
			d := gtx480(t)
			d.ExtraCycles = 20
			d.Queue = 8
			if d.Scheduler = model; model == "simple" {
				d.Model, d.AccessNanoseconds, d.GigabytesPerSecond = "simple", 50, 18
			}
			b := newBench(d)
			next := Never
			for id := range uint32(3000) {
				r := Request{Row: int64(rng.IntN(3)), Bank: int32(rng.IntN(16)), Bytes: 32 << rng.IntN(3), Write: rng.IntN(3) == 0, ID: id}
				for !b.offer(r) {
					b.run(1)
				}
				next = b.now + 1
				if rng.IntN(20) == 0 {
					for target := b.now + 500; b.now < target; {
						if jump && next > target {
							b.now = target
							continue
						}
						if jump {
							b.now = next
						} else {
							b.now++
						}
						next = b.channel.Cycle(b.now)
					}
				}
			}
			b.run(20000)
			if n := b.channel.InFlight(); n != 0 {
				t.Fatalf("%s: %d requests left inside", model, n)
			}
			return b
		}
		a, b := run(true), run(false)
		if !cmp.Equal(a.done, b.done) || a.counts != b.counts {
			t.Errorf("%s: jumping over idle cycles changes the result", model)
		}
		if got := a.counts[counters.DRAMReadBytes] + a.counts[counters.DRAMWriteBytes]; got == 0 {
			t.Errorf("%s: no bytes", model)
		}
	}
}

func TestSimpleMemoryHasItsBandwidthAndAccessTime(t *testing.T) {
	d := &arch.DRAM{Model: "simple", Queue: 8, AccessNanoseconds: 50, GigabytesPerSecond: 18}
	b := newBench(d)
	b.offer(Request{Bytes: 64, ID: 0})
	b.run(200)
	// 64 bytes at 18 GB/s are 3.56 ns, 50 ns follow: at 850 MHz 3.02 + 42.5 cycles.
	if got := b.done[0] - 1; got < 46 || got > 48 {
		t.Errorf("a read took %d cycles of 850 MHz, want 46 to 48", got)
	}
	for id := range uint32(10000) {
		for !b.offer(Request{Bytes: 128, ID: id, Write: id%2 == 0}) {
			b.run(1)
		}
	}
	start := b.now
	b.runUntilIdle(t)
	bytes := float64(b.counts[counters.DRAMReadBytes] + b.counts[counters.DRAMWriteBytes])
	seconds := float64(start-200) / 850e6
	if rate := bytes / seconds / 1e9; rate < 17.6 || rate > 18.4 {
		t.Errorf("%.2f GB/s, want 18", rate)
	}
}

func TestChannelAllocatesNothingInSteadyState(t *testing.T) {
	for _, model := range []string{"banked", "simple"} {
		d := gtx480(t)
		if d.Model = model; model == "simple" {
			d.AccessNanoseconds, d.GigabytesPerSecond = 50, 180
		}
		sink := &silent{}
		var c Channel
		var counts counters.Set
		if model == "simple" {
			c = NewSimple(d, 1, 924_000, &counts, sink)
		} else {
			c = NewBanked(d, &counts, sink)
		}
		now, n := int64(0), int64(0)
		work := func() {
			for range 500 {
				if c.Offer(now, Request{Row: n / 100, Bank: int32(n % 16), Bytes: 64, Write: n%3 == 0, ID: uint32(n)}) {
					n++
				}
				now++
				c.Cycle(now)
			}
		}
		work()
		if allocs := testing.AllocsPerRun(10, work); allocs != 0 {
			t.Errorf("%s: %v allocations per 500 cycles", model, allocs)
		}
	}
}

type silent struct{ done int }

func (s *silent) Done(uint32) { s.done++ }
func (s *silent) Freed()      {}

// BenchmarkBanked isolates the scheduler with a full queue of mixed traffic.
func BenchmarkBanked(b *testing.B) {
	d := gtx480(b)
	sink := &silent{}
	var counts counters.Set
	c := NewBanked(d, &counts, sink)
	rng := rand.New(rand.NewPCG(1, 1))
	requests := make([]Request, 4096)
	for i := range requests {
		requests[i] = Request{Row: int64(rng.IntN(4)), Bank: int32(rng.IntN(16)), Bytes: 32, Write: rng.IntN(3) == 0}
	}
	now, n := int64(0), 0
	for b.Loop() {
		for c.Offer(now, requests[n%len(requests)]) {
			n++
		}
		now++
		c.Cycle(now)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/request")
}
