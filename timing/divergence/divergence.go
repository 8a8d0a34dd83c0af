// Package divergence turns recorded paths into what hardware warps issue.
package divergence

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Policy is a divergence policy.
type Policy struct {
	New func() seam.Divergence
	// KeepsInstructions says that a replay issues exactly the recorded warp
	// instructions. A policy that regroups lanes issues others.
	KeepsInstructions bool
	// Independent says that streams may be used side by side (but not opened or
	// closed).
	Independent bool
}

// Policies are the divergence policies by name.
var Policies = seam.NewRegistry[Policy]("divergence policy")

func init() {
	Policies.Open(arch.Word("gpu.divergence"))
	Policies.Register("pdom", Policy{New: func() seam.Divergence { return &postDominator{} }, KeepsInstructions: true, Independent: true})
}

// postDominator replays warps as they were recorded: 32 lanes that reconverge at
// immediate post-dominators.
type postDominator struct{ free []*recorded }

func (d *postDominator) HardwareWarps(n int) int { return n }

func (d *postDominator) Open(_ *trace.Kernel, chunk *trace.Chunk, block uint64, h int) seam.Stream {
	var s *recorded
	if n := len(d.free); n > 0 {
		s, d.free = d.free[n-1], d.free[:n-1]
	} else {
		s = &recorded{owner: d}
	}
	s.warp = chunk.Warp(block, h)
	s.visit, s.guard, s.access = 0, 0, 0
	return s
}

// recorded is a stream that hands out a recorded warp.
type recorded struct {
	owner                *postDominator
	warp                 trace.Warp
	visit, guard, access int
}

func (s *recorded) Next(v *seam.Visit) bool {
	i := s.visit
	if i >= len(s.warp.Blocks) {
		return false
	}
	s.visit++
	v.BasicBlock, v.Mask = s.warp.Blocks[i], s.warp.Masks[i]
	return true
}

func (s *recorded) Guard() uint32 {
	m := s.warp.Guards[s.guard]
	s.guard++
	return m
}

func (s *recorded) Access() trace.Access {
	a := s.warp.Accesses[s.access]
	s.access++
	return a
}

func (s *recorded) Arrives(mask uint32) bool { return mask != 0 }

func (s *recorded) Close() {
	s.warp = trace.Warp{}
	s.owner.free = append(s.owner.free, s)
}
