// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/trace"
)

// wordBytes is the size of a word of every memory.
const wordBytes = 4

// classes of the instructions.
var classes = map[language.Opcode]trace.OpClass{
	language.NOP: trace.ClassNop, language.MAD: trace.ClassIntMad, language.MUL: trace.ClassIntMul,
	language.ADD: trace.ClassIntAdd, language.SUB: trace.ClassIntAdd, language.SLT: trace.ClassIntAdd, language.SGT: trace.ClassIntAdd,
	language.SHR: trace.ClassIntAdd, language.SHL: trace.ClassIntAdd, language.NOT: trace.ClassIntAdd,
	language.AND: trace.ClassIntAdd, language.OR: trace.ClassIntAdd, language.XOR: trace.ClassIntAdd,
	language.MV: trace.ClassMove, language.MVI: trace.ClassMove, language.LDS: trace.ClassMove,
	language.LD: trace.ClassLoad, language.LDC: trace.ClassLoad, language.ST: trace.ClassStore,
	language.BEQ: trace.ClassBranch, language.BNE: trace.ClassBranch, language.SSY: trace.ClassNop,
	language.BAR: trace.ClassBarrier, language.EXIT: trace.ClassExit,
}

// kernelOf is the static part of the trace.
func kernelOf(k *language.Kernel, name, digest string, c machine.Config, r *machine.Result) *trace.Kernel {
	out := &trace.Kernel{
		Name: name, File: k.File, Digest: digest, RegistersPerThread: uint32(k.RegistersPerThread),
		SharedBytes: uint32(r.SharedWords * wordBytes), ConstBytes: uint32(r.ConstantWords * wordBytes), MaxThreads: uint32(k.Block.Count()),
	}
	var of []uint32
	out.Blocks, of = basicBlocks(k)
	for i := range k.Instructions {
		out.Instructions = append(out.Instructions, instructionOf(k, i, of))
	}
	setJoins(out.Blocks, of, r.Joins)
	out.Tesla = teslaOf(k, c, r, of)
	for _, d := range r.Dependences {
		if d.On == machine.OnTiming {
			out.TimingDependent = append(out.TimingDependent, d.Reason)
		}
	}
	return out
}

// setJoins says where the lanes of branches meet, when that is not the post-dominator.
func setJoins(blocks []trace.BasicBlock, of []uint32, joins map[int][]int) {
	for branch, labels := range joins {
		b := &blocks[of[branch]]
		if at := of[labels[0]]; len(labels) == 1 && at != b.PostDominator {
			b.Joins = []uint32{at}
		}
	}
}

func teslaOf(k *language.Kernel, c machine.Config, r *machine.Result, of []uint32) *trace.Tesla {
	t := &trace.Tesla{
		Words: k.Words(), WarpsPerBlock: r.WarpsPerBlock, RegistersPerThread: k.RegistersPerThread, SharedWords: r.SharedWords, ConstantWords: r.ConstantWords, AddressesWrap: r.Wraps,
		RecordedIn: trace.TeslaConfiguration{
			Multiprocessors: c.Multiprocessors, Processors: c.Processors, WarpSlots: c.WarpSlots, BlockSlots: c.BlockSlots, Parameters: c.Parameters, WarpWidth: c.WarpWidth,
			InstructionAddressBits: c.InstructionAddressBits, RegisterAddressBits: c.RegisterAddressBits,
			ConstantAddressBits: c.ConstantAddressBits, SharedAddressBits: c.SharedAddressBits,
		},
	}
	for i, in := range k.Instructions {
		if in.Opcode == language.SSY {
			t.Syncs = append(t.Syncs, trace.TeslaSync{Instruction: uint32(i), Block: of[in.Immediate]})
		}
	}
	on := map[machine.DependsOn]trace.TeslaDependsOn{machine.OnRows: trace.TeslaRows, machine.OnReplays: trace.TeslaReplays, machine.OnTiming: trace.TeslaTiming, machine.OnWarp: trace.TeslaWarp, machine.OnWidth: trace.TeslaWidth}
	for _, d := range r.Dependences {
		t.Dependences = append(t.Dependences, trace.TeslaDependence{On: on[d.On], Reason: d.Reason})
	}
	return t
}

// instructionOf is a row of the instruction table.
func instructionOf(k *language.Kernel, i int, of []uint32) trace.Instruction {
	in := k.Instructions[i]
	out := trace.Instruction{Opcode: in.Opcode.String(), Class: classes[in.Opcode], Line: uint32(k.Lines[i])}
	if d, ok := in.Writes(); ok {
		out.Operands, out.Destinations = append(out.Operands, register(d)), 1
	}
	switch in.Opcode {
	case language.LD, language.LDC, language.ST:
		out.Space, out.LaneBytes = trace.SpaceShared, wordBytes
		if in.Opcode == language.LDC {
			out.Space = trace.SpaceConst
		}
		out.Operands = append(out.Operands, address(in.A))
		if in.Opcode == language.ST {
			out.Operands = append(out.Operands, register(in.B))
		}
	case language.MVI:
		out.Operands = append(out.Operands, trace.Operand{Kind: trace.OperandImmediate, Value: int64(in.Immediate)})
	case language.LDS:
		out.Operands = append(out.Operands, trace.Operand{Kind: trace.OperandSpecial, Symbol: special(in.A)})
	default:
		for _, r := range in.Reads(nil) {
			out.Operands = append(out.Operands, register(r))
		}
	}
	if in.Branches() || in.Opcode == language.SSY {
		out.Operands = append(out.Operands, trace.Operand{Kind: trace.OperandBlock, Value: int64(of[in.Immediate])})
	}
	if toNext(in, i) {
		guard(&out, in)
	}
	return out
}

// toNext reports whether an instruction is a branch to the one behind it.
func toNext(in language.Instruction, i int) bool {
	return in.Branches() && int(in.Immediate) == i+1
}

// guard makes of a branch to the next instruction, whose outcome no path shows, one that
// does nothing, under a guard whose masks are the lanes that took it.
func guard(out *trace.Instruction, in language.Instruction) {
	out.Class = trace.ClassNop
	out.Guard = trace.Guard{Present: true, Negated: in.Opcode == language.BEQ, Register: trace.Register{
		File: trace.FilePredicate, Number: uint16(in.A), Words: 1, Virtual: registerName(in.A),
	}}
}

func register(r uint8) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: uint16(r), Words: 1, Virtual: registerName(r)}}
}

func address(r uint8) trace.Operand {
	o := register(r)
	o.Kind, o.HasBase = trace.OperandAddress, true
	return o
}

func registerName(r uint8) string { return fmt.Sprintf("r%d", r) }

// special is the name of a special register in traces.
func special(selector uint8) string {
	if parameter, ok := language.SelectsParameter(selector); ok {
		return fmt.Sprintf("param%d", parameter)
	}
	text := language.Instruction{Opcode: language.LDS, A: selector}.String()
	return strings.ToLower(text[strings.LastIndex(text, " ")+1:])
}
