// SPDX-License-Identifier: Apache-2.0

package eesi

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/trace"
)

// What keeps lanes from issuing is what was reserved and is not over, and queues with as many memory
// instructions as they may have: after each step, for each kind of unit.
func TestLanesAreKeptFromWhatTheyReserved(t *testing.T) {
	const most = 2
	r := rand.New(rand.NewPCG(1, 31))
	b := &busy{}
	var now clock.Cycle
	kept := map[units.Kind]map[int]clock.Cycle{} // until when, by lane
	var queued [32]int
	b.begin()
	for step := range 3000 {
		kind, lanes := units.Kind(r.IntN(units.Kinds)), r.Uint32()&r.Uint32()
		switch r.IntN(4) {
		case 0: // lanes that are not taken
			for k := range kept[kind] {
				lanes &^= 1 << k
			}
			if lanes == 0 {
				continue
			}
			until := now + 1 + clock.Cycle(r.IntN(5))
			b.reserve(kind, lanes, until)
			for l := range 32 {
				if lanes>>l&1 != 0 {
					if kept[kind] == nil {
						kept[kind] = map[int]clock.Cycle{}
					}
					kept[kind][l] = until
				}
			}
		case 1:
			for l := range queued {
				if queued[l] == most {
					lanes &^= 1 << l
				}
			}
			b.enqueue(lanes, most)
			for l := range queued {
				queued[l] += int(lanes >> l & 1)
			}
		case 2:
			for l := range queued {
				if queued[l] == 0 {
					lanes &^= 1 << l
				}
			}
			b.leave(lanes, most)
			for l := range queued {
				queued[l] -= int(lanes >> l & 1)
			}
		}
		now++ // what is over by now may issue again
		b.relax(now)
		if step%3 == 0 && lanes != 0 && len(kept[kind]) == 0 { // and what is reserved in this cycle may not
			b.reserve(kind, lanes, now+3)
			kept[kind] = map[int]clock.Cycle{}
			for m := lanes; m != 0; m &= m - 1 {
				kept[kind][bits.TrailingZeros32(m)] = now + 3
			}
		}
		for k := range units.Kinds {
			want, kind := uint32(0), units.Kind(k)
			for l, until := range kept[kind] {
				if until <= now {
					delete(kept[kind], l)
				} else {
					want |= 1 << l
				}
			}
			for l := range queued {
				if kind == units.LDST && queued[l] == most {
					want |= 1 << l
				}
			}
			if got := b.keeps(kind, ^uint32(0)); got != want {
				t.Fatalf("step %d: unit %d keeps lanes %#x, want %#x", step, k, got, want)
			}
			if want != 0 && (b.kinds>>k&1 == 0 || b.lanes&want != want) {
				t.Fatalf("step %d: unit %d keeps lanes %#x; kinds %#x, lanes %#x", step, k, want, b.kinds, b.lanes)
			}
		}
	}
}

// Lanes share the units of a kind evenly: n of them issue an instruction in a n-th of its interval, and in
// at least a cycle.
func TestUnitsOfAKindShareTheirIntervals(t *testing.T) {
	for _, c := range []struct{ interval, units, want int }{{8, 1, 8}, {8, 2, 4}, {7, 2, 4}, {9, 4, 3}, {1, 4, 1}, {3, 3, 1}} {
		m, err := arch.Load("eesi")
		if err != nil {
			t.Fatal(err)
		}
		m.SM.Units.SP, m.SM.Units.Int = c.units, 0
		m.SM.Latencies.IntAdd = arch.Latency{Cycles: 9, Interval: c.interval}
		k := &trace.Kernel{Name: "k", Instructions: []trace.Instruction{{Opcode: "add", Class: trace.ClassIntAdd}}, Blocks: []trace.BasicBlock{{Count: 1}}}
		p := &program{code: make([]operation, 1)}
		if err := newDecoder(k, m, p).decode(0); err != nil {
			t.Fatal(err)
		}
		if got := p.code[0].interval; got != clock.Cycle(c.want) {
			t.Errorf("%d units of interval %d: %d, want %d", c.units, c.interval, got, c.want)
		}
	}
}
