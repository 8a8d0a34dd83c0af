// SPDX-License-Identifier: Apache-2.0

// Package tesla is the multiprocessor of the configurable Tesla-like GPGPU (Lies, "A
// Configurable General Purpose Graphics Processing Unit", Iowa State University 2019),
// exact to the cycle. It is a pipeline of four stages in which a warp goes through a
// few processors row by row. A scheduler takes turns, a state machine makes warps, and
// there is a barrier. A bank conflict in shared memory sends the whole warp through
// the pipeline again.
//
// It is the kind of core "tesla-rtl" (package core). Its memory is its own, so the
// machine has no memory path. It replays traces of kernels in its language alone
// (trace.Tesla), and refuses those that would do something else in its configuration.
//
// Numbers such as 3.4 in comments are those of the sections in docs/tesla.md.
package tesla
