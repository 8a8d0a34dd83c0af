// SPDX-License-Identifier: Apache-2.0

package lackey

import (
	"strings"

	"github.com/warptape/warptape/trace"
)

// Registers by ChampSim's numbers: the stack pointer, the flags and the instruction
// pointer have fixed ones, by which branches are known. The others only have to be
// distinct.
const (
	stackPointer       = 6
	flags              = 25
	instructionPointer = 26
	// indirect stands for what an indirect branch reads, when that is memory at a
	// fixed address.
	indirect    = 27
	firstVector = 32
	x87         = 72
	firstMask   = 80
)

// general numbers the general-purpose registers by the names of their parts.
var general = func() map[string]uint8 {
	m := map[string]uint8{}
	for i, names := range []string{
		"rdi edi di dil", "rsi esi si sil", "rbp ebp bp bpl", "rsp esp sp spl", "rbx ebx bx bl bh",
		"rdx edx dx dl dh", "rcx ecx cx cl ch", "rax eax ax al ah",
	} {
		for _, n := range strings.Fields(names) {
			m[n] = uint8(3 + i)
		}
	}
	for i, n := range []string{"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"} {
		for _, part := range []string{"", "d", "w", "b"} {
			m[n+part] = uint8(11 + i)
		}
	}
	return m
}()

const (
	rdi = 3
	rsi = 4
	rbp = 5
	rdx = 8
	rcx = 9
	rax = 10
)

// register numbers a register by its name without the percent sign; 0 for one that
// makes nothing wait (segments).
func register(name string) uint8 {
	if r, ok := general[name]; ok {
		return r
	}
	for _, class := range []struct {
		prefix string
		first  int
		count  int
	}{{"xmm", firstVector, 32}, {"ymm", firstVector, 32}, {"zmm", firstVector, 32}, {"k", firstMask, 8}} {
		if digits, ok := strings.CutPrefix(name, class.prefix); ok {
			if n := small(digits); n >= 0 && n < class.count {
				return uint8(class.first + n)
			}
		}
	}
	if strings.HasPrefix(name, "st") {
		return x87
	}
	return 0
}

// small reads a number of one or two digits; -1 for anything else.
func small(digits string) int {
	n := 0
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return -1
		}
		n = 10*n + int(d-'0')
	}
	if len(digits) < 1 || len(digits) > 2 {
		return -1
	}
	return n
}

// operand is one of an instruction: a register, or what an address is made of.
type operand struct {
	register uint8
	parts    []uint8 // registers of a memory operand
	memory   bool
}

// builder collects the registers of an instruction, each once.
type builder struct{ in trace.CPUInstruction }

func put(list *[trace.CPUOperands]uint8, r uint8) {
	for i := range list {
		if r == 0 || list[i] == r {
			return
		}
		if list[i] == 0 {
			list[i] = r
			return
		}
	}
}

func (b *builder) reads(rs ...uint8) {
	for _, r := range rs {
		put(&b.in.Sources, r)
	}
}

func (b *builder) writes(rs ...uint8) {
	for _, r := range rs {
		put(&b.in.Destinations, r)
	}
}

// operand reads what an operand is made of.
func (b *builder) operand(o *operand) {
	b.reads(o.register)
	b.reads(o.parts...)
}

// decode gives the registers and the kind of an instruction of the disassembly: a
// mnemonic and its operands, without addresses and symbols. At most four registers
// that are read and four that are written are kept.
func decode(text string) trace.CPUInstruction {
	mnemonic, rest := split(text)
	b := &builder{}
	operands := parseOperands(rest)
	if b.branch(mnemonic, rest, operands) || b.stack(mnemonic, operands) || b.implicit(mnemonic, operands) {
		return b.in
	}
	b.general(mnemonic, operands)
	return b.in
}

// prefixes say nothing about registers; objdump prints them as words.
var prefixes = map[string]bool{
	"rep": true, "repz": true, "repnz": true, "lock": true, "bnd": true, "notrack": true, "data16": true, "xacquire": true, "xrelease": true,
	"cs": true, "ds": true, "es": true, "fs": true, "gs": true, "ss": true, "addr32": true, "rex": true, "rex.W": true, "rex.WRXB": true,
}

func split(text string) (mnemonic, operands string) {
	text, _, _ = strings.Cut(text, "#")
	text, _, _ = strings.Cut(text, "<")
	for {
		mnemonic, operands, _ = strings.Cut(strings.TrimSpace(text), " ")
		if !prefixes[mnemonic] || operands == "" {
			return mnemonic, strings.TrimSpace(operands)
		}
		text = operands
	}
}

// parseOperands splits at the commas outside parentheses.
func parseOperands(text string) (all []operand) {
	depth, start := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && depth == 0:
			if part := strings.TrimSpace(text[start:i]); part != "" {
				all = append(all, parseOperand(part))
			}
			start = i + 1
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth--
		}
	}
	return all
}

func parseOperand(text string) (o operand) {
	text = strings.TrimPrefix(text, "*")
	text, _, _ = strings.Cut(text, "{") // of a masked vector
	if name, ok := strings.CutPrefix(text, "%"); ok && !strings.Contains(name, ":") {
		name, _, _ = strings.Cut(name, "(") // %st(1)
		o.register = register(name)
		return o
	}
	if strings.HasPrefix(text, "$") {
		return o
	}
	o.memory = true
	if _, inner, ok := strings.Cut(text, "("); ok {
		inner, _, _ = strings.Cut(inner, ")")
		for part := range strings.SplitSeq(inner, ",") {
			if name, ok := strings.CutPrefix(strings.TrimSpace(part), "%"); ok {
				o.parts = append(o.parts, register(name))
			}
		}
	}
	return o
}

// branch takes jumps, calls and returns.
func (b *builder) branch(mnemonic, text string, operands []operand) bool {
	target := func() {
		if strings.HasPrefix(text, "*") {
			b.reads(indirect)
			for i := range operands {
				b.operand(&operands[i])
			}
		}
	}
	switch {
	case mnemonic == "jmp" || mnemonic == "jmpq":
		b.writes(instructionPointer)
		target()
	case strings.HasPrefix(mnemonic, "call"):
		b.writes(instructionPointer, stackPointer)
		b.reads(instructionPointer, stackPointer)
		target()
	case strings.HasPrefix(mnemonic, "ret"):
		b.writes(instructionPointer, stackPointer)
		b.reads(stackPointer)
	case strings.HasPrefix(mnemonic, "loop") || mnemonic == "jrcxz" || mnemonic == "jecxz":
		b.writes(instructionPointer)
		b.reads(instructionPointer, rcx)
	case strings.HasPrefix(mnemonic, "j"):
		b.writes(instructionPointer)
		b.reads(instructionPointer, flags)
	default:
		return false
	}
	b.in.Branch = true
	return true
}

// stack takes pushes and pops.
func (b *builder) stack(mnemonic string, operands []operand) bool {
	switch {
	case strings.HasPrefix(mnemonic, "push"):
		b.reads(stackPointer)
		for i := range operands {
			b.operand(&operands[i])
		}
		if strings.HasPrefix(mnemonic, "pushf") {
			b.reads(flags)
		}
	case strings.HasPrefix(mnemonic, "pop") && !strings.HasPrefix(mnemonic, "popcnt"):
		b.reads(stackPointer)
		for i := range operands {
			b.reads(operands[i].parts...)
			b.writes(operands[i].register)
		}
		if strings.HasPrefix(mnemonic, "popf") {
			b.writes(flags)
		}
	case strings.HasPrefix(mnemonic, "leave"):
		b.reads(rbp)
		b.writes(rbp, stackPointer)
		return true
	default:
		return false
	}
	b.writes(stackPointer)
	return true
}
