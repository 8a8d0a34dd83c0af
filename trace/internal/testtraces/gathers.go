// SPDX-License-Identifier: Apache-2.0

package testtraces

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/lanecode"
	"github.com/warptape/warptape/trace/wtape"
)

// Gather is a kernel of two loads in a loop; the second load has the addresses that each
// model is made for.
type Gather struct {
	Model         int
	Warps, Visits int
	Address       func(g *GatherState) (first, second [trace.WarpSize]uint64)
}

// GatherState is what a gather knows of the warp that it is about.
type GatherState struct {
	*rand.Rand
	Warp, Visit int
	mask        uint32
	last        [trace.WarpSize]uint64
	centre      [trace.WarpSize]uint64
	table       [5000]uint64
}

// around is at most so far from a number.
func (g *GatherState) around(n uint64, far int) uint64 {
	return n + uint64(g.IntN(2*far+1)) - uint64(far)
}

// Each gives the addresses of all lanes.
func (g *GatherState) Each(address func(lane int) uint64) (out [trace.WarpSize]uint64) {
	for l := range out {
		out[l] = address(l)
	}
	return out
}

// NoGather is for a first load that does not matter.
var NoGather [trace.WarpSize]uint64

// Gathers are the gathers of all lane models, in their order.
func Gathers() []Gather {
	return []Gather{
		{lanecode.ModelUniform, 40, 20, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
		}},
		{lanecode.ModelLaneBefore, 40, 20, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			at := uint64(1 << 20)
			return NoGather, g.Each(func(int) uint64 { at += 4 * uint64(g.IntN(12)); return at })
		}},
		{lanecode.ModelLanesMean, 400, 2, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			centre := uint64(1<<20 + 50*g.Warp)
			return NoGather, g.Each(func(int) uint64 { return g.around(centre, 60) })
		}},
		{lanecode.ModelSameLane, 20, 40, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(l int) uint64 {
				if g.Visit == 0 {
					g.last[l] = uint64(g.IntN(1 << 24))
				}
				g.last[l] = g.around(g.last[l], 20) + 900
				return g.last[l]
			})
		}},
		{lanecode.ModelSameLaneMean, 20, 40, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(l int) uint64 {
				if g.Visit == 0 {
					g.centre[l] = uint64(g.IntN(1 << 24))
				}
				return g.around(g.centre[l], 300)
			})
		}},
		{lanecode.ModelLaneNumber, 400, 2, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(l int) uint64 {
				if g.Warp == 0 && g.Visit == 0 {
					g.centre[l] = uint64(g.IntN(1 << 24))
				}
				return g.around(g.centre[l], 300)
			})
		}},
		{lanecode.ModelSuccessor, 40, 40, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(l int) uint64 {
				if g.Visit == 0 {
					g.last[l] = uint64(g.IntN(len(g.table)))
				}
				if g.mask>>l&1 == 1 { // the other lanes do not walk
					g.last[l] = g.table[g.last[l]]
				}
				return 8 * g.last[l]
			})
		}},
		{lanecode.ModelCompanion, 20, 20, func(g *GatherState) (first, second [trace.WarpSize]uint64) {
			first = g.Each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
			return first, g.Each(func(l int) uint64 { return 1<<30 + 2*first[l] })
		}},
		{lanecode.ModelMap, 40, 40, func(g *GatherState) (first, second [trace.WarpSize]uint64) {
			first = g.Each(func(int) uint64 { return uint64(g.IntN(len(g.table))) })
			return first, g.Each(func(l int) uint64 { return 1<<30 + 12*g.table[first[l]] })
		}},
		{lanecode.ModelNearCompanion, 40, 20, func(g *GatherState) (first, second [trace.WarpSize]uint64) {
			first = g.Each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
			return first, g.Each(func(l int) uint64 { return 1<<30 + 4*uint64(l) + first[l] + 4*uint64(g.IntN(2)) })
		}},
		// Counters of their own for each lane: a step.
		{lanecode.ModelSameLaneMean, 20, 40, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(l int) uint64 { return uint64(4*l) + 128*uint64(g.IntN(50)+g.IntN(50)) })
		}},
		// Searches in a tree of 31 nodes, a third of them forks: contexts by key.
		{lanecode.ModelSuccessor, 100, 40, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(l int) uint64 {
				node := &g.last[l]
				if g.mask>>l&1 == 1 {
					if fork := *node % 3; g.Uint64N(2) < fork {
						*node = 2**node + 2
					} else {
						*node = 2**node + 1
					}
					if *node > 30 || g.Visit%5 == 0 {
						*node = 0
					}
				}
				return 1<<20 + 4**node
			})
		}},
		// Addresses with more zeros than ones, as in graphs of the R-MAT model: coded
		// open bits.
		{lanecode.ModelUniform, 60, 30, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(int) uint64 {
				return 4 * uint64(g.IntN(300)<<6|int(g.Uint32()&g.Uint32()&63))
			})
		}},
		// Lanes that move far or not at all, and keep to it: contexts of the same lane.
		{lanecode.ModelSameLane, 40, 60, func(g *GatherState) (_, second [trace.WarpSize]uint64) {
			return NoGather, g.Each(func(l int) uint64 {
				if g.Visit == 0 {
					g.last[l] = uint64(g.IntN(1 << 22))
				}
				if g.mask>>l&1 == 1 {
					g.last[l] += uint64(l%4) * uint64(l%4) * uint64(l%4) * (90 + uint64(g.IntN(20)))
				}
				return 4 * g.last[l]
			})
		}},
	}
}

// Kernel is the kernel of the gather.
func (x *Gather) Kernel() *trace.Kernel {
	kernel := LayOut("gather", LaidBlock{"lla", []uint32{0, 1}}, LaidBlock{"x", nil})
	if x.Model == lanecode.ModelCompanion { // units of the companion are twice as large
		kernel.Instructions[1].LaneBytes = 8
	}
	return kernel
}

// Record returns a trace of the gather.
func (x *Gather) Record(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "gather", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	k, err := w.AddKernel(x.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	x.Launch(t, w, k)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Launch records the gather; the same each time.
func (x *Gather) Launch(t testing.TB, w *wtape.Writer, kernel int) {
	t.Helper()
	g := &GatherState{Rand: rand.New(rand.NewPCG(uint64(x.Model), 5))}
	for i, n := range g.Perm(len(g.table)) {
		g.table[i] = uint64(n)
	}
	if _, err := w.BeginLaunch(trace.Launch{Kernel: kernel, Grid: trace.Dim3{X: uint32(x.Warps), Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	for g.Warp = range x.Warps {
		w.BeginBlock(uint64(g.Warp))
		for g.Visit = range x.Visits {
			g.mask = AllLanes
			if g.Visit%5 == 3 {
				g.mask = g.Uint32() | 1
			}
			w.Visit(0, 0, g.mask)
			first, second := x.Address(g)
			w.Access(0, g.mask, &first)
			w.Access(0, g.mask, &second)
		}
		w.Visit(0, 1, AllLanes)
		if err := w.EndBlock(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.EndLaunch(); err != nil {
		t.Fatal(err)
	}
}

// Repeated is a trace whose second launch refers to the first.
func Repeated(t testing.TB) []byte {
	t.Helper()
	x := Gathers()[lanecode.ModelSameLaneMean-lanecode.ModelUniform]
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "repeated", trace.Header{}, wtape.Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	k, err := w.AddKernel(x.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		x.Launch(t, w, k)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
