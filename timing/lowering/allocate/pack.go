// SPDX-License-Identifier: Apache-2.0

package allocate

import (
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// pack takes predicates away where more than limit are live: those whose next use is
// farthest. It reports whether there were any.
func (s *spiller) pack(f *ir.Function, spans [][]span, uses [][]int32, limit int) bool {
	victims := s.victims(f, spans, uses, trace.FilePredicate, limit)
	if len(victims) == 0 {
		return false
	}
	p := packer{s: s, f: f, victims: victims, homes: map[ir.Register]ir.Register{}, unread: map[ir.Register]bool{}, again: newRemaker(f)}
	out := make([][]ir.Op, len(f.Blocks))
	for b, block := range f.Blocks {
		if block != nil {
			out[b] = p.block(b, block)
		}
	}
	for b, block := range f.Blocks {
		if block != nil {
			block.Ops = slices.DeleteFunc(out[b], func(op ir.Op) bool { return op.Code == ir.P2R && p.unread[op.Dst[0]] })
		}
	}
	return true
}

// packer rewrites a function whose victims are no predicates any longer, but where they are
// read. A victim is made again there, where that can be done. Otherwise it is copied to a
// general register where it is written (P2R), and compared with zero where it is read
// (ISETP). Reads in front of the place where it is packed, in the block that writes it, keep
// the predicate.
type packer struct {
	s       *spiller
	f       *ir.Function
	victims map[ir.Register]int32
	homes   map[ir.Register]ir.Register // general registers, by victim
	unread  map[ir.Register]bool        // homes that nothing reads so far
	again   *remaker
	at      int32 // position of the operation at hand

	number  int // of the block at hand
	ops     []ir.Op
	written map[ir.Register]bool        // in the block at hand, in front of the place
	current map[ir.Register]ir.Register // what each victim was last made in there
}

// splits is for how many rounds a victim that was made again serves all reads that follow in
// its block. It may be a victim again, so that spans are split where predicates are too many.
// Later each read makes its own, which cannot be taken away.
const splits = 12

func (p *packer) block(number int, b *ir.Block) []ir.Op {
	p.number, p.ops, p.written = number, make([]ir.Op, 0, len(b.Ops)), map[ir.Register]bool{}
	p.current = map[ir.Register]ir.Register{}
	for i := range b.Ops {
		p.op(b.Ops[i])
		p.at += 2
	}
	return p.ops
}

func (p *packer) op(op ir.Op) {
	if !touches(&op, p.victims) {
		p.ops = append(p.ops, op)
		return
	}
	written := op.Dst
	back := map[ir.Register]ir.Register{}
	present := func(r ir.Register) ir.Register {
		where, gone := p.victims[r]
		if !gone || p.written[r] && p.at <= where {
			return r
		}
		t, ok := back[r]
		if !ok && p.s.rounds <= splits && !(op.Partial && slices.Contains(written, r)) {
			t, ok = p.current[r]
		}
		if !ok {
			t = p.present(r, op.Origin, op.Partial && slices.Contains(written, r))
			p.current[r] = t
		}
		back[r] = t
		return t
	}
	op = changed(op, present)
	if op.Partial {
		for k, r := range op.Dst {
			op.Dst[k] = present(r)
		}
	}
	p.ops = append(p.ops, op)
	for k, r := range written {
		if _, gone := p.victims[r]; !gone {
			continue
		}
		delete(p.current, r)
		p.written[r] = op.Dst[k] == r
		if _, packed := p.s.unpacked[r]; !packed {
			p.ops = append(p.ops, ir.Op{Code: ir.P2R, Dst: []ir.Register{p.home(r)}, Src: []ir.Operand{ir.RegOperand(op.Dst[k])}, Origin: op.Origin, Unmasked: true})
		}
	}
}

// changed is a copy of an operation that reads other registers.
func changed(op ir.Op, to func(ir.Register) ir.Register) ir.Op {
	op.Dst = append([]ir.Register(nil), op.Dst...)
	op.Src = append([]ir.Operand(nil), op.Src...)
	op.Reads = append([]ir.Read(nil), op.Reads...)
	op.Replace(func(o ir.Operand) ir.Operand {
		o.Register = to(o.Register)
		return o
	})
	return op
}

// present makes a victim a predicate again, for the operation that pays. That operation may
// write it: then it is its own, and stays.
func (p *packer) present(r ir.Register, pays uint32, own bool) ir.Register {
	t := p.f.NewRegister(trace.FilePredicate, 1)
	if own || p.s.rounds > splits {
		p.s.pinned[t] = true
	}
	steps := p.again.recipe(r, p.number)
	if steps == nil {
		home, packed := p.s.unpacked[r]
		if !packed {
			home = p.home(r)
			p.unread[home] = false
		}
		if !own {
			p.s.unpacked[t] = home
		}
		p.ops = append(p.ops, ir.Op{Code: ir.Unpack, Dst: []ir.Register{t}, Src: []ir.Operand{ir.RegOperand(home)}, Origin: pays, Unmasked: true})
		return t
	}
	names := map[ir.Register]ir.Register{r: t}
	for _, step := range steps {
		made := step.Dst[0]
		if made != r {
			names[made] = p.f.NewRegister(trace.FileGeneral, p.f.Registers[made].Words)
			p.s.pinned[names[made]] = true
		}
		op := changed(*step, func(x ir.Register) ir.Register {
			if n, ok := names[x]; ok {
				return n
			}
			return x
		})
		op.Dst, op.Origin, op.Part, op.Unmasked = []ir.Register{names[made]}, pays, 0, true
		p.ops = append(p.ops, op)
	}
	return t
}

// home is the general register in which a victim lives.
func (p *packer) home(r ir.Register) ir.Register {
	h, ok := p.homes[r]
	if !ok {
		h = p.f.NewRegister(trace.FileGeneral, 1)
		p.homes[r], p.unread[h] = h, true
	}
	return h
}
