// SPDX-License-Identifier: Apache-2.0

package cursor_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/cursor"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// The cursor comes to each thread block that was recorded, launch by launch, and has its warps.
func TestBlocksComeInTheOrderOfTheRecording(t *testing.T) {
	for seed := range uint64(6) {
		recorded := testtraces.Random(40 + seed)
		r := testtraces.Open(t, recorded.Encode(t, wtape.Options{}))
		c := cursor.NewBlocks(r)
		for i, l := range recorded.Launches {
			for _, b := range l.Blocks {
				if more, err := c.Step(); err != nil || !more {
					t.Fatalf("seed %d: before block %d of launch %d: %t, %v", seed, b.ID, i, more, err)
				}
				kernel, k := c.Kernel()
				if c.Launch() != i || c.Block() != b.ID || kernel != l.Kernel || k != &r.Kernels()[l.Kernel] {
					t.Fatalf("seed %d: block %d of launch %d and kernel %d, want %d of %d and %d", seed, c.Block(), c.Launch(), kernel, b.ID, i, l.Kernel)
				}
				for w, want := range b.Warps {
					if got := testtraces.NewWarp(c.Chunk, k, c.Warp(w)); !slices.Equal(got.Visits, want.Visits) || !slices.Equal(got.Accesses, want.Accesses) {
						t.Errorf("seed %d: warp %d of block %d of launch %d is another one", seed, w, b.ID, i)
					}
				}
			}
		}
		for range 2 {
			if more, err := c.Step(); more || err != nil {
				t.Errorf("seed %d: behind the last block: %t, %v", seed, more, err)
			}
		}
	}
}

// Instructions of two CPU threads, in chunks of three, come with their addresses, outcomes, events
// and numbers.
func TestCPUInstructionsComeInTheOrderOfTheRecording(t *testing.T) {
	table := []trace.CPUInstruction{{IP: 4, LoadSlots: 3}, {IP: 8, StoreSlots: 1, LoadSlots: 1}, {IP: 12, Branch: true}}
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for thread := range uint64(2) {
		_, err := w.BeginCPUThread()
		do(err)
		for i := range uint64(8) {
			if i > 0 && i%3 == 0 {
				do(w.BeginCPUChunk())
			}
			in, syncs := &table[i%3], []trace.CPUSync{}
			if i%4 == 1 {
				syncs = append(syncs, trace.CPUSync{Kind: trace.CPULock, Object: 64 * i}, trace.CPUSync{Kind: trace.CPUFence})
			}
			for _, s := range syncs {
				do(w.AddCPUSync(s))
			}
			addresses := []uint64{1000*thread + 16*i, 2000 + 16*i}[:in.Loads()+in.Stores()]
			do(w.AddCPU(in, in.Branch && i > 3, addresses))
			want = append(want, fmt.Sprint(in.IP, addresses, in.Branch && i > 3, i, len(syncs)))
		}
	}
	do(w.Finish())
	r := testtraces.Open(t, out.Bytes())
	if n := len(r.CPUChunks()); n != 6 {
		t.Errorf("%d chunks", n)
	}
	c := cursor.NewCPU(r)
	var got []string
	for {
		more, err := c.Step()
		do(err)
		if !more {
			break
		}
		for i, s := range c.Syncs() {
			if kind := []trace.CPUSyncKind{trace.CPULock, trace.CPUFence}[i]; s.Kind != kind || kind == trace.CPULock && s.Object != 64*c.Number() {
				t.Errorf("instruction %d: event %+v", c.Number(), s)
			}
		}
		addresses := append([]uint64{}, c.Addresses()...)
		got = append(got, fmt.Sprint(c.Instruction().IP, addresses, c.Taken(), c.Number(), len(c.Syncs())))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	// Of each chunk the first instruction and, behind the rest, the last one.
	c = cursor.NewCPU(r)
	for i, last := range []int{2, 5, 7, 10, 13, 15} {
		if more, err := c.Step(); err != nil || !more {
			t.Fatalf("chunk %d: %t, %v", i, more, err)
		}
		c.Skip()
		if got := fmt.Sprint(c.Instruction().IP, append([]uint64{}, c.Addresses()...), c.Taken(), c.Number()); got != want[last][:len(got)] {
			t.Errorf("the last instruction of chunk %d is %s, want %s", i, got, want[last])
		}
	}
	if more, err := c.Step(); more || err != nil {
		t.Errorf("behind the last chunk: %t, %v", more, err)
	}
}
