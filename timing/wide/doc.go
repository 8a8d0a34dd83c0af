// SPDX-License-Identifier: Apache-2.0

// Package wide is warps of 64 and 128 threads on SMs with 32 lanes. They are the simple
// large warps that the Buddy SM paper compares with (Zhang, Jing, Jiang, Shu, Wu and
// Liang, ACM TACO 12(2), 2015, section 6.5). There, "a 64-threaded warp and a
// 128-threaded warp take two and four cycles to execute on 32-SIMD lanes".
//
// It plugs into two seams. Its divergence policy regroups the recorded lanes into
// wide warps that diverge and meet at immediate post-dominators as one
// (trace/projection). It hands each out as passes of 32 lanes: hardware warps in
// neighbouring slots with the same visits, some without lanes. Its front end
// fetches and schedules a wide warp as one: its passes issue one after the other.
// Deviation D37 says what of it is simple.
package wide
