// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace"
)

// gather records warps that read anywhere in a region of bytes, and opens the trace.
func gather(t *testing.T, warps, accesses int, region uint64) *Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, "test", trace.Header{Tool: "test"}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	load := trace.Instruction{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4}
	k := &trace.Kernel{Name: "gather", File: "gather.ptx", Instructions: []trace.Instruction{load}, Blocks: []trace.BasicBlock{{Count: 1, PostDominator: trace.NoBlock, Successors: []uint32{0}}}}
	if _, err := w.AddKernel(k); err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: uint32(32 * warps), Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 5))
	w.BeginBlock(0)
	for warp := range warps {
		for range accesses {
			var lanes [trace.WarpSize]uint64
			for l := range lanes {
				lanes[l] = 1<<32 + r.Uint64N(region/4)*4
			}
			w.Visit(warp, 0, ^uint32(0))
			w.Access(warp, ^uint32(0), &lanes)
		}
	}
	for _, err := range []error{w.EndBlock(), w.EndLaunch(), w.Finish()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	opened, err := NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// A chunk keeps, of irregular accesses, the distances between their lanes and no more: the
// memory of decoding stays with the reader, and is one however many chunks are read.
func TestChunkKeepsTheDistancesOfLanes(t *testing.T) {
	const warps, accesses = 8, 2000
	for _, c := range []struct {
		region uint64
		each   int64
	}{{1 << 10, 1}, {1 << 18, 2}, {1 << 26, 3}, {1 << 34, 4}} {
		r := gather(t, warps, accesses, c.region)
		var all [3]*Chunk
		for i := range all {
			all[i] = NewChunk()
			if err := r.ReadChunk(0, all[i]); err != nil {
				t.Fatal(err)
			}
			want := (6 + 32*c.each) * warps * accesses
			if have := all[i].LaneBytes(); all[i].LaneSets() != warps*accesses || have < want || have > want+want/50+1<<14 {
				t.Errorf("%d sets of lanes in %d bytes take %d, want %d", all[i].LaneSets(), c.region, have, want)
			}
			if all[i].part.Frame.Raw != nil || all[i].part.Decoded.Scratch != nil {
				t.Error("a chunk keeps what it was decoded from")
			}
		}
		if len(r.scratch.free) != 1 {
			t.Errorf("%d memories of decoding for chunks that were read one after the other", len(r.scratch.free))
		}
	}
}
