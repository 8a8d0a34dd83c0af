// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/warpset"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// arranged is the part of a Program that an Arrangement gives; by place.
type arranged struct {
	original []uint32
	runs     []core.Run
	// ordinal is a memory instruction's number among those of its basic block in
	// the trace.
	ordinal []uint32
	// most is the largest number of instructions in a basic block that have accesses.
	most int
}

// inOrder decodes a kernel in another order.
func inOrder(a *core.Arrangement, k *trace.Kernel, m *arch.Machine, base uint64) (*Program, error) {
	ordered := *k
	ordered.Instructions = make([]trace.Instruction, len(k.Instructions))
	r := &arranged{original: a.Order, runs: make([]core.Run, len(a.Order)), ordinal: make([]uint32, len(a.Order))}
	number := make([]uint32, len(k.Instructions))
	for b := range k.Blocks {
		n := uint32(0)
		end := min(uint64(k.Blocks[b].First)+uint64(k.Blocks[b].Count), uint64(len(number))) // newProgram refuses others
		for i := k.Blocks[b].First; uint64(i) < end; i++ {
			if number[i] = n; k.Instructions[i].HasAccess() {
				n++
			}
		}
		r.most = max(r.most, int(n))
	}
	for place, i := range a.Order {
		ordered.Instructions[place] = k.Instructions[i]
		r.runs[place], r.ordinal[place] = a.Runs[i], number[i]
	}
	p, err := newProgram(&ordered, m, base, false)
	if err != nil {
		return nil, err
	}
	p.recorded, p.arranged = k, r
	for place, tag := range r.runs {
		if tag == core.RunFirst {
			p.gather(place)
		}
	}
	return p, nil
}

// gather lets the first instruction of a run wait for all registers that the run reads or
// writes. A run once begun is held up by its own instructions alone.
func (p *Program) gather(first int) {
	needs := make([]uint64, p.words)
	for i := first; ; i++ {
		op := &p.code[i]
		for r := range op.hazard.All(p.sets) {
			needs[r.Word] |= r.Mask
		}
		if p.arranged.runs[i] == core.RunLast {
			break
		}
	}
	p.code[first].hazard, p.sets = scoreboard.Gather(needs, p.sets)
}

// takeAccess takes the addresses of warp w's next memory instruction, which are
// recorded in the order of the trace.
func (s *SM) takeAccess(w int) laneAddresses {
	p := &s.warps[w]
	if p.accessKnown {
		p.accessKnown = false
		return p.access
	}
	a := s.program.arranged
	if a == nil {
		return s.gaveAccess(p)
	}
	number := int(a.ordinal[p.index])
	for len(s.ahead[w]) <= number {
		s.ahead[w] = append(s.ahead[w], s.gaveAccess(p))
	}
	return s.ahead[w][number]
}

// laneAddresses are an access with the chunk that has its addresses.
type laneAddresses struct {
	trace.Access
	chunk *wtape.Chunk
}

// gaveAccess is what a warp's stream gives.
func (s *SM) gaveAccess(p *warp) laneAddresses {
	a, chunk := p.stream.Access()
	if chunk == nil {
		chunk = s.residents.In(p.block).Chunk
	}
	return laneAddresses{a, chunk}
}

// visitArranged begins a visit of warp w.
func (s *SM) visitArranged(w int) {
	if s.ahead == nil {
		s.ahead = make([][]laneAddresses, len(s.warps))
	}
	if most := s.program.arranged.most; cap(s.ahead[w]) < most {
		s.ahead[w] = make([]laneAddresses, 0, most)
	}
	s.ahead[w] = s.ahead[w][:0]
}

// mark keeps the set of warps inside of a run when the instructions from place on,
// n of them, have passed for warp w.
func (p *Program) mark(set warpset.Set, w int, place uint32, n int) warpset.Set {
	for _, tag := range p.arranged.runs[place : place+uint32(n)] {
		switch tag {
		case core.RunFirst:
			set = set.With(w)
		case core.RunLast:
			set = set.Without(w)
		}
	}
	return set
}
