// SPDX-License-Identifier: Apache-2.0

package info

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

func TestInfoAddsUpToTheFile(t *testing.T) {
	data := testtraces.Small(t, wtape.Options{})
	info, err := Gather(testtraces.Open(t, data))
	if err != nil {
		t.Fatal(err)
	}
	s := info.StoredBytes
	if sum := s.Chunks + s.Kernels + s.Timeline + s.Other; sum != int64(len(data)) || info.FileBytes != sum {
		t.Errorf("%+v add up to %d, the file has %d", s, sum, len(data))
	}
	kinds := map[wtapepb.FrameKind]int64{}
	for _, o := range testtraces.Open(t, data).Content().File.Index.Others {
		kinds[o.Kind] += o.Length
	}
	if s.Kernels <= 0 || s.Kernels != kinds[wtapepb.FrameKind_FRAME_KIND_KERNEL] || s.Timeline <= 0 || s.Timeline != kinds[wtapepb.FrameKind_FRAME_KIND_TIMELINE] || s.Other <= 0 {
		t.Errorf("%+v, the index has %v", s, kinds)
	}
	// 3 thread blocks of 2 warps of 8 instructions
	if l := info.Launch[2]; l.StoredBlocks != 3 || l.WarpInstructions != 48 || l.Kernel != "guarded" {
		t.Errorf("launch 2: %+v", l)
	}
	if l := info.Launch[0]; l.StoredBlocks != 0 || l.StoredBytes != 0 {
		t.Errorf("launch 0, which has no thread blocks: %+v", l)
	}
	if want := float64(len(data)) / 96; info.BytesPerWarpInstruction != want {
		t.Errorf("%g bytes per warp instruction, want %g", info.BytesPerWarpInstruction, want)
	}
	r := info.RawBytes
	if r.Warps == 0 || r.Paths == 0 || r.Masks == 0 || r.Guards == 0 || r.Addresses == 0 || r.Lanes == 0 {
		t.Errorf("a column class is empty: %+v", r)
	}
}

func TestInfoAddsUpTheChunksOfACPUThread(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.BeginCPUThread()
		for i := range uint64(30) {
			if i == 12 {
				w.BeginCPUChunk()
			}
			w.AddCPU(&trace.CPUInstruction{IP: 4 * i}, false, nil)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r := testtraces.Open(t, out.Bytes())
	info, err := Gather(r)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]CPUThread, 2)
	for _, c := range r.CPUChunks() {
		x := &want[c.Thread]
		x.Chunks, x.Instructions = x.Chunks+1, x.Instructions+uint64(c.Instructions)
		x.RawBytes, x.StoredBytes = x.RawBytes+c.RawBytes, x.StoredBytes+c.Length
	}
	if d := cmp.Diff(want, info.CPU); d != "" || want[1].Chunks != 2 || want[1].Instructions != 30 {
		t.Errorf("%+v: %s", want, d)
	}
	if info.StoredBytes.CPU != want[0].StoredBytes+want[1].StoredBytes {
		t.Errorf("%d bytes of CPU chunks, want %d", info.StoredBytes.CPU, want[0].StoredBytes+want[1].StoredBytes)
	}
}
