// SPDX-License-Identifier: Apache-2.0

// Package tinycache is the tinyCache of the GPSim thesis (chapter 5). It is a private,
// incoherent, write-back cache for each lane, in front of coalescer and scratchpad,
// which filters what the lane reuses.
//
// It plugs into the memory path: port wraps the seam.Port of an SM. A warp access
// looks all its lanes' caches up in one cycle. What the lanes lack is gathered by
// line and fetched through the port behind (the misses coalesce there, section
// 5.5.1). Dirty half-words of victims of the same line are merged into one store.
//
// Coherence is by the programming model (section 5.3.2): all is evicted when a
// barrier opens, at a memory fence, and when a thread block ends. Atomics, local
// memory, single-byte writes and loads that ask for it (.cg, .cv, .volatile)
// bypass the caches, after an eviction of their line.
package tinycache
