// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// takeLiterally makes the runs of segments their instructions, one by one.
func (p *Program) takeLiterally() {
	for i := range p.kernel.Segments {
		s := &p.kernel.Segments[i]
		p.segments = append(p.segments, p.operations[s.First:s.First+s.Count])
	}
}

// scheduled is an instruction of a segment's run.
type scheduled struct {
	in    *ptx.Instruction
	index int // in the kernel's body
	// fused says that in stands for that instruction and others before.
	fused bool
}

// schedule decides what runs of segments execute: what is left when invariant
// instructions are taken out, and pairs are fused.
func (l *lowering) schedule(p *Program, invariants []int) error {
	instead := p.takeOut(invariants)
	f := newFusion(l.kernel)
	for i := range p.kernel.Segments {
		s := &p.kernel.Segments[i]
		f.list = f.list[:0]
		for j := s.First; j < s.First+s.Count; j++ {
			if instead[j] == nil || instead[j].kind != kindNothing {
				f.add(j)
			}
		}
		run := make([]operation, len(f.list))
		for j := range f.list {
			var err error
			if run[j], err = l.scheduled(p, &f.list[j], instead); err != nil {
				return err
			}
		}
		p.segments = append(p.segments, compareAndBranch(run))
	}
	return nil
}

// takeOut makes a list of the invariant instructions, and gives the operations that
// stand where they stood.
func (p *Program) takeOut(invariants []int) (instead []*operation) {
	instead = make([]*operation, len(p.operations))
	for _, i := range invariants {
		op := p.operations[i]
		instead[i] = &operation{kind: kindNothing}
		if k, ok := op.extra.(*accessOperation); ok {
			silent := *k
			silent.traced = false
			op.extra = &silent
			if k.traced {
				instead[i] = &operation{kind: kindParameter, offset: k.offset}
			}
		}
		p.invariants = append(p.invariants, op)
	}
	return instead
}

// scheduled gives the operation of an instruction in a run.
func (l *lowering) scheduled(p *Program, s *scheduled, instead []*operation) (operation, error) {
	switch {
	case instead[s.index] != nil:
		return *instead[s.index], nil
	case !s.fused:
		return p.operations[s.index], nil
	}
	op, err := l.instruction(s.in, false)
	op.instruction = s.index
	return op, err
}

// compareAndBranch makes one operation of a comparison and the branch behind it, which
// end most loops.
func compareAndBranch(run []operation) []operation {
	n := len(run)
	if n < 2 || run[n-1].kind != kindBranch || run[n-2].kind != kindCompare || run[n-2].guarded || !run[n-1].guarded {
		return run
	}
	branch := run[n-1]
	run[n-2].kind, run[n-2].branch = kindCompareBranch, &branch
	return run[:n-1]
}

// runInvariants executes what is the same for all thread blocks of the launch, for all
// lanes.
func (c *warpContext) runInvariants() {
	// None of them can fault (contaminator.Kernel.Invariants).
	if err := c.execute(c.program.invariants, lanes.FullMask); err != nil {
		panic("BUG: an invariant instruction failed: " + err.Error())
	}
}

// noteParameter adds the load of a parameter to the record; its register has the
// value since the launch began.
func (c *warpContext) noteParameter(op *operation, mask uint32) {
	if c.launch.Recording {
		a := c.record.NextAccess()
		a.Mask, a.Strided, a.Base, a.Stride, a.Pattern = mask, true, op.offset, 0, nil
	}
}
