// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// program makes a kernel of instructions that a drawing chooses.
type program struct {
	k trace.Kernel
}

func general(n int) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{File: trace.FileGeneral, Number: uint16(n), Words: 1, Virtual: fmt.Sprintf("%%r%d", n)}}
}

func (p *program) add(opcode, kind string, class trace.OpClass, operands ...trace.Operand) *trace.Instruction {
	p.k.Instructions = append(p.k.Instructions, trace.Instruction{
		Opcode: opcode, Types: []string{kind}, Class: class, Operands: operands, Destinations: 1, Line: uint32(len(p.k.Instructions) + 1),
	})
	return &p.k.Instructions[len(p.k.Instructions)-1]
}

// access adds a load or store of shared memory behind register base.
func (p *program) access(opcode string, value, base int, offset int64) {
	class, destinations, operands := trace.ClassLoad, uint8(1), []trace.Operand{general(value), {Kind: trace.OperandAddress, HasBase: true, Register: general(base).Register, Value: offset}}
	if opcode == "st" {
		class, destinations, operands = trace.ClassStore, 0, []trace.Operand{operands[1], operands[0]}
	}
	in := p.add(opcode, "u32", class, operands...)
	in.Destinations, in.Space, in.LaneBytes, in.Modifiers = destinations, trace.SpaceShared, 4, []string{"shared"}
}

// close ends the present basic block, and goes on with the next.
func (p *program) close() {
	first := uint32(0)
	if n := len(p.k.Blocks); n > 0 {
		first = p.k.Blocks[n-1].First + p.k.Blocks[n-1].Count
	}
	n := uint32(len(p.k.Blocks))
	p.k.Blocks = append(p.k.Blocks, trace.BasicBlock{First: first, Count: uint32(len(p.k.Instructions)) - first, Successors: []uint32{n + 1}, PostDominator: n + 1})
}

// kernel ends the program: it stores what the last registers hold, so that nothing is dead.
func (p *program) kernel() *trace.Kernel {
	exit := p.add("exit", "", trace.ClassExit)
	exit.Types, exit.Destinations = nil, 0
	p.close()
	last := &p.k.Blocks[len(p.k.Blocks)-1]
	last.Successors, last.PostDominator = nil, trace.NoBlock
	p.k.Name, p.k.RegistersPerThread = "drawn", uint32(len(p.k.Instructions))
	return &p.k
}

// shapes are programs of some number of instructions, without cycles.
var shapes = map[string]func(instructions int) *trace.Kernel{
	// One block: products of values that are read, added to a few sums.
	"sums": func(n int) *trace.Kernel {
		p := new(program)
		p.add("mov", "u32", trace.ClassMove, general(0), trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"})
		sums := []int{0, 0, 0, 0, 0, 0, 0, 0}
		for r := 1; len(p.k.Instructions) < n-10; r += 2 {
			p.access("ld", r, 0, int64(4*r))
			s := &sums[r/2%len(sums)]
			p.add("mad", "u32", trace.ClassIntMad, general(r+1), general(r), general(0), general(*s)).Modifiers = []string{"lo"}
			*s = r + 1
		}
		for i, r := range sums {
			p.access("st", r, 0, int64(1<<20+4*i))
		}
		return p.kernel()
	},
	// One block: each value is made of two of the last hundred, and some are stored.
	"graph": func(n int) *trace.Kernel {
		p, draw := new(program), rand.New(rand.NewPCG(26, 1))
		p.add("mov", "u32", trace.ClassMove, general(0), trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"})
		for r := 1; len(p.k.Instructions) < n; r++ {
			back := func() int { return max(0, r-1-draw.IntN(100)) }
			switch draw.IntN(8) {
			case 0:
				p.access("ld", r, back(), 0)
			case 1:
				p.access("st", back(), back(), 0)
				r--
			default:
				p.add("xor", "b32", trace.ClassIntAdd, general(r), general(back()), general(back()))
			}
		}
		return p.kernel()
	},
	// Blocks of ten instructions.
	"blocks": func(n int) *trace.Kernel {
		p, draw := new(program), rand.New(rand.NewPCG(26, 2))
		p.add("mov", "u32", trace.ClassMove, general(0), trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"})
		for r := 1; len(p.k.Instructions) < n; r++ {
			if r%10 == 0 {
				p.access("st", r-1, 0, int64(4*r))
				p.close()
			}
			p.add("xor", "b32", trace.ClassIntAdd, general(r), general(max(0, r-1-draw.IntN(20))), general(r-1))
		}
		return p.kernel()
	},
}

// The work of a lowering grows with the instructions, not with their square: twice as many
// are less than two and a half times the steps. Steps an instruction are the same from 7000 on to
// 40000; a graph of fewer gives up some orders of its scheduler sooner.
func TestWorkGrowsWithTheInstructions(t *testing.T) {
	target := lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 256}
	for _, name := range tracetest.Draw(t, slices.Sorted(maps.Keys(shapes)), 1) {
		shape := shapes[name]
		for _, registers := range tracetest.Draw(t, []int{32, 255}, 1) {
			var steps [2]uint64
			for i, n := range []int{7000, 14000} {
				k := shape(n)
				l, err := lowering.Lower(k, target, lowering.Budget{Registers: registers})
				if err != nil {
					t.Fatalf("%s, %d registers: %v", name, registers, err)
				}
				if steps[i] = l.Steps; i == 0 {
					if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(1, 1)), 3)); err != nil {
						t.Errorf("%s, %d registers: %v", name, registers, err)
					}
				}
			}
			t.Logf("%s, %d registers: %d and %d steps", name, registers, steps[0], steps[1])
			if steps[0] == 0 || 2*steps[1] > 5*steps[0] {
				t.Errorf("%s, %d registers: %d steps for 7000 instructions, %d for 14000", name, registers, steps[0], steps[1])
			}
		}
	}
}

// A process lowers a kernel once for machines that are alike, and anew for others.
func TestMachinesThatAreAlikeShareALowering(t *testing.T) {
	k := &replaytest.Recorded(t, "saxpy").Kernels()[0]
	made := func(spec string, threads int) *core.Lowering {
		l, err := lowering.For(replaytest.Load(t, spec), k, threads, true)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	one := made("v100+lowering(generation=volta)", 256)
	if made("v100+lowering(generation=volta)+set(l1.bytes=64KiB)", 256) != one {
		t.Error("another L1 has another lowering")
	}
	if made("v100+lowering(generation=turing)", 256) == one || made("v100+lowering(generation=volta)", 1024) == one {
		t.Error("another generation, or thread block, has the same lowering")
	}
}
