// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// expandPredicate gives each warp the bits of a predicate.
func (e *Evaluator) expandPredicate(q *Enqueue, f *frame) {
	in := &e.plan.Kernel.Instructions[q.Instruction]
	p := &e.predicates[in.Operands[0].Register.Number]
	for rest := f.lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		visiting := f.lanes.Masks[w]
		q.Expansions = append(q.Expansions, Expansion{
			Warp: int32(w), Visiting: visiting, Mask: p.lanes.Masks[w] & visiting, Barriers: e.warps[w].barrier,
			Case: p.cases[w],
		})
	}
}

// expandAddresses gives each warp its addresses and compares them with the recorded
// ones.
func (e *Evaluator) expandAddresses(q *Enqueue, f *frame, guards, accesses int) error {
	in := &e.plan.Kernel.Instructions[q.Instruction]
	lanes := e.underGuard(in, f)
	for rest := f.lanes.Active; rest != 0; rest &= rest - 1 {
		w := bits.TrailingZeros64(rest)
		at := &e.warps[w]
		x := Expansion{Warp: int32(w), Visiting: f.lanes.Masks[w], Mask: lanes.Masks[w], Barriers: at.barrier}
		if in.Guard.Present {
			if recorded := at.path.Guards[at.guards+guards]; recorded != x.Mask {
				if !e.predicates[in.Guard.Register.Number].wrapped {
					return e.bug(w, q.Instruction, fmt.Sprintf("its guard holds for threads %08x, recorded are %08x", x.Mask, recorded))
				}
				e.wrapped++
				x.Mask = recorded
			}
		}
		x.Access = at.path.Accesses[at.access+accesses]
		if x.Mask != 0 {
			if err := e.checkAddresses(q.Instruction, in, w, &x); err != nil {
				return err
			}
		}
		q.Expansions = append(q.Expansions, x)
	}
	return nil
}

// checkAddresses compares the addresses that a warp's tuples expand to with the recorded
// ones.
func (e *Evaluator) checkAddresses(i uint32, in *trace.Instruction, w int, x *Expansion) error {
	var o *trace.Operand
	for k := range in.Operands {
		if in.Operands[k].Kind == trace.OperandAddress {
			o = &in.Operands[k]
		}
	}
	if !o.HasBase {
		t := Tuple{Base: o.Value, Symbol: e.symbol(o.Symbol)}
		_, err := e.checkTuple(i, w, &t, 64, 0, x.Mask, x)
		return err
	}
	r := &e.registers[o.Register.Number]
	width := uint8(32)
	if o.Register.Words > 1 {
		width = 64
	}
	left := x.Mask
	for n := range r.n {
		v := &r.items[n]
		mask := left
		if !v.all {
			mask &= v.lanes.Masks[w]
		}
		if mask == 0 {
			continue
		}
		left &^= mask
		c, err := e.checkTuple(i, w, &v.tuple, width, o.Value, mask, x)
		if err != nil {
			return err
		}
		x.Case = max(x.Case, c)
	}
	if left != 0 {
		return e.bug(w, i, fmt.Sprintf("threads %08x have no tuple", left))
	}
	return nil
}

// checkTuple compares the addresses of some threads.
func (e *Evaluator) checkTuple(i uint32, w int, t *Tuple, width uint8, offset int64, mask uint32, x *Expansion) (Case, error) {
	at := &e.warps[w]
	base := offset
	if t.Symbol != 0 {
		base += e.link(t, w, mask, offset, x)
	}
	l, straight := e.lineOf(w, t)
	c := LanesCase
	if straight {
		c = EndsCase
	}
	if straight && width == 64 && x.Access.Strided() && l.start+base == int64(x.Access.Base) &&
		(l.step == int64(x.Access.Stride)) {
		return c, nil
	}
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		p := e.place(w, lane)
		computed := uint64(extend(t.At(&p), width, false) + base)
		recorded := at.chunk.Lane(x.Access, lane)
		if computed == recorded {
			continue
		}
		if t.Wrapped {
			e.wrapped++
			return c, nil
		}
		return c, e.bug(w, i, fmt.Sprintf("thread %d has address %#x, recorded is %#x", lane, computed, recorded))
	}
	return c, nil
}

// Generic says of a warp's generic addresses whether they are a request of global or local
// memory, as its first thread's is. It also says whether all are of global memory, so that
// their lines can be asked for early.
func (x *Expansion) Generic(c *wtape.Chunk) (request, early bool) {
	for rest := x.Mask; rest != 0; rest &= rest - 1 {
		space, _ := trace.ResolveGeneric(c.Lane(x.Access, bits.TrailingZeros32(rest)))
		if rest == x.Mask {
			request = space == trace.SpaceGlobal || space == trace.SpaceLocal
		}
		if space != trace.SpaceGlobal {
			return request, false
		}
	}
	return request, x.Mask != 0
}

// link is the address that the loader gave a variable: the first access to it tells.
func (e *Evaluator) link(t *Tuple, w int, mask uint32, offset int64, x *Expansion) int64 {
	s := e.names[t.Symbol-1]
	if !s.known {
		lane := bits.TrailingZeros32(mask)
		p := e.place(w, lane)
		s.base = int64(e.warps[w].chunk.Lane(x.Access, lane)) - t.At(&p) - offset
		s.known = true
	}
	return s.base
}
