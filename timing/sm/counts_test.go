// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/trace"
)

// TestInstructionsCountWhatTheyUse: units, registers and lanes of a program, by hand, in
// all and by instruction. There are three warps, the last of eight lanes; four of those
// take part where there is a guard.
func TestInstructionsCountWhatTheyUse(t *testing.T) {
	k := gputest.NewKernel("counts")
	k.Op(trace.ClassF32Fma, 1, 2, 3, 4).Op(trace.ClassF32Fma, 1, 2, 3, 4).Op(trace.ClassIntAdd, 5, 2, 3).Guarded(0)
	k.Op(trace.ClassF64Add, 6, 7, 8).Op(trace.ClassSpecial, 9, 2).Op(trace.ClassConvert, 9, 2).Op(trace.ClassTensor, 10, 1, 2, 3)
	k.Load(trace.SpaceGlobal, 11, 12).Store(trace.SpaceGlobal, 12, 13).Guarded(0).Exit()
	const warps, lanes, half = 3, 32 + 32 + 8, 16 + 16 + 4
	tape := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: lanes, Record: func(w *gputest.Warp) {
		w.VisitGuarded(0, w.Lanes, w.Lanes&0x0f0f0f0f)
	}})
	o := options(nil)
	o.Lines = true
	g, err := gpu.New(gputest.Machine(), o)
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(t.Context(), gputest.NewSource(tape), nil)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[counters.ID]uint64{
		counters.IssuedWarp: 10 * warps, counters.IssuedThread: 8*lanes + 2*half,
		counters.UnitSP: 2 * warps, counters.UnitInt: 2 * warps, counters.UnitDP: warps, counters.UnitSFU: warps, counters.UnitTensor: warps,
		counters.UnitLDST: 2 * warps, counters.UnitControl: warps,
		counters.RegisterRead: (3 + 3 + 2 + 2 + 1 + 1 + 3 + 1 + 2) * warps, counters.RegisterWrite: 8 * warps,
		counters.RegisterLaneRead: (3+3+2+1+1+3+1)*lanes + (2+2)*half, counters.RegisterLaneWrite: 7*lanes + half,
		counters.LaneOps(trace.ClassF32Fma): 2 * lanes, counters.LaneOps(trace.ClassIntAdd): half, counters.LaneOps(trace.ClassStore): half,
		counters.SlotIssued: 10 * warps, counters.FetchInstruction: 10 * warps,
		counters.BlocksDispatched: 1, counters.BlocksRetired: 1, counters.RegisterBankConflict: 0,
	} {
		if got := run.Total[id]; got != want {
			t.Errorf("%s is %d, by hand %d", counters.Declared(id).Name, got, want)
		}
	}
	units := []counters.ID{counters.UnitSP, counters.UnitSP, counters.UnitInt, counters.UnitDP, counters.UnitSFU, counters.UnitInt, counters.UnitTensor, counters.UnitLDST, counters.UnitLDST, counters.UnitControl}
	for i, unit := range units {
		line, taking := run.Lines[0][i], uint64(lanes)
		if k.Instructions[i].Guarded() {
			taking = half
		}
		for _, id := range []counters.ID{counters.UnitSP, counters.UnitInt, counters.UnitDP, counters.UnitSFU, counters.UnitTensor, counters.UnitLDST, counters.UnitControl} {
			want := uint64(0)
			if id == unit {
				want = warps
			}
			if line[id] != want {
				t.Errorf("instruction %d: %s is %d, want %d", i, counters.Declared(id).Name, line[id], want)
			}
		}
		if line[counters.IssuedWarp] != warps || line[counters.IssuedThread] != taking || line[counters.LaneOps(k.Instructions[i].Class)] != taking {
			t.Errorf("instruction %d: issued %d times on %d lanes, %d of its class; want %d, %d", i, line[counters.IssuedWarp], line[counters.IssuedThread], line[counters.LaneOps(k.Instructions[i].Class)], warps, taking)
		}
	}
}

// TestWatchersSeeTheSlotsThatAreCharged on random machines, to the instruction.
func TestWatchersSeeTheSlotsThatAreCharged(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 18))
		tape := gputest.Trace(t, gputest.RandomLaunches(r)...)
		m, ledger := gputest.RandomMachine(r), gputest.NewSlotLedger()
		o := options(ledger)
		g, err := gpu.New(m, o)
		if err != nil {
			t.Fatal(err)
		}
		run, err := g.Replay(t.Context(), gputest.NewSource(tape), nil)
		if err != nil {
			t.Fatal(err)
		}
		ledger.Check(t, m.Name, tape, run.Profiles, &run.Total)
	}
}

// blocks notes thread blocks that come and go.
type blocks struct {
	*gputest.SlotLedger
	came, went map[uint64]clock.Cycle
}

func (b *blocks) Block(now clock.Cycle, _, _ int, block uint64, there bool) {
	if there {
		b.came[block] = now
	} else {
		b.went[block] = now
	}
}

// TestThreadBlocksAreSeenToComeAndGo: two at a time of five that take as long as each
// other. Of each one the second warp is resident as long as its thread block, and the
// first, which issues before it, a cycle less.
func TestThreadBlocksAreSeenToComeAndGo(t *testing.T) {
	k := gputest.NewKernel("blocks")
	for range 20 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	m := gputest.Machine()
	m.SM.MaxBlocks = 2
	b := &blocks{gputest.NewSlotLedger(), map[uint64]clock.Cycle{}, map[uint64]clock.Cycle{}}
	_, r := run(t, m, b, gputest.Launch{Kernel: k, Blocks: 5, Threads: 64})
	resident := uint64(0)
	for block := range uint64(5) {
		came, there := b.came[block]
		went, gone := b.went[block]
		if !there || !gone || went-came < 20*addition {
			t.Errorf("thread block %d came in cycle %d (%v) and went in %d (%v)", block, came, there, went, gone)
		}
		resident += 2*uint64(went-came) - 1
		if block >= 2 && came < b.went[block-2] {
			t.Errorf("thread block %d came in cycle %d, before %d had gone in %d", block, came, block-2, b.went[block-2])
		}
	}
	if got := r.Total[counters.ResidentWarpCycles]; got != resident {
		t.Errorf("warps were resident for %d cycles, their thread blocks for %d", got, resident)
	}
}

// TestSpecialFunctionsAreCountedByTheirOpcodes on lanes that take part; tanh and what has no opcode
// are of none of the functions.
func TestSpecialFunctionsAreCountedByTheirOpcodes(t *testing.T) {
	k := gputest.NewKernel("functions")
	opcodes := []string{"sqrt", "rsqrt", "lg2", "sin", "cos", "ex2", "rcp", "tanh", ""}
	for range opcodes {
		k.Op(trace.ClassSpecial, 1, 2).Guarded(0)
	}
	k.Op(trace.ClassF32Div, 1, 2, 3).Exit()
	for i, opcode := range opcodes {
		k.Instructions[i].Opcode = opcode
	}
	k.Instructions[len(opcodes)].Opcode = "rcp" // of another class
	tape := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitGuarded(0, w.Lanes, 0xff) }})
	g, err := gpu.New(gputest.Machine(), options(nil))
	if err != nil {
		t.Fatal(err)
	}
	run, err := g.Replay(t.Context(), gputest.NewSource(tape), nil)
	if err != nil {
		t.Fatal(err)
	}
	for f, instructions := range map[trace.SpecialFunction]uint64{
		trace.SpecialRoot: 2, trace.SpecialLogarithm: 1, trace.SpecialSine: 2, trace.SpecialExponential: 1, trace.SpecialReciprocal: 1,
	} {
		if got := run.Total[counters.SpecialOps(f)]; got != 8*instructions {
			t.Errorf("%s: %d lanes, want %d", f, got, 8*instructions)
		}
	}
	if got := run.Total[counters.LaneOps(trace.ClassSpecial)]; got != 8*uint64(len(opcodes)) {
		t.Errorf("%d lanes of class special, want %d", got, 8*len(opcodes))
	}
}

// TestLanesAreCountedWhereTheyWork counts by hand: eight lanes of a warp load
// shared memory, add, store to shared and to global memory; four of them load.
func TestLanesAreCountedWhereTheyWork(t *testing.T) {
	k := gputest.NewKernel("lanes")
	k.Load(trace.SpaceShared, 1, 2).Op(trace.ClassIntAdd, 3, 1, 2).Store(trace.SpaceShared, 2, 3).Store(trace.SpaceGlobal, 2, 3)
	k.Load(trace.SpaceGlobal, 1, 2).Guarded(0).Exit()
	run := replay(t, build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 50}), gputest.Launch{
		Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) { w.VisitGuarded(0, 0xff, 0x0f) },
	})
	for id, want := range map[counters.ID]uint64{
		counters.SharedLaneRead: 8, counters.SharedLaneWrite: 8, counters.GlobalLane: 8 + 4,
		counters.LaneOps(trace.ClassIntAdd): 8, counters.LaneOps(trace.ClassLoad): 8 + 4, counters.LaneOps(trace.ClassStore): 16,
		counters.RegisterLaneWrite: 8 + 8 + 4,
	} {
		if got := run.Total[id]; got != want {
			t.Errorf("%s is %d, want %d", counters.Declared(id).Name, got, want)
		}
	}
}
