// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/evaluate"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// whole has what a lowering takes apart: sums in addresses, halves, constants, predicates in and around
// parts, a && b, vectors, narrow loads, and so many values that some are spilled.
func whole() string {
	var makes, reads []string
	for n := range 14 {
		makes = append(makes, fmt.Sprintf("ld.global.u32 r%d, [d1+%d]", 20+n, 256+8*n))
		reads = append(reads, fmt.Sprintf("st.global.u32 [d1+%d], r%d", 512+8*n, 20+n))
	}
	return "1 2/2: ld.param.u64 d9, [first]; ld.global.u64 d1, [d9+8]; mov.u32 r1, %tid.x; ld.shared.u32 r2, [r1+4]; " + strings.Join(makes, "; ") +
		"; mul.wide.u32 d2, r2, 4; add.s64 d3, d1, d2; ld.global.v2.u32 {r3,r4}, [d3+16]; ld.global.u16 r5, [d3+2]; setp.lt.s32 p1, r3, r4; mov.pred p3, 0; bra 2\n" +
		"2: setp.lt.s32 p3, r4, 9\n" +
		"3 4/4: selp.b32 r6, r3, r4, p3; ld.param.u32 r7, [second]; ld.param.u32 r16, [second+4]; add.s32 r8, r7, r16; and.b32 r8, r8, r6; mov.u32 r9, r8; setp.lt.s32 p1, r8, 0; bra 4\n" +
		"4: add.s32 r9, r9, r5; st.shared.u32 [r1+12], r9\n" +
		"4 5/5: mov.b64 {r10,r11}, d3; xor.b32 r12, r10, r11; shl.b32 r13, r9, 3; add.s32 r9, r13, r12; ex2.approx.f32 r14, r13; st.global.v2.u32 [d3+64], {r14,r9}; setp.lt.s32 p4, r13, 2; @p4 add.s32 r9, r9, 3; setp.lt.s32 p1, r9, 5; bra 4\n" +
		": cvt.s64.s32 d4, r9; add.s64 d5, d4, d3; st.global.u64 [d1+24], d5; cvt.u64.u32 d6, r2; st.global.u64 [d1+32], d6; ld.param.u32 r17, [second+4]; cvt.u64.u32 d7, r17; add.s64 d8, d7, d3; st.global.u64 [d1+48], d8; " + strings.Join(reads, "; ") + "; exit"
}

// joined has accesses that are one operation, a copy with two addresses, and a product with another name that
// goes into a sum.
const joined = ": ld.param.u64 d9, [first]; ld.global.u64 d1, [d9+8]; mov.u32 r1, %tid.x; ld.shared.u32 r2, [r1+4]; " +
	"mul.wide.u32 d2, r2, 4; mov.u64 d10, d2; add.s64 d3, d1, d10; shl.b32 r15, r1, 4; ld.shared.u32 r18, [r15+16]; ld.shared.u32 r19, [r15+20]; " +
	"cp.async.shared.global [r15+48], [d3+32]; st.global.u32 [d3+20], r18; st.global.u32 [d3+28], r19; exit"

// lowered lowers a kernel to few registers.
func lowered(t *testing.T, text, generation string) (*trace.Kernel, *lowering.Lowered) {
	t.Helper()
	k := loweringtest.Blocks(t, text)
	for i := range k.Instructions {
		if in := &k.Instructions[i]; in.Opcode == "cp" {
			in.Class, in.Space, in.LaneBytes, in.Destinations = trace.ClassLoad, trace.SpaceGlobal, 16, 0
		}
	}
	l, err := lowering.Lower(k, lowering.Target{Generation: lowering.Generations[generation], File: 65536, Threads: 1024, Unit: 256, Predicate: true}, lowering.Budget{Registers: 21})
	if err != nil {
		t.Fatal(err)
	}
	return k, l
}

// found reports whether a path shows that a lowered kernel is another.
func found(k *trace.Kernel, l *lowering.Lowered) bool {
	for seed := range uint64(12) {
		if evaluate.Check(k, l, evaluate.Path(k, rand.New(rand.NewPCG(seed, 26)), 12)) != nil {
			return true
		}
	}
	return false
}

// corruptions are changes of an operation by which it does other work, and false where it has no
// place for them.
var corruptions = map[string]func(f *ir.Function, op *ir.Op) bool{
	"another offset": func(_ *ir.Function, op *ir.Op) bool { op.Offset += 4; return op.Memory && op.Spill == 0 },
	"another base": func(_ *ir.Function, op *ir.Op) bool {
		if op.Base.Kind != ir.Reg {
			return false
		}
		op.Base = ir.Operand{}
		return true
	},
	"another address of a copy": func(_ *ir.Function, op *ir.Op) bool {
		at := slices.IndexFunc(op.Src, func(o ir.Operand) bool { return o.Address })
		if at >= 0 {
			op.Src[at].Value += 4
		}
		return at >= 0
	},
	"another predicate of a part": func(_ *ir.Function, op *ir.Op) bool {
		op.Guard.Negated = !op.Guard.Negated
		return op.Mask == 0 && op.Guard.Kind == ir.Reg && !op.Unmasked && op.Effect != ir.Ends
	},
	"another spill": func(_ *ir.Function, op *ir.Op) bool { op.Spill += 100; return op.Spill > 100 },
	"another guard": func(_ *ir.Function, op *ir.Op) bool {
		op.Guard.Negated = !op.Guard.Negated
		return op.Mask > 0
	},
	"a guard that is gone": func(_ *ir.Function, op *ir.Op) bool {
		was := op.Mask > 0
		op.Mask, op.Guard, op.Partial = 0, ir.Operand{}, false
		return was
	},
	"another value": func(_ *ir.Function, op *ir.Op) bool {
		for n := range op.Reads {
			if o := &op.Reads[n].Operand; o.Kind == ir.Reg {
				o.Kind, o.Value = ir.Immediate, 77
			} else {
				o.Kind, o.Value = ir.Immediate, o.Value+1
			}
		}
		return len(op.Reads) > 0 && len(op.Covers) > 0 && !op.Memory
	},
	"another constant": func(_ *ir.Function, op *ir.Op) bool {
		for n := range op.Src {
			if len(op.Covers) == 0 && op.Spill == 0 && op.Src[n].Kind != ir.Reg && op.Code == ir.MOV {
				op.Src[n].Value += 4
				return true
			}
		}
		return false
	},
	"another combination": func(_ *ir.Function, op *ir.Op) bool {
		was := op.Combine
		op.Combine = ir.And + ir.Or - was
		return was != ir.Alone
	},
	"none": func(_ *ir.Function, op *ir.Op) bool {
		was := len(op.Covers) > 0 && (len(op.Dst) > 0 && op.Code != ir.ISETP || op.Memory) || op.Spill > 0 // a path says which parts are taken
		*op = ir.Op{Code: ir.BSYNC, Part: op.Part}
		return was
	},
	"lanes that do not come to it": func(_ *ir.Function, op *ir.Op) bool {
		sum := op.Code == ir.IADD3 && len(op.Covers) > 0 && op.Part > 0 && op.Partial && op.Mask == 0
		op.Unmasked = true
		return sum
	},
	"results in each other's place": func(_ *ir.Function, op *ir.Op) bool {
		slices.Reverse(op.Dst)
		return len(op.Dst) > 1
	},
	"a condition at the end": func(f *ir.Function, op *ir.Op) bool {
		if op.Effect != ir.Ends || op.Guard.Kind == ir.Reg {
			return false
		}
		op.Guard = ir.RegOperand(ir.Register(slices.IndexFunc(f.Registers, func(r ir.RegisterInfo) bool { return r.File == trace.FilePredicate })))
		return true
	},
}

// A lowered kernel is found wrong where one of its operations does other work.
func TestWrongOperationsAreFound(t *testing.T) {
	for _, generation := range []string{"fermi", "turing"} {
		did, spilled := map[string]int{}, uint32(0)
		for _, text := range append(conjunctions()[:2], whole(), joined) {
			k, l := lowered(t, text, generation)
			if found(k, l) {
				t.Fatalf("the lowered kernel itself is found wrong: %s", text)
			}
			spilled += uint32(l.SpillBytes)
			for b, block := range l.Function.Blocks {
				for i := 0; block != nil && i < len(block.Ops); i++ {
					was := block.Ops[i]
					for name, corrupt := range corruptions {
						op := was
						op.Src, op.Dst, op.Reads = slices.Clone(was.Src), slices.Clone(was.Dst), slices.Clone(was.Reads)
						if !corrupt(l.Function, &op) {
							continue
						}
						block.Ops[i] = op
						if did[name]++; !found(k, l) {
							t.Errorf("%s, block %d, operation %d (%s): %s is not found: %+v", generation, b, i, was.Code.Name, name, was)
						}
						block.Ops[i] = was
					}
				}
			}
		}
		if spilled == 0 {
			t.Error("nothing is spilled")
		}
		for name := range corruptions {
			if did[name] == 0 {
				t.Errorf("%s: no operation can have %s", generation, name)
			}
		}
	}
}
