// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

func TestWholeTraceReadsBackWithItsStaticPart(t *testing.T) {
	r := testtraces.Open(t, testtraces.Small(t, wtape.Options{}))
	if d := cmp.Diff([]trace.Kernel{*testtraces.SaxpyKernel(), *testtraces.SmallKernel()}, r.Kernels()); d != "" {
		t.Errorf("kernels differ: %s", d)
	}
	kinds := []string{}
	for _, e := range r.Timeline() {
		kinds = append(kinds, e.Kind.String())
	}
	if d := cmp.Diff([]string{"copy-to-device", "launch", "launch", "launch", "synchronize"}, kinds); d != "" {
		t.Errorf("events differ: %s", d)
	}
	if d := cmp.Diff([]int{0, 1}, r.Timeline()[4].After); d != "" {
		t.Errorf("dependencies differ: %s", d)
	}
	if d := cmp.Diff([]byte{1, 2, 3, 4, 5, 6, 7, 8}, r.Launches()[1].Arguments); d != "" {
		t.Errorf("arguments differ: %s", d)
	}
}

func TestFindChunkFindsEveryBlock(t *testing.T) {
	r := testtraces.Open(t, testtraces.Encode(t, testtraces.Workloads()[0], wtape.Options{}))
	if len(r.Chunks()) < 3 {
		t.Fatalf("%d chunks are too few to search", len(r.Chunks()))
	}
	for block := range r.Launches()[0].Grid.Count() {
		i, err := r.FindChunk(0, block)
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Chunks()[i]; block < c.FirstBlock || block > c.LastBlock {
			t.Fatalf("thread block %d is said to be in chunk %d, which holds %d to %d", block, i, c.FirstBlock, c.LastBlock)
		}
	}
}
