// SPDX-License-Identifier: Apache-2.0

package record_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/frontend/tesla/record"
	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
	"github.com/warptape/warptape/trace/wtape"
)

func recorded(t *testing.T, text string) *wtape.Reader {
	t.Helper()
	k, err := language.Assemble("k.tesla", text)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, "k", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := record.Kernel(w, k, "k", "digest", machine.Reference(1, 8), machine.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const ifElse = `LDS r0, TID
MVI r1, 10
SHR r0, r0, r1
MVI r2, 1
AND r3, r0, r2
MVI r4, 0
SSY end
BEQ r3, even
ADD r5, r0, r2
BEQ r4, end
even: MUL r5, r0, r2
NOP
end: ST r0, r5
EXIT`

// Blocks, by hand: 0 before the branch, 1 the odd lanes, 2 the even ones, 3 the rest.
func TestBlocksPathsAndAddresses(t *testing.T) {
	r := recorded(t, ifElse)
	k := &r.Kernels()[0]
	want := []trace.BasicBlock{
		{First: 0, Count: 8, Successors: []uint32{1, 2}, PostDominator: 3},
		{First: 8, Count: 2, Successors: []uint32{2, 3}, PostDominator: 3},
		{First: 10, Count: 2, Successors: []uint32{3}, PostDominator: 3},
		{First: 12, Count: 2, PostDominator: trace.NoBlock},
	}
	if diff := cmp.Diff(want, k.Blocks); diff != "" {
		t.Error(diff)
	}
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	warp := c.Warp(0, 0)
	if diff := cmp.Diff([]uint32{0, 2, 1, 3}, warp.Blocks); diff != "" { // the lanes that take the branch come first
		t.Error(diff)
	}
	if diff := cmp.Diff([]uint32{^uint32(0), 0x55555555, 0xaaaaaaaa, ^uint32(0)}, warp.Masks); diff != "" {
		t.Error(diff)
	}
	var addresses [trace.WarpSize]uint64
	c.Addresses(warp.Accesses[0], ^uint32(0), &addresses)
	for lane, a := range addresses {
		if a != uint64(4*lane) {
			t.Errorf("lane %d stores to %d", lane, a)
		}
	}
	p := k.Tesla
	if diff := cmp.Diff([]trace.TeslaSync{{Instruction: 6, Block: 3}}, p.Syncs); diff != "" || p.WarpsPerBlock != 1 || p.RegistersPerThread != 8 || p.SharedWords != 32 || p.AddressesWrap || len(p.Dependences) != 0 {
		t.Errorf("%s %+v", diff, p)
	}
	if len(p.Words) != 14 || p.Words[0] != 0x141f0000 || p.RecordedIn.Processors != 8 || k.Instructions[12].Line != 13 || k.File != "k.tesla" {
		t.Errorf("%+v", p)
	}
}

// Lanes that meet at another place than the branch's post-dominator say so.
func TestLanesMeetWhereTheySaid(t *testing.T) {
	r := recorded(t, "LDS r0, TID\nMVI r1, 1024\nAND r3, r0, r1\nSSY later\nBNE r3, a\nNOP\na: NOP\nlater: EXIT")
	if diff := cmp.Diff([]uint32{3}, r.Kernels()[0].Blocks[0].Joins); diff != "" {
		t.Errorf("%s\n%+v", diff, r.Kernels()[0].Blocks)
	}
}

// Whether lanes part at a branch to the next instruction no path shows: a guard does.
func TestABranchToTheNextInstructionHasItsOutcome(t *testing.T) {
	r := recorded(t, "LDS r0, TID\nMVI r1, 1024\nAND r3, r0, r1\nSSY next\nBNE r3, next\nnext: EXIT")
	in := &r.Kernels()[0].Instructions[4]
	if !in.Guarded() || in.Class != trace.ClassNop || in.Opcode != "BNE" {
		t.Errorf("%+v", in)
	}
	c := wtape.NewChunk()
	if err := r.ReadChunk(0, c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint32{0xaaaaaaaa}, c.Warp(0, 0).Guards); diff != "" {
		t.Error(diff)
	}
}

// A block from which no path ends has a post-dominator that is not itself, or none.
func TestALoopWithoutAnEndHasPostDominators(t *testing.T) {
	r := recorded(t, "MVI r1, 1\nBNE r1, out\nl: MVI r2, 0\nBEQ r2, l\nBAR\nBEQ r2, l\nout: EXIT")
	for i, b := range r.Kernels()[0].Blocks {
		if b.PostDominator == uint32(i) {
			t.Errorf("block %d post-dominates itself", i)
		}
	}
}
