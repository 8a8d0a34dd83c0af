// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/trace"
)

// sunkSums is the text of a kernel that makes sums of products. Each sum stands in the branch around its
// store, where LLVM puts it.
func sunkSums(sums, products int) string {
	var b strings.Builder
	b.WriteString(`.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
	.shared .align 4 .b8 tile[8192];
	.reg .pred %p<16>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<4>;
	.reg .f32 %f<64>;
	.reg .f32 %x<512>;
	.reg .f32 %s<512>;
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	shl.b32 %r3, %r2, 2;
	mov.u32 %r4, tile;
	add.s32 %r4, %r4, %r3;
`)
	for p := range products {
		fmt.Fprintf(&b, "\tld.global.f32 %%f%d, [%%rd1+%d];\n", p, 4*p)
	}
	b.WriteString("\tmul.wide.u32 %rd2, %r2, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n\tbar.sync 0;\n")
	for s := range sums {
		fmt.Fprintf(&b, "\tadd.s32 %%r%d, %%r2, %d;\n\tsetp.ge.s32 %%p%d, %%r%d, %%r1;\n\t@%%p%d bra $L%d;\n", 8+s, 32*s, s, 8+s, s, s)
		sum := "0f00000000"
		for p := range products {
			n := s*products + p
			fmt.Fprintf(&b, "\tld.shared.f32 %%x%d, [%%r4+%d];\n\tfma.rn.f32 %%s%d, %%x%d, %%f%d, %s;\n", n, 4*n, n, n, p, sum)
			sum = fmt.Sprintf("%%s%d", n)
		}
		fmt.Fprintf(&b, "\tst.global.f32 [%%rd3+%d], %s;\n$L%d:\n", 128*s+4096, sum, s)
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// Sums that LLVM has sunk into the branches around their stores are made together, and the values
// are those of the program. A kernel with too few registers for all sums is lowered, too.
func TestSunkSumsAreMadeTogether(t *testing.T) {
	const sums, products = 5, 30
	k := kernelOf(t, sunkSums(sums, products))
	for name, generation := range lowering.Generations {
		target := lowering.Target{Generation: generation, File: 65536, Threads: 1024, Unit: 256, Predicate: true}
		for _, registers := range []int{0, 48, 32, 24, 20} {
			l, err := lowering.Lower(k, target, lowering.Budget{Registers: registers})
			if err != nil {
				t.Fatalf("%s, %d registers: %v", name, registers, err)
			}
			for seed := range uint64(8) {
				if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(seed, 7)), 4)); err != nil {
					t.Errorf("%s, %d registers: %v", name, registers, err)
				}
			}
			if registers > 0 || generation.Registers < 255 {
				continue // what would not fit is made without
			}
			stores, products := 0, 0
			for i := range l.Kernel.Instructions {
				switch in := &l.Kernel.Instructions[i]; {
				case in.Class == trace.ClassStore && in.Space == trace.SpaceGlobal:
					stores++
				case strings.HasPrefix(in.Opcode, "FFMA"):
					if products++; stores > 0 {
						t.Fatalf("%s: product %d is behind %d stores", name, products, stores)
					}
				}
			}
			if stores != sums || products == 0 {
				t.Errorf("%s: %d stores, want %d", name, stores, sums)
			}
		}
	}
}
