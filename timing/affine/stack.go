// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/trace"
)

// The affine SIMT stack (section 4.5): the threads of the whole batch reconverge where
// those of a warp do. Where they go on is what the
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
		if f := e.top(); !f.lanes.empty() && !e.arrives(f) {
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
		join := e.await(b)
		first, second := 0, 1
		if e.plan.Kernel.Blocks[b.Successors[0]].First == b.First+b.Count {
			first, second = 1, 0 // the fall-through side runs first, so it comes last
		}
		for _, side := range [...]int{first, second} {
			lanes := &s.first
			if side == 1 {
				lanes = &s.second
			}
			if to := b.Successors[side]; to != join {
				e.push(to, join).lanes.copyOf(lanes)
				if e.arrives(e.top()) {
					e.pop()
				}
			}
		}
	}
	e.settle()
}

// await makes the top entry wait at the joins of a block, the outermost lowest, and
// gives the block at which the sides end. A join at which an entry waits already needs no
// other one.
func (e *Evaluator) await(b *trace.BasicBlock) uint32 {
	f := e.top()
	end, waits := f.reconverge, false
	s := &e.scratch
	s.parting.copyOf(&f.lanes)
	s.joins = b.Reconvergence(s.joins[:0])
	for _, join := range s.joins {
		switch {
		case e.awaits(join):
			continue
		case !waits:
			e.top().block, waits = join, true
		default:
			e.push(join, end).lanes.copyOf(&s.parting)
		}
		end = join
	}
	if !waits {
		e.pop()
	}
	return end
}

// awaits reports whether an entry ends at a block. Entries below the top are those that
// wait for it, and other sides, which end where those do.
func (e *Evaluator) awaits(block uint32) bool {
	if !e.plan.outer[block] {
		return e.top().reconverge == block
	}
	return slices.ContainsFunc(e.stack[:e.depth], func(f *frame) bool { return f.reconverge == block })
}

// arrives reports whether the top entry is where threads wait for it. Its threads leave the
// entries that wait inside of that one.
func (e *Evaluator) arrives(f *frame) bool {
	if f.block == f.reconverge {
		return true
	}
	if !e.plan.outer[f.block] || !e.awaits(f.block) {
		return false
	}
	inside := false
	for _, other := range e.stack[:e.depth] {
		if inside = inside || other.reconverge == f.block; inside && other != f {
			other.lanes.remove(&f.lanes)
		}
	}
	return true
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
	if next := at.visit + 1; n == 2 && !e.plan.outer[b.Successors[0]] && !e.plan.outer[b.Successors[1]] && next < len(at.path.Blocks) {
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

// outerJoins marks the joins of a kernel in which a branch has others than its
// post-dominator. Elsewhere threads come to the nearest join first.
func outerJoins(k *trace.Kernel) []bool {
	outer := make([]bool, len(k.Blocks))
	if !slices.ContainsFunc(k.Blocks, func(b trace.BasicBlock) bool { return len(b.Joins) > 0 }) {
		return outer
	}
	for i := range k.Blocks {
		for _, join := range k.Blocks[i].Reconvergence(nil) {
			outer[join] = true
		}
	}
	return outer
}
