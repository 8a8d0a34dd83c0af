// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// arrangedAs is a mechanism that arranges all kernels so.
func arrangedAs(a *core.Arrangement) gpu.Mechanism {
	return gpu.Mechanism{Arrange: func(*trace.Kernel, int) (*core.Arrangement, error) { return a, nil }}
}

// Whatever the order of instructions in their basic blocks, each memory instruction has the addresses that were recorded for it, in
// each visit, and counts for itself.
func TestArrangedInstructionsKeepTheirAddresses(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 61))
		k := gputest.NewKernel("shuffled")
		a := new(core.Arrangement)
		for range 1 + r.IntN(3) {
			first := uint32(len(k.Instructions))
			for range 1 + r.IntN(6) {
				switch r.IntN(3) {
				case 0:
					k.Op(trace.ClassIntAdd, 50, 2)
				case 1:
					k.Load(trace.SpaceGlobal, 10+len(k.Instructions), 2)
				default:
					k.Store(trace.SpaceGlobal, 2, 3)
				}
			}
			order := r.Perm(len(k.Instructions) - int(first))
			for _, i := range order {
				a.Order = append(a.Order, first+uint32(i))
			}
			a.Order = append(a.Order, uint32(len(k.Instructions)))
			k.Branch()
		}
		last := uint32(len(k.Blocks) - 1)
		k.Exit()
		a.Order = append(a.Order, uint32(len(k.Instructions)-1))
		a.Runs = make([]core.Run, len(a.Order))
		type visited struct{ warp, instruction uint32 }
		recorded, seen := map[visited][]uint64{}, map[visited][]uint64{}
		visits := uint64(0)
		l := gputest.Launch{Kernel: k, Blocks: 1, Threads: 64, Record: func(w *gputest.Warp) {
			for range 5 {
				b := uint32(r.IntN(int(last)))
				visits++
				address := func(i uint32) uint64 { return visits<<20 + uint64(i)<<8 }
				var memory []uint32
				for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
					if k.Instructions[i].Class.IsMemory() {
						memory = append(memory, i)
						at := visited{uint32(w.Warp), i}
						recorded[at] = append(recorded[at], address(i))
					}
				}
				w.VisitWith(b, w.Lanes, func(n int) (uint64, int64, *[32]uint64) { return address(memory[n]), 4, nil })
			}
			w.Visit(last, w.Lanes)
		}}
		m, memory := gputest.Machine(), steady()
		memory.Seen = func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
			at := visited{uint32(a.WarpSlot), a.Instruction}
			seen[at] = append(seen[at], a.Access.Base)
		}
		m.SetSection("trial", &trial{arrangedAs(a)})
		o := optionsWith(memory, nil)
		o.Lines = true
		run := replay(t, buildWith(t, m, o), l)
		for at, want := range recorded {
			if !slices.Equal(seen[at], want) {
				t.Errorf("seed %d: warp %d's instruction %d accesses %#x, want %#x", seed, at.warp, at.instruction, seen[at], want)
			}
		}
		for i := range k.Instructions {
			issued := run.Profiles[0][i*counters.CauseCount+int(counters.CauseIssued)]
			if line := run.Lines[0][i]; line[counters.LaneOps(k.Instructions[i].Class)] != 32*issued || line[counters.IssuedWarp] != issued {
				t.Errorf("seed %d: instruction %d issued %d times, by lines %d times for %d lanes of its class", seed, i, issued, line[counters.IssuedWarp], line[counters.LaneOps(k.Instructions[i].Class)])
			}
		}
	}
}

// A warp that has begun a run goes before others until the run has ended. The engine is asked of instructions of runs alone.
func TestARunGoesBeforeOtherWarps(t *testing.T) {
	k := gputest.NewKernel("run")
	for i := range 6 {
		k.Load(trace.SpaceGlobal, 10+i, 2)
	}
	k.Exit()
	order := []uint32{0, 1, 2, 3, 4, 5, 6}
	for name, c := range map[string]struct {
		trigger string
		runs    []core.Run
		want    []int // warps in the order of issue, of one load after the other
	}{
		"no run":                       {"", make([]core.Run, 7), []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
		"no run, and one warp":         {"non", make([]core.Run, 7), []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}},
		"a run":                        {"", []core.Run{0, core.RunFirst, core.RunInside, core.RunInside, core.RunLast, 0, 0}, []int{0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1}},
		"a run, and switches at loads": {"mem", []core.Run{0, core.RunFirst, core.RunInside, core.RunInside, core.RunLast, 0, 0}, []int{0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1}},
	} {
		m := gputest.Machine()
		m.SM.InstructionBuffer, m.SM.FetchWidth, m.SM.WarpSwitch = 16, 8, c.trigger
		m.SetSection("trial", &trial{arrangedAs(&core.Arrangement{Order: order, Runs: c.runs})})
		var got []int
		memory := &gputest.Memory{LatencyCycles: memoryLatency, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { got = append(got, a.WarpSlot) }}
		_, e := offloaded(t, m, memory, gputest.Launch{Kernel: k, Blocks: 1, Threads: 64}, 1, func(*seam.Issuing) seam.Decision { return seam.Here })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: warps issue in the order %v, want %v", name, got, c.want)
		}
		asked := 0
		for _, a := range e.asked {
			if c.runs[a.Instruction] == core.RunNone {
				t.Errorf("%s: the engine is asked of instruction %d", name, a.Instruction)
			}
			asked++
		}
		want := 0
		if c.runs[1] == core.RunFirst {
			want = 2 * 4
		}
		if asked != want {
			t.Errorf("%s: the engine is asked %d times, want %d", name, asked, want)
		}
	}
}
