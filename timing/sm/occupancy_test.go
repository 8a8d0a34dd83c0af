// SPDX-License-Identifier: Apache-2.0

package sm_test

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// residents counts thread blocks on the SM.
type residents struct {
	*gputest.SlotLedger
	there, most int
}

func (r *residents) Block(_ clock.Cycle, _, _ int, _ uint64, there bool) {
	if !there {
		r.there--
		return
	}
	r.there++
	r.most = max(r.most, r.there)
}

// TestEveryLimitBoundsTheResidents by itself. Thread blocks have 64 threads, two warps,
// 2048 registers and 1 KiB of shared memory. The SM has three times as much of one of
// them, or one less than that, and plenty of all others.
func TestEveryLimitBoundsTheResidents(t *testing.T) {
	k := gputest.NewKernel("long")
	k.RegistersPerThread = 32
	for range 30 {
		k.Op(trace.ClassIntAdd, 1, 1)
	}
	k.Exit()
	for what, limit := range map[string]func(m *arch.Machine, less int){
		"thread blocks": func(m *arch.Machine, less int) { m.SM.MaxBlocks = 3 - less },
		"warps":         func(m *arch.Machine, less int) { m.SM.MaxWarps = 6 - less },
		"threads":       func(m *arch.Machine, less int) { m.SM.MaxThreads = 192 - less },
		"registers":     func(m *arch.Machine, less int) { m.SM.Registers = 3*2048 - less },
		"shared memory": func(m *arch.Machine, less int) { m.Shared.Bytes = 3*1024 - less },
		"shared memory with the hardware's own part of it": func(m *arch.Machine, less int) {
			m.Shared.BlockReserve, m.Shared.Bytes = 512, 3*(1024+512)-less
		},
	} {
		for less, want := range []int{3, 2} {
			m := gputest.Machine()
			limit(m, less)
			r := &residents{SlotLedger: gputest.NewSlotLedger()}
			run(t, m, r, gputest.Launch{Kernel: k, Blocks: 8, Threads: 64, DynamicBytes: 1024})
			if r.most != want || r.there != 0 {
				t.Errorf("%s, %d less than three times: %d thread blocks at a time, want %d; %d are left", what, less, r.most, want, r.there)
			}
		}
	}
}

// TestAGenericAccessIsOfTheSpaceOfItsFirstThread, whichever lane that is, and however its
// addresses are recorded.
func TestAGenericAccessIsOfTheSpaceOfItsFirstThread(t *testing.T) {
	k := gputest.NewKernel("generic")
	k.Load(trace.SpaceGeneric, 1, 2).Exit()
	for base, want := range map[uint64]trace.Space{
		trace.SharedWindowBase + 64: trace.SpaceShared, trace.LocalWindowBase + 64: trace.SpaceLocal,
		trace.ConstWindowBase + 64: trace.SpaceConst, 1<<33 + 64: trace.SpaceGlobal,
	} {
		for _, first := range []int{0, 5} {
			for _, irregular := range []bool{false, true} {
				lanes := gputest.Full << first
				var addresses [trace.WarpSize]uint64
				for l := range addresses {
					addresses[l] = base + uint64(l*l)%64*4
				}
				tape := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
					w.VisitWith(0, lanes, func(int) (uint64, int64, *[32]uint64) {
						if irregular {
							return 0, 0, &addresses
						}
						return base, 4, nil
					})
				}})
				var got []seam.MemoryAccess
				memory := &gputest.Memory{LatencyCycles: 1, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) { got = append(got, *a) }}
				g, err := gpu.New(gputest.Machine(), optionsWith(memory, nil))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := g.Replay(t.Context(), gputest.NewSource(tape), nil); err != nil {
					t.Fatal(err)
				}
				if len(got) != 1 || got[0].Space != want || got[0].Mask != lanes {
					t.Fatalf("from %#x on, lanes %08x, irregular %v: %+v, want space %v", base, lanes, irregular, got, want)
				}
				if at := got[0].Access.Base + 7*uint64(got[0].Access.Stride); !irregular && want != trace.SpaceGlobal && at != 64+7*4 {
					t.Errorf("from %#x on, lanes %08x: lane 7 is at %#x of the space, want %#x", base, lanes, at, 64+7*4)
				}
			}
		}
	}
}
