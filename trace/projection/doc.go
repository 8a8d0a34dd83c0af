// SPDX-License-Identifier: Apache-2.0

// Package projection regroups the recorded lanes of a trace. A recorded warp has 32
// lanes that reconverge at the joins of branches. The path of a single thread does
// not depend on that: which basic blocks it visits, whether its guards hold, which
// addresses it uses. So one trace gives
//
//   - the path of one thread (Thread), and
//   - hardware warps of 1 to 128 lanes (Warp) under other rules of divergence (Rule).
//
// Use, per kernel, with the memory of one warp after the other reused:
//
//	p, err := projection.New(kernel, 64, projection.PostDominator)
//	for h := range p.Warps(threads) {
//		w := p.Open(chunk, block, h)
//		var v projection.Visit
//		for w.Next(&v) {
//			... w.Guard(&v, i), w.Addresses(&v, i, &addresses)
//		}
//		w.Close()
//	}
//
// A hardware warp h of width n has threads h*n to h*n+n-1 of its thread block.
//
// What a projection cannot change is what threads told each other: the results of
// warp-level instructions (shfl, vote, match), of races and of spin loops are those
// of the recording.
package projection
