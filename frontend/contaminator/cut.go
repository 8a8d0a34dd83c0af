// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"slices"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// cut finds the basic blocks of a kernel that a path from the entry reaches,
// in the order of the text, and their successors.
func cut(k *ptx.Kernel) []Segment {
	leader := leaders(k)
	var all []Segment
	at := make([]int, len(k.Body)+1) // instruction to block, for leaders
	unit := 0
	for i := range k.Body {
		if leader[i] {
			if unit+1 < len(k.Units) && k.Units[unit+1].First == i {
				unit++
			}
			all = append(all, Segment{First: i, Unit: unit})
		}
		at[i] = len(all) - 1
		all[len(all)-1].Count++
	}
	at[len(k.Body)] = Exit
	for i := range all {
		connect(k, &all[i], at)
	}
	entries := []int{0}
	for _, u := range k.Units[min(1, len(k.Units)):] {
		entries = append(entries, at[u.First])
	}
	return keepReachable(all, entries)
}

// leaders marks the first instructions of blocks: the entry, branch targets,
// what stands behind branches, exits and barriers, and what pauses part from.
func leaders(k *ptx.Kernel) []bool {
	leader := make([]bool, len(k.Body)+1)
	leader[0] = true
	for _, u := range k.Units {
		leader[u.First] = true
	}
	for i := range k.Body {
		in := &k.Body[i]
		if in.Class().EndsSegment() {
			leader[i+1] = true
		}
		for _, l := range labelsOf(in) {
			leader[l.Index] = true
		}
	}
	partFromPauses(k, leader)
	return leader
}

// partFromPauses begins a block at a call of a function of the device, such as malloc, behind an
// instruction that lets other warps have their turn. They have it at the end of its block. Where the
// device has such a function in PTX, they have it before the function runs. So they must here,
// or warps would come to the function in another order.
func partFromPauses(k *ptx.Kernel, leader []bool) {
	paused := false
	for i := range k.Body {
		in := &k.Body[i]
		paused = paused && !leader[i]
		if paused && slices.ContainsFunc(in.Callees(k.Module), func(f *ptx.Function) bool { return !f.Defined }) {
			leader[i], paused = true, false
		}
		paused = paused || pauses(in)
	}
}

// pauses reports whether an instruction may end its warp's turn (9.7.19.2, 9.7.13.15, 9.7.15).
func pauses(in *ptx.Instruction) bool {
	return in.Op == ptx.OpNanosleep || in.WaitsAtMbarrier() || in.MultipliesGroups()
}

// labelsOf gives the branch targets of an instruction.
func labelsOf(in *ptx.Instruction) []*ptx.Label {
	var labels []*ptx.Label
	for i := range in.Operands {
		switch o := &in.Operands[i]; o.Kind {
		case ptx.OperandLabel:
			labels = append(labels, o.Label)
		case ptx.OperandLabels:
			labels = append(labels, o.Labels...)
		}
	}
	return labels
}

// connect fills a segment's successors from its last instruction. Falling off
// the end of the body ends the kernel.
func connect(k *ptx.Kernel, s *Segment, at []int) {
	last := s.First + s.Count - 1
	in := &k.Body[last]
	s.FallThrough = at[last+1]
	switch in.Class() {
	case trace.ClassBranch:
		if in.Guard.Register == nil {
			s.FallThrough = Exit
		}
	case trace.ClassExit:
		// An unguarded one ends the unit, so that nothing falls into the next.
		if in.Guard.Register == nil {
			s.FallThrough = Exit
		}
	case trace.ClassBarrier:
		s.Barrier = true
	}
	s.addSuccessor(s.FallThrough)
	for _, l := range labelsOf(in) {
		s.addSuccessor(at[l.Index])
	}
}

// addSuccessor appends a successor once; the exit is not among them.
func (s *Segment) addSuccessor(id int) {
	if id == Exit {
		return
	}
	for _, old := range s.Successors {
		if old == id {
			return
		}
	}
	s.Successors = append(s.Successors, id)
}

// keepReachable drops segments that no path from the entries reaches and
// renumbers the rest.
func keepReachable(all []Segment, work []int) []Segment {
	reached := make([]bool, len(all))
	for _, entry := range work {
		reached[entry] = true
	}
	for len(work) > 0 {
		s := &all[work[len(work)-1]]
		work = work[:len(work)-1]
		for _, next := range s.Successors {
			if !reached[next] {
				reached[next] = true
				work = append(work, next)
			}
		}
	}
	id := make([]int, len(all))
	var kept []Segment
	for i := range all {
		if reached[i] {
			id[i] = len(kept)
			kept = append(kept, all[i])
		}
	}
	for i := range kept {
		s := &kept[i]
		if s.FallThrough != Exit {
			s.FallThrough = id[s.FallThrough]
		}
		for j := range s.Successors {
			s.Successors[j] = id[s.Successors[j]]
		}
	}
	return kept
}

// endsKernel reports whether some lane can leave the kernel at the end of the
// segment: by an exit, by a branch to the end, or by falling off it.
func endsKernel(k *Kernel, s *Segment) bool {
	in := k.terminator(s)
	switch in.Class() {
	case trace.ClassExit:
		return true
	case trace.ClassBranch:
		for _, l := range labelsOf(in) {
			if k.SegmentAt(l.Index) == Exit {
				return true
			}
		}
		return in.Guard.Register != nil && s.FallThrough == Exit
	}
	return s.FallThrough == Exit
}
