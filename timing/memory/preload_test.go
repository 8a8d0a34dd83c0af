// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

func preloading(m *arch.Machine) { m.L2.PreloadCopies = true }

func TestCopiedDataAreReadFromL2(t *testing.T) {
	for _, on := range []bool{false, true} {
		r := newRig(t, machine(t, "gtx480", func(m *arch.Machine) { m.L2.PreloadCopies = on }))
		r.system.Preload(1000, 3000)
		for i, address := range []uint64{1000, 2048, 3999} {
			r.latency(0, oneSector(uint32(i), address&^3))
		}
		r.latency(0, oneSector(9, 4128)) // a sector beyond the copy
		wantHits := uint64(0)
		if on {
			wantHits = 3
		}
		if hits, misses := r.global[counters.L2ReadHit], r.global[counters.L2ReadMiss]; hits != wantHits || misses != 4-wantHits {
			t.Errorf("preload %v: %d hits and %d misses, want %d and %d", on, hits, misses, wantHits, 4-wantHits)
		}
	}
}

func TestTheEndOfALargeCopyStaysInL2(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", preloading))
	const bytes = uint64(5) << 30
	r.system.Preload(0, bytes)
	r.latency(0, oneSector(1, bytes-4))
	r.latency(0, oneSector(2, bytes-700<<10))
	r.latency(0, oneSector(3, bytes-1<<20)) // more than the 768 KiB of all slices
	if hits, misses := r.global[counters.L2ReadHit], r.global[counters.L2ReadMiss]; hits != 2 || misses != 1 {
		t.Errorf("%d hits and %d misses, want 2 and 1", hits, misses)
	}
}

func TestACopyThatWrapsTheAddressSpaceIsIgnored(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", preloading))
	r.system.Preload(4096, ^uint64(0))
	r.latency(0, oneSector(1, 4096))
	if hits := r.global[counters.L2ReadHit]; hits != 0 {
		t.Errorf("%d hits after a copy that does not exist", hits)
	}
}
