// SPDX-License-Identifier: Apache-2.0

// Package ptx is the PTX language: text to typed, checked kernels.
//
//	module, err := ptx.Parse("saxpy.ptx", text)
//
// A Module that Parse returns is completely checked: every instruction is one
// that the emulator executes, every operand fits its shape and type, every
// label and symbol is resolved. What is not supported is refused with file,
// line, column and the instruction (see ErrorList).
//
// One table says what is legal: SpecOf(op) is an opcode's row, and its forms are
// the combinations of types, modifiers, state spaces and operands that exist.
// Instruction.Form, Class and OperandType look an instruction up in it; Format
// prints one.
//
// Spelling follows the PTX ISA; section numbers in comments are those of
// PTX ISA 9.1.
package ptx
