// SPDX-License-Identifier: Apache-2.0

// Package lower makes programs of the configurable Tesla-like GPGPU from kernels in PTX
// that fit: integers of 32 bits, shared memory, branches whose lanes meet again. What
// does not fit is refused with its place.
//
// What PTX has and the machine has not:
//
//   - A thread block has shared memory of its own. The machine's blocks share one, so
//     that block b of a kernel has the words from b times its size on.
//   - Signed and unsigned order. SLT and SGT look at the sign of the wrapped difference;
//     comparisons are computed from the signs of both operands.
//   - Addresses of bytes. The machine's are of words.
//   - Branches without a condition, and numbers of more than 16 bits in an instruction.
//
// Accesses that PTX calls errors, beyond the block's memory or not aligned, do something
// else than in PTX.
package lower
