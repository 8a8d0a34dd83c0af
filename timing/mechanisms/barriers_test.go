// SPDX-License-Identifier: Apache-2.0

package mechanisms_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// producing is a kernel whose first warps produce and whose others consume, round by round,
// through a full and an empty barrier that the double buffer of a round has: what
// warp-specialised kernels do with bar.arrive and bar.sync (PTX ISA 9.7.13.1).
func producing(r *rand.Rand, inRegisters bool) gputest.Launch {
	producers, consumers, rounds := 2+2*r.IntN(2), 2+2*r.IntN(2), 2+r.IntN(4) // wide warps do one or the other
	threads := int64(32 * (producers + consumers))
	k := gputest.NewKernel("producing")
	barrier := func(modifier string, operands ...int64) uint32 {
		at, block := len(k.Instructions), uint32(len(k.Blocks)-1)
		k.Barrier(modifier, operands...)
		if inRegisters {
			gputest.InRegisters(&k.Instructions[at])
		}
		return block
	}
	k.Branch()
	var fill, full, take, empty [2]uint32
	for n := range int64(2) {
		fill[n] = barrier("sync", 3+n, threads)
		k.Load(trace.SpaceGlobal, 1, 2)
		k.Op(trace.ClassIntAdd, 3, 1)
		k.Store(trace.SpaceShared, 2, 3)
		full[n] = barrier("arrive", 1+n, threads)
		take[n] = barrier("sync", 1+n, threads)
		k.Load(trace.SpaceShared, 4, 2)
		k.Op(trace.ClassF32Fma, 5, 4, 5)
		empty[n] = barrier("arrive", 3+n, threads)
	}
	exit := uint32(len(k.Blocks) - 1)
	k.Exit()
	return gputest.Launch{Kernel: k, Blocks: 1 + r.IntN(3), Threads: int(threads), Record: func(w *gputest.Warp) {
		w.Visit(0, w.Lanes)
		for round := range rounds {
			n := round % 2
			switch {
			case w.Warp >= producers:
				w.Visit(take[n], w.Lanes)
				w.Visit(empty[n], w.Lanes)
			case round < 2: // the buffer is empty at first
				w.Visit(full[n], w.Lanes)
			default:
				w.Visit(fill[n], w.Lanes)
				w.Visit(full[n], w.Lanes)
			}
		}
		w.Visit(exit, w.Lanes)
	}}
}

// Barriers whose numbers and threads are in registers take as long as those with
// immediates, on every machine, whether it lowers kernels or not. Where registers have banks,
// an operation may wait for one of the two that a barrier reads, and a warp comes to ten barriers at most.
func TestBarriersInRegistersAreThoseWithImmediates(t *testing.T) {
	entries, err := arch.List()
	if err != nil {
		t.Fatal(err)
	}
	var specs []string
	for _, e := range entries {
		if !e.Overlay && replaytest.Load(t, e.Name).GPU.CoreKind() != arch.NoCores {
			specs = append(specs, e.Name)
		}
	}
	specs = append(specs, "gtx480+wide(threads=64)", "gtx480+tinycache", "gtx480+buddy(members=2)", "eesi+set(gpu.divergence=eesi-m)", "gpsim-eesi-base+set(gpu.divergence=serial)")
	for n, spec := range tracetest.Draw(t, specs, tracetest.Fewer(6, len(specs))) {
		m := replaytest.Load(t, spec)
		var cycles [2]clock.Cycle
		var failed [2]error
		for i, inRegisters := range []bool{false, true} {
			tape := gputest.Trace(t, producing(rand.New(rand.NewPCG(uint64(n), 77)), inRegisters))
			results, err := replay.Run(context.Background(), tape, []*arch.Machine{m}, replay.Options{})
			if failed[i] = err; err == nil {
				cycles[i] = results[0].Total.Cycles
			}
		}
		slack := clock.Cycle(0)
		if m.SM.RegisterBanks > 0 {
			slack = 2 * 10
		}
		if failed[0] == nil != (failed[1] == nil) || max(cycles[0], cycles[1])-min(cycles[0], cycles[1]) > slack {
			t.Errorf("%s: %d cycles (%v) with immediates, %d (%v) with registers", spec, cycles[0], failed[0], cycles[1], failed[1])
		}
	}
}
