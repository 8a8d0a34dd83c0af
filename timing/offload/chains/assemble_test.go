// SPDX-License-Identifier: Apache-2.0

package chains

import (
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// assemble makes a kernel of lines of PTX without declarations. "L:" begins a
// basic block; a branch or exit ends one. Registers: %p predicates, %rd 64 bits,
// the others 32. Allocated numbers collide on purpose: the pass goes by names.
func assemble(t testing.TB, text string) *trace.Kernel {
	t.Helper()
	k := &trace.Kernel{Name: "test", File: "test.ptx"}
	labels := map[string]uint32{}
	var targets []string
	open := false
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSuffix(strings.TrimSpace(line), ";")
		if line == "" {
			continue
		}
		if label, ok := strings.CutSuffix(line, ":"); ok {
			labels[label], open = uint32(len(k.Blocks)), false
			continue
		}
		if !open {
			k.Blocks = append(k.Blocks, trace.BasicBlock{First: uint32(len(k.Instructions)), PostDominator: trace.NoBlock})
			targets, open = append(targets, ""), true
		}
		in := parse(t, line)
		in.Line = uint32(n + 1)
		k.Instructions = append(k.Instructions, in)
		k.Blocks[len(k.Blocks)-1].Count++
		if in.Class == trace.ClassBranch {
			targets[len(targets)-1] = line[strings.LastIndex(line, " ")+1:]
		}
		open = !in.Class.EndsSegment()
	}
	for b := range k.Blocks {
		last := &k.Instructions[k.Blocks[b].First+k.Blocks[b].Count-1]
		if targets[b] != "" {
			k.Blocks[b].Successors = append(k.Blocks[b].Successors, labels[targets[b]])
		}
		if falls := last.Class != trace.ClassExit && (targets[b] == "" || last.Guard.Present); falls && b+1 < len(k.Blocks) {
			k.Blocks[b].Successors = append(k.Blocks[b].Successors, uint32(b+1))
		}
	}
	return k
}

var classes = map[string]trace.OpClass{
	"ld": trace.ClassLoad, "st": trace.ClassStore, "atom": trace.ClassAtomic, "bra": trace.ClassBranch, "ret": trace.ClassExit,
	"bar": trace.ClassBarrier, "mov": trace.ClassMove, "cvt": trace.ClassConvert, "rcp": trace.ClassSpecial, "membar": trace.ClassFence,
}

// parse makes one instruction.
func parse(t testing.TB, line string) trace.Instruction {
	var in trace.Instruction
	if strings.HasPrefix(line, "@") {
		guard, rest, _ := strings.Cut(line[1:], " ")
		in.Guard = trace.Guard{Present: true, Register: register(guard)}
		line = rest
	}
	mnemonic, operands, _ := strings.Cut(line, " ")
	parts := strings.Split(mnemonic, ".")
	in.Opcode = parts[0]
	for _, s := range parts[1:] {
		if len(s) > 1 && strings.Contains("usfb", s[:1]) && s[1] >= '0' && s[1] <= '9' || s == "pred" {
			in.Types = append(in.Types, s)
		} else {
			in.Modifiers = append(in.Modifiers, s)
		}
	}
	in.Class = classOf(&in)
	if in.Class.IsMemory() {
		in.Space = map[string]trace.Space{"global": trace.SpaceGlobal, "shared": trace.SpaceShared, "param": trace.SpaceParam, "const": trace.SpaceConst}[in.Modifiers[0]]
		in.LaneBytes = uint8(width(in.Types[0]) / 8)
	}
	if in.Class == trace.ClassBranch {
		return in
	}
	for _, o := range strings.Split(operands, ",") {
		if o = strings.TrimSpace(o); o != "" {
			in.Operands = append(in.Operands, parseOperand(t, o))
		}
	}
	if in.Class != trace.ClassStore && len(in.Operands) > 1 {
		in.Destinations = 1
	}
	return in
}

func classOf(in *trace.Instruction) trace.OpClass {
	if c, ok := classes[in.Opcode]; ok {
		return c
	}
	single := len(in.Types) > 0 && in.Types[len(in.Types)-1] == "f32"
	switch in.Opcode {
	case "add", "sub", "setp", "and", "selp", "neg", "sad":
		if single {
			return trace.ClassF32Add
		}
		return trace.ClassIntAdd
	case "mul":
		if single {
			return trace.ClassF32Mul
		}
		return trace.ClassIntMul
	case "fma":
		return trace.ClassF32Fma
	case "mad":
		return trace.ClassIntMad
	case "div":
		return trace.ClassF32Div
	case "min":
		return trace.ClassF32MinMax
	}
	panic(in.Opcode)
}

func parseOperand(t testing.TB, o string) trace.Operand {
	if inner, ok := strings.CutPrefix(o, "["); ok {
		inner, offset, _ := strings.Cut(strings.TrimSuffix(inner, "]"), "+")
		value, _ := strconv.ParseInt(offset, 10, 64)
		if strings.HasPrefix(inner, "%") {
			return trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: register(inner), Value: value}
		}
		return trace.Operand{Kind: trace.OperandAddress, Symbol: inner, Value: value}
	}
	if strings.HasPrefix(o, "%") {
		if name := o[1:]; strings.HasPrefix(name, "tid") || strings.HasPrefix(name, "ctaid") {
			return trace.Operand{Kind: trace.OperandSpecial, Symbol: name}
		}
		return trace.Operand{Kind: trace.OperandRegister, Register: register(o)}
	}
	value, err := strconv.ParseInt(o, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Operand{Kind: trace.OperandImmediate, Value: value}
}

func register(name string) trace.Register {
	r := trace.Register{Virtual: name, Words: 1, Number: uint16(name[len(name)-1]) % 3}
	switch {
	case strings.HasPrefix(name, "%rd"):
		r.Words = 2
	case strings.HasPrefix(name, "%p"):
		r.File = trace.FilePredicate
	}
	return r
}
