// SPDX-License-Identifier: Apache-2.0

package divergence

import (
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// postDominator replays warps as they were recorded: 32 lanes that reconverge at
// immediate post-dominators.
type postDominator struct{ free []*recorded }

func (d *postDominator) HardwareWarps(n int) int { return n }

// AsRecorded tells seam.AsRecorded.
func (d *postDominator) AsRecorded() bool { return true }

func (d *postDominator) Open(_ *trace.Kernel, chunk *wtape.Chunk, block uint64, h int) seam.Stream {
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

func (s *recorded) Access() (trace.Access, *wtape.Chunk) {
	a := s.warp.Accesses[s.access]
	s.access++
	return a, nil
}

// Guards and Accesses give the next n at once, as the chunk has them.
func (s *recorded) Guards(n int) []uint32 {
	s.guard += n
	return s.warp.Guards[s.guard-n : s.guard]
}

func (s *recorded) Accesses(n int) []trace.Access {
	s.access += n
	return s.warp.Accesses[s.access-n : s.access]
}

func (s *recorded) Arrives(mask uint32, _ bool) uint32 { return mask }

func (s *recorded) Resumes(waiting uint32) (lanes uint32, came bool) {
	return s.warp.Masks[s.visit-1] & waiting, false
}

func (s *recorded) Close() {
	s.warp = trace.Warp{}
	s.owner.free = append(s.owner.free, s)
}
