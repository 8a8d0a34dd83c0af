// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// A warp reads once by generic addresses, with half of its lanes in shared memory, once across the ends of lines, and once what it has read
// before. Of two instructions of one line of PTX the counts add up, and lines come by their numbers.
func TestStatisticsOfThreeAccessesByHand(t *testing.T) {
	k := &trace.Kernel{Name: "three", Blocks: []trace.BasicBlock{{Count: 4, PostDominator: trace.NoBlock}}, Instructions: []trace.Instruction{
		{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGeneric, LaneBytes: 4, Line: 9},
		{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 16, Line: 3},
		{Opcode: "ldu", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4, Line: 9},
		{Opcode: "exit", Class: trace.ClassExit, Line: 5},
	}}
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "three", trace.Header{Tool: "test"}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.AddKernel(k); err != nil {
		t.Fatal(err)
	}
	if _, err := w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	const all, first, second = ^uint32(0), uint64(1 << 32), uint64(1 << 33)
	var generic, across, again [trace.WarpSize]uint64
	for lane := range uint64(32) {
		generic[lane], across[lane], again[lane] = trace.SharedWindowBase+4*lane, second+lane*4096+120, first
		if lane >= 16 {
			generic[lane] = first + (lane-16)*trace.LineBytes
		}
	}
	w.BeginBlock(0)
	w.Visit(0, 0, all)
	for _, a := range []*[trace.WarpSize]uint64{&generic, &across, &again} {
		w.Access(0, all, a)
	}
	if err := w.EndBlock(); err != nil {
		t.Fatal(err)
	}
	if err := w.EndLaunch(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Of(r)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]uint64{trace.SpaceGlobal.String(): 3, trace.SpaceShared.String(): 1}, s.BySpace); d != "" {
		t.Errorf("spaces: %s", d)
	}
	want := Global{Accesses: 3, RequestedBytes: 16*4 + 32*16 + 32*4, Segments: 16 + 64 + 1, FootprintLines: 16 + 64, FirstTouches: 16 + 64}
	want.SegmentsPerAccess[16], want.SegmentsPerAccess[trace.WarpSize+1], want.SegmentsPerAccess[1] = 1, 1, 1
	want.ReuseDistance[7] = 1 // behind 15 and 64 other lines: from 64 to 127
	if d := cmp.Diff(want, s.Global); d != "" {
		t.Errorf("global memory (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]Line{
		{Kernel: "three", Line: 3, Opcode: "ld", WarpInstructions: 1, ThreadInstructions: 32, GlobalAccesses: 1, Segments: 64},
		{Kernel: "three", Line: 5, Opcode: "exit", WarpInstructions: 1, ThreadInstructions: 32},
		{Kernel: "three", Line: 9, Opcode: "ld", WarpInstructions: 2, ThreadInstructions: 64, GlobalAccesses: 2, Segments: 17},
	}, s.PerLines); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
}

// Times are numbered anew without a line forgotten while there is room; beyond it the lines that were touched last stay.
func TestTheLinesTouchedLastStay(t *testing.T) {
	s := newReuseStack(8)
	for i := range 1000 {
		if s.touch(uint64(i % 8)); s.forgotten {
			t.Fatalf("touch %d of eight lines in turn forgets one", i)
		}
	}
	for line := range uint64(20) {
		s.touch(100 + line)
	}
	if s.renumber(); !s.forgotten || len(s.last) != 8 {
		t.Errorf("forgotten %v, %d lines are left of a limit of 8", s.forgotten, len(s.last))
	}
	for line := range uint64(8) {
		if distance, again := s.touch(112 + line); !again || distance != 7 {
			t.Errorf("line %d of the last eight: distance %d, %v", 112+line, distance, again)
		}
	}
	for distance, want := range map[int]int{0: 0, 1: 1, 3: 2, 4: 3, 1 << 21: 22, 1 << 22: 23, 1 << 40: 23} {
		if got := reuseBucket(distance); got != want {
			t.Errorf("distance %d is in bucket %d, want %d", distance, got, want)
		}
	}
}
