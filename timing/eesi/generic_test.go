// SPDX-License-Identifier: Apache-2.0

package eesi_test

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/eesi"
	"github.com/warptape/warptape/timing/eesi/eesitest"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// TestLanesAtGenericAddressesAccessTheirSpacesInTheirOrder: an instruction whose lanes lie in
// several spaces is an access to each of them, that of the lowest lane first. Its lanes and addresses are those in that space.
func TestLanesAtGenericAddressesAccessTheirSpacesInTheirOrder(t *testing.T) {
	bases := map[trace.Space]uint64{trace.SpaceGlobal: 0xC000_0000, trace.SpaceShared: trace.SharedWindowBase, trace.SpaceLocal: trace.LocalWindowBase}
	for _, want := range [][]trace.Space{
		{trace.SpaceGlobal, trace.SpaceShared, trace.SpaceLocal}, {trace.SpaceLocal, trace.SpaceGlobal, trace.SpaceShared}, {trace.SpaceShared, trace.SpaceLocal, trace.SpaceGlobal},
	} {
		k := gputest.NewKernel("generic").Load(trace.SpaceGeneric, 1, 2).Exit()
		k.SharedBytes = 4096
		tape := gputest.Trace(t, gputest.Launch{Kernel: k, Blocks: 1, Threads: 32, Record: func(w *gputest.Warp) {
			w.VisitWith(0, w.Lanes, func(int) (uint64, int64, *[32]uint64) {
				var at [32]uint64
				for l := range at {
					at[l] = bases[want[l*len(want)/len(at)]] + uint64(4*l)
				}
				return 0, 0, &at
			})
		}})
		for _, policy := range []string{eesi.Together, eesi.Interleaved} {
			var got []trace.Space
			memory := &gputest.Memory{LatencyCycles: 10, Seen: func(_ clock.Cycle, _ int, a *seam.MemoryAccess) {
				got = append(got, a.Space)
				var at [32]uint64
				if a.Access.Strided() {
					for l := range at {
						at[l] = a.Access.Base + uint64(int64(l)*int64(a.Access.Stride))
					}
				} else {
					a.Chunk.Addresses(a.Access, a.Mask, &at)
				}
				for l := range at {
					there := want[l*len(want)/len(at)] == a.Space
					if address := bases[a.Space] + uint64(4*l); a.Mask>>l&1 == 1 != there || there && at[l]%trace.WindowBytes != address%trace.WindowBytes {
						t.Errorf("%s: lane %d of an access to %v: it takes part %v, at %#x, want %v, %#x", policy, l, a.Space, a.Mask>>l&1 == 1, at[l], there, address)
						return
					}
				}
			}}
			replay(t, eesitest.Machine(policy), gpu.Options{}, tape, memory)
			if !slices.Equal(got, want) {
				t.Errorf("%s: accesses to %v, want %v", policy, got, want)
			}
		}
	}
}

// TestProgressIsWhatLanesHaveIssued: what a replay tells of its progress ends with the
// instructions that its counter has.
func TestProgressIsWhatLanesHaveIssued(t *testing.T) {
	for _, policy := range []string{eesi.Together, eesi.Apart, eesi.Interleaved} {
		memory := &gputest.Memory{LatencyCycles: 1}
		g, err := gpu.New(eesitest.Machine(policy), gpu.Options{Memory: func(_ *arch.Machine, c gpu.Clocks, _ []*counters.Set, global *counters.Set) (seam.Path, error) {
			return memory.Build(c.Core, global), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		var told uint64
		run, err := g.Replay(t.Context(), gputest.NewSource(sides(t, 32, 20)), func(n uint64) { told = n })
		if err != nil {
			t.Fatal(err)
		}
		if want := run.Total[counters.IssuedWarp]; told != want || want == 0 {
			t.Errorf("%s: %d instructions are told, %d have issued", policy, told, want)
		}
	}
}
