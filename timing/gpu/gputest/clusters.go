// SPDX-License-Identifier: Apache-2.0

package gputest

import (
	"math/rand/v2"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

// RandomClusterMachine is some legal small machine with graphics processing clusters.
func RandomClusterMachine(r *rand.Rand) *arch.Machine {
	m := RandomMachine(r)
	m.GPU.SMs = 1 + r.IntN(9)
	m.GPU.Dispatch = []string{"round_robin", "round_robin_anew", "lowest"}[r.IntN(3)]
	m.GPU.Clusters = arch.Clusters{
		GPCs: 1 + r.IntN(m.GPU.SMs), RemoteCycles: 2 + r.IntN(300), BytesPerCycle: 1 << r.IntN(8), BarrierCycles: 1 + r.IntN(300),
	}
	return m
}

// RandomClusterLaunch is a launch in clusters of a random kernel. Its thread blocks meet at
// cluster barriers and reach each other's shared memory; of a few launches some are not stored.
func RandomClusterLaunch(r *rand.Rand) Launch {
	side := func() uint32 { return uint32(1 + r.IntN(2)) }
	c := trace.Dim3{X: uint32(1 + r.IntN(4)), Y: side(), Z: side()}
	grid := trace.Dim3{X: c.X * uint32(1+r.IntN(3)), Y: c.Y * side(), Z: c.Z * side()}
	k := NewKernel("clusters")
	for range 1 + r.IntN(4) {
		randomInstructions(r, k)
		shared(r, k)
		switch r.IntN(3) {
		case 0:
			k.Barrier("sync", 0)
		default:
			k.ClusterArrive(r.IntN(2) == 0)
			randomInstructions(r, k)
			if r.IntN(2) == 0 {
				k.Branch() // waits in another basic block than it arrives in
			}
			k.ClusterWait()
		}
	}
	shared(r, k)
	k.Exit()
	l := Launch{Kernel: k, Blocks: int(grid.Count()), Grid: grid, Cluster: c, Threads: 1 + r.IntN(200)}
	if r.IntN(4) == 0 {
		seed := r.Uint64()
		l.Stored = func(block int) bool { return rand.New(rand.NewPCG(seed, uint64(block))).IntN(4) > 0 }
	}
	l.Record = func(w *Warp) {
		for b := range k.Blocks {
			w.ranked(r, uint32(b), int(c.Count()))
		}
	}
	return l
}

// shared adds accesses to shared memory.
func shared(r *rand.Rand, k *Kernel) {
	for range r.IntN(3) {
		switch r.IntN(3) {
		case 0:
			k.Load(trace.SpaceShared, r.IntN(80), r.IntN(80))
		case 1:
			k.Store(trace.SpaceShared, r.IntN(80), r.IntN(80))
		default:
			k.Memory(trace.ClassAtomic, trace.SpaceShared, r.IntN(80), r.IntN(80), r.IntN(80))
		}
	}
}

// ranked visits a basic block. Its accesses to shared memory go to thread blocks of the
// cluster: all lanes to one, each to another, or to the own.
func (w *Warp) ranked(r *rand.Rand, block uint32, ranks int) {
	w.writer.Visit(w.Warp, block, w.Lanes)
	k := &w.launch.Kernel.Kernel
	b := k.Blocks[block]
	for i := b.First; i < b.First+b.Count; i++ {
		in := &k.Instructions[i]
		if in.Guarded() {
			w.writer.Guard(w.Warp, w.Lanes)
		}
		w.values(in, w.Lanes)
		switch {
		case !in.Class.IsMemory():
		case in.Space != trace.SpaceShared:
			w.writer.AccessStrided(w.Warp, w.Lanes, uint64(0xC000_0000)+uint64(i)<<20+uint64(w.Block*64+w.Warp)*128, 4)
		default:
			w.sharedAccess(r, ranks)
		}
	}
}

func (w *Warp) sharedAccess(r *rand.Rand, ranks int) {
	rank := func() uint64 { return uint64(r.IntN(ranks+1)) << trace.ClusterRankShift } // zero: the own
	base := uint64(r.IntN(1000) * 4)
	if r.IntN(2) == 0 {
		w.writer.AccessStrided(w.Warp, w.Lanes, base|rank(), int64(4*r.IntN(5)))
		return
	}
	var addresses [trace.WarpSize]uint64
	for lane := range addresses {
		addresses[lane] = uint64(r.IntN(1000)*4) | rank()
	}
	w.writer.Access(w.Warp, w.Lanes, &addresses)
}
