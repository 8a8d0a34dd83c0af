package affine

import (
	"math/bits"

	"github.com/warptape/warptape/trace"
)

// The affine SIMT stack (section 4.5): the threads of the whole batch reconverge at
// immediate post-dominators, like those of a warp. Where they go on is what the
// recorded warps did; the order of the sides is that of the recording.

// start puts all threads at the kernel's entry.
func (e *Evaluator) start() {
	e.push(0, trace.NoBlock).lanes.copyOf(&e.alive)
	e.settle()
}

func (e *Evaluator) push(block, reconverge uint32) *frame {
	if e.depth == len(e.stack) {
		e.stack = append(e.stack, new(frame))
	}
	f := e.stack[e.depth]
	e.depth++
	f.block, f.reconverge = block, reconverge
	f.lanes.clear()
	return f
}

func (e *Evaluator) pop() { e.depth-- }

func (e *Evaluator) top() *frame { return e.stack[e.depth-1] }

// settle drops entries that have no threads or have reached their end.
func (e *Evaluator) settle() {
	for e.depth > 0 {
		if f := e.top(); !f.lanes.empty() && f.block != f.reconverge {
			return
		}
		e.pop()
	}
}

// Depth is the number of entries on the stack.
func (e *Evaluator) Depth() int { return e.depth }

// proceed moves the threads of the top entry behind its block, and the followers with
// them.
func (e *Evaluator) proceed() error {
	f := e.top()
	b := &e.plan.Kernel.Blocks[f.block]
	shape := &e.blocks[f.block]
	s := &e.scratch
	s.first.clear()
	s.second.clear()
	s.gone.clear()
	for rest := f.lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		first, second := e.outcome(w, f, b)
		s.first.set(w, first)
		s.second.set(w, second)
		s.gone.set(w, f.lanes.Masks[w]&^first&^second)
		at := &e.warps[w]
		at.visit++
		at.guards += shape.guards
		at.access += shape.accesses
		at.barrier += uint32(shape.barriers)
	}
	if err := e.checkBranch(f, b); err != nil {
		return err
	}
	if !s.gone.empty() {
		e.alive.remove(&s.gone)
		for _, other := range e.stack[:e.depth] {
			other.lanes.remove(&s.gone)
		}
	}
	e.diverge(b)
	return nil
}

// diverge continues the top entry with the threads in scratch.first and
// scratch.second.
func (e *Evaluator) diverge(b *trace.BasicBlock) {
	s := &e.scratch
	f := e.top()
	switch {
	case s.first.empty() && s.second.empty():
		e.pop()
	case s.second.empty():
		f.block = b.Successors[0]
	case s.first.empty():
		f.block = b.Successors[1]
	default:
		join := b.PostDominator
		if join == f.reconverge || join == trace.NoBlock {
			join = f.reconverge
			e.pop()
		} else {
			f.block = join
		}
		first, second := 0, 1
		if e.plan.Kernel.Blocks[b.Successors[0]].First == b.First+b.Count {
			first, second = 1, 0 // the fall-through side runs first, so it comes last
		}
		for _, side := range [...]int{first, second} {
			if to := b.Successors[side]; to != join {
				lanes := &s.first
				if side == 1 {
					lanes = &s.second
				}
				e.push(to, join).lanes.copyOf(lanes)
			}
		}
	}
	e.settle()
}

// outcome gives the threads of a warp that go to the first and to the second successor;
// the others have exited.
func (e *Evaluator) outcome(w int, f *frame, b *trace.BasicBlock) (first, second uint32) {
	mask := f.lanes.Masks[w]
	at := &e.warps[w]
	last := &e.plan.Kernel.Instructions[b.First+b.Count-1]
	n := len(b.Successors)
	if n == 1 && last.Class != trace.ClassExit || n == 2 && b.Successors[0] == b.Successors[1] {
		return mask, 0
	}
	if n == 0 {
		return 0, 0
	}
	if next := at.visit + 1; n == 2 && next < len(at.path.Blocks) {
		there := at.path.Masks[next] & mask
		switch to := at.path.Blocks[next]; {
		case to == b.Successors[0]:
			return there, mask &^ there
		case to == b.Successors[1]:
			return mask &^ there, there
		case b.Successors[0] == f.reconverge:
			return mask, 0
		case b.Successors[1] == f.reconverge:
			return 0, mask
		}
	}
	return e.search(at, mask, b)
}

// search looks for the next block of each thread.
func (e *Evaluator) search(at *follower, mask uint32, b *trace.BasicBlock) (first, second uint32) {
	for v := at.visit + 1; v < len(at.path.Blocks) && mask != 0; v++ {
		there := at.path.Masks[v] & mask
		if there == 0 {
			continue
		}
		mask &^= there
		switch at.path.Blocks[v] {
		case b.Successors[0]:
			first |= there
		default:
			second |= there
		}
	}
	if len(b.Successors) == 1 {
		return first | second, 0
	}
	return first, second
}
