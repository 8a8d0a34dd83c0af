// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"container/heap"

	"github.com/warptape/warptape/frontend/ptx"
)

// Invariants lists instructions of PTX.Body, operands first, whose results are
// fixed by a launch and by the place of a thread in its block. They are parameters, constants,
// %tid and the like, and what is computed of these alone. All blocks of a launch get the same,
// and a warp that executes one again, in a loop, gets what it got before. None writes a
// register that another instruction writes, or that one reads without having been through it.
// So no other instruction can tell when, how often and for which lanes it is executed.
func (k *Kernel) Invariants() []int {
	if len(k.Units) > 1 {
		return nil // registers of functions have a value for each activation
	}
	return newInvariance(k).search()
}

// search goes through the instructions again and again until nothing is found. It looks
// again only at those with an operand that has been found since.
func (s *invariance) search() []int {
	var list []int
	queued := make([]int, len(s.k.PTX.Body)) // the round that an instruction waits for
	readers := make([][]int, len(s.k.PTX.Registers))
	for i := range s.k.PTX.Body {
		Reads(&s.k.PTX.Body[i], func(r *ptx.Register) { readers[r.Index] = append(readers[r.Index], i) })
	}
	this, later := make(ascending, len(s.k.PTX.Body)), ascending(nil)
	for i := range this {
		this[i] = i
	}
	for round := 1; len(this) > 0; round++ {
		for len(this) > 0 {
			i := heap.Pop(&this).(int)
			if s.listed[i] || !s.invariant(i) {
				continue
			}
			s.listed[i] = true
			list = append(list, i)
			Writes(&s.k.PTX.Body[i], func(r *ptx.Register) {
				for _, j := range readers[r.Index] {
					if j < i && queued[j] != round+1 {
						queued[j] = round + 1
						heap.Push(&later, j)
					} else if j > i && round > 1 && queued[j] != round {
						queued[j] = round
						heap.Push(&this, j)
					}
				}
			})
		}
		this, later = later, this
	}
	return list
}

// ascending is a heap of instructions, the first one on top.
type ascending []int

func (a ascending) Len() int           { return len(a) }
func (a ascending) Less(i, j int) bool { return a[i] < a[j] }
func (a ascending) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *ascending) Push(x any)        { *a = append(*a, x.(int)) }
func (a *ascending) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}

// invariance is the state of the search.
type invariance struct {
	k      *Kernel
	listed []bool // by instruction
	// writer is the one instruction that writes a register, by Register.Index; -1 for
	// registers that have none, several, or a reader that a path leads to past it.
	writer     []int
	paramBytes uint64
}

func newInvariance(k *Kernel) *invariance {
	s := &invariance{k: k, listed: make([]bool, len(k.PTX.Body)), writer: make([]int, len(k.PTX.Registers))}
	const none, several = -1, -2
	for i := range s.writer {
		s.writer[i] = none
	}
	for i := range k.PTX.Body {
		Writes(&k.PTX.Body[i], func(r *ptx.Register) {
			if s.writer[r.Index] == none {
				s.writer[r.Index] = i
			} else {
				s.writer[r.Index] = several
			}
		})
	}
	s.checkReaders()
	for _, p := range k.PTX.Params {
		s.paramBytes = max(s.paramBytes, uint64(p.Offset)+uint64(p.Bytes))
	}
	return s
}

// checkReaders drops the writers of registers that are read where they need not have been
// executed, or by a lane that is not the one that executed them.
func (s *invariance) checkReaders() {
	k := s.k
	segments := make([]int, len(k.PTX.Body)) // of instructions; Exit where no path leads
	for i := range segments {
		segments[i] = Exit
	}
	for i := range k.Segments {
		for j := range k.Segments[i].Count {
			segments[k.Segments[i].First+j] = i
		}
	}
	d := newDominance(immediateDominators(k.flowGraph(), 0), 0)
	for i := range k.PTX.Body {
		in := &k.PTX.Body[i]
		Reads(in, func(r *ptx.Register) {
			w := s.writer[r.Index]
			if w < 0 || segments[i] == Exit {
				return
			}
			if crossesLanes(in.Op) || !d.comesBefore(segments, w, i) {
				s.writer[r.Index] = -1
			}
		})
	}
}

// comesBefore reports whether each path to instruction i goes through w.
func (d *dominance) comesBefore(segments []int, w, i int) bool {
	from, to := segments[w], segments[i]
	switch {
	case from == Exit:
		return false
	case from == to:
		return w < i
	}
	return d.dominates(from, to)
}

// crossesLanes reports whether an instruction can read the registers of lanes that do
// not execute it.
func crossesLanes(op ptx.Opcode) bool {
	switch op {
	case ptx.OpShfl, ptx.OpVote, ptx.OpMatch, ptx.OpRedux, ptx.OpElect,
		ptx.OpWmma, ptx.OpMma, ptx.OpLdmatrix, ptx.OpStmatrix, ptx.OpMovmatrix:
		return true
	}
	return false
}

// invariant reports whether an instruction is invariant if those listed are.
func (s *invariance) invariant(i int) bool {
	in := &s.k.PTX.Body[i]
	if in.Guard.Register != nil || in.Mods.Has(ptx.ModCC) || !pure(in.Op) && !s.loadsParameter(in) {
		return false
	}
	ok := true
	Writes(in, func(r *ptx.Register) { ok = ok && s.writer[r.Index] == i })
	Reads(in, func(r *ptx.Register) {
		w := s.writer[r.Index]
		ok = ok && w >= 0 && s.listed[w]
	})
	return ok && onlyOf(in.Operands, fixedOperand)
}

// loadsParameter reports whether an instruction is a load of a parameter that cannot fault.
func (s *invariance) loadsParameter(in *ptx.Instruction) bool {
	if in.Op != ptx.OpLd || in.Space != ptx.SpaceParam {
		return false
	}
	place := &in.Operands[1]
	if place.Kind != ptx.OperandAddress || place.Param == nil || place.Register != nil {
		return false
	}
	start, n := uint64(place.Param.Offset)+uint64(place.Offset), uint64(in.Type().Bytes()*in.Vector)
	return start < s.paramBytes && n <= s.paramBytes-start && start%n == 0
}

// onlyOf reports whether all operands are allowed.
func onlyOf(operands []ptx.Operand, allowed func(o *ptx.Operand) bool) bool {
	for i := range operands {
		if !allowed(&operands[i]) || !onlyOf(operands[i].Elements, allowed) {
			return false
		}
	}
	return true
}

// fixedOperand reports whether an operand stays the same from block to block, as far
// as it is not a register.
func fixedOperand(o *ptx.Operand) bool {
	if o.Kind != ptx.OperandSpecial {
		return true
	}
	switch s := o.Special; s {
	case ptx.TidX, ptx.TidY, ptx.TidZ, ptx.NtidX, ptx.NtidY, ptx.NtidZ, ptx.NctaidX, ptx.NctaidY, ptx.NctaidZ, ptx.Laneid:
		return true
	default:
		return s >= ptx.LanemaskEq && s <= ptx.LanemaskGt
	}
}

// pure reports whether an instruction computes its results of its operands alone, and
// cannot fault.
func pure(op ptx.Opcode) bool {
	switch op {
	case ptx.OpAdd, ptx.OpSub, ptx.OpMul, ptx.OpMad, ptx.OpFma, ptx.OpDiv, ptx.OpRem, ptx.OpAbs, ptx.OpNeg, ptx.OpMin, ptx.OpMax,
		ptx.OpRcp, ptx.OpSqrt, ptx.OpRsqrt, ptx.OpSin, ptx.OpCos, ptx.OpLg2, ptx.OpEx2, ptx.OpTanh,
		ptx.OpMul24, ptx.OpMad24, ptx.OpSad, ptx.OpPopc, ptx.OpClz, ptx.OpBfind, ptx.OpBrev, ptx.OpBfe, ptx.OpBfi,
		ptx.OpAnd, ptx.OpOr, ptx.OpXor, ptx.OpNot, ptx.OpShl, ptx.OpShr, ptx.OpShf, ptx.OpLop3, ptx.OpPrmt,
		ptx.OpSelp, ptx.OpSlct, ptx.OpSet, ptx.OpSetp, ptx.OpMov, ptx.OpCvt, ptx.OpCvta:
		return true
	}
	return false
}
