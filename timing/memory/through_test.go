// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
)

// withoutL2 takes the cache out of the L2 slices.
func withoutL2(m *arch.Machine) {
	oneClock(m)
	m.L2.Slice.Bytes, m.SM.Lacks.Atomics = 0, true
}

func TestWithoutL2EveryReadGoesToDRAM(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", withoutL2))
	first := r.latency(0, oneSector(1, 512))
	again := r.latency(0, oneSector(2, 512))
	if r.global[counters.L2ReadHit] != 0 || r.global[counters.L2ReadMiss] != 2 || r.global[counters.DRAMRead] != 2 {
		t.Errorf("%d hits, %d misses, %d reads of DRAM", r.global[counters.L2ReadHit], r.global[counters.L2ReadMiss], r.global[counters.DRAMRead])
	}
	// The second finds its row open: it saves the activate at most.
	if d := &r.m.DRAM; again > first || int(first-again) > d.TRCD+d.TRP {
		t.Errorf("%d cycles, then %d", first, again)
	}
}

func TestWithoutL2AnUncontendedReadTakesTheTimeOfAMiss(t *testing.T) {
	with := newRig(t, machine(t, "gtx480", oneClock)).latency(0, oneSector(1, 512))
	without := newRig(t, machine(t, "gtx480", withoutL2)).latency(0, oneSector(1, 512))
	if with != without {
		t.Errorf("a miss takes %d cycles, a read without L2 %d", with, without)
	}
}

func TestWithoutL2EveryWriteGoesToDRAM(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", withoutL2))
	for range 8 {
		r.issue(0, store(512, 4))
		r.drain()
	}
	sectors := uint64(8 * 128 / r.m.L2.Slice.SectorBytes)
	if r.global[counters.DRAMWrite] != sectors || r.global[counters.L2WriteHit] != 0 {
		t.Errorf("%d writes to DRAM, want %d; %d hits", r.global[counters.DRAMWrite], sectors, r.global[counters.L2WriteHit])
	}
}
