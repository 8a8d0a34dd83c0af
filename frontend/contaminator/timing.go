// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// timingDependence gives the reasons why what the kernel does can depend on
// when it does it, or on the machine. They are reads of clocks and of places in
// the machine, and loops that end when another thread has done something. Such
// a kernel's trace holds for the recorded interleaving only.
func timingDependence(k *Kernel) []string {
	var reasons []string
	for i := range k.Segments {
		s := &k.Segments[i]
		for j := s.First; j < s.First+s.Count; j++ {
			in := &k.PTX.Body[j]
			for _, o := range in.Operands {
				if o.Kind == ptx.OperandSpecial && machineDependent(o.Special) {
					reasons = append(reasons, fmt.Sprintf("reads %%%s at line %d", o.Special, in.Line))
				}
			}
		}
	}
	return append(reasons, waitingLoops(k)...)
}

// machineDependent reports whether a special register tells of time or of the
// place in the machine.
func machineDependent(s ptx.Special) bool {
	switch s {
	case ptx.Clock, ptx.ClockHi, ptx.Clock64, ptx.Globaltimer, ptx.GlobaltimerLo, ptx.GlobaltimerHi,
		ptx.Smid, ptx.Nsmid, ptx.Warpid, ptx.Nwarpid:
		return true
	}
	return false
}

// maxLoopWork bounds what waitingLoops looks at in all loops of a kernel; those of
// compiled kernels together are some thousands of instructions.
const maxLoopWork = 1 << 24

// waitingLoops finds loops with an exit condition that depends, by definitions
// inside the loop, on what another thread writes. The condition depends on an
// atomic's result or on a load that is volatile or ordered; in a loop that does
// nothing but look and fence, on any load. A kernel with too many loops to follow
// counts as waiting.
func waitingLoops(k *Kernel) []string {
	foreign := firstDecidedElsewhere(k)
	if foreign == nil {
		return nil
	}
	var reasons []string
	told := make(map[*ptx.Instruction]bool)
	loops := findLoops(k)
	walk := newLoopWalk(k)
	slice := newSlicer(k, walk)
	for i := range loops {
		l := &loops[i]
		slice.enter(l)
		slice.looks = slice.fences && !slice.changes
		for _, id := range walk.members {
			s := &k.Segments[id]
			if !walk.leaves(s, id) {
				continue
			}
			in := slice.waitsFor(k.terminator(s))
			if slice.work > maxLoopWork {
				reads := "reads"
				if fences(foreign) {
					reads = "lets loads read"
				}
				return append(reasons, fmt.Sprintf("its %d loops lie in each other so often that they are not followed, and %s at line %d %s what other threads write",
					len(loops), foreign.Op, foreign.Line, reads))
			}
			if in == nil || told[in] {
				continue
			}
			told[in] = true
			reasons = append(reasons, fmt.Sprintf("the loop at line %d ends by what %s at line %d reads, which other threads write",
				k.PTX.Body[k.Segments[l.header].First].Line, in.Op, in.Line))
		}
	}
	return reasons
}

// firstDecidedElsewhere is the first instruction that reads what other threads write,
// or the first fence, behind which any load may; nil if there is none.
func firstDecidedElsewhere(k *Kernel) *ptx.Instruction {
	for i := range k.Segments {
		s := &k.Segments[i]
		for j := s.First; j < s.First+s.Count; j++ {
			if in := &k.PTX.Body[j]; decidedElsewhere(in) || fences(in) {
				return in
			}
		}
	}
	return nil
}

// WaitingSegments marks the segments of loops that end by what other threads write; where there
// are too many loops to follow, all. It is nil if there are none and the kernel does not
// pause.
func (k *Kernel) WaitingSegments() []bool {
	pauses := slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpNanosleep || in.Op == ptx.OpMbarrier })
	if firstDecidedElsewhere(k) == nil && !pauses {
		return nil
	}
	waits, any := make([]bool, len(k.Segments)), pauses
	loops := findLoops(k)
	walk := newLoopWalk(k)
	slice := newSlicer(k, walk)
	for i := range loops {
		slice.enter(&loops[i])
		slice.looks = slice.fences // a turn too many of other lanes changes nothing that is right
		if slice.work > maxLoopWork {
			return slices.Repeat([]bool{true}, len(k.Segments))
		}
		if !slices.ContainsFunc(walk.members, func(id int) bool {
			return walk.leaves(&k.Segments[id], id) && slice.waitsFor(k.terminator(&k.Segments[id])) != nil
		}) {
			continue
		}
		for _, member := range walk.members {
			waits[member] = true
		}
		any = true
	}
	if !any {
		return nil
	}
	return waits
}

// slicer follows registers back through the definitions inside one loop.
type slicer struct {
	k    *Kernel
	loop *loopWalk
	// definitions has the instructions that write a register, by Register.Index.
	definitions [][]definition
	// seen has, by Register.Index, the search that a register was last found in.
	seen     []int
	searches int
	queue    []*ptx.Register
	work     int
	// fencing and changing have, by segment, whether it fences, and whether it writes
	// memory or waits at a barrier. fences and changes are those of the loop.
	fencing, changing []bool
	fences, changes   bool
	// looks makes any load in the loop one that other threads decide: compilers keep
	// it behind the loop's fence, for it to see what they have written meanwhile.
	looks bool
}

// definition is an instruction of PTX.Body that writes a register, and its segment.
type definition struct{ instruction, segment int }

func newSlicer(k *Kernel, loop *loopWalk) *slicer {
	s := &slicer{k: k, loop: loop, definitions: make([][]definition, len(k.PTX.Registers)), seen: make([]int, len(k.PTX.Registers)),
		fencing: make([]bool, len(k.Segments)), changing: make([]bool, len(k.Segments))}
	for id := range k.Segments {
		segment := &k.Segments[id]
		for j := segment.First; j < segment.First+segment.Count; j++ {
			in := &k.PTX.Body[j]
			Writes(in, func(r *ptx.Register) { s.definitions[r.Index] = append(s.definitions[r.Index], definition{j, id}) })
			s.fencing[id] = s.fencing[id] || fences(in)
			s.changing[id] = s.changing[id] || changes(in)
		}
	}
	return s
}

// enter finds the members of a loop, and what they do.
func (s *slicer) enter(l *loop) {
	s.loop.enter(l)
	s.work += len(s.loop.members)
	s.fences, s.changes = false, false
	for _, id := range s.loop.members {
		s.fences = s.fences || s.fencing[id]
		s.changes = s.changes || s.changing[id]
	}
}

// fences reports whether the instruction orders what a thread reads (9.7.13.4).
func fences(in *ptx.Instruction) bool { return in.Op == ptx.OpMembar || in.Op == ptx.OpFence }

// changes reports whether the instruction writes memory, or waits for all threads.
func changes(in *ptx.Instruction) bool {
	switch in.Class() {
	case trace.ClassStore, trace.ClassAtomic, trace.ClassBarrier:
		return true
	}
	return false
}

// waitsFor finds the first instruction, on the way back from in's sources,
// with a result that other threads decide. It gives nil when there is none, or when
// there is too much to look at.
func (s *slicer) waitsFor(in *ptx.Instruction) *ptx.Instruction {
	s.searches++
	s.queue = s.queue[:0]
	push := func(r *ptx.Register) {
		if s.seen[r.Index] != s.searches {
			s.seen[r.Index] = s.searches
			s.queue = append(s.queue, r)
		}
	}
	Reads(in, push)
	for next := 0; next < len(s.queue) && s.work <= maxLoopWork; next++ {
		for _, d := range s.definitions[s.queue[next].Index] {
			s.work++
			if !s.loop.has(d.segment) {
				continue
			}
			def := &s.k.PTX.Body[d.instruction]
			if decidedElsewhere(def) || s.looks && loadsShared(def) {
				return def
			}
			Reads(def, push)
		}
	}
	return nil
}

// loadsShared reports whether the instruction is a load from memory that other threads
// can write.
func loadsShared(in *ptx.Instruction) bool {
	if in.Class() != trace.ClassLoad || in.Mods.Has(ptx.ModNc) {
		return false
	}
	switch in.Space {
	case ptx.SpaceLocal, ptx.SpaceParam, ptx.SpaceConst:
		return false
	}
	return true
}

// decidedElsewhere reports whether the instruction reads memory as other
// threads change it.
func decidedElsewhere(in *ptx.Instruction) bool {
	switch in.Class() {
	case trace.ClassAtomic:
		return true
	case trace.ClassLoad:
		for _, m := range []ptx.Mod{ptx.ModVolatile, ptx.ModRelaxed, ptx.ModAcquire, ptx.ModCv} {
			if in.Mods.Has(m) {
				return true
			}
		}
	}
	return false
}
