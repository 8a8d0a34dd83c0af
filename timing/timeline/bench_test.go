// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"io"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// oneInstruction is a kernel for records without a replay.
var oneInstruction = &trace.Kernel{Instructions: []trace.Instruction{{Line: 1}}}

// BenchmarkSlots isolates what a recorder does for a scheduler whose slot changes
// its fate in every cycle: one slice, two packets.
func BenchmarkSlots(b *testing.B) {
	r := New(io.Discard, "m", 1, Options{LimitBytes: 1 << 60})
	r.Bound(0, 0, 0, oneInstruction)
	b.ReportAllocs()
	for i := range b.N {
		is := seam.IssueSlots{Count: 1, Cause: counters.Cause(i % counters.CauseCount)}
		r.Slots(clock.Cycle(i), is)
	}
}

func TestRecordingAllocatesNothingInTheSteadyState(t *testing.T) {
	r := New(io.Discard, "m", 1, Options{LimitBytes: 1 << 60})
	r.Bound(0, 0, 0, oneInstruction)
	now := clock.Cycle(0)
	step := func() {
		r.Slots(now, seam.IssueSlots{Count: 1, Cause: counters.Cause(int(now) % counters.CauseCount)})
		r.Warp(now, seam.WarpSlot{State: seam.WarpState(1 + int(now)%3)})
		r.Request(now, seam.Request{Sent: now - 5, Kind: "read", Served: "L2"})
		now++
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n > 0 {
		t.Errorf("%g allocations a cycle", n)
	}
}
