// SPDX-License-Identifier: Apache-2.0

package statistics

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// A bulk copy is one access of its space, and touches the lines of all of its pieces.
func TestStatisticsOfBulkCopiesAreThoseOfTheirPieces(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "bulk", trace.Header{Tool: "test"}, wtape.Options{Level: wtape.LevelFast})
	if err != nil {
		t.Fatal(err)
	}
	k := &trace.Kernel{Name: "bulk", Blocks: []trace.BasicBlock{{Count: 3, PostDominator: trace.NoBlock}}, Instructions: []trace.Instruction{
		{Opcode: "cp", Class: trace.ClassBulk, Space: trace.SpaceGlobal, Line: 1},
		{Opcode: "cp", Class: trace.ClassBulk, Space: trace.SpaceShared, Line: 2},
		{Opcode: "exit", Class: trace.ClassExit, Line: 3},
	}}
	if _, err := w.AddKernel(k); err != nil {
		t.Fatal(err)
	}
	one := trace.Dim3{X: 1, Y: 1, Z: 1}
	if _, err := w.BeginLaunch(trace.Launch{Grid: one, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}); err != nil {
		t.Fatal(err)
	}
	w.BeginBlock(0)
	w.Visit(0, 0, ^uint32(0))
	var global, shared trace.BulkCopy
	for row := range uint64(5) {
		global.Add(1<<32+4096*row+64, 128) // two lines each
	}
	shared.Add(0, 640)
	for _, c := range []*trace.BulkCopy{&global, &shared} {
		words := c.Words()
		w.Access(0, ^uint32(0), &words)
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
	if g := &s.Global; g.Accesses != 1 || g.Segments != 10 || g.SegmentsPerAccess[10] != 1 || g.FootprintLines != 10 || g.RequestedBytes != 5*128 {
		t.Errorf("global memory: %+v", g)
	}
	if s.BySpace["global"] != 1 || s.BySpace["shared"] != 1 {
		t.Errorf("accesses by space: %v", s.BySpace)
	}
}
