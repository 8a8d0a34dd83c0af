// SPDX-License-Identifier: Apache-2.0

// Package loweringtest makes kernels of lines like PTX, for tests of what lowers them.
package loweringtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
)

// Assemble makes a kernel of one basic block of lines like "add.s32 r3, r1, r2"; registers
// are rN (32 bits), dN (64 bits) and pN. A line may begin with a guard, "@p1" or "@!p1".
func Assemble(t testing.TB, lines string) *trace.Kernel {
	t.Helper()
	k := &trace.Kernel{Name: "k", Params: []trace.Param{{Name: "first", Bytes: 8}, {Name: "second", Offset: 8, Bytes: 8}}}
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		line = strings.TrimSpace(line)
		guard, rest := trace.Guard{}, line
		if line[0] == '@' {
			var by string
			by, rest, _ = strings.Cut(line[1:], " ")
			guard = trace.Guard{Present: true, Negated: by[0] == '!', Register: operand(t, strings.TrimPrefix(by, "!")).Register}
		}
		name, operands, _ := strings.Cut(rest, " ")
		in := trace.Instruction{Class: trace.ClassIntAdd, Destinations: 1, Line: uint32(len(k.Instructions) + 1), Guard: guard}
		for n, word := range strings.Split(name, ".") {
			switch {
			case n == 0:
				in.Opcode = word
			case word == "pred" || len(word) > 1 && strings.Contains("usbf", word[:1]) && word[1] >= '0' && word[1] <= '9' || word == "bf16":
				in.Types = append(in.Types, word)
			default:
				in.Modifiers = append(in.Modifiers, word)
			}
		}
		in.Operands = list(t, operands)
		classify(&in)
		k.Instructions = append(k.Instructions, in)
	}
	k.Blocks = []trace.BasicBlock{{Count: uint32(len(k.Instructions)), PostDominator: trace.NoBlock}}
	return k
}

// classify gives an instruction its class, and what goes with it.
func classify(in *trace.Instruction) {
	switch in.Opcode {
	case "ld", "st", "ldu", "ldmatrix", "stmatrix":
		in.Class, in.LaneBytes = trace.ClassLoad, uint8(bits(in)/8)
		for _, m := range in.Modifiers {
			switch m {
			case "v2":
				in.LaneBytes *= 2
			case "shared", "global", "param", "const", "local":
				in.Space = map[string]trace.Space{"shared": trace.SpaceShared, "global": trace.SpaceGlobal, "param": trace.SpaceParam, "const": trace.SpaceConst, "local": trace.SpaceLocal}[m]
			}
		}
		if strings.HasPrefix(in.Opcode, "st") {
			in.Class, in.Destinations = trace.ClassStore, 0
		}
	case "mad":
		in.Class = trace.ClassIntMad
	case "exit":
		in.Class, in.Destinations = trace.ClassExit, 0
	case "atom":
		in.Class = trace.ClassAtomic
	case "shfl", "vote":
		in.Class = trace.ClassShuffle
	case "mma", "wgmma":
		in.Class = trace.ClassTensor
	case "call":
		in.Class, in.Destinations = trace.ClassCall, 0
	case "membar":
		in.Class, in.Destinations = trace.ClassFence, 0
	case "bar":
		in.Class, in.Destinations = trace.ClassBarrier, 0
	}
}

// list are operands that commas part, but for those in braces.
func list(t testing.TB, text string) (operands []trace.Operand) {
	t.Helper()
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(strings.TrimPrefix(text, ",")) {
		end := strings.IndexByte(text+",", ',')
		if text[0] == '{' {
			end = strings.IndexByte(text, '}') + 1
		}
		operands, text = append(operands, operand(t, strings.TrimSpace(text[:end]))), text[end:]
	}
	return operands
}

func operand(t testing.TB, text string) trace.Operand {
	t.Helper()
	number := func(s string) (n int64) {
		if _, err := fmt.Sscan(s, &n); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		return n
	}
	register := func(s string) trace.Register {
		r := trace.Register{File: trace.FileGeneral, Words: 1, Number: uint16(number(s[1:])), Virtual: "%" + s}
		switch s[0] {
		case 'd':
			r.Words, r.Number = 2, 100+2*r.Number
		case 'p':
			r.File = trace.FilePredicate
		}
		return r
	}
	is := func(s string) bool { return strings.Contains("rdp", s[:1]) && len(s) > 1 && s[1] >= '0' && s[1] <= '9' }
	switch {
	case text[0] == '{':
		return trace.Operand{Kind: trace.OperandVector, Elements: list(t, strings.Trim(text, "{}"))}
	case text[0] == '[':
		base, offset, _ := strings.Cut(strings.Trim(text, "[]"), "+")
		o := trace.Operand{Kind: trace.OperandAddress}
		if offset != "" {
			o.Value = number(offset)
		}
		if o.HasBase = is(base); o.HasBase {
			o.Register = register(base)
		} else {
			o.Symbol = base
		}
		return o
	case text == "_":
		return trace.Operand{Kind: trace.OperandSink}
	case text[0] == '%':
		return trace.Operand{Kind: trace.OperandSpecial, Symbol: text[1:]}
	case text[0] == '!':
		return trace.Operand{Kind: trace.OperandRegister, Register: register(text[1:]), Negated: true}
	case is(text):
		return trace.Operand{Kind: trace.OperandRegister, Register: register(text)}
	case text[0] >= 'a' && text[0] <= 'z' || text[0] == '_':
		return trace.Operand{Kind: trace.OperandSymbol, Symbol: text}
	}
	return trace.Operand{Kind: trace.OperandImmediate, Value: number(text)}
}

// Blocks makes a kernel of blocks: a line "SUCCESSORS/JOIN: INSTRUCTIONS", these parted by
// semicolons. "bra N" is a branch under predicate p1 to block N, "bra2 N" one under p2, "go N"
// one without.
func Blocks(t testing.TB, text string) *trace.Kernel {
	t.Helper()
	k := Assemble(t, "exit")
	k.Instructions, k.Blocks = nil, nil
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		head, code, _ := strings.Cut(strings.TrimSpace(line), ":")
		next, join, _ := strings.Cut(head, "/")
		b := trace.BasicBlock{First: uint32(len(k.Instructions)), PostDominator: trace.NoBlock}
		for _, word := range strings.Fields(next) {
			n := uint32(0)
			fmt.Sscan(word, &n)
			b.Successors = append(b.Successors, n)
		}
		if join != "" {
			fmt.Sscan(join, &b.PostDominator)
		}
		for _, one := range strings.Split(code, ";") {
			one = strings.TrimSpace(one)
			word, to, _ := strings.Cut(strings.TrimPrefix(one, "@!p1 "), " ")
			if word == "bra" || word == "bra2" || word == "go" {
				target := int64(0)
				fmt.Sscan(to, &target)
				in := trace.Instruction{Opcode: "bra", Class: trace.ClassBranch, Operands: []trace.Operand{{Kind: trace.OperandBlock, Value: target}}}
				if word != "go" {
					in.Guard = trace.Guard{Present: true, Negated: strings.HasPrefix(one, "@!p1 "), Register: operand(t, "p"+max(word[3:], "1")).Register}
				}
				k.Instructions = append(k.Instructions, in)
				continue
			}
			in := Assemble(t, one).Instructions[0]
			if in.Opcode == "setp" {
				in.Modifiers = []string{"lt"}
			}
			in.Line = uint32(len(k.Instructions) + 1)
			k.Instructions = append(k.Instructions, in)
		}
		b.Count = uint32(len(k.Instructions)) - b.First
		k.Blocks = append(k.Blocks, b)
	}
	return k
}

// bits is the width of an instruction's first type; 32 when it has none.
func bits(in *trace.Instruction) (n int) {
	if len(in.Types) == 0 {
		return 32
	}
	if _, err := fmt.Sscan(strings.TrimLeft(in.Types[0], "usbf"), &n); err != nil {
		return 32
	}
	return n
}
