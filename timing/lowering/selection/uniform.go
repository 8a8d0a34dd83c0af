// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"strings"

	"github.com/warptape/warptape/trace"
)

// divergence finds what lanes of a warp may disagree on, as a compiler does: what is made of
// the thread's number, of memory, or where lanes are apart (B. Coutinho et al., "Divergence
// Analysis and Optimizations", PACT 2011).
type divergence struct {
	k    *trace.Kernel
	vars *variables
	// of are the variables on which lanes may disagree, apart the blocks to which only some
	// lanes may come, and seen those whose branches lanes may leave in two directions.
	of          []bool
	apart, seen []bool
	steps       int
	again       bool
}

// The bounds of the analysis: behind them lanes may disagree on everything.
const (
	divergencePasses = 32
	divergenceSteps  = 1 << 20
)

// divergenceOf finds it for a kernel.
func divergenceOf(k *trace.Kernel, vars *variables) *divergence {
	d := &divergence{k: k, vars: vars, of: make([]bool, len(vars.defs)), apart: make([]bool, len(k.Blocks)), seen: make([]bool, len(k.Blocks))}
	for pass := 0; pass == 0 || d.again; pass++ {
		bounded := pass < divergencePasses && d.steps <= divergenceSteps
		for r := 0; !bounded && r < len(d.of); r++ {
			d.of[r] = true
		}
		d.again = false
		for b := range k.Blocks {
			d.block(b)
		}
		if !bounded {
			break
		}
	}
	return d
}

// block notes what the instructions of a block make.
func (d *divergence) block(b int) {
	at := &d.k.Blocks[b]
	for i := int(at.First); i < int(at.First+at.Count); i++ {
		in := &d.k.Instructions[i]
		differs := d.reads(i) || d.source(in, i)
		for _, r := range d.vars.written[i] {
			if !d.of[r] && (differs || d.apart[b] && !d.vars.once(r)) {
				d.of[r], d.again = true, true
			}
		}
	}
	if !d.seen[b] && d.splits(b) {
		d.seen[b], d.again = true, true
		if join := d.join(b); join != trace.NoBlock {
			d.mark(at.Successors, join)
		}
	}
}

// reads reports whether an instruction reads what lanes may disagree on.
func (d *divergence) reads(i int) bool {
	for _, r := range d.vars.read[i] {
		if d.of[r] {
			return true
		}
	}
	return false
}

// source reports whether lanes may disagree on the result of an instruction whatever they
// give it.
func (d *divergence) source(in *trace.Instruction, i int) bool {
	switch in.Class {
	case trace.ClassLoad:
		if in.Space != trace.SpaceConst && in.Space != trace.SpaceParam || d.k.FunctionName(i) != "" {
			return true
		}
	case trace.ClassShuffle:
		return in.Opcode != "vote" && in.Opcode != "activemask"
	case trace.ClassAtomic, trace.ClassTexture, trace.ClassTensor, trace.ClassCall:
		return true
	}
	return eachSpecial(in.Operands, func(symbol string) bool {
		return strings.HasPrefix(symbol, "tid") || strings.HasPrefix(symbol, "lane")
	})
}

// eachSpecial reports whether a special register among operands is as asked for.
func eachSpecial(list []trace.Operand, is func(string) bool) bool {
	for n := range list {
		if o := &list[n]; o.Kind == trace.OperandSpecial && is(o.Symbol) || eachSpecial(o.Elements, is) {
			return true
		}
	}
	return false
}

// splits reports whether lanes may leave a block in two directions.
func (d *divergence) splits(b int) bool {
	at := &d.k.Blocks[b]
	if at.Count == 0 || len(at.Successors) < 2 {
		return false
	}
	last := int(at.First+at.Count) - 1
	in := &d.k.Instructions[last]
	return in.Class == trace.ClassBranch && in.Guard.Present && d.reads(last)
}

// join is the block at which lanes meet that leave a block in two directions. Those that go to
// the end of the kernel alone do not wait there.
func (d *divergence) join(b int) uint32 {
	join := d.k.Blocks[b].PostDominator
	if int(join) >= len(d.k.Blocks) {
		return trace.NoBlock
	}
	at := &d.k.Blocks[join]
	if at.Count == 0 || d.k.Instructions[at.First].Class == trace.ClassExit {
		return trace.NoBlock
	}
	return join
}

// mark notes the blocks between a branch and where lanes meet.
func (d *divergence) mark(from []uint32, join uint32) {
	seen := map[uint32]bool{join: true}
	work := append([]uint32(nil), from...)
	for len(work) > 0 && d.steps <= divergenceSteps {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if int(b) >= len(d.apart) || seen[b] {
			continue
		}
		seen[b], d.apart[b] = true, true
		d.steps++
		work = append(work, d.k.Blocks[b].Successors...)
	}
}
