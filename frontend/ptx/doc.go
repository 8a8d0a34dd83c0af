// Package ptx is the PTX language: text to typed, checked kernels.
//
//	module, err := ptx.Parse("saxpy.ptx", text)
//
// A Module that Parse returns is completely checked: every instruction is one
// that the emulator executes, every operand fits its shape and type, every
// label and symbol is resolved. What is not supported is refused with file,
// line, column and the instruction (see ErrorList).
//
// Spelling follows the PTX ISA; section numbers in comments are those of
// PTX ISA 9.1.
package ptx
