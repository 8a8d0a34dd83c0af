package trace

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInfoAddsUpToTheFile(t *testing.T) {
	data := smallTrace(t, Options{})
	info, err := Info(openBytes(t, data))
	if err != nil {
		t.Fatal(err)
	}
	s := info.StoredBytes
	if sum := s.Chunks + s.Kernels + s.Timeline + s.Other; sum != int64(len(data)) || info.FileBytes != sum {
		t.Errorf("%+v add up to %d, the file has %d", s, sum, len(data))
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

func TestDumpPrintsLanesAndGuards(t *testing.T) {
	r := openBytes(t, smallTrace(t, Options{}))
	launch, block, warp := 1, uint64(2), 1
	var out strings.Builder
	if err := r.Dump(&out, DumpOptions{Launch: &launch, Block: &block, Warp: &warp}); err != nil {
		t.Fatal(err)
	}
	// Lane l of the odd pattern is at 4096 + 4*(7*l*l mod 61) + 64*block.
	want := `launch 1 kernel guarded grid 3,1,1 block 40,1,1
thread block 2 warp 1
  visit block 0 lanes 000000ff
    1 ld line 2 lanes 00000055 addresses 0:0x1080 2:0x10f0 4:0x114c 6:0x10a0
    2 ld line 3 lanes 000000ff base 0x21c0 stride 4
  visit block 0 lanes 000000ff
    1 ld line 2 lanes 000000aa addresses 1:0x109c 3:0x1088 5:0x1154 7:0x1118
    2 ld line 3 lanes 000000ff base 0x21c0 stride 4
  visit block 1 lanes 000000ff
    3 st line 4 lanes 000000ff base 0x21c0 stride 4
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

func TestDumpOfWhatIsNotThereFails(t *testing.T) {
	r := openBytes(t, smallTrace(t, Options{}))
	launch, block, warp := 7, uint64(9), 5
	for _, o := range []DumpOptions{{Launch: &launch}, {Block: &block}, {Warp: &warp}} {
		if err := r.Dump(&strings.Builder{}, o); err == nil {
			t.Errorf("%+v printed something", o)
		}
	}
}

func TestWholeTraceReadsBackWithItsStaticPart(t *testing.T) {
	r := openBytes(t, smallTrace(t, Options{}))
	if d := cmp.Diff([]Kernel{*saxpyKernel(), *smallKernel()}, r.Kernels()); d != "" {
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
	r := openBytes(t, encodeWorkload(t, workloads()[0], Options{}))
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
