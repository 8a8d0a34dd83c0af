// SPDX-License-Identifier: Apache-2.0

package container

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/proto/wtapepb"
)

const (
	end    = 5000 // of the frames
	header = wtapepb.FrameKind_FRAME_KIND_HEADER
	cpu    = wtapepb.FrameKind_FRAME_KIND_CPU_CHUNK
	synced = wtapepb.FrameKind_FRAME_KIND_CPU_SYNC_CHUNK
)

// index is one of a file with a header, three chunks and three CPU chunks of two threads.
func index() *Index {
	return &Index{
		Chunks: []ChunkInfo{
			{Launch: 0, FirstBlock: 0, LastBlock: 9, Blocks: 10, Offset: 108, Length: 100, RawBytes: 300, WarpInstructions: 77},
			{Launch: 0, FirstBlock: 12, LastBlock: 20, Blocks: 4, Offset: 208, Length: 200, RawBytes: 400, WarpInstructions: 1 << 40},
			{Launch: 2, FirstBlock: 0, LastBlock: 0, Blocks: 1, Offset: 408, Length: 24, RawBytes: 0, WarpInstructions: 1},
		},
		Others: []FrameInfo{{header, 8, 100}, {cpu, 1000, 50}, {synced, 1050, 50}, {cpu, 1100, 3900}},
		CPU: []CPUChunkInfo{
			{Thread: 0, First: 0, Instructions: 65536, Offset: 1000, Length: 50, RawBytes: 60},
			{Thread: 0, First: 65536, Instructions: 7, Offset: 1050, Length: 50, RawBytes: 70},
			{Thread: 3, First: 0, Instructions: 1, Offset: 1100, Length: 3900, RawBytes: 80},
		},
	}
}

// parsed is an index behind its message.
func parsed(x *Index) (*Index, error) {
	raw, err := x.Marshal()
	if err != nil {
		return nil, err
	}
	got := new(Index)
	return got, got.Unmarshal(raw, end)
}

// An index comes back, and one that cannot be that of a file is refused.
func TestIndexesAreChecked(t *testing.T) {
	if got, err := parsed(index()); err != nil || cmp.Diff(index(), got) != "" {
		t.Fatalf("%v: (-want +got)\n%s", err, cmp.Diff(index(), got))
	}
	for name, change := range map[string]func(x *Index){
		"a chunk before the magic's end":         func(x *Index) { x.Chunks[0].Offset = 7 },
		"a chunk shorter than a header":          func(x *Index) { x.Chunks[2].Length = 23 },
		"a chunk in another":                     func(x *Index) { x.Chunks[1].Offset-- },
		"a chunk beyond the end":                 func(x *Index) { x.Chunks[2].Length = end - 408 + 1 },
		"a chunk at a negative offset":           func(x *Index) { x.Chunks[2].Offset = -1 },
		"a chunk without thread blocks":          func(x *Index) { x.Chunks[2].Blocks = 0 },
		"more thread blocks than the range":      func(x *Index) { x.Chunks[0].Blocks = 11 },
		"a range from its end":                   func(x *Index) { x.Chunks[1].FirstBlock = 21 },
		"thread blocks that are in two chunks":   func(x *Index) { x.Chunks[1].FirstBlock = 9 },
		"launches in another order":              func(x *Index) { x.Chunks[2].Launch = 0 },
		"frames in another order":                func(x *Index) { x.Others[2].Offset = 1049 },
		"a frame before the magic's end":         func(x *Index) { x.Others[0].Offset = 7 },
		"a frame beyond the end":                 func(x *Index) { x.Others[3].Length = 3901 },
		"a CPU chunk that is not described":      func(x *Index) { x.Others[0].Kind = cpu },
		"a CPU chunk that is described, and not": func(x *Index) { x.Others[1].Kind = header },
		"a CPU chunk without instructions":       func(x *Index) { x.CPU[2].Instructions = 0 },
		"a CPU chunk of too many instructions":   func(x *Index) { x.CPU[2].Instructions = 1<<20 + 1 },
		"a gap between CPU chunks":               func(x *Index) { x.CPU[1].First++ },
		"a thread that begins late":              func(x *Index) { x.CPU[2].First = 1 },
		"threads in another order":               func(x *Index) { x.CPU[0].Thread, x.CPU[1].Thread = 4, 4 },
		"a first thread that begins late":        func(x *Index) { x.CPU[0].First, x.CPU[1].First = 1, 65537 },
	} {
		x := index()
		change(x)
		if _, err := parsed(x); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for name, change := range map[string]func(x *Index){
		"a chunk at the magic's end":     func(x *Index) { x.Others, x.CPU, x.Chunks[0].Offset = nil, nil, 8 },
		"a chunk up to the end":          func(x *Index) { x.Chunks[2].Length = end - 408 },
		"as many blocks as the range":    func(x *Index) { x.Chunks[1].Blocks = 9 },
		"a chunk of most instructions":   func(x *Index) { x.CPU[2].Instructions = 1 << 20 },
		"no frames but chunks, and none": func(x *Index) { *x = Index{} },
	} {
		x := index()
		change(x)
		if _, err := parsed(x); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Chunks are found by launch and thread block: the first that does not end before.
func TestChunksAreFoundByThreadBlocks(t *testing.T) {
	x := index()
	for _, c := range []struct {
		launch int
		block  uint64
		want   int
	}{{0, 0, 0}, {0, 9, 0}, {0, 10, 1}, {0, 12, 1}, {0, 20, 1}, {0, 21, 2}, {1, 5, 2}, {2, 0, 2}, {2, 1, 3}, {3, 0, 3}} {
		if got := x.Find(c.launch, c.block); got != c.want || x.Precedes(c.launch, c.block) != (c.want == 3) {
			t.Errorf("thread block %d of launch %d: chunk %d, want %d; all precede it: %v", c.block, c.launch, got, c.want, x.Precedes(c.launch, c.block))
		}
	}
	if !new(Index).Precedes(0, 0) {
		t.Error("no chunks do not precede")
	}
}

// The frames of a file are those of its index, in their order, with their sizes.
func TestFramesAreThoseOfTheIndex(t *testing.T) {
	x := index()
	type frame struct {
		FrameInfo
		raw uint32
	}
	chunk := wtapepb.FrameKind_FRAME_KIND_CHUNK
	file := []frame{
		{x.Others[0], 999}, {FrameInfo{chunk, 108, 100}, 300}, {FrameInfo{chunk, 208, 200}, 400}, {FrameInfo{chunk, 408, 24}, 0},
		{x.Others[1], 60}, {x.Others[2], 70}, {x.Others[3], 80},
	}
	pass := func(list []frame) error {
		p := NewPlace(x)
		for _, f := range list {
			if err := p.Pass(f.FrameInfo, f.raw); err != nil {
				return err
			}
			want := fmt.Sprintf("frame at offset %d", f.Offset)
			if f.Kind == chunk {
				want = x.ChunkName(p.Chunks - 1)
			}
			if got := p.FrameName(f.Offset, f.Kind); got != want || !strings.Contains(got, fmt.Sprintf("offset %d", f.Offset)) {
				t.Errorf("frame at %d is named %q", f.Offset, got)
			}
		}
		return p.End()
	}
	if err := pass(file); err != nil {
		t.Fatal(err)
	}
	for n := range file {
		if pass(file[:n]) == nil {
			t.Errorf("the first %d frames are the whole file", n)
		}
		for name, change := range map[string]func(f *frame){
			"offset": func(f *frame) { f.Offset++ }, "length": func(f *frame) { f.Length-- },
			"uncompressed length": func(f *frame) { f.raw++ }, "kind": func(f *frame) { f.Kind = wtapepb.FrameKind_FRAME_KIND_SUMMARY },
		} {
			other := append([]frame(nil), file...)
			change(&other[n])
			if refused := pass(other) != nil; refused != (name != "uncompressed length" || n > 0) { // the index does not have that of a header
				t.Errorf("frame %d with another %s is refused: %v", n, name, refused)
			}
		}
	}
	if pass(append(file, file[6])) == nil || pass(append(file, file[3])) == nil {
		t.Error("a frame more is accepted")
	}
}
