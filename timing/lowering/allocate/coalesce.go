// SPDX-License-Identifier: Apache-2.0

package allocate

import (
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// Coalesce lets moves and what they move have one register where both are never needed at
// a time, and drops those moves. It reports whether there were any, which changes what is live. l is the
// function's liveness, nil where that is not known yet.
func Coalesce(f *ir.Function, l *Liveness) (dropped bool) {
	if !moves(f) {
		return false
	}
	if l == nil {
		l = NewLiveness(f)
	}
	spans := spansOf(f, l)
	parent := make([]ir.Register, len(f.Registers))
	for r := range parent {
		parent[r] = ir.Register(r)
	}
	find := func(r ir.Register) ir.Register {
		for parent[r] != r {
			parent[r] = parent[parent[r]]
			r = parent[r]
		}
		return r
	}
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		for i := range b.Ops {
			if op := &b.Ops[i]; copies(f, op) {
				x, y := find(op.Dst[0]), find(op.Src[0].Register)
				if x == y {
					continue
				}
				if disjoint(spans[x], spans[y]) {
					spans[x] = joined(merge(spans[x], spans[y]))
					spans[y], parent[y] = nil, x
				}
			}
		}
	}
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		kept := b.Ops[:0]
		for i := range b.Ops {
			op := &b.Ops[i]
			for k, r := range op.Dst {
				op.Dst[k] = find(r)
			}
			op.Replace(func(o ir.Operand) ir.Operand {
				o.Register = find(o.Register)
				return o
			})
			if copies(f, op) && op.Dst[0] == op.Src[0].Register {
				dropped = true
				continue
			}
			kept = append(kept, *op)
		}
		b.Ops = kept
	}
	return dropped
}

// moves reports whether a function copies registers.
func moves(f *ir.Function) bool {
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		for i := range b.Ops {
			if copies(f, &b.Ops[i]) {
				return true
			}
		}
	}
	return false
}

// copies reports whether an operation does nothing but copy a register to another.
func copies(f *ir.Function, op *ir.Op) bool {
	if op.Code != ir.MOV && op.Code != ir.MOV64 && op.Code != ir.PLOP3 || len(op.Src) != 1 || len(op.Dst) != 1 || op.Guard.Kind != ir.None || op.Partial {
		return false
	}
	s := &op.Src[0]
	if s.Kind != ir.Reg || s.Part != ir.Whole || s.Negated {
		return false
	}
	x, y := &f.Registers[op.Dst[0]], &f.Registers[s.Register]
	return x.File == y.File && (x.Words == y.Words || x.File == trace.FilePredicate)
}
