// SPDX-License-Identifier: Apache-2.0

// Package perfectmemory is a memory system without latency and with unlimited
// bandwidth, by which the paper on decoupled affine computation tells
// memory-intensive programs from compute-intensive ones (section 5.1.2).
//
// It plugs into the memory path. A port wraps the seam.Port of an SM. It answers
// every access to global, local, constant, parameter and texture memory, and every
// instruction fetch, as soon as the load-store unit hands it over. Shared memory is
// part of the SM: its banks keep their latency and their conflicts.
package perfectmemory
