// SPDX-License-Identifier: Apache-2.0

// Package coretest has a second kind of core, to show that machines know cores by
// core.Core alone, and to copy from when you add one.
//
// Its kind is "test-serial": an in-order core with one lane. It executes one warp until
// that comes to a barrier or its end, one instruction after the other, and each lane of
// an instruction in a cycle of its own. Accesses to memory go to the port lane by lane;
// the next instruction begins when the data of all lanes are there. A core has one thread
// block at a time.
//
// It takes recorded kernels without bulk copies and without barriers of a number or a
// count; it cannot execute what mechanisms' compilers make of them.
package coretest
