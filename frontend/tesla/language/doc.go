// SPDX-License-Identifier: Apache-2.0

// Package language is the instruction set of the configurable Tesla-like GPGPU (Lies,
// "A Configurable General Purpose Graphics Processing Unit", Iowa State University
// 2019, section 4.2.4 and Table 4.1). It has 24 instructions in words of 32 bits, an
// assembler and a disassembler, and a checker with errors that name file and line.
//
// A program is lines of the form
//
//	label: MAD r4, r4, r5, r2
//
// with any number of labels, and comments from ; or # or // on. Labels are absolute
// addresses of instructions; an address may be given as a number, too. Lines that
// begin with a dot say how the kernel is launched and what its memories hold:
//
//	.grid 4 1 1     thread blocks in x, y, z
//	.block 64 1 1   threads of a block in x, y, z
//	.registers 8    of a thread
//	.params 10 20   values of the parameters
//	.const 1 2 3    words of constant memory, from address 0 on
//	.data 5 6 7     words of shared memory, from address 0 on, of every multiprocessor
package language
