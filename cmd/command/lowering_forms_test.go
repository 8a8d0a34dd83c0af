// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/trace"
)

// Forms that clang does not write, and other compilers do: a predicate that is negated in
// its place, conversions that saturate or pack, a special register as the source of a
// conversion. Others are a parameter that zeros extend and a sum of a product under another name.
func TestValuesFlowThroughFormsOfOtherCompilers(t *testing.T) {
	forms := map[string]struct{ body, codes string }{
		"a predicate negated in its place": {`
	setp.lt.u32 %p1, %r1, %r2;
	not.pred %p1, %p1;
	@%p1 mov.u32 %r1, 7;
	st.global.u32 [%rd1], %r1;`, "PLOP3"},
		"a conversion that saturates": {`
	cvt.sat.u32.s32 %r3, %r1;
	cvt.sat.s8.s32 %r4, %r2;
	add.s32 %r3, %r3, %r4;
	st.global.u32 [%rd1], %r3;`, "I2I I2I"},
		"a conversion that packs": {`
	cvt.pack.sat.s8.s32.b32 %r3, %r1, %r2, 0;
	st.global.u32 [%rd1], %r3;`, "I2IP"},
		"a special register that is converted": {`
	cvt.s32.u32 %r3, %ctaid.x;
	mul.lo.s32 %r4, %r3, %r1;
	st.global.u32 [%rd1], %r4;`, "S2R IMAD"},
		"a parameter that zeros extend": {`
	ld.param.u32 %r5, [b];
	cvt.u64.u32 %rd2, %r5;
	cvt.s64.s32 %rd3, %r1;
	mul.lo.u64 %rd4, %rd3, %rd2;
	st.global.u64 [%rd1], %rd4;`, "IMAD"},
		"a sum of a product under another name": {`
	mul.lo.s32 %r3, %r1, 33;
	cvt.s64.s32 %rd2, %r3;
	cvt.u64.u32 %rd3, %r2;
	add.s64 %rd4, %rd2, %rd3;
	cvt.u32.u64 %r4, %rd4;
	st.global.u32 [%rd1], %r4;`, "IMAD"},
		"a copy with two addresses": {`
	mov.u64 %rd2, tile;
	mul.wide.u32 %rd3, %r1, 16;
	add.s64 %rd4, %rd2, %rd3;
	mul.wide.u32 %rd5, %r2, 16;
	add.s64 %rd6, %rd1, %rd5;
	cp.async.cg.shared.global [%rd4+32], [%rd6+64], 16;
	cp.async.wait_all;`, "cp"},
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			text := `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 b)
{
	.shared .align 16 .b8 tile[1024];
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [a];
	ld.global.u32 %r1, [%rd1+8];
	ld.global.u32 %r2, [%rd1+16];` + form.body + "\n\tret;\n}\n"
			k := kernelOf(t, text)
			for generation := range lowering.Generations {
				lowersAlike(t, k, generation, strings.Fields(form.codes))
			}
		})
	}
}

// A variable that is made alike on all ways costs nothing, as one that is made once.
func TestWhatIsMadeAlikeOnAllWaysCostsNothing(t *testing.T) {
	text := `.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [a];
	ld.global.u32 %r1, [%rd1+8];
	ld.global.u32 %r2, [%rd1+16];
	setp.lt.u32 %p1, %r1, %r2;
	@%p1 bra $L1;
	cvt.u64.u32 %rd2, %r1;
	bar.sync 0;
	bra.uni $L2;
$L1:
	cvt.u64.u32 %rd2, %r1;
	bar.sync 1;
$L2:
	shl.b64 %rd3, %rd2, 2;
	add.s64 %rd4, %rd1, %rd3;
	st.global.u64 [%rd4], %rd2;
	ret;
}
`
	k := kernelOf(t, text)
	lowersAlike(t, k, "turing", nil)
	target := lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
	l, err := lowering.Lower(k, target, lowering.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	for b := range l.Kernel.Blocks { // the last block makes both words for the store
		at := &l.Kernel.Blocks[b]
		for i := at.First; i < at.First+at.Count; i++ {
			if in := &l.Kernel.Instructions[i]; b > 0 && len(at.Successors) > 0 && in.Opcode == "MOV" {
				t.Errorf("block %d has a MOV: operation %d", b, i)
			}
		}
	}
}

// lowersAlike lowers a kernel, follows paths through it and looks for operations in order.
func lowersAlike(t *testing.T, k *trace.Kernel, generation string, codes []string) {
	t.Helper()
	target := lowering.Target{Generation: lowering.Generations[generation], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
	l, err := lowering.Lower(k, target, lowering.Budget{Registers: 32})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(seed, 5)), 4)); err != nil {
			t.Errorf("%s: %v", generation, err)
		}
	}
	for i := range l.Kernel.Instructions {
		if len(codes) > 0 && l.Kernel.Instructions[i].Opcode == codes[0] {
			codes = codes[1:]
		}
	}
	if len(codes) > 0 {
		t.Errorf("%s: there is no %s", generation, codes[0])
	}
}

// LLVM sinks what a program computes in front of a branch to the place behind it. Loads
// there need no predicate: the program makes them for all lanes.
func TestSunkLoadsHaveNoPredicate(t *testing.T) {
	kernels, _, err := loadKernels(context.Background(), filepath.Join("..", "..", "traces", "convolution-variants", "convolution-variants.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	target := lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
	l, err := lowering.Lower(kernels[0].Static, target, lowering.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	sunk := 0
	for i := range l.Kernel.Instructions {
		in := &l.Kernel.Instructions[i]
		if in.Space == trace.SpaceShared && in.Class == trace.ClassLoad {
			if in.Guard.Present {
				t.Fatalf("operation %d is guarded", i)
			}
			if l.Guarded[i] {
				sunk++
			}
		}
	}
	if sunk == 0 {
		t.Error("no load of shared memory was sunk")
	}
}
