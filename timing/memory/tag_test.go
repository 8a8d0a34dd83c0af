// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// SMs whose requests have the same tag share lines of the L2, and others do not, at the same addresses.
func TestTagsKeepLinesOfL2Apart(t *testing.T) {
	r := newRig(t, machine(t, "gpsim-soc", func(m *arch.Machine) { m.GPU.SMs = 4 }))
	const line = 1 << 20
	sum := func() uint64 {
		n := r.global[counters.L2ReadMiss]
		for _, s := range r.sets {
			n += s[counters.L2ReadMiss]
		}
		return n
	}
	var before, first uint64
	for i, c := range []struct {
		tag    uint64
		misses bool
	}{{1, true}, {2, true}, {1, false}, {0, true}} {
		r.sms[i].port.(*Port).TagRequests(c.tag << seam.TagShift)
		r.issue(i, load(uint32(i), line, 4))
		r.drain()
		missed := sum() - before
		before += missed
		if i == 0 {
			first = missed
		}
		if want := map[bool]uint64{true: first}[c.misses]; missed != want || first == 0 {
			t.Errorf("SM %d with tag %d: %d sectors miss, want %d", i, c.tag, missed, want)
		}
	}
}
