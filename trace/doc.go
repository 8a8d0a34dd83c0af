// Package trace writes, reads, indexes and checks Warptape traces (.wtape files).
//
// A trace is what a GPU program did, free of any architecture: what its
// kernels are made of (Kernel), what the host asked for and when (HostEvent,
// Launch), and for every warp of every thread block the sequence of basic
// blocks that it visited, with active masks, guard masks and lane addresses.
//
// Writing:
//
//	w, err := trace.Create("saxpy.wtape", trace.Header{Tool: "mytool 1.0"}, trace.Options{})
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
//	r, err := trace.Open("saxpy.wtape")
//	chunk := trace.NewChunk()
//	err = r.ReadChunk(i, chunk) // independent chunks, random access
//	warp := chunk.Warp(block, w)
//
// The file format is described in docs/trace-format.md and proto/wtape.proto.
// The package knows nothing of PTX text and nothing of cycles.
package trace

import "github.com/warptape/warptape/trace/internal/lanecode"

// WarpSize is the number of lanes of a recorded warp. Replays that model wider
// or narrower warps regroup the recorded lanes.
const WarpSize = 32

var _ = [1]struct{}{}[WarpSize-lanecode.WarpLanes] // they are one number

// Dim3 is a CUDA dimension triple in threads or thread blocks.
type Dim3 struct {
	X uint32 `json:"x"`
	Y uint32 `json:"y"`
	Z uint32 `json:"z"`
}

// Count is the number of elements of the index space, X*Y*Z.
func (d Dim3) Count() uint64 { return uint64(d.X) * uint64(d.Y) * uint64(d.Z) }
