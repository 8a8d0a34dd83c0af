// SPDX-License-Identifier: Apache-2.0

// Package chains is the compiler pass of opportunistic computing (Pattnaik and others,
// ISCA 2019, sections 4.1 and 4.2). It finds the load-compute-store chains of a kernel
// that another place on the chip can execute, and tags their instructions. It moves
// address calculations ahead of them so that each chain is contiguous.
//
// It works on the static part of a trace, within basic blocks. A loaded register
// belongs to a chain when one instruction alone, in its block, ever reads it: "no
// register reuse of the memory request by the same wavefront".
package chains
