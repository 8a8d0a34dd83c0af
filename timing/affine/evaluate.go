// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// scratch is memory that a visit reuses.
type scratch struct {
	first, second, gone Lanes
	active              Lanes // of the instruction: under its guard
	combined            [maxSources]Lanes
	chosen              Lanes
	results             []result
	choice              []*Lanes
	parting             Lanes    // at a branch
	joins               []uint32 // of a branch
}

// result is a tuple that an instruction has computed for some threads.
type result struct {
	tuple Tuple
	lanes *Lanes
}

// Next executes the next basic block of the batch; false at its end. The visit's
// memory is reused. An error is a difference between what the affine stream computes
// and what was recorded.
func (e *Evaluator) Next(v *Visit) (bool, error) {
	if v.Enqueues == nil {
		v.Enqueues = make([]Enqueue, 0, 8)
	}
	v.Enqueues, v.Parameters, v.Tuples = v.Enqueues[:0], v.Parameters[:0], 1
	if e.depth == 0 {
		if e.alive.empty() {
			return false, nil
		}
		if e.warps[bits.TrailingZeros64(e.alive.Active)].visit > 0 {
			return false, nil
		}
		e.start()
	}
	f := e.top()
	v.Block = f.block
	v.Lanes.copyOf(&f.lanes)
	if err := e.inStep(f); err != nil {
		return false, err
	}
	if e.blocks[f.block].affine {
		if err := e.execute(v, f); err != nil {
			return false, err
		}
	}
	return true, e.proceed()
}

// inStep checks that the recorded warps are where the affine warp is.
func (e *Evaluator) inStep(f *frame) error {
	for rest := f.lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		at := &e.warps[w]
		if at.visit >= len(at.path.Blocks) || at.path.Blocks[at.visit] != f.block || at.path.Masks[at.visit] != f.lanes.Masks[w] {
			return e.bug(w, e.plan.Kernel.Blocks[f.block].First, "the affine warp and the recorded warp are not at the same basic block with the same threads")
		}
	}
	return nil
}

// bug names the place of a difference.
func (e *Evaluator) bug(w int, instruction uint32, text string) error {
	at := &e.warps[w]
	in := &e.plan.Kernel.Instructions[instruction]
	return fmt.Errorf("BUG: kernel %s, line %d (%s), thread block %d, warp %d: %s",
		e.plan.Kernel.Name, in.Line, in.Name(), at.block, at.warp, text)
}

// execute runs the affine instructions of a block.
func (e *Evaluator) execute(v *Visit, f *frame) error {
	k := e.plan.Kernel
	b := &k.Blocks[f.block]
	guards, accesses := 0, 0
	enqueues := e.blocks[f.block].enqueues
	for i := b.First; i < b.First+b.Count; i++ {
		in, fate := &k.Instructions[i], &e.plan.Fates[i]
		if fate.Affine && e.plan.operations[i].code != codeNone {
			tuples, err := e.compute(i, in, f)
			if err != nil {
				return err
			}
			v.Tuples = max(v.Tuples, tuples)
			if in.Class.IsMemory() {
				v.Parameters = append(v.Parameters, e.parameterAddress(f, accesses))
			}
		}
		for len(enqueues) > 0 && enqueues[0].before == i {
			if err := e.enqueue(v, enqueues[0].instruction, f, guards, accesses); err != nil {
				return err
			}
			enqueues = enqueues[1:]
		}
		if in.Guarded() {
			guards++
		}
		if in.HasAccess() {
			accesses++
		}
	}
	return nil
}

// parameterAddress is the address of a parameter that all threads read.
func (e *Evaluator) parameterAddress(f *frame, accesses int) uint64 {
	at := &e.warps[bits.TrailingZeros64(f.lanes.Active)]
	a := at.path.Accesses[at.access+accesses]
	return at.chunk.Lane(a, bits.TrailingZeros32(at.path.Masks[at.visit]))
}

// enqueue expands a tuple or predicate for all warps.
func (e *Evaluator) enqueue(v *Visit, i uint32, f *frame, guards, accesses int) error {
	n := len(v.Enqueues)
	if n < cap(v.Enqueues) {
		v.Enqueues = v.Enqueues[:n+1]
	} else {
		v.Enqueues = append(v.Enqueues, Enqueue{})
	}
	q := &v.Enqueues[n]
	q.Instruction, q.Queue, q.Expansions = i, e.plan.Fates[i].Enqueue, q.Expansions[:0]
	if q.Queue == Predicate {
		e.expandPredicate(q, f)
		return nil
	}
	return e.expandAddresses(q, f, guards, accesses)
}

// underGuard gives the threads that execute instruction i: those of the entry for which
// the guard holds.
func (e *Evaluator) underGuard(in *trace.Instruction, f *frame) *Lanes {
	if !in.Guard.Present {
		return &f.lanes
	}
	s := &e.scratch.active
	s.clear()
	p := &e.predicates[in.Guard.Register.Number].lanes
	for rest := f.lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		m := p.Masks[w]
		if in.Guard.Negated {
			m = ^m
		}
		s.set(w, f.lanes.Masks[w]&m)
	}
	return s
}

// checkBranch compares where a branch with an affine predicate sends the threads with
// where they went.
func (e *Evaluator) checkBranch(f *frame, b *trace.BasicBlock) error {
	i := b.First + b.Count - 1
	in, fate := &e.plan.Kernel.Instructions[i], &e.plan.Fates[i]
	if !fate.Affine || fate.Supplied || in.Class != trace.ClassBranch || !in.Guard.Present || len(in.Operands) == 0 || len(b.Successors) != 2 || b.Successors[0] == b.Successors[1] {
		return nil
	}
	target := in.Operands[len(in.Operands)-1].Value
	taken := &e.scratch.first
	if int64(b.Successors[0]) != target {
		taken = &e.scratch.second
	}
	p := &e.predicates[in.Guard.Register.Number]
	if p.wrapped {
		return nil
	}
	for rest := f.lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		want := p.lanes.Masks[w]
		if in.Guard.Negated {
			want = ^want
		}
		if want &= f.lanes.Masks[w]; want != taken.Masks[w] {
			return e.bug(w, i, fmt.Sprintf("its predicate sends threads %08x to the target, recorded are %08x", want, taken.Masks[w]))
		}
	}
	return nil
}
