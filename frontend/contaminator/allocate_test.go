// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// liveAfter is the slow twin of liveness: for each instruction the registers
// whose value some path from behind it reads before it is surely overwritten,
// by iteration over single instructions.
func liveAfter(k *ptx.Kernel, reached map[int]bool) []map[*ptx.Register]bool {
	live := make([]map[*ptx.Register]bool, len(k.Body))
	before := make([]map[*ptx.Register]bool, len(k.Body)+1)
	for i := range before {
		before[i] = make(map[*ptx.Register]bool)
	}
	for i := range live {
		live[i] = make(map[*ptx.Register]bool)
	}
	for changed := true; changed; {
		changed = false
		for i := range k.Body {
			if !reached[i] {
				continue
			}
			in := &k.Body[i]
			c := in.Class()
			var next []int
			if in.Guard.Register != nil || c != trace.ClassBranch && c != trace.ClassExit {
				next = append(next, i+1)
			}
			for _, l := range labelsOf(in) {
				next = append(next, l.Index)
			}
			for _, n := range next {
				for r := range before[n] {
					if !live[i][r] {
						live[i][r], changed = true, true
					}
				}
			}
			killed := make(map[*ptx.Register]bool)
			if in.Guard.Register == nil {
				Writes(in, func(r *ptx.Register) { killed[r] = true })
			}
			add := func(r *ptx.Register) {
				if !before[i][r] {
					before[i][r], changed = true, true
				}
			}
			for r := range live[i] {
				if !killed[r] {
					add(r)
				}
			}
			Reads(in, add)
		}
	}
	return live
}

// checkAllocation proves that a write never lands in a register that holds
// another live value. For every instruction the registers that it writes and those
// that live behind it are pairwise disjoint.
func checkAllocation(t *testing.T, what string, k *Kernel) {
	t.Helper()
	a, err := allocate(k)
	if err != nil {
		t.Fatal(err)
	}
	reached := reachableInstructions(k.PTX)
	live := liveAfter(k.PTX, reached)
	for i := range k.PTX.Body {
		if !reached[i] {
			continue
		}
		in := &k.PTX.Body[i]
		together := live[i]
		Writes(in, func(r *ptx.Register) { together[r] = true })
		owner := make(map[trace.Register]*ptx.Register)
		for r := range together {
			phys := a.registers[r.Index]
			checkShape(t, what, r, phys, a)
			for w := range phys.Words {
				slot := trace.Register{File: phys.File, Number: phys.Number + uint16(w)}
				if other := owner[slot]; other != nil {
					t.Fatalf("%s: %s and %s are both in register %d at %s", what, other.Name, r.Name, slot.Number, ptx.Format(in))
				}
				owner[slot] = r
			}
		}
	}
}

// checkShape: predicates in their own file, 64 bits in an even pair, and all
// inside the count that the kernel states.
func checkShape(t *testing.T, what string, r *ptx.Register, phys trace.Register, a *allocation) {
	t.Helper()
	words, file, count := uint8(1), trace.FileGeneral, a.general
	if r.Type.Bits() == 64 {
		words = 2
	}
	if r.Type == ptx.Pred {
		file, count = trace.FilePredicate, a.predicates
	}
	if phys.Words != words || phys.File != file || phys.Number%uint16(words) != 0 || uint32(phys.Number)+uint32(words) > count {
		t.Fatalf("%s: %s of type .%s is in %+v of %d registers", what, r.Name, r.Type, phys, count)
	}
}

func TestNoTwoLiveRegistersShareAPlace(t *testing.T) {
	for seed := range uint64(60) {
		checkAllocation(t, "random kernel", mustContaminate(t, randomKernel(t, seed, 10)))
	}
}

func TestNoTwoLiveRegistersShareAPlaceInCompilerOutput(t *testing.T) {
	all := referenceKernels(t)
	for _, k := range tracetest.Draw(t, all, len(all)/4) {
		if len(k.Body) <= 400 {
			checkAllocation(t, k.Module.File+": "+k.Name, mustContaminate(t, k))
		}
	}
}

// The bounds are what nvcc's own allocator needs for kernels of this shape,
// with room for its constant-bank operands on one side and our lack of
// rescheduling on the other.
func TestRegisterCountsAreRealistic(t *testing.T) {
	bounds := map[string][2]uint32{"saxpy": {6, 12}, "transpose": {8, 16}, "sgemm": {18, 40}}
	seen := 0
	for _, k := range referenceKernels(t) {
		b, ok := bounds[k.Name]
		if !ok {
			continue
		}
		seen++
		if n := mustContaminate(t, k).Static.RegistersPerThread; n < b[0] || n > b[1] {
			t.Errorf("%s: %s needs %d registers, expected %d to %d", k.Module.File, k.Name, n, b[0], b[1])
		}
	}
	if seen < 6 {
		t.Errorf("only %d kernels seen", seen)
	}
}

func TestRegistersAreSharedOverTime(t *testing.T) {
	k := fromText(t, `
	mov.u32 %r1, 1;
	add.u32 %r2, %r1, 1;
	add.u32 %r3, %r2, 1;
	add.u32 %r4, %r3, 1;
	cvt.u64.u32 %rd1, %r4;
	st.global.u64 [%rd1], %rd1;
	ret;`)
	if k.Static.RegistersPerThread != 2 {
		t.Errorf("a chain of values needs %d registers, want 2", k.Static.RegistersPerThread)
	}
}

func TestDeadResultsHaveARegister(t *testing.T) {
	k := fromText(t, `
	mov.u32 %r1, 1;
	mov.u32 %r2, 2;
	st.global.u32 [%rd1], %r1;
	ret;`)
	get := func(i int) uint16 { return k.Static.Instructions[i].Operands[0].Register.Number }
	if get(0) == get(1) {
		t.Error("a dead result overwrites a live register")
	}
}

func TestAGuardedWriteKeepsTheOldValue(t *testing.T) {
	k := fromText(t, `
	mov.u32 %r1, 1;
	mov.u32 %r2, 2;
	setp.eq.u32 %p1, %r2, 2;
	@%p1 mov.u32 %r1, 3;
	st.global.u32 [%rd1], %r1;
	ret;`)
	r1, r2 := k.Static.Instructions[0].Operands[0].Register, k.Static.Instructions[1].Operands[0].Register
	if r1.Number == r2.Number {
		t.Error("the value under the guarded write was overwritten")
	}
}
