// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/trace"
)

// guardedCopy is a kernel that copies a tile to shared memory, each element under a
// condition of its row and one of its column, and divides what it finds there.
func guardedCopy(t *testing.T, rows, columns int) *trace.Kernel {
	t.Helper()
	var b strings.Builder
	b.WriteString(`.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .pred %p<400>;
	.reg .b32 %r<4>;
	.reg .f32 %f<400>;
	.reg .b64 %rd<8>;
	.shared .align 4 .b8 s[16384];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	ld.param.u64 %rd1, [a];
	cvta.to.global.u64 %rd2, %rd1;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd4, %rd2, %rd3;
	mov.u64 %rd5, s;
	add.s64 %rd6, %rd5, %rd3;
`)
	for y := range rows {
		fmt.Fprintf(&b, "\tsetp.gt.u32 %%p%d, %%r2, %d;\n", y+1, 30-y)
		for x := range columns {
			n := columns*y + x
			if y == 0 {
				fmt.Fprintf(&b, "\tsetp.gt.u32 %%p%d, %%r1, %d;\n", 20+x, 300-32*x)
			}
			fmt.Fprintf(&b, "\tor.pred %%p%d, %%p%d, %%p%d;\n\t@%%p%d bra L%d;\n", 100+n, y+1, 20+x, 100+n, n)
			fmt.Fprintf(&b, "\tld.global.f32 %%f%d, [%%rd4+%d];\n\tst.shared.f32 [%%rd6+%d], %%f%d;\nL%d:\n", n+1, 128*x+4096*y, 128*x+1024*y, n+1, n)
		}
	}
	b.WriteString(`	ld.shared.f32 %f390, [%rd6];
	ld.shared.f32 %f391, [%rd6+4];
	div.rn.f32 %f392, %f390, %f391;
	st.global.f32 [%rd4], %f392;
	ret;
}
`)
	return kernelOf(t, b.String())
}

// kernelOf is the kernel of a PTX text.
func kernelOf(t *testing.T, text string) *trace.Kernel {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	kernels, _, err := loadKernels(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	return kernels[0].Static
}

// turing lowers a kernel for that generation and follows paths through it.
func turing(t *testing.T, k *trace.Kernel, change func(*lowering.Target)) *lowering.Lowered {
	t.Helper()
	target := lowering.Target{Generation: lowering.Generations["turing"], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
	change(&target)
	l, err := lowering.Lower(k, target, lowering.Budget{BlockThreads: 256})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(8) {
		if err := evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(seed, 3)), 100)); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// Guarded copies are predicated loads and stores of one block. Several of the loads are
// under way at a time. Conditions that rows and columns share are compared again where they
// are needed, as there are seven predicates.
func TestGuardedCopiesHaveSeveralLoadsUnderWay(t *testing.T) {
	l := turing(t, guardedCopy(t, 4, 9), func(*lowering.Target) {})
	if n := l.Kernel.PredicatesPerThread; n > 7 {
		t.Errorf("%d predicates", n)
	}
	loads, most := 0, 0
	for i := range l.Kernel.Instructions {
		switch in := &l.Kernel.Instructions[i]; {
		case in.Class == trace.ClassBranch:
			t.Errorf("operation %d is a branch", i)
		case in.Class == trace.ClassLoad && in.Space == trace.SpaceGlobal:
			loads++
			most = max(most, loads)
		case in.Class == trace.ClassStore && in.Space == trace.SpaceShared:
			loads--
		}
	}
	if most < 3 {
		t.Errorf("at most %d loads are under way", most)
	}
}

// Stages change the order and the registers, not the operations; divisions of what is no
// number have their subroutine's operations besides.
func TestStagesAndWaysOfDivisions(t *testing.T) {
	k := guardedCopy(t, 2, 5)
	whole := turing(t, k, func(*lowering.Target) {})
	for _, stage := range []lowering.Stage{lowering.Selection, lowering.Scheduling} {
		l := turing(t, k, func(target *lowering.Target) { target.Until = stage })
		if len(l.Kernel.Instructions) != len(whole.Kernel.Instructions) || l.SpillBytes > 0 {
			t.Errorf("stage %d: %d operations and %d bytes of spills, want %d and none", stage, len(l.Kernel.Instructions), l.SpillBytes, len(whole.Kernel.Instructions))
		}
	}
	special := turing(t, k, func(target *lowering.Target) { target.NaN = true })
	if more := len(special.Kernel.Instructions) - len(whole.Kernel.Instructions); more < 15 || more > 26 {
		t.Errorf("the subroutine of a division has %d operations", more)
	}
	if a, b := special.Kernel.RegistersPerThread, whole.Kernel.RegistersPerThread; a > b+2 {
		t.Errorf("%d registers with the subroutine's operations, %d without, whose registers are kept free", a, b)
	}
}
