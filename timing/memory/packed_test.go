// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// TestWideReadsOfOneAddressTakeHalfTheirRegisters: a cycle for two registers of all lanes, and no
// conflict; a register at a time where reads are not packed, and for lanes at addresses of their own.
func TestWideReadsOfOneAddressTakeHalfTheirRegisters(t *testing.T) {
	for _, c := range []struct {
		packed          bool
		wavefront, wide int
		bytes           uint8
		stride          int32
		class           trace.OpClass
		held            clock.Cycle
		behind, width   uint64 // cycles behind the first wavefront, and those of them without a conflict
	}{
		{true, 1, 0, 16, 0, trace.ClassLoad, 2, 0, 0},
		{true, 1, 0, 8, 0, trace.ClassLoad, 1, 0, 0},
		{true, 1, 0, 4, 0, trace.ClassLoad, 1, 0, 0},
		{true, 1, 0, 4, 8, trace.ClassLoad, 2, 1, 0},
		{true, 1, 0, 16, 16, trace.ClassLoad, 4, 3, 3},
		{true, 1, 0, 16, 32, trace.ClassLoad, 8, 7, 3},
		{true, 2, 0, 8, 8, trace.ClassLoad, 4, 2, 2},
		{true, 2, 0, 16, 0, trace.ClassLoad, 4, 0, 0},
		{true, 1, 64, 16, 0, trace.ClassLoad, 4, 0, 0},
		{false, 1, 0, 16, 0, trace.ClassLoad, 4, 3, 3},
		{true, 1, 0, 16, 0, trace.ClassStore, 4, 3, 3},
	} {
		r := newRig(t, machine(t, "v100", func(m *arch.Machine) {
			m.Shared.PackedReads, m.Shared.WavefrontCycles, m.Shared.BytesPerCycle = c.packed, c.wavefront, c.wide
		}))
		a := load(1, 256, c.stride)
		a.Class, a.Space, a.LaneBytes = c.class, trace.SpaceShared, c.bytes
		at := r.issue(0, a)
		if got := r.system.ports[0].entry - at; got != c.held {
			t.Errorf("%+v: the entry is held for %d cycles", c, got)
		}
		counts := r.system.ports[0].counts
		if behind, width := counts[counters.SharedConflictCycles], counts[counters.SharedWideCycles]; behind != c.behind || width != c.width {
			t.Errorf("%+v: %d cycles behind the first wavefront, %d of them for the width", c, behind, width)
		}
		if got := counts[counters.SharedBusyCycles]; got != uint64(c.held) {
			t.Errorf("%+v: busy for %d cycles", c, got)
		}
		r.drain()
	}
}
