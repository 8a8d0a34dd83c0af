// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/verification"
	"github.com/warptape/warptape/trace/wtape"
)

// turns is how often the warps of a thread block that is larger than others of a chunk may be
// go around their loop: that is more irregular accesses than half of what such a chunk has.
const turns = 300_000

// place is where the lanes of a warp are in a turn of a thread block: now in a row, now in one
// of some patterns, now one lane anywhere. It is a formula, so that what is read can be
// compared.
func place(block uint64, warp, turn int) (mask uint32, lanes [trace.WarpSize]uint64) {
	n := uint64(turn)
	mask = testtraces.AllLanes
	switch {
	case turn%32 == 0:
		for l := range lanes {
			lanes[l] = block<<33 + uint64(warp)<<32 + n*128 + uint64(l)*4
		}
	case turn%32 == 1:
		mask = 1 << (n * 7 % 32)
		lanes[n*7%32] = 1<<30 + n*0x9e3779b97f4a7c15>>40<<2
	default:
		for l := range lanes {
			lanes[l] = block<<33 + uint64(warp)<<32 + n%512*4096 + uint64(l*l)*(4+n%5*4)
		}
	}
	return mask, lanes
}

func recordAlone(t *testing.T, loops []int, options wtape.Options) ([]byte, *wtape.Writer) {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "alone", trace.Header{}, options)
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.LayOut("loop", testtraces.LaidBlock{Code: "a", Successors: []uint32{1}},
		testtraces.LaidBlock{Code: "lj", Successors: []uint32{1, 2}}, testtraces.LaidBlock{Code: "x", Successors: nil}))
	w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: uint32(len(loops)), Y: 1, Z: 1}, Block: trace.Dim3{X: 64, Y: 1, Z: 1}})
	for block, n := range loops {
		w.BeginBlock(uint64(block))
		for warp := range 2 {
			w.Visit(warp, 0, testtraces.AllLanes)
		}
		for i := range n {
			for warp := range 2 {
				mask, lanes := place(uint64(block), warp, i)
				w.Visit(warp, 1, mask)
				w.Access(warp, mask, &lanes)
			}
		}
		for warp := range 2 {
			w.Visit(warp, 2, testtraces.AllLanes)
		}
		if err := w.EndBlock(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.EndLaunch(), w.Finish()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), w
}

// A thread block that is too large to share a chunk has one to itself, between those of its
// neighbours, and every address of it is where it was recorded.
func TestLargeThreadBlocksHaveAChunkToThemselves(t *testing.T) {
	loops := []int{100, 200, turns, 300}
	data, w := recordAlone(t, loops, wtape.Options{CountLarge: true})
	if w.Large() != 0 {
		t.Errorf("%d thread blocks are not stored", w.Large())
	}
	r := testtraces.Open(t, data)
	if r.Header().Sampling != "" {
		t.Errorf("the header says %q", r.Header().Sampling)
	}
	if err := verification.Verify(r); err != nil {
		t.Fatal(err)
	}
	var shape []int
	for _, c := range r.Chunks() {
		shape = append(shape, c.Blocks)
	}
	if len(shape) != 3 || shape[0] != 2 || shape[1] != 1 || shape[2] != 1 {
		t.Errorf("chunks of %v thread blocks", shape)
	}
	chunk := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			t.Fatal(err)
		}
		for _, block := range chunk.Blocks() {
			for warp := range 2 {
				checkPlaces(t, chunk, block, warp, loops[block])
			}
		}
	}
}

func checkPlaces(t *testing.T, chunk *wtape.Chunk, block uint64, warp, turns int) {
	t.Helper()
	did := chunk.Warp(block, warp)
	if len(did.Blocks) != turns+2 || len(did.Accesses) != turns {
		t.Fatalf("thread block %d, warp %d: %d visits, %d accesses", block, warp, len(did.Blocks), len(did.Accesses))
	}
	var have [trace.WarpSize]uint64
	for i, a := range did.Accesses {
		mask, want := place(block, warp, i)
		if chunk.Addresses(a, mask, &have); have != want || did.Masks[i+1] != mask {
			t.Fatalf("thread block %d, warp %d, turn %d: lanes %08x at %x, want %08x at %x", block, warp, i, did.Masks[i+1], have, mask, want)
		}
	}
}
