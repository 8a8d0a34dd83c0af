// SPDX-License-Identifier: Apache-2.0

// Package dac is the hardware of Decoupled Affine Computation (Wang and Lin, ISCA
// 2017; sections below are the paper's). The compiler and the tuples are in
// timing/affine.
//
// Each SM has a warp more, the affine warp, which executes the affine stream once for
// a batch of thread blocks (4.1). It issues through the SM's schedulers onto its
// lanes. Its enqueues fill the affine tuple queue. The address and the predicate
// expansion unit (4.2, 4.3) take tuples from there, a line or a warp a step, into
// queues of each warp, from which the warps dequeue. Of loads that are decoupled the
// lines are asked for, and locked in the L1, as soon as their addresses are known.
//
// It plugs into four seams: the kernels that a machine executes (Programs), what warps
// issue (Divergence), the front end of each SM, and the memory path. It assists the
// front end's scoreboard, and sends early requests into the memory path.
package dac
