// SPDX-License-Identifier: Apache-2.0

package allocate

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// spiller keeps what has been spilled of one function.
type spiller struct {
	used   int  // words of local memory in the rounds before
	slots  file // those of the present round
	pinned map[ir.Register]bool
	// unpacked are the general registers from which predicates were made again. These still
	// have the values where such a predicate is read.
	unpacked map[ir.Register]ir.Register
	rounds   int
	steps    uint64
}

func (s *spiller) bytes() int { return 4 * (s.used + len(s.slots.spans)) }

// spill moves registers to local memory where more than limit are live: those whose next
// use is farthest (L. A. Belady's rule). It reports whether there were any.
func (s *spiller) spill(f *ir.Function, spans [][]span, uses [][]int32, limit int) bool {
	victims := s.victims(f, spans, uses, trace.FileGeneral, limit)
	if len(victims) == 0 {
		return false
	}
	s.rewrite(f, spans, victims)
	return true
}

// events lists the spans of a file's registers, ascending.
func events(f *ir.Function, spans [][]span, file trace.RegisterFile) []event {
	var list []event
	for r := range spans {
		if f.Registers[r].File == file {
			for _, x := range spans[r] {
				list = append(list, event{x.from, ir.Register(r), x.to})
			}
		}
	}
	slices.SortFunc(list, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.r, b.r)) })
	return list
}

// victims chooses the registers of a file that cannot stay where more than limit are live,
// and gives where each is spilled first.
func (s *spiller) victims(f *ir.Function, spans [][]span, uses [][]int32, file trace.RegisterFile, limit int) map[ir.Register]int32 {
	victims := map[ir.Register]int32{}
	var active []event
	count := 0
	for _, e := range events(f, spans, file) {
		if _, gone := victims[e.r]; gone {
			continue
		}
		kept := active[:0]
		for _, a := range active {
			if a.to > e.at {
				kept = append(kept, a)
			} else {
				count -= int(f.Registers[a.r].Words)
			}
		}
		s.steps += uint64(len(active) + 1)
		active = append(kept, e)
		count += int(f.Registers[e.r].Words)
		for count > limit {
			worst := s.farthest(active, uses, e)
			if worst < 0 {
				break
			}
			victims[active[worst].r] = e.at
			count -= int(f.Registers[active[worst].r].Words)
			active = slices.Delete(active, worst, worst+1)
		}
	}
	return victims
}

// farthest is the place of the register that is used last of those that may go where a span
// begins; -1: none may.
func (s *spiller) farthest(active []event, uses [][]int32, begins event) int {
	s.steps += uint64(len(active))
	worst, far := -1, int32(-1)
	for n, a := range active {
		if s.pinned[a.r] {
			continue
		}
		next := nextUse(uses[a.r], begins.at)
		if next <= begins.at+1 {
			continue // the operation at hand reads it
		}
		if a.at == begins.at && next == math.MaxInt32 {
			continue // it is written here, whether it goes or stays
		}
		if next > far {
			worst, far = n, next
		}
	}
	return worst
}

// usesOf lists the positions at which registers are read, ascending.
func usesOf(f *ir.Function) [][]int32 {
	uses := make([][]int32, len(f.Registers))
	at := int32(0)
	var list []ir.Register
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		for i := range b.Ops {
			if list = b.Ops[i].AppendReads(list[:0]); b.Ops[i].Partial {
				list = append(list, b.Ops[i].Dst...)
			}
			for _, r := range list {
				uses[r] = append(uses[r], at)
			}
			at += 2
		}
	}
	return uses
}

// nextUse is the first position from at on; far away when the next is in a loop's next
// round.
func nextUse(uses []int32, at int32) int32 {
	n := sort.Search(len(uses), func(i int) bool { return uses[i] >= at })
	if n == len(uses) {
		return math.MaxInt32
	}
	return uses[n]
}

// rewrite makes each victim live in local memory: it is stored where it is written, and
// read back where it is read, into registers of their own. One that holds a constant is
// made anew instead. Reads in front of the place where it is spilled, in the block that
// writes it, keep the register.
func (s *spiller) rewrite(f *ir.Function, spans [][]span, victims map[ir.Register]int32) {
	var list []ir.Register
	for r := range victims {
		list = append(list, r)
	}
	slices.Sort(list)
	remade := constants(f, victims)
	slot := map[ir.Register]uint32{}
	s.used, s.slots = (s.used+len(s.slots.spans)+3)/4*4, file{} // positions are other ones in each round
	for _, r := range list {
		if _, ok := remade[r]; !ok {
			words := 1
			for words < int(f.Registers[r].Words) {
				words *= 2
			}
			slot[r] = uint32(s.used+s.slots.place(whole(spans[r]), words, -1)) + 1
		}
	}
	at := int32(0)
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		ops := make([]ir.Op, 0, len(b.Ops))
		written := map[ir.Register]bool{} // in this block, in front of the place where it is spilled
		for i := range b.Ops {
			op := b.Ops[i]
			if !touches(&op, victims) {
				ops = append(ops, op)
				at += 2
				continue
			}
			back := map[ir.Register]ir.Register{}
			reload := func(r ir.Register) ir.Register {
				where, gone := victims[r]
				if !gone || written[r] && at <= where {
					return r
				}
				t, ok := back[r]
				if !ok {
					t = f.NewRegister(trace.FileGeneral, f.Registers[r].Words)
					s.pinned[t] = true
					back[r] = t
					ops = append(ops, again(&op, r, t, slot, remade, f))
				}
				return t
			}
			dst := append([]ir.Register(nil), op.Dst...)
			if op.Partial {
				for k, r := range dst {
					dst[k] = reload(r)
				}
			}
			original := op.Dst
			op = changed(op, reload)
			op.Dst = dst
			if len(original) == 1 {
				if m, ok := remade[original[0]]; ok && m.place == at {
					at += 2
					continue // made where it is read
				}
			}
			ops = append(ops, op)
			for k, r := range original {
				if _, gone := victims[r]; gone {
					ops = append(ops, ir.Op{Code: ir.STL, Src: []ir.Operand{ir.RegOperand(op.Dst[k])}, Origin: op.Origin, Unmasked: true,
						Effect: ir.Stores, Memory: true, Space: trace.SpaceLocal, Bytes: 4 * f.Registers[r].Words, Spill: slot[r]})
					written[r] = op.Dst[k] == r
				}
			}
			at += 2
		}
		b.Ops = ops
	}
}

// touches reports whether an operation reads or writes a victim.
func touches(op *ir.Op, victims map[ir.Register]int32) bool {
	touched := false
	look := func(r ir.Register) {
		if !touched {
			_, touched = victims[r]
		}
	}
	op.EachRead(look)
	for _, r := range op.Dst {
		look(r)
	}
	return touched
}

// whole is the range from the first to the last position of spans. A slot of local memory
// is taken for all of it, as what is in it may be read in a loop's next round.
func whole(spans []span) []span { return []span{{spans[0].from, spans[len(spans)-1].to}} }

// constantMove is a move of what is known into a register that nothing else writes.
type constantMove struct {
	op    ir.Op
	place int32
}

// constants finds the victims that hold one constant.
func constants(f *ir.Function, victims map[ir.Register]int32) map[ir.Register]constantMove {
	made, writes := map[ir.Register]constantMove{}, map[ir.Register]int{}
	at := int32(0)
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		for i := range b.Ops {
			op := &b.Ops[i]
			for _, r := range op.Dst {
				if _, ok := victims[r]; ok {
					writes[r]++
					if len(op.Src) == 1 && (op.Src[0].Kind == ir.Immediate || op.Src[0].Kind == ir.Constant) && (op.Code == ir.MOV || op.Code == ir.MOV64) && !op.Partial {
						made[r] = constantMove{*op, at}
					}
				}
			}
			at += 2
		}
	}
	for r, n := range writes {
		if n > 1 {
			delete(made, r)
		}
	}
	return made
}

// again makes the value of a victim for an operation.
func again(op *ir.Op, r, t ir.Register, slot map[ir.Register]uint32, remade map[ir.Register]constantMove, f *ir.Function) ir.Op {
	if m, ok := remade[r]; ok {
		made := m.op
		made.Dst, made.Origin, made.Unmasked, made.Covers, made.Reads = []ir.Register{t}, op.Origin, true, nil, nil
		made.Guard, made.Part, made.Mask = ir.Operand{}, 0, 0
		return made
	}
	return ir.Op{Code: ir.LDL, Dst: []ir.Register{t}, Origin: op.Origin, Unmasked: true, Effect: ir.Loads, Memory: true, Space: trace.SpaceLocal,
		Bytes: 4 * f.Registers[r].Words, Spill: slot[r]}
}
