// SPDX-License-Identifier: Apache-2.0

package language

import "strings"

// Opcode is an instruction of Table 4.1.
type Opcode uint8

// The opcodes, in the order of Table 4.1.
const (
	NOP Opcode = iota
	MAD        // d = b*c + a
	MUL        // d = b*c
	ADD
	SUB
	SLT // d = 1 when the wrapped difference a-b is negative
	SGT // d = 1 when it is neither negative nor zero
	SHR // logical
	SHL
	NOT // d = ^b
	AND
	OR
	XOR
	MV   // d = a
	MVI  // d = immediate, zero-extended
	LD   // d = shared[a]
	LDC  // d = const[a of the row's lowest enabled lane]
	LDS  // d = special[a], where a is the selector itself
	BEQ  // to the label when a is zero
	BNE  // to the label when a is not zero
	ST   // shared[a] = b
	SSY  // lanes that part next meet at the label
	BAR  // barrier of the thread block
	EXIT // of the whole warp
	WORD // none of Table 4.1: a word whose unused bits are not zero, as the assembler writes it

	opcodeCount = int(WORD)
)

// form is what an instruction's text names, in its order.
type form uint8

const (
	formNone       form = iota
	formDABC            // MAD d, a, b, c
	formDBC             // MUL d, b, c
	formDAB             // ADD d, a, b
	formDB              // NOT d, b
	formDA              // MV d, a
	formDImmediate      // MVI d, imm
	formDSelector       // LDS d, selector
	formALabel          // BEQ a, label
	formAB              // ST a, b
	formLabel           // SSY label
)

// operation is one row of Table 4.1.
type operation struct {
	name     string
	op, code uint32 // op6, and func of op 0
	form     form
}

var operations = [opcodeCount]operation{
	NOP:  {"NOP", 0, 0, formNone},
	MAD:  {"MAD", 0, 1, formDABC},
	MUL:  {"MUL", 0, 2, formDBC},
	ADD:  {"ADD", 0, 3, formDAB},
	SUB:  {"SUB", 0, 4, formDAB},
	SLT:  {"SLT", 0, 5, formDAB},
	SGT:  {"SGT", 0, 6, formDAB},
	SHR:  {"SHR", 0, 7, formDAB},
	SHL:  {"SHL", 0, 8, formDAB},
	NOT:  {"NOT", 0, 9, formDB},
	AND:  {"AND", 0, 10, formDAB},
	OR:   {"OR", 0, 11, formDAB},
	XOR:  {"XOR", 0, 12, formDAB},
	MV:   {"MV", 1, 0, formDA},
	MVI:  {"MVI", 2, 0, formDImmediate},
	LD:   {"LD", 3, 0, formDA},
	LDC:  {"LDC", 4, 0, formDA},
	LDS:  {"LDS", 5, 0, formDSelector},
	BEQ:  {"BEQ", 6, 0, formALabel},
	BNE:  {"BNE", 7, 0, formALabel},
	ST:   {"ST", 8, 0, formAB},
	SSY:  {"SSY", 61, 0, formLabel},
	BAR:  {"BAR", 62, 0, formNone},
	EXIT: {"EXIT", 63, 0, formNone},
}

// String is the mnemonic.
func (o Opcode) String() string {
	if int(o) < opcodeCount {
		return operations[o].name
	}
	return ".word"
}

// opcodeOf finds an opcode by its mnemonic in either case.
func opcodeOf(name string) (Opcode, bool) {
	name = strings.ToUpper(name)
	for o := range operations {
		if operations[o].name == name {
			return Opcode(o), true
		}
	}
	return 0, false
}

// mnemonics are those of Table 4.1.
func mnemonics() (list []string) {
	for o := range operations {
		list = append(list, operations[o].name)
	}
	return list
}

// byWord finds the opcode of a word by op6 and func.
func byWord(word uint32) (Opcode, bool) {
	op, code := word>>26, word&63
	for o := range operations {
		if operations[o].op == op && (op != 0 || operations[o].code == code) {
			return Opcode(o), true
		}
	}
	return 0, false
}

// The selectors of LDS. A selector whose two lowest bits are zero reads a parameter
// (SelectsParameter).
const (
	SelectBIDX = 27
	SelectGDIM = 29
	SelectBDIM = 30
	SelectTID  = 31
)

// selectors are the names of selectors in programs.
var selectors = map[string]uint8{"BIDX": SelectBIDX, "GDIM": SelectGDIM, "BDIM": SelectBDIM, "TID": SelectTID, "PARAM0": 0, "PARAM4": 4}

// selectorNames are the names by selector.
var selectorNames = map[uint8]string{SelectBIDX: "BIDX", SelectGDIM: "GDIM", SelectBDIM: "BDIM", SelectTID: "TID", 0: "PARAM0", 4: "PARAM4"}

// SelectsParameter gives the number of the parameter that a selector reads: the selector
// modulo eight, so that of eight parameters 0 and 4 can be read.
func SelectsParameter(selector uint8) (parameter int, ok bool) {
	return int(selector) % 8, selector&3 == 0
}
