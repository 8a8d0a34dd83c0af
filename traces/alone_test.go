// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/interpreter"
	"github.com/warptape/warptape/trace"
)

// threadID is a thread of a run: launch, linear thread block, linear thread.
type threadID struct {
	launch uint64
	block  uint64
	thread int
}

// footprints are the digests of what each thread did, by thread.
type footprints map[threadID]uint64

// steps digests a thread's basic blocks, guards and addresses.
type steps struct{ sum uint64 }

func (s *steps) add(kind byte, n uint64) {
	h := (s.sum ^ n + uint64(kind)) * 0x9e3779b97f4a7c15 // multiply and fold: each step is a bijection of the sum
	s.sum = h ^ h>>29
}

func (s *steps) block(id uint32) { s.add('b', uint64(id)) }

func (s *steps) guard(held bool) {
	n := uint64(0)
	if held {
		n = 1
	}
	s.add('g', n)
}

func (s *steps) address(a uint64) { s.add('a', a) }

// alone is a coexecutor that takes every thread from the kernel's entry to its next
// barrier or its end by itself, lane after lane. It has no divergence stack, no
// masks and no reconvergence. What crosses lanes of a warp (shfl, vote, match,
// activemask, wmma) cannot run alone. There the lanes wait until all have come to
// such a segment or ended. Those at the lowest one run it together. To the
// scheduler a warp seems to stay in segment 0 until it ends.
//
// With lockstep set it follows the scheduler's paths instead and only runs each
// segment lane after lane: for kernels whose threads exchange data without barriers.
type alone struct {
	lockstep bool
	did      footprints
}

func (a *alone) Load(k *contaminator.Kernel) (coexecution.Program, error) {
	inner, err := interpreter.Interpreter{}.Load(k)
	p := &aloneProgram{Program: inner, owner: a, segments: k.Segments}
	for _, s := range k.Segments {
		p.crossesLanes = append(p.crossesLanes, slices.ContainsFunc(k.Static.Instructions[s.First:s.First+s.Count], func(in trace.Instruction) bool {
			return in.Class == trace.ClassShuffle || in.Class == trace.ClassTensor || in.Opcode == "wmma"
		}))
	}
	return p, err
}

type aloneProgram struct {
	coexecution.Program
	owner    *alone
	segments []contaminator.Segment
	// crossesLanes says which segments have instructions that need several lanes.
	crossesLanes []bool
}

func (p *aloneProgram) NewContext() coexecution.Context {
	return &aloneWarp{Context: p.Program.NewContext(), program: p}
}

// aloneWarp runs the lanes of a warp.
type aloneWarp struct {
	coexecution.Context
	program  *aloneProgram
	identity *coexecution.WarpIdentity
	at       [trace.WarpSize]int
	live     uint32
	waiting  uint32 // at a barrier
	meeting  coexecution.BarrierRequest
	steps    [trace.WarpSize]steps
	record   coexecution.Record
}

func (w *aloneWarp) Reset(id *coexecution.WarpIdentity) {
	w.Context.Reset(id)
	w.identity, w.live, w.waiting, w.meeting = id, id.Lanes, 0, coexecution.BarrierRequest{}
	w.at, w.steps = [trace.WarpSize]int{}, [trace.WarpSize]steps{}
}

func (w *aloneWarp) Run(segment int, mask uint32, r *coexecution.Record) error {
	*r = coexecution.Record{}
	if w.program.owner.lockstep {
		return w.lockstep(segment, mask, r)
	}
	before := w.live
	for w.live&^w.waiting != 0 {
		if err := w.advance(); err != nil {
			return err
		}
	}
	r.Exited, r.Taken = before&^w.live, w.live
	w.keep(r.Exited)
	if r.Exited == 0 { // else the scheduler must first know which lanes have left
		r.Barrier, w.meeting, w.waiting = w.meeting, coexecution.BarrierRequest{}, 0
	}
	return nil
}

// advance takes every lane as far as it gets alone, then runs one segment of those
// that wait for each other.
func (w *aloneWarp) advance() error {
	lowest, together := -1, uint32(0)
	for m := w.live &^ w.waiting; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		for w.live&^w.waiting>>lane&1 != 0 && !w.program.crossesLanes[w.at[lane]] {
			if err := w.run(w.at[lane], 1<<lane); err != nil {
				return err
			}
		}
		if w.live&^w.waiting>>lane&1 == 0 {
			continue
		}
		switch at := w.at[lane]; {
		case lowest < 0 || at < lowest:
			lowest, together = at, 1<<lane
		case at == lowest:
			together |= 1 << lane
		}
	}
	if together == 0 {
		return nil
	}
	return w.run(lowest, together)
}

// lockstep runs a segment lane after lane for a mask that the scheduler chose.
func (w *aloneWarp) lockstep(segment int, mask uint32, r *coexecution.Record) error {
	group := uint32(1)
	if w.program.crossesLanes[segment] {
		group = mask
	}
	before := w.live
	for m := mask; m != 0; m &^= group {
		if group != mask {
			group = m & -m
		}
		if err := w.run(segment, group); err != nil {
			return err
		}
	}
	r.Exited = before &^ w.live
	for m := mask & w.live; m != 0; {
		next := w.at[bits.TrailingZeros32(m)]
		same := uint32(0)
		for n := m; n != 0; n &= n - 1 {
			if lane := bits.TrailingZeros32(n); w.at[lane] == next {
				same |= 1 << lane
			}
		}
		m &^= same
		r.Targets = append(r.Targets, coexecution.Target{Segment: next, Mask: same})
	}
	order := w.program.segments[segment].Successors
	slices.SortFunc(r.Targets, func(a, b coexecution.Target) int {
		return slices.Index(order, a.Segment) - slices.Index(order, b.Segment)
	})
	r.Barrier, w.meeting, w.waiting = w.meeting, coexecution.BarrierRequest{}, 0
	w.keep(r.Exited)
	return nil
}

// run executes one segment and digests what its lanes did.
func (w *aloneWarp) run(segment int, mask uint32) error {
	in := &w.record
	if err := w.Context.Run(segment, mask, in); err != nil {
		return err
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		s := &w.steps[lane]
		s.block(uint32(segment))
		for _, g := range in.Guards {
			s.guard(g>>lane&1 != 0)
		}
		for i := range in.Accesses {
			if a := &in.Accesses[i]; a.Mask>>lane&1 != 0 {
				address := a.Addresses[lane]
				if a.Strided {
					address = a.Base + uint64(a.Stride*int64(lane))
				}
				s.address(address)
			}
		}
		w.leave(segment, lane)
	}
	if in.Barrier.Kind != coexecution.BarrierNone {
		w.meet()
	}
	return nil
}

// leave moves a lane to the segment that follows.
func (w *aloneWarp) leave(segment, lane int) {
	in, bit := &w.record, uint32(1)<<lane
	next := w.program.segments[segment].FallThrough
	switch {
	case in.Exited&bit != 0:
		next = contaminator.Exit
	case in.Taken&bit != 0:
		next = in.TakenSegment
	}
	for _, t := range in.Targets {
		if t.Mask&bit != 0 {
			next = t.Segment
		}
	}
	if w.at[lane] = next; next == contaminator.Exit {
		w.live &^= bit
	}
}

// meet adds lanes to the barrier that the warp waits at.
func (w *aloneWarp) meet() {
	in, all := w.record.Barrier, &w.meeting
	w.waiting |= in.Mask
	mask, predicate := all.Mask|in.Mask, all.Predicate|in.Predicate&in.Mask
	*all = in
	all.Mask, all.Predicate = mask, predicate
	if in.Result != nil {
		all.Result = func(_, value uint32) { in.Result(mask, value) }
	}
}

// keep files the digests of lanes that have ended.
func (w *aloneWarp) keep(ended uint32) {
	id, l := w.identity, w.identity.Launch
	block := uint64(id.Block.Index.X) + uint64(l.Grid.X)*(uint64(id.Block.Index.Y)+uint64(l.Grid.Y)*uint64(id.Block.Index.Z))
	for ; ended != 0; ended &= ended - 1 {
		lane := bits.TrailingZeros32(ended)
		w.program.owner.did[threadID{l.ID - 1, block, id.Warp*trace.WarpSize + lane}] = w.steps[lane].sum
	}
}
