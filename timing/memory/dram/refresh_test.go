// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/counters"
)

// TestReadWaitsForTheRefreshThatIsDue offers a read so that the scheduler sees it
// in the cycle in which a refresh falls due, and one cycle earlier.
func TestReadWaitsForTheRefreshThatIsDue(t *testing.T) {
	d := gtx480(t)
	tm, due := NewTiming(d), int64(d.TREFI)
	read := func(seen int64) int64 {
		b := newBench(d)
		b.now = seen - 1
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, ID: 1})
		b.run(1000)
		return b.done[1] - seen
	}
	plain := tm.RCD + tm.CL + tm.Burst
	if got, want := read(due), tm.RFC+plain; got != want {
		t.Errorf("in the cycle of the refresh: %d cycles, want tRFC+tRCD+tCL+burst = %d", got, want)
	}
	// The activate has gone before: the row is closed as soon as it may be.
	if got, want := read(due-1), tm.RAS+tm.RP+tm.RFC+plain; got != want {
		t.Errorf("one cycle before: %d cycles, want tRAS+tRP+tRFC+tRCD+tCL+burst = %d", got, want)
	}
	if got, want := read(due+tm.RFC-1), 1+plain; got != want {
		t.Errorf("in the last cycle of the refresh: %d cycles, want %d", got, want)
	}
	if got := read(due + tm.RFC); got != plain {
		t.Errorf("after the refresh: %d cycles, want tRCD+tCL+burst = %d", got, plain)
	}
}

// An idle channel has precharged its open banks when a refresh is due. A read that comes meanwhile waits for the rest
// of it alone.
func TestReadWaitsForTheRestOfARefresh(t *testing.T) {
	d := gtx480(t)
	tm, due := NewTiming(d), int64(d.TREFI)
	for late := range tm.RP + tm.RFC + 3 {
		b := newBench(d)
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, ID: 1})
		b.run(1000)
		b.now = due + late - 1
		b.offer(Request{Row: 1, Bank: 0, Bytes: 64, ID: 2})
		b.run(1000)
		want := max(due+tm.RP+tm.RFC, due+late) + tm.RCD + tm.CL + tm.Burst
		if got := b.done[2]; got != want {
			t.Errorf("%d cycles late: answered %d cycles after the refresh was due, want %d", late, got-due, want-due)
		}
		if n := b.counts[counters.DRAMPrecharge]; n != 1 {
			t.Errorf("%d cycles late: %d precharges", late, n)
		}
	}
}

// Commands go in the order of their cycles, also where a bank may be precharged for its refresh only after a request
// has come for another one.
func TestACommandOfAnotherBankGoesBeforeAPrechargeThatHasToWait(t *testing.T) {
	d := gtx480(t)
	d.Refresh = "per_bank"
	tm, due := NewTiming(d), int64(d.TREFI/d.Banks)
	b := newBench(d)
	var log []issued
	b.channel.(*Banked).observe = func(now int64, what command, bank int32, _ int64) { log = append(log, issued{now - due, what, bank}) }
	b.now = due - tm.RCD - 3
	b.offer(writes(0, 1))
	for b.now <= due {
		b.run(1)
	}
	b.offer(reads(1, 1))
	b.run(500)
	written := log[1].At // the precharge comes tWR behind the last word of the write
	want := []issued{{written - tm.RCD, activate, 0}, {written, writeBurst, 0}, {2, activate, 1}, {2 + tm.RCD, readBurst, 1},
		{written + tm.WTP, precharge, 0}, {written + tm.WTP + tm.RP, refreshBanks, 0}}
	if len(log) > len(want) {
		log = log[:len(want)] // the next bank's refresh
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("commands, cycles from when the refresh was due (-want +got):\n%s", diff)
	}
}

// A channel that sleeps for years has as many refreshes behind it as intervals.
func TestAChannelSleepsForYears(t *testing.T) {
	for _, mode := range []string{"all_bank", "per_bank"} {
		d := gtx480(t)
		d.Refresh = mode
		interval := int64(d.TREFI)
		if mode == "per_bank" {
			interval /= int64(d.Banks)
		}
		b := newBench(d)
		b.run(1)
		b.now = 1 << 50
		b.run(1)
		b.offer(reads(0, 1))
		b.run(2 * interval)
		if got, want := int64(b.counts[counters.DRAMRefresh]), b.now/interval; got < want-1 || got > want {
			t.Errorf("%s: %d refreshes, want %d", mode, got, want)
		}
	}
}

func TestRefreshOfOneBankLeavesTheOthersAlone(t *testing.T) {
	d := gtx480(t)
	d.Refresh = "per_bank"
	tm, interval := NewTiming(d), int64(d.TREFI/d.Banks)
	for turn := range int32(4) { // the banks' turns follow each other
		due := int64(turn+1) * interval
		for bank := range int32(5) {
			want := int64(1) // a refresh of another bank takes the command bus for a cycle
			if bank == turn {
				want = tm.RFC
			}
			b := newBench(d)
			b.now = due - 1
			b.offer(Request{Row: 1, Bank: bank, Bytes: 64, ID: 1})
			b.run(1000)
			if got := b.done[1] - due - (tm.RCD + tm.CL + tm.Burst); got != want {
				t.Errorf("bank %d: refresh of bank %d costs %d cycles, want %d", bank, turn, got, want)
			}
		}
	}
}

// TestIdleRefreshesAreCountedAsIfTheyWereWatched compares a channel that is called
// in every cycle with one that sleeps as long as it may.
func TestIdleRefreshesAreCountedAsIfTheyWereWatched(t *testing.T) {
	for _, mode := range []string{"all_bank", "per_bank"} {
		d := gtx480(t)
		d.Refresh = mode
		d.TREFI = 2000
		if mode == "per_bank" {
			d.TREFI *= 8
		}
		for seed := range uint64(8) {
			every, sleeping := newBench(d), newBench(d)
			for _, b := range []*bench{every, sleeping} {
				rng := rand.New(rand.NewPCG(seed, 5))
				next := b.now + 1
				for id := range uint32(60) {
					at := b.now + 1 + int64(rng.IntN(9000))
					for b.now < at {
						b.now++
						if b == every || b.now >= next {
							next = b.channel.Cycle(b.now)
						}
					}
					b.offer(Request{Row: int64(rng.IntN(3)), Bank: int32(rng.IntN(16)), Bytes: 64, Write: rng.IntN(3) == 0, ID: id})
					next = b.now + 1
				}
				for end := b.now + 5000; b.now < end; {
					b.now++
					if b == every || b.now >= next {
						next = b.channel.Cycle(b.now)
					}
				}
				b.channel.Cycle(b.now)
			}
			if diff := cmp.Diff(every.done, sleeping.done); diff != "" {
				t.Fatalf("%s, seed %d: (-every cycle +sleeping)\n%s", mode, seed, diff)
			}
			if every.counts != sleeping.counts || every.counts[counters.DRAMRefresh] < 100 {
				t.Fatalf("%s, seed %d: (-every cycle +sleeping)\n%s", mode, seed, cmp.Diff(every.counts, sleeping.counts))
			}
		}
	}
}
