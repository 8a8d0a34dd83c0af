// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace/tracetest"
)

// Every machine with an L1, and every number of bytes a cycle: a stream of whole lines
// takes their bytes over those of a cycle, rounded up, for each.
func TestALineHoldsTheL1ForItsBytes(t *testing.T) {
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	entries = slices.DeleteFunc(entries, func(e arch.Entry) bool { return e.Overlay })
	for _, entry := range tracetest.Draw(t, entries, tracetest.Fewer(2, 4)) {
		spec := entry.Name
		for _, limit := range []int{0, 8, 16, 32, 48, 64, 96, 128, 256} {
			m := machine(t, spec, func(m *arch.Machine) {
				m.GPU.SMs, m.L1.BytesPerCycle, m.Network.Placement = 1, limit, "spread"
			})
			if m.L1.Bytes == 0 || m.SM.MaxWarps == 0 {
				continue
			}
			cycles := func(loads int) clock.Cycle {
				r := newRig(t, m)
				newTraffic(r, 256, func(_, n int) seam.MemoryAccess { // of two lines that are there
					a := load(1, uint64(n%2*m.L1.LineBytes), int32(m.L1.LineBytes/32))
					a.LaneBytes = uint8(m.L1.LineBytes / 32)
					return a
				}).run(loads)
				return r.now
			}
			each := 1
			if limit > 0 {
				each = max((m.L1.LineBytes+limit-1)/limit, 1)
			}
			if m.L1.SectorTransactions && limit == 0 {
				each = (m.L1.LineBytes/m.L1.SectorBytes + m.L1.Banks - 1) / m.L1.Banks
			} else if m.L1.SectorTransactions {
				continue // its banks and bytes part a line in another way
			}
			if got := float64(cycles(4000)-cycles(2000)) / 2000; got < 0.99*float64(each) || got > 1.02*float64(each) {
				t.Errorf("%s, %d bytes a cycle: a line of %d takes %.2f cycles, want %d", spec, limit, m.L1.LineBytes, got, each)
			}
		}
	}
}

// A hit has its data when the last of them pass.
func TestAHitWaitsForItsLastBytes(t *testing.T) {
	latency := func(limit int, stride int32) clock.Cycle {
		r := newRig(t, machine(t, "rtx2080ti", func(m *arch.Machine) { m.L1.BytesPerCycle = limit }))
		r.latency(0, load(1, 512, stride))
		return r.latency(0, load(2, 512, stride))
	}
	for limit, more := range map[int]clock.Cycle{128: 0, 96: 1, 64: 1, 48: 2, 32: 3, 16: 7, 0: 0} {
		if got, want := latency(limit, 4), latency(0, 4)+more; got != want {
			t.Errorf("%d bytes a cycle: a line that hits takes %d cycles, want %d", limit, got, want)
		}
		if got, want := latency(max(limit, 32), 0), latency(0, 0); got != want {
			t.Errorf("%d bytes a cycle: a word that hits takes %d cycles, want %d", limit, got, want)
		}
	}
}

// An L1 that was stalled does not catch up: its tags take lines no faster than they pass.
func TestAStalledL1TakesNoLinesFasterThanTheyPass(t *testing.T) {
	for _, limit := range []int{32, 64} {
		m := machine(t, "rtx2080ti", func(m *arch.Machine) {
			m.GPU.SMs, m.L1.BytesPerCycle = 1, limit
			m.L1.MSHRs, m.L1.MissQueue = 4, 4
		})
		r := newRig(t, m)
		port := r.system.ports[0]
		issued, taken, last, longest := 0, 0, clock.Cycle(-1000), 0
		for issued < 300 {
			if port.Ready(r.now) {
				a := load(uint32(issued), uint64(issued/8)*128, 4) // eight loads of each line
				port.Issue(r.now, &a)
				r.sms[0].next = min(r.sms[0].next, r.now+1)
				issued++
			}
			r.tick(r.now + 1)
			longest = max(longest, port.data.Len())
			if n := issued - port.data.Len(); n > taken {
				if n > taken+1 || r.now-last < clock.Cycle(128/limit) {
					t.Fatalf("%d bytes a cycle: %d lines at %d, the last one at %d", limit, n-taken, r.now, last)
				}
				taken, last = n, r.now
			}
		}
		r.drain()
		if longest < 30 {
			t.Errorf("%d bytes a cycle: at most %d lines waited: nothing stalled", limit, longest)
		}
	}
}

// Random accesses of random widths: the entry is held as long as a plain count of sectors
// says, and never for less than all their bytes take.
func TestTheEntryIsHeldForTheBytesOfRandomAccesses(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(2, 5)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 27))
			m := machine(t, "v100", func(m *arch.Machine) {
				m.GPU.SMs, m.L1.BytesPerCycle, m.L1.Banks = 1, 8<<rng.IntN(6), 1<<rng.IntN(4)
			})
			r := newRig(t, m)
			port := r.system.ports[0]
			for token := range uint32(200) {
				a := load(token, rng.Uint64N(1<<14)&^15, int32(rng.IntN(40))*4)
				a.LaneBytes, a.Mask = 4<<rng.IntN(3), rng.Uint32()|1
				at := r.issue(0, a)
				if got, want := port.entry-at, plainHold(m, &a); got != want {
					t.Fatalf("access %d holds the entry for %d cycles, want %d", token, got, want)
				}
			}
			r.drain()
		})
	}
}

// plainHold counts sector by sector: lines in the order of their lanes, those of a cycle in
// banks that differ and with no more bytes than pass.
func plainHold(m *arch.Machine, a *seam.MemoryAccess) clock.Cycle {
	sectors := map[uint64]map[uint64]bool{}
	var lines []uint64
	for lanes := a.Mask; lanes != 0; lanes &= lanes - 1 {
		first := a.Access.Base + uint64(bits.TrailingZeros32(lanes))*uint64(a.Access.Stride)
		for address := first; address < first+uint64(a.LaneBytes); address += 4 {
			line := address / 128
			if sectors[line] == nil {
				sectors[line] = map[uint64]bool{}
				lines = append(lines, line)
			}
			sectors[line][address/32] = true
		}
	}
	held, bytes, banks := clock.Cycle(0), 0, map[uint64]bool{}
	flush := func() {
		held += clock.Cycle(max((bytes+m.L1.BytesPerCycle-1)/m.L1.BytesPerCycle, 1))
		bytes, banks = 0, map[uint64]bool{}
	}
	for _, line := range lines {
		bank, wide := line%uint64(m.L1.Banks), 32*len(sectors[line])
		if len(banks) > 0 && (banks[bank] || bytes+wide > m.L1.BytesPerCycle) {
			flush()
		}
		banks[bank] = true
		bytes += wide
	}
	flush()
	return held
}
