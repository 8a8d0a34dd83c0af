// SPDX-License-Identifier: Apache-2.0

// Package prefetch holds the policies by which a cache asks for lines before a load
// wants them. Architecture files name them with their arguments (l1.prefetcher:
// stride(degree=2)); another module adds its own with [Register].
//
// A policy proposes lines; the cache does the rest, which is the same for all. It asks
// for a proposed line that is neither there nor on its way. Half of the cache's MSHRs
// have to be free of prefetches, and the line needs a place. Otherwise it gives the
// proposal up. What it asks for goes behind all demand requests, and into the cache as
// a line that has missed does.
//
// The L1 is told of the loads of its SM that it looks up, in their order. A slice of the
// L2 is told of the reads that the network brings, with the slice's own addresses, so
// that neighbouring lines are those of the slice.
package prefetch
