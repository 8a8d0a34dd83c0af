// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// halves is a machine whose L2 has two halves, with an odd time for each way to be late.
func halves(t *testing.T, far, atomic int) *arch.Machine {
	m := machine(t, "a100", func(m *arch.Machine) {
		oneClock(m)
		m.GPU.SMs, m.L2.FarCycles, m.L2.AtomicAnswerCycles = 4, far, atomic
	})
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// A hit in the near half takes what it takes in an L2 without halves. One in the far half takes
// l2.far_cycles more until the half has a copy, and again when the line was written, by
// whichever SM. An atomic takes l2.atomic_answer_cycles more. Random accesses, one after the
// other, are compared with that rule, for which a set of copies is all that is to be known.
func TestFarHitsAndAtomicsAreLateByTheirCycles(t *testing.T) {
	const lines, far, atomicCycles = 64, 107, 31
	type place struct {
		line uint64
		half int
	}
	for _, seed := range tracetest.Seeds(t, 4, tracetest.Fewer(1, 2)) {
		late, plain := newRig(t, halves(t, far, atomicCycles)), newRig(t, halves(t, 0, 0))
		rigs := []*rig{late, plain}
		for _, r := range rigs {
			for line := range uint64(lines) { // the misses
				r.latency(0, oneSector(uint32(line), line*128))
			}
		}
		copies, token := map[place]bool{}, uint32(lines)
		homeOf := func(line uint64) int {
			slice, _ := late.system.addresses.slice(line * 128)
			return late.system.halfOfPartition(slice / late.m.L2.SlicesPerPartition)
		}
		for line := range uint64(lines) {
			if homeOf(line) != 0 {
				copies[place{line, 0}] = true // SM 0 has read it
			}
		}
		rng, seen := rand.New(rand.NewPCG(seed, 27)), map[clock.Cycle]int{}
		for range 400 {
			line, sm, what := rng.Uint64N(lines), rng.IntN(4), rng.IntN(8)
			half, home := sm/2, homeOf(line)
			token++
			if what == 0 {
				for _, r := range rigs {
					r.issue(sm, store(line*128, 0))
					r.drain()
				}
				delete(copies, place{line, 1 - home})
				continue
			}
			access, want := oneSector(token, line*128), clock.Cycle(0)
			if what == 1 {
				access.Class = trace.ClassAtomic
				want = atomicCycles
				delete(copies, place{line, 1 - home})
			}
			if half != home && !copies[place{line, half}] {
				want += far
				if what != 1 {
					copies[place{line, half}] = true
				}
			}
			if got := late.latency(sm, access) - plain.latency(sm, access); got != want {
				t.Fatalf("seed %d: SM %d, line %d of half %d, atomic %v: %d cycles more, want %d", seed, sm, line, home, what == 1, got, want)
			}
			seen[want]++
		}
		for _, cycles := range []clock.Cycle{0, far, atomicCycles, far + atomicCycles} {
			if seen[cycles] == 0 {
				t.Errorf("seed %d: no access was late by %d cycles", seed, cycles)
			}
		}
	}
}

// Every request is answered, whatever is under way at the same time: queues are empty at the
// end, and hold no more than the machine says meanwhile.
func TestLateAnswersAllCome(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 3, 1) {
		rng := rand.New(rand.NewPCG(seed, 28))
		m := halves(t, rng.IntN(3)*70, 1+rng.IntN(40))
		m.L2.InputQueue, m.Network.OutputQueue, m.L2.Slice.MSHRs = 1+rng.IntN(3), 1+rng.IntN(3), 4+rng.IntN(8)
		m.Network.RepliesPerCycle = 1 + rng.IntN(3)
		r := newRig(t, m)
		r.checked = true
		for token := range uint32(1500) {
			a := load(token, rng.Uint64N(1<<18)&^127, int32(rng.IntN(3)*64))
			switch rng.IntN(4) {
			case 0:
				a = store(rng.Uint64N(1<<18)&^127, 4)
			case 1:
				a.Class = trace.ClassAtomic
			}
			r.issue(rng.IntN(4), a)
		}
		r.drain()
		if n := r.system.InFlight(); n != 0 {
			t.Errorf("seed %d: %d are left", seed, n)
		}
	}
}

// A store of a unit next to the L2 writes a line as an SM's does: the copy of the other half is old then.
func TestAStoreOfAUnitLeavesNoCopy(t *testing.T) {
	const far = 107
	rigs := []*rig{newRig(t, halves(t, far, 0)), newRig(t, halves(t, 0, 0))}
	seen := map[bool]int{}
	for n := range 8 {
		var cycles [2][3]clock.Cycle
		address, token, sm := uint64(n)<<19, uint32(10*n), 3*(n%2) // SMs of either half
		near := false
		for k, r := range rigs {
			unit := new(jam)
			if err := r.system.Invite(unit, seam.NoPeers); err != nil {
				t.Fatal(err)
			}
			slice, inside := r.system.Locate(address)
			near = r.system.halfOfPartition(slice/r.m.L2.SlicesPerPartition) == r.system.halfOfSM(sm)
			r.latency(sm, oneSector(token, address)) // the miss
			cycles[k][0] = r.latency(sm, oneSector(token+1, address))
			r.system.Access(r.clocks.Core.Start(r.now), slice, inside, cache.Range(0, 4), true, seam.InTurn, 0)
			r.drain()
			if len(unit.served) != 1 {
				t.Fatalf("%d stores of the unit are served", len(unit.served))
			}
			cycles[k][1] = r.latency(sm, oneSector(token+2, address))
			cycles[k][2] = r.latency(sm, oneSector(token+3, address))
		}
		want := [3]clock.Cycle{0, far, 0}
		if seen[near]++; near {
			want[1] = 0
		}
		for i := range want {
			if got := cycles[0][i] - cycles[1][i]; got != want[i] {
				t.Errorf("SM %d, address %#x, in its own half: %t; hit %d is %d cycles late, want %d; the unit stores before the second", sm, address, near, i+1, got, want[i])
			}
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("lines in the SM's half and in the other: %v", seen)
	}
}

// Of copies that have no place together the one that was read least recently goes.
func TestCopiesOfTheOtherHalfAreLRU(t *testing.T) {
	x := &late{copies: cache.NewTags(&arch.Cache{Bytes: 2 * 128, Ways: 2, LineBytes: 128, SectorBytes: 32, Index: "linear"})}
	for i, c := range []struct {
		line uint64
		had  bool
	}{{0, false}, {128, false}, {0, true}, {256, false}, {0, true}, {128, false}, {0, true}, {256, false}} {
		if had := x.copy(c.line, 1); had != c.had {
			t.Errorf("read %d, of line %d: there was a copy: %t", i, c.line, had)
		}
	}
}
