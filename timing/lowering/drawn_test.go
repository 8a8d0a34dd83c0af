// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/warptape/warptape/trace"
)

// drawnRegisters are those of a drawn program: so few that all are written again and again.
const drawnRegisters = 14

// drawnBlocks makes a program of basic blocks with branches that are drawn. Blocks load,
// store, convert and compute with registers that other blocks write too. Branches go
// forward or back, with conditions and without.
func drawnBlocks(draw *rand.Rand) *trace.Kernel {
	p, blocks := new(program), 3+draw.IntN(8)
	for r := range drawnRegisters {
		p.add("mov", "u32", trace.ClassMove, general(r), trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"})
	}
	some := func() int { return draw.IntN(drawnRegisters) }
	branches := make([]int, blocks) // where each block may branch to; -1: nowhere
	for b := range blocks {
		for range draw.IntN(12) {
			switch draw.IntN(6) {
			case 0:
				p.access("ld", some(), some(), int64(4*draw.IntN(8)))
			case 1, 2:
				p.access("st", some(), some(), int64(4*draw.IntN(8)))
			case 3:
				p.add("ex2", "f32", trace.ClassSpecial, general(some()), general(some())).Modifiers = []string{"approx"}
			default:
				p.add("xor", "b32", trace.ClassIntAdd, general(some()), general(some()), general(some()))
			}
		}
		branches[b] = -1
		if b < blocks-1 && draw.IntN(3) > 0 {
			branches[b] = draw.IntN(blocks)
			p.branch(some(), branches[b])
		}
		p.close()
		if at := &p.k.Blocks[b]; branches[b] >= 0 && branches[b] != b+1 {
			at.Successors, at.PostDominator = append(at.Successors, uint32(branches[b])), trace.NoBlock
		}
	}
	for r := range drawnRegisters {
		p.access("st", r, 0, int64(64+4*r))
	}
	return p.kernel()
}

// branch compares a register, and branches to a block where the comparison holds.
func (p *program) branch(register, to int) {
	condition := trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FilePredicate, Number: 0, Words: 1, Virtual: fmt.Sprintf("%%p%d", len(p.k.Blocks))}}
	condition.Register.Number = uint16(len(p.k.Blocks))
	p.add("setp", "u32", trace.ClassIntAdd, condition, general(register), trace.Operand{Kind: trace.OperandImmediate, Value: 9}).Modifiers = []string{"lt"}
	in := p.add("bra", "", trace.ClassBranch, trace.Operand{Kind: trace.OperandBlock, Value: int64(to)})
	in.Types, in.Destinations, in.Guard = nil, 0, trace.Guard{Present: true, Register: condition.Register}
}
