// SPDX-License-Identifier: Apache-2.0

package lower

import (
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/frontend/tesla/language"
)

// segment lowers a basic block.
func (l *lowerer) segment(i int) error {
	s := &l.kernel.Segments[i]
	for j := s.First; j < s.First+s.Count; j++ {
		in := &l.kernel.PTX.Body[j]
		l.line = in.Line
		var err error
		switch in.Op {
		case ptx.OpBra:
			err = l.branch(i, in)
		case ptx.OpExit, ptx.OpRet:
			if in.Guard.Register != nil {
				return l.refusal(in, "EXIT ends the whole warp, and is not guarded; branch around it")
			}
			l.emit(language.EXIT, none)
		default:
			if in.Guard.Register != nil {
				return l.refusal(in, "only branches are guarded")
			}
			err = l.instruction(in)
		}
		if err != nil {
			return err
		}
	}
	last := &l.kernel.PTX.Body[s.First+s.Count-1]
	if s.FallThrough == contaminator.Exit && len(s.Successors) == 0 && last.Op != ptx.OpExit && last.Op != ptx.OpRet {
		l.emit(language.EXIT, none)
	}
	return nil
}

// branch lowers a branch, with SSY where lanes may part.
func (l *lowerer) branch(i int, in *ptx.Instruction) error {
	s := &l.kernel.Segments[i]
	target := l.kernel.SegmentAt(in.Operands[0].Label.Index)
	if target == contaminator.Exit {
		return l.refusal(in, "leads behind the last instruction; end the kernel with exit")
	}
	if target == i+1 {
		return nil // to what follows: no lane goes elsewhere, and the machine would part them
	}
	if in.Guard.Register == nil {
		l.jump(language.BEQ, target, l.constant(0))
		return nil
	}
	if s.Divergent {
		if err := l.checkRegion(i, in); err != nil {
			return err
		}
		l.jump(language.SSY, s.PostDominator)
	}
	op := language.BNE
	if in.Guard.Negated {
		op = language.BEQ
	}
	l.jump(op, target, in.Guard.Register.Index)
	return nil
}

// checkRegion refuses what the warp's stack cannot do between a branch whose lanes may
// part and the place where they meet.
func (l *lowerer) checkRegion(i int, in *ptx.Instruction) error {
	join := l.kernel.Segments[i].PostDominator
	if join == contaminator.Exit {
		return l.refusal(in, "its lanes do not meet again, and EXIT ends the whole warp")
	}
	seen := map[int]bool{}
	list := append([]int{}, l.kernel.Segments[i].Successors...)
	for len(list) > 0 {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		if n == join || seen[n] {
			continue
		}
		seen[n] = true
		s := &l.kernel.Segments[n]
		last := &l.kernel.PTX.Body[s.First+s.Count-1]
		switch {
		case n == i:
			return l.refusal(in, "a loop whose lanes may leave at different times: one entry of the stack cannot hold them")
		case s.Divergent:
			return l.refusal(in, "line %d may part lanes again before they meet: an SSY there hides the waiting lanes unless they do part", last.Line)
		case s.Barrier:
			return l.refusal(in, "a barrier is in line %d before its lanes meet", last.Line)
		}
		list = append(list, s.Successors...)
	}
	return nil
}
