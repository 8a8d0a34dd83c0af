// SPDX-License-Identifier: Apache-2.0

// Package wtape writes and reads trace files (.wtape).
//
// Writing:
//
//	w, err := wtape.Create("saxpy.wtape", trace.Header{Tool: "mytool 1.0"}, wtape.Options{})
//	defer w.Abort() // does nothing after Finish
//	k, err := w.AddKernel(kernel)
//	l, err := w.BeginLaunch(trace.Launch{Kernel: k, Grid: ..., Block: ...})
//	for each thread block, in ascending order:
//		w.BeginBlock(block)
//		w.Visit(warp, basicBlock, mask); w.Guard(warp, mask); w.Access(warp, mask, &addresses)
//		err := w.EndBlock()
//	err = w.EndLaunch()
//	err = w.Finish() // the file appears under its name only now
//
// Reading:
//
//	r, err := wtape.Open("saxpy.wtape")
//	chunk := wtape.NewChunk()
//	err = r.ReadChunk(i, chunk) // independent chunks, random access
//	warp := chunk.Warp(block, w)
package wtape
