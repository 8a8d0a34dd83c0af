// SPDX-License-Identifier: Apache-2.0

package language

import (
	"strconv"
	"strings"

	"github.com/warptape/warptape/trace"
)

// maxProgramBytes bounds the text of a program.
const maxProgramBytes = 4 << 20

// Assemble reads a program; file names it in messages. It does not check the kernel
// against a machine: see Kernel.Check.
func Assemble(file, text string) (*Kernel, error) {
	if len(text) > maxProgramBytes {
		return nil, Errorf(Place{File: file}, "the program has %d bytes; at most %d are read", len(text), maxProgramBytes)
	}
	one := trace.Dim3{X: 1, Y: 1, Z: 1}
	a := &assembler{
		kernel: &Kernel{File: file, Grid: one, Block: trace.Dim3{X: WarpWidth, Y: 1, Z: 1}, RegistersPerThread: 8},
		labels: map[string]int{},
		at:     Place{File: file},
	}
	for line := range strings.SplitSeq(text, "\n") {
		a.at.Line++
		a.line(line)
	}
	a.resolve()
	if err := a.problems.err(); err != nil {
		return nil, err
	}
	if a.kernel.WarpsPerBlock == 0 {
		a.kernel.WarpsPerBlock, a.kernel.WarpsImplied = warpsOf(a.kernel.Block, WarpWidth), true
	}
	return a.kernel, nil
}

// assembler is the state of Assemble.
type assembler struct {
	problems
	kernel *Kernel
	labels map[string]int
	open   []reference // to labels
	at     Place
}

// reference is an instruction that names a label.
type reference struct {
	instruction int
	label       string
	at          Place
}

func (a *assembler) fail(format string, arguments ...any) { a.add(a.at, format, arguments...) }

// line assembles one line.
func (a *assembler) line(text string) {
	text = strings.TrimSpace(withoutComment(text))
	for {
		name, rest, ok := strings.Cut(text, ":")
		if !ok {
			break
		}
		a.define(strings.TrimSpace(name))
		text = strings.TrimSpace(rest)
	}
	if text == "" {
		return
	}
	mnemonic, rest := text, ""
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		mnemonic, rest = text[:i], strings.TrimSpace(text[i:])
	}
	if strings.HasPrefix(mnemonic, ".") {
		a.directive(strings.ToLower(mnemonic), rest)
		return
	}
	a.instruction(mnemonic, rest)
}

func withoutComment(text string) string {
	for _, mark := range []string{";", "#", "//"} {
		text, _, _ = strings.Cut(text, mark)
	}
	return text
}

// define gives the next instruction a name.
func (a *assembler) define(name string) {
	if !isName(name) {
		a.fail("%q is no name for a label; labels are letters, digits and underscores, a letter first", name)
		return
	}
	if _, ok := a.labels[name]; ok {
		a.fail("label %s is there already", name)
		return
	}
	address := len(a.kernel.Instructions)
	a.labels[name] = address
	a.kernel.Labels = append(a.kernel.Labels, Label{name, address})
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// instruction assembles a mnemonic with its operands.
func (a *assembler) instruction(mnemonic, rest string) {
	o, ok := opcodeOf(mnemonic)
	if !ok {
		a.fail("no instruction is called %q; there are %s", mnemonic, strings.Join(mnemonics(), ", "))
		return
	}
	var operands []string
	if rest != "" {
		operands = strings.Split(rest, ",")
	}
	in := Instruction{Opcode: o}
	want := operandsOf[operations[o].form]
	if len(operands) != len(want) {
		a.fail("%s takes %d operands, %d are given", o, len(want), len(operands))
		return
	}
	for i, field := range want {
		a.operand(&in, field, strings.TrimSpace(operands[i]))
	}
	a.append(in)
}

func (a *assembler) append(in Instruction) {
	a.kernel.Instructions = append(a.kernel.Instructions, in)
	a.kernel.Lines = append(a.kernel.Lines, a.at.Line)
}

// operandsOf are the fields that the operands of a form fill, in the order of the text.
// A register has its letter, i is an immediate, s a selector, l a label.
var operandsOf = [...]string{
	formNone: "", formDABC: "dabc", formDBC: "dbc", formDAB: "dab", formDB: "db", formDA: "da",
	formDImmediate: "di", formDSelector: "ds", formALabel: "al", formAB: "ab", formLabel: "l",
}

// operand fills one field of an instruction.
func (a *assembler) operand(in *Instruction, field rune, text string) {
	switch field {
	case 'i':
		in.Immediate = uint16(a.number(text, 0xffff))
	case 's':
		in.A = a.selector(text)
	case 'l':
		a.label(in, text)
	case 'd':
		in.D = a.register(text)
	case 'a':
		in.A = a.register(text)
	case 'b':
		in.B = a.register(text)
	case 'c':
		in.C = a.register(text)
	}
}

func (a *assembler) register(text string) uint8 {
	digits := strings.TrimLeft(text, "rR")
	n, err := strconv.ParseUint(digits, 10, 8)
	if err != nil || n >= maxRegisters || len(text) != len(digits)+1 {
		a.fail("%q is no register; a thread has r0 to r%d", text, maxRegisters-1)
		return 0
	}
	return uint8(n)
}

func (a *assembler) selector(text string) uint8 {
	if s, ok := selectors[strings.ToUpper(text)]; ok {
		return s
	}
	if text != "" && text[0] >= '0' && text[0] <= '9' {
		return uint8(a.number(text, 31))
	}
	a.fail("%q is no special register; there are TID, BIDX, BDIM, GDIM, PARAM0 and PARAM4", text)
	return 0
}

func (a *assembler) label(in *Instruction, text string) {
	if text != "" && text[0] >= '0' && text[0] <= '9' {
		in.Immediate = uint16(a.number(text, 0xffff))
		return
	}
	a.open = append(a.open, reference{len(a.kernel.Instructions), text, a.at})
}

// number reads a decimal or hexadecimal number up to most.
func (a *assembler) number(text string, most uint64) uint64 {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil || n > most {
		a.fail("%q is no number from 0 to %d", text, most)
		return 0
	}
	return n
}

// resolve puts addresses in the place of labels.
func (a *assembler) resolve() {
	for _, r := range a.open {
		address, ok := a.labels[r.label]
		switch {
		case !ok:
			a.add(r.at, "no label is called %q", r.label)
		case address > 0xffff:
			a.add(r.at, "label %s is address %d; sixteen bits hold it not", r.label, address)
		default:
			a.kernel.Instructions[r.instruction].Immediate = uint16(address)
		}
	}
}
