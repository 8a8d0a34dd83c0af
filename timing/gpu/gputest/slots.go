// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// SlotLedger is a seam.Watcher that adds up what becomes of issue slots. It is a
// second way to the profile and to the counters of a run, which front ends charge by
// themselves.
type SlotLedger struct {
	at    map[slot]*spent
	bound map[int]*trace.Kernel // by SM
	sums  map[*trace.Kernel]map[uint32]*[counters.CauseCount]uint64
}

// slot is an issue slot of a scheduler.
type slot struct{ sm, scheduler, slot int }

// spent says since when a slot has the fate that it has.
type spent struct {
	since clock.Cycle
	on    seam.IssueSlots
}

// NewSlotLedger gives an empty ledger, for gpu.Options.Watcher.
func NewSlotLedger() *SlotLedger {
	return &SlotLedger{at: map[slot]*spent{}, bound: map[int]*trace.Kernel{}, sums: map[*trace.Kernel]map[uint32]*[counters.CauseCount]uint64{}}
}

// Watches implements seam.Watcher.
func (l *SlotLedger) Watches(int) bool { return true }

// Ahead implements seam.Watcher.
func (l *SlotLedger) ClockOffset(clock.Cycle) {}

// Warp implements seam.Watcher.
func (l *SlotLedger) Warp(clock.Cycle, seam.WarpSlot) {}

// Block implements seam.Watcher.
func (l *SlotLedger) Block(clock.Cycle, int, int, uint64, bool) {}

// Request implements seam.Watcher.
func (l *SlotLedger) Request(clock.Cycle, seam.Request) {}

// Bound implements seam.Watcher: what the SM's slots did before ends.
func (l *SlotLedger) Bound(now clock.Cycle, sm, _ int, kernel *trace.Kernel) {
	for at, s := range l.at {
		if at.sm == sm {
			l.end(now, s)
			delete(l.at, at)
		}
	}
	l.bound[sm] = kernel
}

// Slots implements seam.Watcher.
func (l *SlotLedger) Slots(now clock.Cycle, s seam.IssueSlots) {
	for i := range s.Count {
		at := slot{s.SM, s.Scheduler, s.First + i}
		if before := l.at[at]; before != nil {
			l.end(now, before)
		}
		l.at[at] = &spent{now, s}
	}
}

// end enters the cycles of a slot up to now.
func (l *SlotLedger) end(now clock.Cycle, s *spent) {
	if now == s.since {
		return // it has been told twice, the last word holds
	}
	k := l.bound[s.on.SM]
	if l.sums[k] == nil {
		l.sums[k] = map[uint32]*[counters.CauseCount]uint64{}
	}
	sum := l.sums[k][s.on.Instruction]
	if sum == nil {
		sum = new([counters.CauseCount]uint64)
		l.sums[k][s.on.Instruction] = sum
	}
	sum[s.on.Cause] += uint64(now - s.since)
}

// Check compares the slots of a run that is over with its profiles (see gpu.Run) and
// its counters.
func (l *SlotLedger) Check(t testing.TB, name string, r *wtape.Reader, profiles [][]uint64, counted *counters.Set) {
	t.Helper()
	var total [counters.CauseCount]uint64
	for k := range r.Kernels() {
		kernel := &r.Kernels()[k]
		sums := l.sums[kernel]
		for i := range kernel.Instructions {
			for c := range counters.Cause(counters.CauseCount) {
				var told, charged uint64
				if sum := sums[uint32(i)]; sum != nil {
					told = sum[c]
				}
				if p := profiles[k]; p != nil {
					charged = p[i*counters.CauseCount+int(c)]
				}
				if told != charged {
					t.Errorf("%s: kernel %s, instruction %d: the watcher has seen %d slots of %v, the profile has %d", name, kernel.Name, i, told, c, charged)
				}
				total[c] += told
			}
		}
		if idle := sums[seam.NoInstruction]; idle != nil {
			total[counters.CauseIdle] += idle[counters.CauseIdle]
		}
	}
	for c := range counters.Cause(counters.CauseCount) {
		if want := counted[c.Counter()]; total[c] != want {
			t.Errorf("%s: the watcher has seen %d slots of %v, the counters have %d", name, total[c], c, want)
		}
	}
}

var _ seam.Watcher = (*SlotLedger)(nil)
