// SPDX-License-Identifier: Apache-2.0

package testtraces

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/warptape/warptape/trace"
)

// Random makes an arbitrary legal trace: random kernels, paths, masks and
// guards, and every kind of address pattern.
func Random(seed uint64) *Trace {
	g := &modelMaker{Rand: rand.New(rand.NewPCG(seed, 1)), barriers: seed != storedSeed}
	m := &Trace{Header: trace.Header{Tool: "test", Seed: seed, Sampling: "some", Arguments: map[string]string{"b": "2", "a": "1"}}}
	for range 1 + g.IntN(3) {
		m.Kernels = append(m.Kernels, g.kernel())
	}
	for range 1 + g.IntN(4) {
		m.Launches = append(m.Launches, g.launch(m.Kernels))
	}
	return m
}

// storedSeed is that of a trace of the first version in trace/testdata, which has no barriers.
const storedSeed = 3

type modelMaker struct {
	*rand.Rand
	barriers bool // instructions may be barriers, some with values
}

func (g *modelMaker) kernel() *trace.Kernel {
	k := &trace.Kernel{Name: fmt.Sprintf("kernel%d", g.IntN(100)), File: "test.ptx"}
	blocks := 1 + g.IntN(8)
	for range blocks {
		b := trace.BasicBlock{First: uint32(len(k.Instructions)), Count: uint32(1 + g.IntN(6)), PostDominator: trace.NoBlock}
		for range g.IntN(3) {
			b.Successors = append(b.Successors, uint32(g.IntN(blocks)))
		}
		k.Blocks = append(k.Blocks, b)
		for range b.Count {
			k.Instructions = append(k.Instructions, g.instruction(len(k.Instructions)))
		}
	}
	return k
}

func (g *modelMaker) instruction(line int) trace.Instruction {
	classes := []trace.OpClass{trace.ClassIntAdd, trace.ClassF32Fma, trace.ClassLoad, trace.ClassStore, trace.ClassAtomic, trace.ClassBranch, trace.ClassExit}
	if g.barriers {
		classes = append(classes, trace.ClassBarrier)
	}
	in := trace.Instruction{Opcode: "op", Class: classes[g.IntN(len(classes))], Line: uint32(line)}
	if in.Class.IsMemory() {
		in.Space, in.LaneBytes = trace.SpaceGlobal, uint8(1<<g.IntN(4))
	}
	in.Values = in.Class == trace.ClassBarrier && g.IntN(2) == 0
	if g.IntN(3) == 0 {
		in.Guard = trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Words: 1}}
	}
	return in
}

func (g *modelMaker) launch(kernels []*trace.Kernel) Launch {
	l := Launch{Launch: trace.Launch{
		Kernel: g.IntN(len(kernels)),
		Grid:   trace.Dim3{X: uint32(g.IntN(20)), Y: uint32(1 + g.IntN(3)), Z: 1},
		Block:  trace.Dim3{X: uint32(1 + g.IntN(100)), Y: uint32(1 + g.IntN(2)), Z: 1},
	}}
	k := kernels[l.Kernel]
	shared := g.path(k)
	sampled := g.IntN(3) == 0
	for id := range l.Grid.Count() {
		if sampled && g.IntN(2) == 0 {
			continue
		}
		b := Block{ID: id}
		for w := range l.Warps() {
			path := shared
			if g.IntN(3) == 0 {
				path = g.path(k)
			}
			b.Warps = append(b.Warps, g.warp(k, path, l.FullMask(w), id*uint64(l.Warps())+uint64(w)))
		}
		l.Blocks = append(l.Blocks, b)
	}
	return l
}

func (g *modelMaker) path(k *trace.Kernel) []uint32 {
	var path []uint32
	for range g.IntN(12) {
		path = append(path, uint32(g.IntN(len(k.Blocks))))
	}
	return path
}

func (g *modelMaker) warp(k *trace.Kernel, path []uint32, lanes uint32, number uint64) Warp {
	var m Warp
	mask := lanes
	for _, id := range path {
		if g.IntN(3) == 0 {
			mask = g.part(lanes)
		}
		if mask == 0 {
			mask = lanes
		}
		m.Visits = append(m.Visits, Visit{id, mask})
		b := k.Blocks[id]
		for i := b.First; i < b.First+b.Count; i++ {
			in := &k.Instructions[i]
			active := mask
			if in.Guarded() {
				if g.IntN(2) == 0 {
					active = g.part(mask)
				}
				m.Guards = append(m.Guards, active)
			}
			if in.HasAccess() {
				m.Accesses = append(m.Accesses, g.access(active, uint64(i)<<20+number*128, i))
			}
		}
	}
	return m
}

func (g *modelMaker) part(mask uint32) uint32 {
	switch g.IntN(4) {
	case 0:
		return 0
	case 1:
		return mask & -mask
	}
	return mask & g.Uint32()
}

// access makes regular, tiled, wrapping and random patterns, per instruction
// mostly the same one.
func (g *modelMaker) access(mask uint32, base uint64, instruction uint32) Access {
	a := Access{Mask: mask}
	kind := int(instruction % 6)
	if g.IntN(8) == 0 {
		kind = g.IntN(6)
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		lane := uint64(l)
		switch kind {
		case 0:
			a.Addresses[l] = base + 4*lane
		case 1: // rows of a 16x16 tile
			a.Addresses[l] = base + lane%16*4 + lane/16*4096
		case 2: // wraps around 2^64
			a.Addresses[l] = base - 1<<30 - 8*lane
		case 3:
			a.Addresses[l] = g.Uint64()
		case 4: // a stride that needs more than 32 bits
			a.Addresses[l] = base + lane<<33
		case 5:
			a.Addresses[l] = 1<<20 + uint64(g.IntN(1000))*4
		}
	}
	return a
}
