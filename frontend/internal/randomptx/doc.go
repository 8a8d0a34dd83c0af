// SPDX-License-Identifier: Apache-2.0

// Package randomptx writes random PTX programs with all instructions that the
// front end accepts. Their instructions come from a list of one or more for
// each form of the table. Their control flow is made here: divergent and
// uniform branches, loops with breaks, indexed branches, calls, recursion,
// pointers to functions, barriers and early exits.
//
// A program has one meaning in whatever order warps and lanes run. A thread
// stores to memory of its own, and reads that of others between barriers only.
// Lanes that exchange values know by a ballot who is there. What many threads
// change, they change by reductions that commute. So two executions differ by a
// fault of one of them only. A program is a function of its seed alone.
package randomptx
