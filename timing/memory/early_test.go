// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// early asks for a line past the L1 of the first SM and gives the cycles until it is
// there.
func (r *rig) early(token uint32, address uint64) clock.Cycle {
	s := r.sms[0]
	r.tick(r.now + 1)
	start := r.now
	if !s.port.(seam.EarlyReader).ReadEarly(start, address, token) {
		r.t.Fatal("no room for a single early read")
	}
	s.next = start + 1
	for s.completed[token] == 0 && r.step() {
		continue
	}
	return s.completed[token] - start
}

// TestAnEarlyReadPassesTheL1: it takes what a load that bypasses the L1 takes but for
// the L1's pipeline, and the L1 has the line no more than before.
func TestAnEarlyReadPassesTheL1(t *testing.T) {
	m := machine(t, "gtx480", oneClock)
	r := newRig(t, m)
	port := r.sms[0].port.(seam.EarlyReader)
	r.early(1, 512) // into the L2
	whole := load(2, 512, 4)
	whole.Bypass = true
	loaded := r.latency(0, whole)
	if got, want := r.early(3, 512+64), loaded-clock.Cycle(m.L1.LatencyCycles)+1; got != want {
		t.Errorf("an early read of a line in L2 takes %d cycles, want %d", got, want)
	}
	if port.Holds(512) || r.sets[0][counters.L1Read] != 1 {
		t.Errorf("the L1 holds the line: %v; it was read %d times", port.Holds(512), r.sets[0][counters.L1Read])
	}
	r.latency(0, load(4, 1024, 4))
	if !port.Holds(1024) || !port.Holds(1024+100) || port.Holds(1024+128) {
		t.Error("the L1 does not hold the line that was loaded, or another one")
	}
	if n := r.system.InFlight(); n != 0 {
		t.Errorf("%d requests are left", n)
	}
}

// TestEarlyReadsComeBehindEverythingElse: none is sent in a cycle in which a load misses.
func TestEarlyReadsComeBehindEverythingElse(t *testing.T) {
	r := newRig(t, machine(t, "gtx480", func(m *arch.Machine) { oneClock(m); m.L1.LatencyCycles = 1 }))
	s := r.sms[0]
	port := s.port.(*Port)
	r.tick(1)
	s.next = r.now + 1
	queued := uint32(0)
	waited := 0
	for i := range uint32(8) {
		a := load(i, uint64(i+1)<<14, 128) // 32 lines
		if port.Ready(r.now) {
			port.Issue(r.now, &a)
		}
		for port.ReadEarly(r.now, uint64(100+queued)<<20, 100+queued) {
			queued++
		}
		for range 20 {
			before, misses := port.early.Len(), r.sets[0][counters.L1ReadMiss]
			r.tick(r.now + 1)
			s.next = r.now + 1
			if before > 0 && r.sets[0][counters.L1ReadMiss] > misses {
				waited++
				if port.early.Len() < before {
					t.Fatalf("cycle %d: an early read is sent before a load", r.now)
				}
			}
		}
	}
	if waited == 0 || queued < earlyLimit {
		t.Fatalf("early reads waited for loads in %d cycles, %d were taken", waited, queued)
	}
	for r.step() {
		continue
	}
	if n := r.system.InFlight(); n != 0 {
		t.Errorf("%d requests are left", n)
	}
}
