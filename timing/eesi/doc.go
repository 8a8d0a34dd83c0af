// SPDX-License-Identifier: Apache-2.0

// Package eesi is the core of the GPSim thesis's chapter 6, "Execute Everything
// Simply". Each lane of its SM has fetch, instruction buffer, scoreboard, a not-taken
// predictor and a tiny instruction cache. So lanes need not execute the same
// instruction (section 6.3, Figure 6.2). It is the core of kind "eesi".
//
// A thread stays on its lane. Each lane follows the recorded paths of its threads, one
// instruction a cycle at most. Two divergence policies say which thread is next:
//
//   - eesi-t (Figure 6.3b): all lanes execute threads of one warp set, each at its own
//     instruction, and go to the next warp set together;
//   - eesi-m (Figure 6.3a): each lane goes to the next of its own threads by itself.
//
// Threads that have parted are brought together by nothing but barriers and the end.
//
// The order within a core cycle is that of package sm: memory port, results and decoded
// instructions, memory instructions, fetch, issue. Instructions that lanes issue in the
// same cycle from the same place for the same warp set are one access to memory.
package eesi
