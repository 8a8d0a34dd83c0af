// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// sendingOn is a cache of one set of two lines without sectors, whose writes that miss go on.
func sendingOn() *arch.Cache {
	c := small()
	c.SectorBytes, c.Write = 128, arch.SendsMisses
	return c
}

// A write that misses goes on with the 32, 64 or 128 bytes of an SM's transaction, and its line is
// fetched behind it. The line is clean; what is written when it is there stays, and is written
// back. Answers come with the line.
func TestAWriteThatMissesGoesOnAndItsLineIsFetched(t *testing.T) {
	for _, c := range []struct {
		offset uint64
		bytes  int
		want   transfer
	}{
		{0, 4, transfer{"write", 0x1000, 32}}, {40, 4, transfer{"write", 0x1020, 32}}, {28, 8, transfer{"write", 0x1000, 64}},
		{64, 64, transfer{"write", 0x1040, 64}}, {60, 8, transfer{"write", 0x1000, 128}}, {0, 128, transfer{"write", 0x1000, 128}},
	} {
		l := newLone(sendingOn(), 1)
		l.filling = false
		l.ask(write, 0x1000+c.offset, c.bytes)
		l.run(20)
		if diff := cmp.Diff([]transfer{c.want, {"read", 0x1000, 128}}, l.moved); diff != "" {
			t.Errorf("%d bytes at %d: (-want +got)\n%s", c.bytes, c.offset, diff)
		}
		if len(l.answered) != 0 {
			t.Errorf("%d bytes at %d: answered before its line has come", c.bytes, c.offset)
		}
		l.filling = true
		l.settle(t)
		l.ask(read, 0x2000, 4)
		l.ask(read, 0x3000, 4) // in the place of the line, which is clean
		l.settle(t)
		want := []transfer{c.want, {"read", 0x1000, 128}, {"read", 0x2000, 128}, {"read", 0x3000, 128}}
		if diff := cmp.Diff(want, l.moved); diff != "" || len(l.answered) != 3 {
			t.Errorf("%d bytes at %d: %d answers (-want +got)\n%s", c.bytes, c.offset, len(l.answered), diff)
		}
		if w := l.counts; w[counters.L2Write] != 1 || w[counters.L2WriteMiss] != 1 || w[counters.L2WriteBack] != 0 {
			t.Errorf("%d bytes at %d: %d writes, %d misses, %d written back", c.bytes, c.offset, w[counters.L2Write], w[counters.L2WriteMiss], w[counters.L2WriteBack])
		}
	}
}

func TestAWriteThatHitsALineThatWasFetchedForOneStays(t *testing.T) {
	l := newLone(sendingOn(), 1)
	l.ask(write, 0x1000, 128)
	l.settle(t)
	l.ask(write, 0x1000, 4)
	l.ask(read, 0x2000, 4)
	l.ask(read, 0x3000, 4)
	l.settle(t)
	want := []transfer{{"write", 0x1000, 128}, {"read", 0x1000, 128}, {"read", 0x2000, 128}, {"write", 0x1000, 128}, {"read", 0x3000, 128}}
	if diff := cmp.Diff(want, l.moved); diff != "" || l.counts[counters.L2WriteHit] != 1 || l.counts[counters.L2WriteBack] != 1 {
		t.Errorf("%d hits, %d written back (-want +got)\n%s", l.counts[counters.L2WriteHit], l.counts[counters.L2WriteBack], diff)
	}
}

// Writes to a line that is on its way all go on, and as many as may merge wait for it.
func TestWritesToALineOnItsWayGoOnAndWaitForIt(t *testing.T) {
	config := sendingOn()
	config.MSHRMerges, config.MissQueue = 2, 8
	l := newLone(config, 1)
	l.filling = false
	for range 3 {
		l.ask(write, 0x1000, 4)
	}
	l.run(30)
	want := []transfer{{"write", 0x1000, 32}, {"read", 0x1000, 128}, {"write", 0x1000, 32}}
	if diff := cmp.Diff(want, l.moved); diff != "" {
		t.Errorf("two may wait: (-want +got)\n%s", diff)
	}
	l.filling = true
	l.settle(t)
	if len(l.answered) != 3 || l.counts[counters.L2WriteMiss] != 2 || l.counts[counters.L2WriteHit] != 1 {
		t.Errorf("%d answers, %d misses, %d hits", len(l.answered), l.counts[counters.L2WriteMiss], l.counts[counters.L2WriteHit])
	}
}

// A write that misses needs three places of the miss queue, and an MSHR.
func TestAWriteThatMissesWaitsForThreePlacesAndARegister(t *testing.T) {
	config := sendingOn()
	config.Bytes, config.Ways, config.MissQueue = 8*128, 8, 4
	l := newLone(config, 1)
	l.refusing = true
	for i := range uint64(4) {
		l.ask(write, i<<12, 4)
	}
	l.run(30)
	if got := l.counts[counters.L2WriteMiss]; got != 1 {
		t.Errorf("%d writes take two places each of four, want 1: a third is for what it replaces", got)
	}
	config.MissQueue, config.MSHRs = 8, 1
	l = newLone(config, 1)
	l.filling = false
	for i := range uint64(4) {
		l.ask(write, i<<12, 4)
	}
	l.run(30)
	if got := l.counts[counters.L2WriteMiss]; got != 1 {
		t.Errorf("%d writes with one register, want 1", got)
	}
	l.filling = true
	l.settle(t)
	if len(l.answered) != 4 {
		t.Errorf("%d answers, want 4", len(l.answered))
	}
}
