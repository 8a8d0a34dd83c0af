// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// Thread blocks that do the same are counted the same, whether they ran or were passed over; what was before their launch
// counts once.
func TestPassedOverBlocksCountAsThoseThatRan(t *testing.T) {
	totals := func(ran, passed uint64) trace.Totals {
		var out bytes.Buffer
		w, err := wtape.NewWriter(&out, "passed", trace.Header{Tool: "test"}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.AddKernel(testtraces.LayOut("load", testtraces.LaidBlock{Code: "alx", Successors: nil}))
		launch := func(ran, passed uint64) {
			w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: uint32(ran + passed), Y: 1, Z: 1}, Block: trace.Dim3{X: 20, Y: 1, Z: 1}})
			before := w.Totals()
			for block := range ran {
				w.BeginBlock(block)
				w.Visit(0, 0, 1<<20-1)
				w.AccessStrided(0, 1<<20-1, block*128, 4)
				if err := w.EndBlock(); err != nil {
					t.Fatal(err)
				}
			}
			if passed > 0 {
				if err := w.PassOver(passed, &before); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.EndLaunch(); err != nil {
				t.Fatal(err)
			}
		}
		launch(3, 0)
		launch(ran, passed)
		w.UpdateHeader(func(h *trace.Header) { h.Sampling = "some" })
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		return w.Totals()
	}
	all := totals(8, 0)
	for _, ran := range []uint64{1, 2, 4} {
		if diff := cmp.Diff(all, totals(ran, 8-ran)); diff != "" {
			t.Errorf("%d of 8 thread blocks ran: %s", ran, diff)
		}
	}
	if all.WarpInstructions != 11*3 || all.ThreadInstructions != 11*3*20 || all.MemoryInstructions != 11 || all.Visits != 11 {
		t.Errorf("totals %+v of 11 warps of 20 threads with three instructions, one a load", all)
	}
}

// Of CPU threads each instruction, branch, access and synchronisation is counted once, in whatever chunks they are; the
// counts of the chunks add up to those of the trace.
func TestCPUTotalsAreThoseOfAllChunks(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var want trace.CPUTotals
	for thread := range 3 {
		if _, err := w.BeginCPUThread(); err != nil {
			t.Fatal(err)
		}
		want.Threads++
		for i := range uint64(20 + thread) {
			in, addresses := trace.CPUInstruction{IP: 64 + i}, []uint64(nil)
			switch i % 4 {
			case 0:
				in.LoadSlots, addresses = 5, []uint64{8 * i, 16 * i}
				want.Loads += 2
			case 1:
				in.StoreSlots, addresses = 1, []uint64{32 * i}
				want.Stores++
			case 2:
				in.Branch = true
				want.Branches++
			}
			taken := in.Branch && i%8 == 2
			if taken {
				want.TakenBranches++
			}
			if thread == 1 && i%5 == 0 {
				err = errors.Join(err, w.AddCPUSync(trace.CPUSync{Kind: trace.CPUFence}))
				want.Syncs++
			}
			err = errors.Join(err, w.AddCPU(&in, taken, addresses))
			want.Instructions++
			if i%7 == 6 {
				err = errors.Join(err, w.BeginCPUChunk())
			}
		}
	}
	if err := errors.Join(err, w.Finish()); err != nil {
		t.Fatal(err)
	}
	r := testtraces.Open(t, out.Bytes())
	if diff := cmp.Diff(want, r.Totals().CPU); diff != "" || r.CPUThreads() != 3 {
		t.Errorf("%d threads: %s", r.CPUThreads(), diff)
	}
	sum, c := trace.CPUTotals{Threads: 3}, wtape.NewCPUChunk()
	for i := range r.CPUChunks() {
		if err := r.ReadCPUChunk(i, c); err != nil {
			t.Fatal(err)
		}
		part := c.Totals()
		sum.Add(&part)
	}
	if diff := cmp.Diff(want, sum); diff != "" || len(r.CPUChunks()) < 9 {
		t.Errorf("%d chunks: %s", len(r.CPUChunks()), diff)
	}
	for _, i := range []int{-1, len(r.CPUChunks())} {
		if err := r.ReadCPUChunk(i, c); err == nil || !strings.Contains(err.Error(), "does not exist") {
			t.Errorf("chunk %d: %v", i, err)
		}
	}
}

// A trace that ends inside a launch is refused, and the launch is named.
func TestATraceThatEndsInsideALaunchIsRefused(t *testing.T) {
	w, err := wtape.NewWriter(new(bytes.Buffer), "open", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.LayOut("load", testtraces.LaidBlock{Code: "alx", Successors: nil}))
	w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}})
	if err := w.Finish(); err == nil || !strings.Contains(err.Error(), "inside launch 0") {
		t.Errorf("error %v", err)
	}
}

// What a bulk copy moved is read as it was written, and one lane's address is that among all lanes'.
func TestLanesAndBulkCopiesOfAnAccess(t *testing.T) {
	c := wtape.NewChunk()
	want := trace.BulkCopy{Runs: []trace.BulkRun{{Address: 4096, Bytes: 64, Count: 3, Stride: 256}, {Address: 99, Bytes: 5, Count: 1}}, Barrier: 24, HasBarrier: true}
	words := want.Words()
	var got trace.BulkCopy
	if c.Bulk(c.AddLanes(^uint32(0), &words), &got); cmp.Diff(want, got) != "" {
		t.Error(cmp.Diff(want, got))
	}
	var lanes, all [trace.WarpSize]uint64
	for i := range lanes {
		lanes[i] = 1000 + uint64(i*i)
	}
	for _, a := range []trace.Access{c.AddLanes(^uint32(0), &lanes), {Base: 1 << 20, Stride: 12, Lanes: -1}, {Base: 1 << 20, Stride: -8, Lanes: -1}} {
		c.Addresses(a, ^uint32(0), &all)
		for lane, address := range all {
			expected := lanes[lane]
			if a.Strided() {
				expected = uint64(1<<20 + lane*int(a.Stride))
			}
			if one := c.Lane(a, lane); one != expected || address != expected {
				t.Errorf("%+v: lane %d is at %d, alone at %d, want %d", a, lane, address, one, expected)
			}
		}
	}
}
