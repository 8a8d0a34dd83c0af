// SPDX-License-Identifier: Apache-2.0

// Package affine is the compiler of Decoupled Affine Computation (Wang and Lin,
// ISCA 2017; "the paper" below) and the arithmetic of affine tuples.
//
// Compile reads the static part of a traced kernel, no PTX text, and splits it into
// two streams (section 4.7). A single affine warp executes the affine one for all
// thread blocks that it serves. The non-affine one is left to the warps. They talk
// through enq.data, enq.addr and enq.pred on one side and deq on the other. Every
// instruction that could have been decoupled and was not has a reason.
//
// Evaluator executes the affine stream on tuples: a base and an offset for each of
// the six dimensions of threadIdx and blockIdx (section 4.4). It takes the control
// flow that it cannot know itself from the recorded warps, and compares every address
// and every predicate that it expands with what was recorded.
//
// The hardware is in timing/affine/dac.
package affine
