// SPDX-License-Identifier: Apache-2.0

// Package champsim converts CPU traces to and from the instruction records of
// ChampSim: headerless little-endian structs, plain or compressed.
//
//	offset  64 bytes (input_instr)       96 bytes (CloudSuite)
//	0       ip u64                       ip u64
//	8, 9    is_branch, branch_taken      is_branch, branch_taken
//	10      2 written registers          4 written registers
//	12/14   4 read registers             4 read registers
//	16/24   2 store addresses u64        4 store addresses u64 (after padding)
//	32/56   4 load addresses u64         4 load addresses u64
//	88      -                            address space, 2 bytes, and 6 of padding
//
// A zero is an empty place. Nothing is lost but the padding.
package champsim
