// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
)

// chain selects one instruction, and counts the operations and the longest chain of them.
func chain(t *testing.T, line string, target Target) (operations, deepest int) {
	t.Helper()
	f, err := Select(loweringtest.Assemble(t, line+"\nst.global.u32 [d1], r3\nst.global.u64 [d1], d3\nexit"), [][]Part{{{Block: 0}}}, target)
	if err != nil {
		t.Fatal(err)
	}
	depth := map[ir.Register]int{}
	for i := range f.Blocks[0].Ops {
		op := &f.Blocks[0].Ops[i]
		if op.Origin > 0 {
			continue
		}
		operations += int(op.Code.Slots)
		d := 0
		op.EachRead(func(r ir.Register) { d = max(d, depth[r]) })
		for _, r := range op.Dst {
			depth[r] = d + 1
		}
		deepest = max(deepest, d+1)
	}
	return operations, deepest
}

// Products of 64-bit integers are as many operations as cuobjdump shows for sm_70. Cross
// products wait for each other, and carries for the products.
func TestProductsOf64Bits(t *testing.T) {
	for line, want := range map[string][2]int{
		"mul.lo.s64 d3, d1, d2":     {4, 3},
		"mad.lo.s64 d3, d1, d2, d1": {4, 3},
		"mul.hi.u64 d3, d1, d2":     {7, 5},
	} {
		if operations, deepest := chain(t, line, Target{ThreeInputs: true, WideMultiply: true}); operations != want[0] || deepest != want[1] {
			t.Errorf("%s: %d operations, the longest chain has %d; want %v", line, operations, deepest, want)
		}
	}
}

// The operations of a division wait for each other, also those of 64-bit integers: a warp
// alone needs the latencies of nearly all of them, and not a cycle for each.
func TestDivisionsAreChains(t *testing.T) {
	for line, least := range map[string]int{
		"div.u32 r3, r1, r2": 14,
		"div.s32 r3, r1, r2": 14,
		"rem.u32 r3, r1, r2": 14,
		"div.u64 d3, d1, d2": 60,
		"div.s64 d3, d1, d2": 60,
		"rem.u64 d3, d1, d2": 60,
	} {
		if _, deepest := chain(t, line, Target{}); deepest < least {
			t.Errorf("%s: a chain of %d operations, %d are the least", line, deepest, least)
		}
	}
}

// Where operands are no numbers, a division in single precision checks them, calls its subroutine and
// takes in its result. Four instructions of control are around it, and no lanes meet inside. No
// other sequence has that way.
func TestDivisionsOfWhatIsNoNumber(t *testing.T) {
	const begin = "ld.global.u64 d1, [d9]\nld.global.u32 r1, [d1]\nld.global.u32 r2, [d1+4]\n"
	for line, want := range map[string]string{
		"div.rn.f32 r9, r1, r2": "MUFU FFMA FFMA FFMA FFMA FFMA FFMA FFMA" + " FCHK BSSY BRA IMAD.MOV.U32 IMAD.MOV.U32 MOV IMAD.MOV.U32 CALL" +
			" SHF SHF LOP3 LOP3 IADD3 IADD3 ISETP ISETP IMAD.MOV.U32 BRA FSETP FSETP PLOP3 BRA FADD IMAD.MOV.U32 RET BSYNC" + " IMAD.MOV.U32",
		"div.full.f32 r9, r1, r2": "FSETP FMUL MUFU FMUL FMUL",
		"rcp.rn.f32 r9, r1":       "MUFU FFMA IADD3 BSSY BRA BSYNC FFMA",
	} {
		target := newer
		target.NaN = true
		if got := chosen(t, loweringtest.Assemble(t, begin+line+"\nst.global.u32 [d1], r9\nexit"), target); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// Conversions and special functions in a chain have one source: the operation before them, or first the
// divisor. The others have an operand besides.
func TestOperationsOfChainsReadTheOnesBefore(t *testing.T) {
	for _, line := range []string{"div.u32 r3, r1, r2", "div.s32 r3, r1, r2", "div.u64 d3, d1, d2", "div.rn.f32 r3, r1, r2", "div.full.f32 r3, r1, r2", "sqrt.rn.f32 r3, r1", "rcp.rn.f64 d3, d1"} {
		f, err := Select(loweringtest.Assemble(t, line+"\nst.global.u32 [d1], r3\nst.global.u64 [d1], d3\nexit"), [][]Part{{{Block: 0}}}, Target{})
		if err != nil {
			t.Fatal(err)
		}
		ops := f.Blocks[0].Ops
		for i := range ops {
			op := &ops[i]
			if op.Origin > 0 || len(op.Covers) > 0 || op.Code == ir.SKIP {
				continue
			}
			before := false
			for _, o := range op.Src {
				before = before || i > 0 && o.Kind == ir.Reg && f.Registers[o.Register].Name == ""
			}
			switch op.Code {
			case ir.MUFU, ir.I2F, ir.F2I:
				if len(op.Src) != 1 || i > 0 && !before && op.Code != ir.I2F {
					t.Errorf("%s: operation %d (%s) has %d sources, before it %v", line, i, op.Code.Name, len(op.Src), before)
				}
			default:
				if i > 1 && len(op.Src) < 2 && op.Code != ir.IABS && ops[i+1].Code != ir.SKIP { // a check reads operands alone
					t.Errorf("%s: operation %d (%s) has %d sources", line, i, op.Code.Name, len(op.Src))
				}
			}
		}
	}
}
