// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
)

// uneven is a channel with constraints that all differ, and sums of some that all differ, so
// that one taken for another shows. By its data sheet:
//
//	tRTW = tCL + burst + 2 - tWL    = 17+4+2-5 = 18
//	tWTR = tWL + burst + tCDLR      = 5+4+10   = 19
//	     = tWL + burst + tWTRL      = 5+4+16   = 25 in one bank group
//	tWTP = tWL + burst + tWR        = 5+4+19   = 28
func uneven() *arch.DRAM {
	return &arch.DRAM{
		Model: "banked", Scheduler: "frfcfs", Queue: 64, Banks: 16, BankGroups: 4, RowBytes: 4096, BurstBytes: 64, BurstCycles: 4,
		Mapping: "row_bank_column", BankHash: "none", Writes: "mixed", WriteHigh: 48, WriteLow: 16, Refresh: "none",
		TCL: 17, TRCD: 20, TRP: 14, TRAS: 45, TRC: 70, TRRD: 7, TCCD: 6, TCCDL: 9, TWL: 5, TWR: 19, TCDLR: 10, TRTPL: 8,
		TFAW: 50, TRRDL: 11, TWTRL: 16,
	}
}

// issued is a command and the cycle in which it issues.
type issued struct {
	At   int64
	What command
	Bank int32
}

func reads(bank int32, row int64) Request { return Request{Row: row, Bank: bank, Bytes: 64} }
func writes(bank int32, row int64) Request {
	return Request{Row: row, Bank: bank, Bytes: 64, Write: true}
}

// commandsOf is what a channel does with a batch of requests that are all there from
// cycle 1 on, after it has served the batches before.
func commandsOf(t *testing.T, d *arch.DRAM, batches ...[]Request) []issued {
	t.Helper()
	b := newBench(d)
	c := b.channel.(*Banked)
	var log []issued
	start := int64(0)
	c.observe = func(now int64, what command, bank int32, _ int64) { log = append(log, issued{now - start, what, bank}) }
	for _, requests := range batches {
		log, start = nil, b.now
		for _, r := range requests {
			c.enqueue(&r)
		}
		b.runUntilIdle(t)
	}
	return log
}

// Two commands are as far apart as the data sheet asks, and no further: every
// constraint is, in one of these, what the later command waits for.
func TestCommandsIssueInTheFirstCycleThatTheirConstraintsAllow(t *testing.T) {
	quick := func(d *arch.DRAM) { d.TRAS, d.TRC = 1, 1 }
	for _, c := range []struct {
		name     string
		edit     func(d *arch.DRAM)
		requests []Request
		want     []issued
	}{
		{"tRCD, tCCDL of reads", nil, []Request{reads(0, 1), reads(0, 1)},
			[]issued{{1, activate, 0}, {21, readBurst, 0}, {30, readBurst, 0}}},
		{"tCCDL of writes", nil, []Request{writes(0, 1), writes(0, 1)},
			[]issued{{1, activate, 0}, {21, writeBurst, 0}, {30, writeBurst, 0}}},
		{"tRRD, tCCD of reads", nil, []Request{reads(0, 1), reads(1, 1), reads(0, 1)},
			[]issued{{1, activate, 0}, {8, activate, 1}, {21, readBurst, 0}, {28, readBurst, 1}, {34, readBurst, 0}}},
		{"tCCD of writes", nil, []Request{writes(0, 1), writes(1, 1), writes(0, 1)},
			[]issued{{1, activate, 0}, {8, activate, 1}, {21, writeBurst, 0}, {28, writeBurst, 1}, {34, writeBurst, 0}}},
		{"tCCD less than a burst", func(d *arch.DRAM) { d.TCCD, d.TCCDL, d.TRRD = 1, 1, 1 }, []Request{reads(0, 1), reads(1, 1)},
			[]issued{{1, activate, 0}, {2, activate, 1}, {21, readBurst, 0}, {25, readBurst, 1}}},
		{"tRRDL", nil, []Request{reads(0, 1), reads(4, 1)},
			[]issued{{1, activate, 0}, {12, activate, 4}, {21, readBurst, 0}, {32, readBurst, 4}}},
		{"tFAW", nil, []Request{reads(0, 1), reads(1, 1), reads(2, 1), reads(3, 1), reads(4, 1)},
			[]issued{
				{1, activate, 0}, {8, activate, 1}, {15, activate, 2}, {21, readBurst, 0}, {22, activate, 3}, {28, readBurst, 1},
				{35, readBurst, 2}, {42, readBurst, 3}, {51, activate, 4}, {71, readBurst, 4},
			}},
		{"tRAS, tRC", nil, []Request{reads(0, 1), reads(0, 2)},
			[]issued{{1, activate, 0}, {21, readBurst, 0}, {46, precharge, 0}, {71, activate, 0}, {91, readBurst, 0}}},
		{"tRP", func(d *arch.DRAM) { d.TRC = 46 }, []Request{reads(0, 1), reads(0, 2)},
			[]issued{{1, activate, 0}, {21, readBurst, 0}, {46, precharge, 0}, {60, activate, 0}, {80, readBurst, 0}}},
		{"tRTP", quick, []Request{reads(0, 1), reads(0, 2)},
			[]issued{{1, activate, 0}, {21, readBurst, 0}, {29, precharge, 0}, {43, activate, 0}, {63, readBurst, 0}}},
		{"tWTP", quick, []Request{writes(0, 1), reads(0, 2)},
			[]issued{{1, activate, 0}, {21, writeBurst, 0}, {49, precharge, 0}, {63, activate, 0}, {83, readBurst, 0}}},
		{"tRTW", nil, []Request{reads(0, 1), writes(0, 1)},
			[]issued{{1, activate, 0}, {21, readBurst, 0}, {39, writeBurst, 0}}},
		{"tWTR", nil, []Request{writes(0, 1), reads(1, 1)},
			[]issued{{1, activate, 0}, {8, activate, 1}, {21, writeBurst, 0}, {40, readBurst, 1}}},
		{"tWTRL", nil, []Request{writes(0, 1), reads(0, 1)},
			[]issued{{1, activate, 0}, {21, writeBurst, 0}, {46, readBurst, 0}}},
		{"a byte more than a burst", nil, []Request{{Row: 1, Bank: 0, Bytes: 65}},
			[]issued{{1, activate, 0}, {21, readBurst, 0}, {30, readBurst, 0}}},
		{"a waiting hit keeps the row open", quick, []Request{reads(0, 1), reads(0, 2), reads(0, 1)},
			[]issued{{1, activate, 0}, {21, readBurst, 0}, {30, readBurst, 0}, {38, precharge, 0}, {52, activate, 0}, {72, readBurst, 0}}},
	} {
		d := uneven()
		if c.edit != nil {
			c.edit(d)
		}
		if diff := cmp.Diff(c.want, commandsOf(t, d, c.requests)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
}

// FR-FCFS (Rixner et al., ISCA 2000): column commands before others, and of both the
// oldest, whatever its bank. FCFS: nothing before the oldest is served.
func TestTheOldestOfSeveralBanksIsServedFirst(t *testing.T) {
	open := []Request{reads(2, 1), reads(5, 1), reads(8, 1)}
	for _, c := range []struct {
		name, scheduler string
		before, batch   []Request
		want            []issued
	}{
		{"hits", "frfcfs", open, []Request{reads(5, 1), reads(8, 1), reads(2, 1)},
			[]issued{{1, readBurst, 5}, {7, readBurst, 8}, {13, readBurst, 2}}},
		{"closed rows", "frfcfs", nil, []Request{reads(5, 1), reads(8, 1), reads(2, 1)},
			[]issued{{1, activate, 5}, {8, activate, 8}, {15, activate, 2}, {21, readBurst, 5}, {28, readBurst, 8}, {35, readBurst, 2}}},
		{"a hit behind a closed row", "frfcfs", open, []Request{reads(3, 1), reads(5, 1)},
			[]issued{{1, readBurst, 5}, {2, activate, 3}, {22, readBurst, 3}}},
		{"hits", "fcfs", open, []Request{reads(5, 1), reads(8, 1), reads(2, 1)},
			[]issued{{1, readBurst, 5}, {7, readBurst, 8}, {13, readBurst, 2}}},
		{"closed rows", "fcfs", nil, []Request{reads(5, 1), reads(8, 1), reads(2, 1)},
			[]issued{{1, activate, 5}, {21, readBurst, 5}, {22, activate, 8}, {42, readBurst, 8}, {43, activate, 2}, {63, readBurst, 2}}},
		{"a hit behind a closed row", "fcfs", open, []Request{reads(3, 1), reads(5, 1)},
			[]issued{{1, activate, 3}, {21, readBurst, 3}, {27, readBurst, 5}}},
	} {
		d := uneven()
		d.Scheduler = c.scheduler
		if diff := cmp.Diff(c.want, commandsOf(t, d, c.before, c.batch)); diff != "" {
			t.Errorf("%s, %s: (-want +got)\n%s", c.scheduler, c.name, diff)
		}
	}
}

// What a full channel has taken by cycle 10, when nothing of it can be done yet.
func TestAChannelTakesAsManyRequestsAsItsQueueHolds(t *testing.T) {
	for _, model := range []string{"banked", "simple"} {
		for _, queue := range []int{1, 2, 7} {
			d := uneven()
			d.Model, d.Queue = model, queue
			d.AccessNanoseconds, d.GigabytesPerSecond = 50, 0.1
			b := newBench(d)
			taken := 0
			for range 10 {
				for b.offer(Request{Row: 1, Bytes: 64, ID: uint32(taken)}) {
					taken++
				}
				b.run(1)
			}
			// One is on its way to the banks, or on the bus of the simple model.
			if taken != queue+1 {
				t.Errorf("%s: %d requests are taken with a queue of %d", model, taken, queue)
			}
		}
	}
}

// At 1 GHz, 1 GB/s is a byte a cycle, which channels share.
func TestSimpleMemoryAnswersInTheCycleOfItsSum(t *testing.T) {
	for channels, want := range map[int]int64{1: 1 + 64 + 50, 2: 1 + 2*64 + 50} {
		d := &arch.DRAM{Model: "simple", Queue: 8, AccessNanoseconds: 50, GigabytesPerSecond: 1}
		b := &bench{done: map[uint32]int64{}}
		b.channel = NewSimple(d, channels, 1_000_000, &b.counts, b)
		b.offer(Request{Bytes: 64, ID: 1})
		b.offer(Request{Bytes: 16, ID: 2})
		b.run(400)
		if b.done[1] != want || b.done[2] != want+16*int64(channels) {
			t.Errorf("%d channels: answers in cycles %d and %d, want %d and %d", channels, b.done[1], b.done[2], want, want+16*int64(channels))
		}
	}
}

// A bank whose hits have reached the cap has no more of them, until it serves another row.
func TestABankAtItsCapHasHitsAgainBehindAnotherRow(t *testing.T) {
	for _, bank := range []int{0, 3, maxBanks - 1} {
		c, hits := new(capped), uint64(1)<<bank
		for n := range 2 * hitCap {
			if want := hits; n < hitCap && c.tired != 0 || n >= hitCap && c.tired != want {
				t.Errorf("bank %d, %d hits: banks %b are at their cap", bank, n, c.tired)
			}
			c.Column(bank, true)
		}
		if c.Column(bank, false); c.tired != 0 || c.passed[bank] != 0 {
			t.Errorf("bank %d, behind another row: banks %b are at their cap", bank, c.tired)
		}
	}
}
