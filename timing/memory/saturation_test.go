// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Misses of lines that the L2 has: with n registers, n are served in every round
// trip from the L1's tags and back (Little's law), until something else is full.
func TestMissRegistersOverLatencyBoundTheThroughput(t *testing.T) {
	const lines = 240
	for _, registers := range []int{1, 2, 3, 4} {
		m := machine(t, "gtx480", func(m *arch.Machine) {
			oneClock(m)
			m.GPU.SMs, m.L1.MSHRs = 1, registers
			m.L1.LineBytes, m.L1.SectorBytes = 32, 32
		})
		r := newRig(t, m)
		stream := func() clock.Cycle {
			first := r.now
			for i := range uint32(lines) {
				r.issue(0, load(i, uint64(i)*128, 0))
			}
			r.drain()
			return r.now - first
		}
		stream()
		r.sms[0].port.KernelEnd(r.now)
		r.sms[0].completed = map[uint32]clock.Cycle{}
		got := int(stream())
		// A register is taken when the tags are looked up and free again when the
		// sector fills: an L2 hit less the L1's pipeline.
		trip := l2HitCycles(m) - m.L1.LatencyCycles
		want := lines / registers * trip
		if got < want || got > want+lines/registers+2*trip {
			t.Errorf("%d registers: %d lines in %d cycles, want %d to %d", registers, lines, got, want, want+lines/registers+2*trip)
		}
	}
}

// d lanes want words of bank 0 that differ, the others the first of these words:
// d cycles for every degree d.
func TestEveryDegreeOfBankConflictTakesItsCycles(t *testing.T) {
	for degree := 1; degree <= 32; degree++ {
		t.Run(fmt.Sprint(degree), func(t *testing.T) {
			m := machine(t, "gtx480", nil)
			r := newRig(t, m)
			a := load(1, 0, 4)
			var lanes [32]uint64
			for lane := range lanes {
				lanes[lane] = uint64(lane % degree * m.Shared.Banks * m.Shared.BankBytes)
			}
			a.Space, a.Chunk = trace.SpaceShared, wtape.NewChunk()
			a.Access = a.Chunk.AddLanes(a.Mask, &lanes)
			at := r.issue(0, a)
			r.tick(at + clock.Cycle(degree-1))
			if degree > 1 && r.sms[0].port.Ready(r.now) {
				t.Errorf("ready after %d of %d cycles", degree-1, degree)
			}
			r.tick(at + clock.Cycle(degree))
			if !r.sms[0].port.Ready(r.now) {
				t.Errorf("not ready after %d cycles", degree)
			}
			r.drain()
			if got, want := int(r.sms[0].completed[1]-at), m.Shared.LatencyCycles+degree-1; got != want {
				t.Errorf("%d cycles, want %d", got, want)
			}
			if n := r.sets[0][counters.SharedConflictCycles]; n != uint64(degree-1) {
				t.Errorf("%d conflict cycles", n)
			}
		})
	}
}
