// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
	"github.com/warptape/warptape/trace"
)

// written gives operations as text: a guard, "*" for one that all lanes of the block execute,
// "~" for one that keeps old values, the code, results, sources and the address. Registers that the
// lowering makes are t1, t2 and so on in their order.
func written(f *ir.Function, ops []ir.Op) string {
	made := map[ir.Register]string{}
	name := func(r ir.Register) string {
		if n := f.Registers[r].Name; n != "" {
			return n[1:]
		}
		if made[r] == "" {
			made[r] = fmt.Sprintf("t%d", len(made)+1)
		}
		return made[r]
	}
	operand := func(o ir.Operand) (text string) {
		switch o.Kind {
		case ir.Reg:
			text = name(o.Register) + []string{"", ".low", ".high", ".zero"}[o.Part]
			if o.Address {
				return fmt.Sprintf("[%s+%d]", text, o.Value)
			}
		case ir.Immediate:
			text = fmt.Sprint(o.Symbol, o.Value)
			if o.Symbol != "" {
				text = o.Symbol + fmt.Sprintf("+%d", o.Value)
			}
			if o.Address {
				return fmt.Sprintf("[%d]", o.Value)
			}
		case ir.Constant:
			text = fmt.Sprintf("c%d[%s+%d]", o.Words, o.Symbol, o.Value)
		case ir.Special:
			text = "%" + o.Symbol
		}
		if o.Negated {
			text = "!" + text
		}
		return text
	}
	var list []string
	for i := range ops {
		op := &ops[i]
		if op.Code == ir.EXIT {
			continue
		}
		var words []string
		if op.Guard.Kind != ir.None {
			words = append(words, "@"+operand(op.Guard))
		}
		code := op.Code.Name
		if op.Code == ir.MOV64 {
			code = "MOV.64"
		}
		if op.Unmasked {
			code = "*" + code
		}
		if op.Partial {
			code = "~" + code
		}
		words = append(words, code+[]string{"", ".AND", ".OR"}[op.Combine])
		for _, r := range op.Dst {
			words = append(words, name(r))
		}
		for _, o := range op.Src {
			words = append(words, operand(o))
		}
		if op.Base.Kind == ir.Reg {
			words = append(words, fmt.Sprintf("[%s+%d]", operand(op.Base), op.Offset))
		} else if op.Memory {
			words = append(words, fmt.Sprintf("[%d]", op.Offset))
		}
		list = append(list, strings.Join(words, " "))
	}
	return strings.Join(list, "; ")
}

// newer is what generations from Volta on have.
var newer = Target{ThreeInputs: true, WideMultiply: true, Scoped: true}

// Operations read values where they come from: halves, words that zeros extend, constants, and sums in
// addresses.
func TestOperandsAreReadWhereTheyComeFrom(t *testing.T) {
	const begin = "ld.global.u64 d1, [d9]\nld.global.u32 r1, [d1]\nld.global.u32 r2, [d1+4]\nld.global.u64 d2, [d1+16]\n"
	const loads = 4
	for _, c := range []struct{ lines, want string }{
		{"mov.b64 {r8,r7}, d2\nadd.s32 r9, r7, r8\nst.global.u32 [d1], r9", "IADD3 r9 d2.high d2.low; STG r9 [d1+0]"},
		{"ld.param.u64 d4, [second]\nmov.b64 {r8,r7}, d4\nadd.s32 r6, r1, r8\nadd.s32 r9, r6, r7\nst.global.u32 [d1], r9", "IADD3 r6 r1 c1[+8]; IADD3 r9 r6 c1[+12]; STG r9 [d1+0]"},
		{"mov.u64 d4, 21474836483\nmov.b64 {r8,r7}, d4\nand.b32 r6, r1, r8\nxor.b32 r9, r2, r7\nst.global.u32 [d1], r9\nst.global.u32 [d1], r6", "LOP3 r6 r1 3; LOP3 r9 r2 5; STG r9 [d1+0]; STG r6 [d1+0]"},
		{"ld.param.u64 d4, [second+8]\nadd.s64 d8, d2, d4\nst.global.u64 [d1], d8", "IADD3.X d8 d2 c2[+16]; STG d8 [d1+0]"},
		{"ld.param.u32 r4, [second]\ncvt.u64.u32 d4, r4\nadd.s64 d8, d2, d4\nst.global.u64 [d1], d8", "IADD3.X d8 d2 c1[+8]; STG d8 [d1+0]"},
		{"cvt.u64.u32 d4, r1\nadd.s64 d8, d2, d4\nst.global.u64 [d1], d8", "IADD3.X d8 d2 r1.zero; STG d8 [d1+0]"},
		{"cvt.u64.u32 d4, r1\ncvt.u32.u64 r4, d4\nadd.s32 r9, r4, r2\nst.global.u32 [d1], r9\nst.global.u64 [d1], d4", "IADD3 r9 r1 r2; STG r9 [d1+0]; STG r1.zero [d1+0]"},
		{"cvt.u64.u32 d4, r1\nmov.b64 {r8,r7}, d4\nadd.s32 r9, r8, r7\nst.global.u32 [d1], r9\nst.global.u64 [d1], d4", "IADD3 r9 r1 d4.high; STG r9 [d1+0]; STG r1.zero [d1+0]"},
		{"mov.u64 d4, -1\ncvt.u32.u64 r4, d4\nadd.s32 r9, r4, r1\nst.global.u32 [d1], r9\nst.global.u64 [d1], d4", "IADD3 r9 -1 r1; STG r9 [d1+0]; *MOV.64 t1 -1; STG t1 [d1+0]"},
		{"mov.u32 r4, -1\ncvt.u64.u32 d4, r4\nadd.s64 d8, d2, d4\nst.global.u64 [d1], d8", "IADD3.X d8 d2 4294967295; STG d8 [d1+0]"},
		{"mov.u64 d4, d2\ncvt.u32.u64 r4, d4\nadd.s32 r9, r4, r1\nst.global.u64 [d1], d2\nst.global.u32 [d1], r9", "IADD3 r9 d2.low r1; STG d2 [d1+0]; STG r9 [d1+0]"},
		{"mov.u64 d4, d2\nld.shared.u32 r9, [d4]\nst.global.u64 [d1], d2\nst.global.u32 [d1], r9", "LDS r9 [d2.low+0]; STG d2 [d1+0]; STG r9 [d1+0]"},
		{"cvt.u32.u64 r4, d2\nadd.s32 r9, r4, r1\nst.global.u32 [d1], r9", "IADD3 r9 d2.low r1; STG r9 [d1+0]"},
		{"cvt.u16.u64 r4, d2\nst.global.u32 [d1], r4", "LOP3 r4 d2.low; STG r4 [d1+0]"},
		{"cvt.u64.u64 d4, d2\nst.global.u64 [d1], d4", "STG d2 [d1+0]"},
		{"mov.u32 r4, r1\nmov.u32 r5, r4\nadd.s32 r9, r5, r2\nst.global.u32 [d1], r9", "IADD3 r9 r1 r2; STG r9 [d1+0]"},
		{"mov.u32 r4, r1\nadd.s32 r1, r1, 1\nst.global.u32 [d1], r4\nst.global.u32 [d1], r1", "MOV r4 r1; IADD3 r1 r1 1; STG r4 [d1+0]; STG r1 [d1+0]"},
		{"mov.u32 r4, 7\nmov.u32 r4, 7\nadd.s32 r9, r4, r1\nst.global.u32 [d1], r9", "IADD3 r9 7 r1; STG r9 [d1+0]"},
		{"mov.u32 r4, 7\nmov.u32 r4, 8\nadd.s32 r9, r4, r1\nst.global.u32 [d1], r9", "MOV r4 7; MOV r4 8; IADD3 r9 r4 r1; STG r9 [d1+0]"},
		{"@p1 mov.u32 r4, 7\nadd.s32 r9, r4, r1\nst.global.u32 [d1], r9", "@p1 ~MOV r4 7; IADD3 r9 r4 r1; STG r9 [d1+0]"},
		{"mov.u32 r4, table\nld.shared.u32 r9, [r4+4]\nst.global.u32 [d1], r9", "LDS r9 [4]; STG r9 [d1+0]"},
		{"mov.u64 d4, table\nst.global.u64 [d1], d4", "*MOV.64 t1 c2[&table+0]; STG t1 [d1+0]"},
		{"mov.u32 r4, %ntid.x\nmad.lo.s32 r9, r4, r1, r2\nst.global.u32 [d1], r9", "IMAD r9 c1[%ntid.x+0] r1 r2; STG r9 [d1+0]"},
		{"mov.u32 r4, %nctaid.z\nadd.s32 r9, r4, r2\nst.global.u32 [d1], r9", "IADD3 r9 c1[%nctaid.z+0] r2; STG r9 [d1+0]"},
		{"mov.u32 r4, %ctaid.x\nmov.u32 r5, %ntid.x\nmad.lo.s32 r9, r4, r5, r1\nst.global.u32 [d1], r9", "S2R r4 %ctaid.x; IMAD r9 r4 c1[%ntid.x+0] r1; STG r9 [d1+0]"},
		{"setp.lt.s32 p1, r1, r2\nnot.pred p2, p1\nnot.pred p3, p2\nselp.b32 r8, r1, r2, p2\nselp.b32 r9, r1, r2, p3\nst.global.u32 [d1], r9\nst.global.u32 [d1], r8", "ISETP p1 r1 r2; SEL r8 r1 r2 !p1; SEL r9 r1 r2 p1; STG r9 [d1+0]; STG r8 [d1+0]"},
		{"setp.lt.s32 p1, r1, r2\nsetp.lt.and.s32 p2, r1, 5, !p1\nselp.b32 r9, r1, r2, p2\nst.global.u32 [d1], r9", "ISETP p1 r1 r2; ISETP p2 r1 5 !p1; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"setp.lt.s32 p1, r1, r2\nnot.pred p2, p1\n@p2 st.global.u32 [d1], r1", "ISETP p1 r1 r2; @!p1 STG r1 [d1+0]"},
		{"setp.lt.s32 p1, r1, r2\nnot.pred p2, p1\n@!p2 st.global.u32 [d1], r1", "ISETP p1 r1 r2; @p1 STG r1 [d1+0]"},
		{"setp.lt.s32 p1, r1, 3\nsetp.lt.s32 p2, r2, 4\nand.pred p3, p1, p2\nor.pred p4, p1, p3\nselp.b32 r8, r1, r2, p4\nst.global.u32 [d1], r8", "ISETP p1 r1 3; ISETP p3 r2 4 p1; ISETP p4 r1 3 p3; SEL r8 r1 r2 p4; STG r8 [d1+0]"},
		{"setp.lt.s32 p1, r1, 3\nsetp.lt.s32 p2, r2, 4\nxor.pred p3, p1, p2\nselp.b32 r8, r1, r2, p4\nselp.b32 r7, r8, r2, p1\nselp.b32 r9, r7, r2, p2\nselp.b32 r6, r9, r2, p3\nst.global.u32 [d1], r6", "ISETP p1 r1 3; ISETP p2 r2 4; ISETP p3 r1 3 p2; SEL r8 r1 r2 p4; SEL r7 r8 r2 p1; SEL r9 r7 r2 p2; SEL r6 r9 r2 p3; STG r6 [d1+0]"},
		{"mul.wide.u32 d4, r1, 4\nadd.s64 d5, d2, d4\nadd.s64 d6, d5, 16\nld.global.u32 r9, [d6+8]\nst.global.u32 [d5+4], r9", "IMAD.WIDE d5 r1 4 d2; LDG r9 [d5+24]; STG r9 [d5+4]"},
		{"mul.wide.u32 d4, r1, 4\nld.param.u64 d3, [first]\nadd.s64 d5, d3, d4\nld.global.u32 r9, [d5]\nst.global.u32 [d1], r9", "*MOV t1 4; IMAD.WIDE d5 r1 t1 c2[+0]; LDG r9 [d5+0]; STG r9 [d1+0]"},
		{"mul.wide.u32 d4, r1, 4\nmul.wide.u32 d5, r2, 4\nld.param.u64 d3, [first]\nadd.s64 d5, d3, d4\nld.global.u32 r9, [d5]\nst.global.u32 [d1], r9", "IMAD.WIDE d5 r2 4; *MOV t1 4; IMAD.WIDE d5 r1 t1 c2[+0]; LDG r9 [d5+0]; STG r9 [d1+0]"},
		{"add.s32 r4, r1, 8\nadd.s32 r5, 4, r4\nld.shared.u32 r9, [r5+2]\nst.shared.u32 [r4], r9", "LDS r9 [r1+14]; STS r9 [r1+8]"},
		{"add.s64 d4, d2, 4294967296\nld.global.u32 r9, [d4]\nst.global.u32 [d1], r9", "IADD3.X d4 d2 4294967296; LDG r9 [d4+0]; STG r9 [d1+0]"},
		{"add.s64 d4, d2, 2147483647\nld.global.u32 r8, [d4]\nld.global.u32 r9, [d4+1]\nst.global.u32 [d1], r9\nst.global.u32 [d1], r8", "IADD3.X d4 d2 2147483647; LDG r8 [d2+2147483647]; LDG r9 [d4+1]; STG r9 [d1+0]; STG r8 [d1+0]"},
		{"sub.s64 d4, d2, 8\nld.global.u32 r9, [d4]\nst.global.u32 [d1], r9", "IADD3.X d4 d2 8; LDG r9 [d4+0]; STG r9 [d1+0]"},
		{"add.s32 r4, r1, 8\nadd.s32 r1, r1, 1\nld.shared.u32 r9, [r4]\nst.shared.u32 [r1], r9", "IADD3 r4 r1 8; IADD3 r1 r1 1; LDS r9 [r4+0]; STS r9 [r1+0]"},
		{"ld.shared.u32 r9, [table+4]\nst.shared.u32 [d2], r9\nst.local.u32 [d2+4], r9\nld.const.u32 r8, [d2]\nst.global.u32 [d2], r8", "LDS r9 [4]; STS r9 [d2.low+0]; STL r9 [d2.low+4]; LDC r8 [d2.low+0]; STG r8 [d2+0]"},
		{"mov.u32 r4, 64\nld.shared.u32 r9, [r4+4]\nst.global.u32 [d1], r9", "LDS r9 [68]; STG r9 [d1+0]"},
		{"ld.param.u64 d3, [first]\nld.global.u32 r9, [d3+4]\nst.global.u32 [d3], r9", "*MOV.64 t1 c2[+0]; LDG r9 [t1+4]; STG r9 [t1+0]"},
		{"ld.param.u64 d3, [first]\ncvta.to.global.u64 d4, d3\nld.global.u32 r9, [d4]\nst.global.u64 [d4], d3", "*MOV.64 t1 c2[+0]; LDG r9 [t1+0]; STG t1 [t1+0]"},
		{"st.global.u32 [d1], 0\nst.global.u32 [d1+4], 5\nst.global.u64 [d1], 5", "STG 0 [d1+0]; *MOV t1 5; STG t1 [d1+4]; *MOV.64 t2 5; STG t2 [d1+0]"},
		{"st.global.v2.u32 [d1], {r1,7}", "*MOV t1 7; STG r1 t1 [d1+0]"},
		{"add.s32 r9, r1, %laneid\nst.global.u32 [d1], r9", "S2R t1 %laneid; IADD3 r9 r1 t1; STG r9 [d1+0]"},
		{"cvt.u32.u64 r4, d2\nshl.b64 d4, d2, 3\nadd.s64 d5, d4, 9\ncvt.u32.u64 r5, d5\nst.global.u32 [d1], r5", "*MOV t1 9; LEA d5 d2.low 3 t1; STG d5 [d1+0]"},
		{"add.s64 d4, d2, d2\nld.shared.u32 r9, [d4]\nst.global.u32 [d1], r9", "IADD3 d4 d2.low d2.low; LDS r9 [d4+0]; STG r9 [d1+0]"},
		{"and.b64 d4, d2, 255\nshr.u64 d5, d4, 3\nld.shared.u32 r9, [d5]\nst.global.u32 [d1], r9", "LOP3 d4 d2 255; SHF d5 d4 3; LDS r9 [d5.low+0]; STG r9 [d1+0]"},
		{"cvt.s64.s32 d4, r1\nadd.s64 d5, d4, 4\nst.shared.u32 [d5], r2", "STS r2 [r1+4]"},
		{"setp.lt.s64 p1, d2, 7\nselp.b32 r9, r1, r2, p1\nst.global.u32 [d1], r9", "ISETP.EX p1 d2 7; SEL r9 r1 r2 p1; STG r9 [d1+0]"},
		{"setp.lt.f64 p1, d2, d1\nselp.b32 r9, r1, r2, p1\nst.global.u32 [d1], r9", "DSETP p1 d2 d1; SEL r9 r1 r2 p1; STG r9 [d1+0]"},
		{"popc.b64 r9, d2\nst.global.u32 [d1], r9", "POPC t1 d2.low; POPC t2 d2.high; IADD3 r9 t1 t2 d2; STG r9 [d1+0]"},
		{"ld.const.v2.u32 {r8,r7}, [r1]\nadd.s32 r9, r8, r7\nst.global.u32 [d1], r9", "LDC r8 r7 [r1+0]; IADD3 r9 r8 r7; STG r9 [d1+0]"},
		{"add.s64 d4, d2, 9\nset.lt.u32.s64 r9, d4, d2\nst.global.u32 [d1], r9", "IADD3.X d4 d2 9; SET r9 d4 d2; STG r9 [d1+0]"},
		{"add.s64 d4, d2, 9\ncvt.rn.f32.s64 r9, d4\nst.global.u32 [d1], r9", "IADD3.X d4 d2 9; I2F r9 d4; STG r9 [d1+0]"},
		{"add.s64 d4, d2, 9\ncvt.sat.u32.u64 r9, d4\nst.global.u32 [d1], r9", "IADD3.X d4 d2 9; I2I r9 d4; STG r9 [d1+0]"},
		{"add.s64 d4, d2, 9\ncvt.u32.u64 r9, d4\nst.global.u32 [d1], r9", "IADD3 d4 d2.low 9; STG d4 [d1+0]"},
		{"ld.param.u32 r4, [second]\nmul.wide.u32 d4, r1, r4\nld.param.u64 d3, [first]\nadd.s64 d5, d3, d4\nld.global.u32 r9, [d5]\nst.global.u32 [d1], r9", "IMAD.WIDE d4 r1 c1[+8]; IADD3.X d5 c2[+0] d4; LDG r9 [d5+0]; STG r9 [d1+0]"},
		{"cvt.rn.f64.u32 d4, r1\nst.shared.u32 [d4], r2", "I2F d4 r1; STS r2 [d4.low+0]"},
		{"mov.b64 {r8,r7,r6,r5}, d2\nadd.s32 r9, r8, r5\nst.global.u32 [d1], r9", "MOV r8 r7 r6 r5 d2; IADD3 r9 r8 r5; STG r9 [d1+0]"},
		{"mul.lo.s64 d4, d2, d2\nst.shared.u32 [d4], r2", "IMAD d4 d2.low d2.low; STS r2 [d4+0]"},
		{"mul.hi.s64 d4, d2, d2\nst.shared.u32 [d4], r2", "IMAD.WIDE t1 d2 d2; IMAD.WIDE t2 d2 d2 t1; IMAD.WIDE t3 d2 d2; IADD3 t4 t2 t3; IMAD t5 t2; IMAD.MOV.U32 t6 t5; IMAD.WIDE d4 d2 d2 t6 t4; STS r2 [d4.low+0]"},
		{"not.b64 d4, d2\nst.shared.u32 [d4], r2", "LOP3 d4 d2.low; STS r2 [d4+0]"},
		{"neg.s64 d4, d2\nsub.s64 d5, d4, d2\nst.shared.u32 [d5], r2", "IADD3 d4 d2.low; IADD3 d5 d4 d2.low; STS r2 [d5+0]"},
		{"shl.b64 d4, d2, 3\nst.shared.u32 [d4], r2\nst.global.u64 [d1], d4", "SHF d4 d2 3; STS r2 [d4.low+0]; STG d4 [d1+0]"},
		{"add.f64 d4, d2, d2\nst.shared.u32 [d4], r2", "DADD d4 d2 d2; STS r2 [d4.low+0]"},
		{"mad.wide.u32 d4, r1, r2, d2\nst.shared.u32 [d4], r2", "IMAD d4 r1 r2 d2.low; STS r2 [d4+0]"},
		{"mov.b64 d4, {r1,r2}\nst.shared.u32 [d4], r2", "PRMT d4 r1 r2; STS r2 [d4+0]"},
		{"@p1 add.s64 d4, d2, 9\nst.shared.u32 [d4], r2", "@p1 ~IADD3.X d4 d2 9; STS r2 [d4.low+0]"},
		{"add.s64 d4, d2, 9\nst.shared.u64 [d4], d4", "IADD3.X d4 d2 9; STS d4 [d2.low+9]"},
		{"add.s64 d4, d2, 9\nst.shared.v2.u64 [d4], {d2,d4}", "IADD3.X d4 d2 9; STS d2 d4 [d2.low+9]"},
		{"add.s64 d4, d2, d2\nld.shared.v2.u32 {r8,r7}, [d4]\nadd.s32 r9, r8, r7\nst.global.u32 [d1], r9", "IADD3 d4 d2.low d2.low; LDS r8 r7 [d4+0]; IADD3 r9 r8 r7; STG r9 [d1+0]"},
		{"ld.shared.u32 r9, [d8]\nst.global.u32 [d1], r9", "LDS r9 [d8.low+0]; STG r9 [d1+0]"}, // nothing here writes d8: both words come from elsewhere
		{"mov.pred p1, 1\n@p1 st.global.u32 [d1], r1", "STG r1 [d1+0]"},
		{"setp.lt.f32 p1, r1, r2\nsetp.lt.f32 p2, r2, r1\nxor.pred p3, p1, p2\nselp.b32 r7, r1, r2, p1\nselp.b32 r9, r7, r2, p2\nselp.b32 r6, r9, r2, p3\nst.global.u32 [d1], r6", "FSETP p1 r1 r2; FSETP p2 r2 r1; FSETP p3 r1 r2 p2; SEL r7 r1 r2 p1; SEL r9 r7 r2 p2; SEL r6 r9 r2 p3; STG r6 [d1+0]"},
		{"setp.lt.f64 p1, d1, d2\nsetp.lt.f64 p2, d2, d1\nxor.pred p3, p1, p2\nselp.b32 r7, r1, r2, p1\nselp.b32 r9, r7, r2, p2\nselp.b32 r6, r9, r2, p3\nst.global.u32 [d1], r6", "DSETP p1 d1 d2; DSETP p2 d2 d1; PLOP3 p3 p1 p2; SEL r7 r1 r2 p1; SEL r9 r7 r2 p2; SEL r6 r9 r2 p3; STG r6 [d1+0]"},
		{"setp.lt.s32 p2, r2, 5\nselp.b32 r7, r1, r2, p2\nsetp.lt.f64 p1, d1, d2\nand.pred p3, p1, p2\nselp.b32 r9, r7, r2, p3\nst.global.u32 [d1], r9", "ISETP p2 r2 5; SEL r7 r1 r2 p2; DSETP p3 d1 d2 p2; SEL r9 r7 r2 p3; STG r9 [d1+0]"},
		{"ld.const.v2.u32 {_,r7}, [table]\nadd.s32 r9, r1, r7\nst.global.u32 [d1], r9", "IADD3 r9 r1 c1[table+4]; STG r9 [d1+0]"},
		{"sad.u32 r9, r1, %laneid, r2\nst.global.u32 [d1], r9", "S2R t1 %laneid; SAD r9 r1 t1 r2; STG r9 [d1+0]"},
		{"bfi.b32 r9, r1, r2, 0, 4\nst.global.u32 [d1], r9", "SHF t1 r1 r2; LOP3 r9 t1 r1 r2 0 4; STG r9 [d1+0]"},
		{"@p1 add.s32 r4, r1, 8\nld.shared.u32 r9, [r4]\nst.global.u32 [d1], r9", "@p1 ~IADD3 r4 r1 8; LDS r9 [r4+0]; STG r9 [d1+0]"},
		{"add.sat.s32 r4, r1, 8\nld.shared.u32 r9, [r4]\nst.global.u32 [d1], r9", "IADD3 r4 r1 8; LDS r9 [r4+0]; STG r9 [d1+0]"},
		{"add.f32 r4, r1, 8\nld.shared.u32 r9, [r4]\nst.global.u32 [d1], r9", "FADD r4 r1 8; LDS r9 [r4+0]; STG r9 [d1+0]"},
		{"@p1 cvt.u64.u32 d4, r1\nst.global.u64 [d1], d4", "@p1 ~MOV.64 d4 r1; STG d4 [d1+0]"},
		{"@p1 cvt.s64.s32 d4, r1\nst.global.u64 [d1], d4", "@p1 ~SHF.R.S32.HI d4 r1; STG d4 [d1+0]"},
		{"tanh.approx.f16 r9, r1\nst.global.u32 [d1], r9", "TANH r9 r1; STG r9 [d1+0]"},
		{"shfl.sync.idx.b32 r9, r1, 3, 31\nst.global.u32 [d1], r9", "SHFL r9 r1 3 31; STG r9 [d1+0]"},
	} {
		k := loweringtest.Assemble(t, begin+c.lines+"\nexit")
		f, err := Select(k, [][]Part{{{Block: 0}}}, newer)
		if err != nil {
			t.Fatal(err)
		}
		if got := written(f, f.Blocks[0].Ops[loads:]); got != c.want {
			t.Errorf("%s:\n\t%s, want\n\t%s", strings.ReplaceAll(c.lines, "\n", "; "), got, c.want)
		}
	}
}

// What the machine has to recognise keeps its instruction, and its place among others that do.
func TestWhatTheMachineRecognisesKeepsItsInstruction(t *testing.T) {
	for line, want := range map[string]ir.Effect{
		"bar.sync 0": ir.Ends, "call f": ir.Ends, "membar.gl": ir.Ordered, "shfl.sync.idx.b32 r9, r1, 3, 31": ir.Pure, "mma.sync.f32 r9, r1, r2": ir.Pure, "vote.sync.any.pred p1, p2, -1": ir.Pure,
		"mbarrier.arrive.b64 d4, d1": ir.Ordered, "wgmma.mma_async.f32 r9, r9, d1": ir.Ordered, "cp.async.commit_group r9, r1": ir.Ordered, "barrier.cluster.arrive.b32 r9, r1": ir.Ordered, "elect.sync.b32 r9, -1": ir.Ordered, "setmaxnreg.inc.u32 r9, 24": ir.Ordered,
		"griddepcontrol.wait.b32 r9, r1": ir.Ordered, "atom.global.add.u32 r9, [d1], r2": ir.Ordered,
	} {
		f, err := Select(loweringtest.Assemble(t, line+"\nst.global.u64 [d1], d4\nst.global.u32 [d1], r9\nselp.b32 r8, r1, r2, p1\nst.global.u32 [d1], r8\nexit"), [][]Part{{{Block: 0}}}, newer)
		if err != nil {
			t.Fatal(err)
		}
		if op := &f.Blocks[0].Ops[0]; op.Effect != want || op.Keep != &f.Kernel.Instructions[0] {
			t.Errorf("%s: effect %d, want %d; it keeps its instruction: %v", line, op.Effect, want, op.Keep != nil)
		}
	}
}

// What orders an access or a meeting of lanes with others (PTX ISA, "Memory Consistency Model", and
// "ld", "st"): plain accesses keep their order where they may meet, strong ones all, and what
// only reads what never changes none.
func TestWhatOrdersInstructions(t *testing.T) {
	for line, want := range map[string]ir.Effect{
		"ld.global.u32 r1, [d1]": ir.Loads, "ld.shared.u32 r1, [r2]": ir.Loads, "ldu.global.u32 r1, [d1]": ir.Loads,
		"ld.volatile.global.u32 r1, [d1]": ir.Ordered, "ld.relaxed.gpu.global.u32 r1, [d1]": ir.Ordered, "ld.acquire.gpu.global.u32 r1, [d1]": ir.Ordered, "ld.mmio.global.u32 r1, [d1]": ir.Ordered,
		"ld.global.nc.u32 r1, [d1]": ir.Pure, "ld.const.u32 r1, [d1]": ir.Pure, "ld.param.u32 r1, [r2]": ir.Pure, "ldmatrix.shared.b16 r1, [r2]": ir.Ordered,
		"st.global.u32 [d1], r2": ir.Stores, "st.volatile.global.u32 [d1], r2": ir.Ordered, "st.relaxed.gpu.global.u32 [d1], r2": ir.Ordered, "st.release.gpu.global.u32 [d1], r2": ir.Ordered,
		"st.mmio.global.u32 [d1], r2": ir.Ordered, "stmatrix.shared.b16 [r1], r2": ir.Ordered,
		"atom.global.add.u32 r1, [d1], r2": ir.Ordered, "membar.gl": ir.Ordered, "bar.sync 0": ir.Ends, "shfl.sync.idx.b32 r1, r2, 3, 31": ir.Pure,
	} {
		in := loweringtest.Assemble(t, line).Instructions[0]
		if got := effectOf(&in); got != want {
			t.Errorf("%s: effect %d, want %d", line, got, want)
		}
	}
}

// grouped lowers a kernel whose blocks are in groups: "0 1? 2, 3" is a lowered block of three with an
// optional one in its middle, and one of its own. LLVM has sunk a part with "!".
func grouped(t *testing.T, k *trace.Kernel, groups string) *ir.Function {
	t.Helper()
	list := make([][]Part, len(k.Blocks))
	for _, group := range strings.Split(groups, ", ") {
		var parts []Part
		for _, word := range strings.Fields(group) {
			p := Part{Optional: strings.Contains(word, "?"), Sunk: strings.HasSuffix(word, "!")}
			if _, err := fmt.Sscan(strings.Trim(word, "?!"), &p.Block); err != nil {
				t.Fatal(err)
			}
			parts = append(parts, p)
		}
		list[parts[0].Block] = parts
	}
	f, err := Select(k, list, newer)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What lanes do that a branch lets in becomes an operation with a predicate. Conditions inside of
// conditions take these in, or are computed by all lanes.
func TestOptionalPartsHavePredicates(t *testing.T) {
	const begin, end = "ld.global.u64 d1, [d9]; ld.global.u32 r1, [d1]; ld.global.u32 r2, [d1+4]; ", "st.global.u32 [d1], r9; exit"
	for _, c := range []struct{ why, blocks, groups, want string }{
		{"a branch over a sum", "1 2/2: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 2\n2: add.s32 r9, r1, 1\n: " + end, "0 1? 2", "MOV r9 0; ISETP p1 r1 5; @!p1 ~IADD3 r9 r1 1; STG r9 [d1+0]"},
		{"a branch over a sum, where the predicate does not hold", "1 2/2: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; @!p1 bra 2\n2: add.s32 r9, r1, 1\n: " + end, "0 1? 2", "MOV r9 0; ISETP p1 r1 5; @p1 ~IADD3 r9 r1 1; STG r9 [d1+0]"},
		{"both sides", "1 2/3: " + begin + "setp.s32 p1, r1, 5; bra 2\n3: add.s32 r9, r1, 1; go 3\n3: add.s32 r9, r2, 2\n: " + end, "0 1? 2? 3", "ISETP p1 r1 5; @!p1 ~IADD3 r9 r1 1; @p1 ~IADD3 r9 r2 2; STG r9 [d1+0]"},
		{"a branch in a branch", "1 3/3: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 3\n2 3/3: setp.s32 p2, r2, 7; bra2 3\n3: add.s32 r9, r1, 1\n: " + end, "0 1? 2? 3", "MOV r9 0; ISETP p1 r1 5; *ISETP p2 r2 7 !p1; @!p2 ~IADD3 r9 r1 1; STG r9 [d1+0]"},
		{"a branch in a branch, on a value that is known outside", "1 3/3: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; setp.s32 p2, r2, 7; bra 3\n2 3/3: add.s32 r9, r9, 3; bra2 3\n3: add.s32 r9, r1, 1\n: " + end, "0 1? 2? 3", "MOV r9 0; ISETP p1 r1 5; ISETP p2 r2 7 !p1; @!p1 ~IADD3 r9 r9 3; @!p2 ~IADD3 r9 r1 1; STG r9 [d1+0]"},
		{"a && b", "1 2/2: " + begin + "mov.pred p2, 0; setp.s32 p1, r1, 5; bra 2\n2: setp.s32 p2, r2, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p1 r1 5; *ISETP.AND p2 r2 7 !p1; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a || b", "1 2/2: " + begin + "mov.pred p2, 1; setp.s32 p1, r1, 5; bra 2\n2: setp.s32 p2, r2, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p1 r1 5; *ISETP.OR p2 r2 7 p1; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a && b, of what b computes", "1 2/2: " + begin + "mov.pred p2, 0; setp.s32 p1, r1, 5; bra 2\n2: add.s32 r4, r2, r1; setp.s32 p2, r4, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p1 r1 5; *IADD3 r4 r2 r1; *ISETP.AND p2 r4 7 !p1; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a && b, where a value is read in between", "1 2/2: " + begin + "mov.pred p2, 0; selp.b32 r4, r1, r2, p2; setp.s32 p1, r1, 5; bra 2\n2: setp.s32 p2, r2, 7\n: selp.b32 r9, r4, r2, p2; " + end, "0 1? 2", "PLOP3 p2 0; SEL r4 r1 r2 p2; ISETP p1 r1 5; @!p1 ~ISETP p2 r2 7; SEL r9 r4 r2 p2; STG r9 [d1+0]"},
		{"a && b, where a was computed", "1 2/2: " + begin + "setp.s32 p2, r1, r2; setp.s32 p1, r1, 5; bra 2\n2: setp.s32 p2, r2, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p2 r1 r2; ISETP p1 r1 5; @!p1 ~ISETP p2 r2 7; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a && b, where some lanes have a constant", "1 2/2: " + begin + "setp.s32 p3, r1, r2; @p3 mov.pred p2, 0; setp.s32 p1, r1, 5; bra 2\n2: setp.s32 p2, r2, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p3 r1 r2; @p3 ~PLOP3 p2 0; ISETP p1 r1 5; @!p1 ~ISETP p2 r2 7; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a && b, where a predicate was copied", "1 2/2: " + begin + "setp.s32 p3, r1, r2; mov.pred p2, p3; setp.s32 p1, r1, 5; bra 2\n2: setp.s32 p2, r2, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p3 r1 r2; PLOP3 p2 p3; ISETP p1 r1 5; @!p1 ~ISETP p2 r2 7; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a && b, where a predicate and a constant were", "1 2/2: " + begin + "setp.s32 p3, r1, r2; and.pred p2, 1, p3; setp.s32 p1, r1, 5; bra 2\n2: setp.s32 p2, r2, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p3 r1 r2; PLOP3 p2 1 p3; ISETP p1 r1 5; @!p1 ~ISETP p2 r2 7; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a && b, in double precision", "1 2/2: " + begin + "mov.pred p2, 0; setp.s32 p1, r1, 5; bra 2\n2: setp.f64 p2, d1, d1\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "ISETP p1 r1 5; *DSETP.AND p2 d1 d1 !p1; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a && b, of 64 bits", "1 2/2: " + begin + "mov.pred p2, 0; setp.s32 p1, r1, 5; bra 2\n2: setp.s64 p2, d1, 7\n: selp.b32 r9, r1, r2, p2; " + end, "0 1? 2", "PLOP3 p2 0; ISETP p1 r1 5; @!p1 ~ISETP.EX p2 d1 7; SEL r9 r1 r2 p2; STG r9 [d1+0]"},
		{"a branch in a branch, in double precision", "1 3/3: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 3\n2 3/3: setp.f64 p2, d1, d1; bra2 3\n3: add.s32 r9, r1, 1\n: " + end, "0 1? 2? 3", "MOV r9 0; ISETP p1 r1 5; *DSETP p2 d1 d1 !p1; @!p2 ~IADD3 r9 r1 1; STG r9 [d1+0]"},
		{"a branch in a branch, of 64 bits", "1 3/3: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 3\n2 3/3: setp.s64 p2, d1, 7; bra2 3\n3: add.s32 r9, r1, 1\n: " + end, "0 1? 2? 3", "MOV r9 0; ISETP p1 r1 5; *ISETP.EX p2 d1 7 !p1; @!p2 ~IADD3 r9 r1 1; STG r9 [d1+0]"},
		{"a branch in a branch, of halves", "1 3/3: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 3\n2 3/3: setp.f16 p2, r1, r2; bra2 3\n3: add.s32 r9, r1, 1\n: " + end, "0 1? 2? 3", "MOV r9 0; ISETP p1 r1 5; *HSETP2 p2 r1 r2 !p1; @!p2 ~IADD3 r9 r1 1; STG r9 [d1+0]"},
		{"a store and a load", "1 2/2: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 2\n2: ld.global.u32 r4, [d1+8]; st.global.u32 [d1+12], r4\n: " + end, "0 1? 2", "ISETP p1 r1 5; @!p1 LDG r4 [d1+8]; @!p1 STG r4 [d1+12]; STG 0 [d1+0]"},
		{"what LLVM has sunk", "1 2/2: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 2\n2: ld.global.u32 r4, [d1+8]; add.s32 r5, r4, 1; st.global.u32 [d1+12], r5\n: " + end, "0 1?! 2", "ISETP p1 r1 5; LDG r4 [d1+8]; *IADD3 r5 r4 1; @!p1 STG r5 [d1+12]; STG 0 [d1+0]"},
		{"what is read behind", "1 2/2: " + begin + "mov.u32 r9, 0; setp.s32 p1, r1, 5; bra 2\n2: ld.global.u32 r4, [d1+8]; add.s32 r9, r4, 1\n: st.global.u32 [d1], r4; " + end, "0 1?! 2", "MOV r9 0; ISETP p1 r1 5; @!p1 ~LDG r4 [d1+8]; @!p1 ~IADD3 r9 r4 1; STG r4 [d1+0]; STG r9 [d1+0]"},
		{"a branch that goes on", "1/2: " + begin + "mov.u32 r9, 0; go 1\n2/2: add.s32 r9, r1, 1; go 2\n: " + end, "0 1 2", "MOV r9 0; IADD3 r9 r1 1; STG r9 [d1+0]"},
	} {
		k := loweringtest.Blocks(t, c.blocks)
		f := grouped(t, k, c.groups)
		if got := written(f, f.Blocks[0].Ops[3:]); got != c.want {
			t.Errorf("%s:\n\t%s, want\n\t%s", c.why, got, c.want)
		}
	}
}

// What makes only what no operation reads is left out, with what makes its sources. What has an effect
// besides, or keeps a place, stays.
func TestWhatIsNotReadIsLeftOut(t *testing.T) {
	f := &ir.Function{}
	var r []ir.Register
	for range 6 {
		r = append(r, f.NewRegister(trace.FileGeneral, 1))
	}
	sum := func(dst, src ir.Register) ir.Op {
		return ir.Op{Code: ir.IADD3, Dst: []ir.Register{dst}, Src: []ir.Operand{ir.RegOperand(src)}}
	}
	load, pair := sum(r[4], r[0]), sum(r[5], r[0])
	load.Code, load.Effect, load.Memory = ir.LDL, ir.Loads, true
	pair.Dst = append(pair.Dst, r[3])
	f.Blocks = []*ir.Block{
		{Ops: []ir.Op{sum(r[1], r[0]), {Code: ir.BSSY}, {Code: ir.SKIP, Dst: []ir.Register{r[4]}}, load}}, nil,
		{Ops: []ir.Op{pair, sum(r[2], r[1]), {Code: ir.STL, Src: []ir.Operand{ir.RegOperand(r[3])}, Effect: ir.Stores, Memory: true}}},
	}
	removeDead(f)
	var got []string
	for _, b := range f.Blocks {
		for i := 0; b != nil && i < len(b.Ops); i++ {
			got = append(got, b.Ops[i].Code.Name)
		}
	}
	if want := "BSSY BRA LDL IADD3 STL"; strings.Join(got, " ") != want {
		t.Errorf("%v stay, want %s", got, want)
	}
	k := loweringtest.Assemble(t, "ld.global.u64 d1, [d9]\nadd.s64 d2, d1, 4\nadd.s64 d3, d2, 4\nst.global.u32 [d3], r1\nmul.lo.s32 r2, r1, r1\nmul.lo.s32 r3, r2, r1\nmul.lo.s32 r4, r1, r1\nadd.s32 r4, r4, 1\nmov.u32 r5, r1\n@p1 mov.u32 r6, r1\nexit")
	f, err := Select(k, [][]Part{{{Block: 0}}}, newer)
	if err != nil {
		t.Fatal(err)
	}
	want := "[false true true false true true false false true false false]" // r4 has two definitions, and r6 a guard
	if got := fmt.Sprint(f.Costless); got != want {
		t.Errorf("without cost are %s, want %s", got, want)
	}
}

// A block that does not lie within its kernel's instructions is an error of the trace.
func TestBlocksOutsideTheirKernelAreRefused(t *testing.T) {
	const text = "1 2/2: mov.u32 r1, %tid.x; setp.u32 p1, r1, 5; bra 2\n2: st.global.u32 [d1], r1\n: st.global.u32 [d1], r1; exit"
	n := uint32(len(loweringtest.Blocks(t, text).Instructions))
	for _, damage := range [][2]uint32{{n, 1}, {n - 1, 2}, {n + 5, 1}, {0, n + 1}, {1 << 31, 1 << 31}} {
		for b := range 3 {
			k := loweringtest.Blocks(t, text)
			k.Blocks[b].First, k.Blocks[b].Count = damage[0], damage[1]
			if _, err := Select(k, [][]Part{{{Block: 0}}, {{Block: 1}}, {{Block: 2}}}, newer); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("basic block %d does not lie within the %d instructions", b, n)) {
				t.Errorf("block %d from %d on, with %d: %v", b, damage[0], damage[1], err)
			}
		}
	}
}

// A block that does not end by a branch or an exit goes on to what lies behind it in memory. One whose
// branch goes there has none.
func TestBlocksGoOnToWhatLiesBehindThem(t *testing.T) {
	moved := 0
	for seed := range uint64(200) {
		draw := rand.New(rand.NewPCG(seed, 39))
		n := 3 + draw.IntN(6)
		var lines []string
		for b := range n {
			to := draw.IntN(n)
			switch draw.IntN(5) {
			case 0:
				lines = append(lines, fmt.Sprintf("%d: st.global.u32 [d1], r1; go %d", to, to))
				continue
			case 1:
				if b < n-1 && to != b+1 {
					lines = append(lines, fmt.Sprintf("%d %d/%d: st.global.u32 [d1], r1; bra %d", b+1, to, n-1, to))
					continue
				}
			}
			if b < n-1 && draw.IntN(4) == 0 { // behind which no branch can stand
				lines = append(lines, fmt.Sprintf("%d: bar.sync 0", b+1))
				continue
			}
			if b == n-1 {
				lines = append(lines, ": st.global.u32 [d1], r1; exit")
			} else {
				lines = append(lines, fmt.Sprintf("%d: st.global.u32 [d1], r1", b+1))
			}
		}
		text := strings.Join(lines, "\n")
		k := loweringtest.Blocks(t, text)
		groups := make([][]Part, n)
		for b := range groups {
			groups[b] = []Part{{Block: uint32(b)}}
		}
		f, err := Select(k, groups, newer)
		if err != nil {
			t.Fatal(err)
		}
		for at, b := range f.Layout {
			behind := -1
			if at+1 < len(f.Layout) {
				behind = int(f.Layout[at+1])
			}
			block, recorded := f.Blocks[b], &k.Instructions[k.Blocks[b].First+k.Blocks[b].Count-1]
			branches := 0
			for i := range block.Ops {
				if block.Ops[i].Code == ir.BRA {
					branches++
				}
			}
			next := k.Blocks[b].Successors
			want := 1
			if len(next) == 0 || len(next) == 1 && int(next[0]) == behind {
				want = 0
			}
			if recorded.Class == trace.ClassBarrier && behind != int(next[0]) {
				t.Fatalf("seed %d: block %d ends by a barrier, and block %d lies behind it\n%s", seed, b, behind, text)
			}
			if branches != want {
				t.Fatalf("seed %d: block %d has %d branches, and %d behind it; want %d\n%s", seed, b, branches, behind, want, text)
			}
			if recorded.Class == trace.ClassStore && want > 0 {
				moved++
			}
		}
	}
	if moved < 20 {
		t.Errorf("%d blocks go on to what lies elsewhere", moved)
	}
}

// A lowered block whose last part has come to the branch that went there needs a branch at its end: the
// one that is gone pays, the last of several. Without one the last instruction pays.
func TestABranchAtTheEndTakesThePlaceOfTheOneThatIsGone(t *testing.T) {
	const (
		begin = "1 2/7: mov.u32 r1, %ctaid.x; setp.u32 p1, r1, 5; bra 2\n"
		other = "\n7: st.global.u32 [d1], r2; go 7\n7: exit\n" // the branch's target, which lies behind, and what nothing reaches
		end   = "\n7: st.global.u32 [d1], r3\n: exit"
	)
	for _, c := range []struct {
		why, blocks, groups string
		empty, pays         uint32
	}{
		{"moved once", "6: st.global.u32 [d1], r1; go 6" + other + "7: exit\n7: exit" + end, "0, 1 6, 2, 7", 0, 1},
		{"moved twice", "4: st.global.u32 [d1], r1; go 4" + other + "6: st.global.u32 [d1], r1; go 6\n7: exit" + end, "0, 1 4 6, 2, 7", 0, 4},
		{"a branch under a predicate goes elsewhere", "4: st.global.u32 [d1], r1; go 4" + other + "5 6/6: mov.u32 r9, 0; setp.u32 p1, r1, 7; bra 6\n6: add.u32 r9, r1, 1" + end, "0, 1 4 5? 6, 2, 7", 0, 1},
		{"a part without instructions", "5: st.global.u32 [d1], r1; go 5" + other + "7: exit\n6: exit" + end, "0, 1 5 6, 2, 7", 5, 1},
		{"not moved", "6: st.global.u32 [d1], r1" + other + "7: exit\n7: exit" + end, "0, 1 6, 2, 7", 0, 6},
	} {
		k := loweringtest.Blocks(t, begin+c.blocks)
		if c.empty > 0 {
			k.Blocks[c.empty].Count = 0
		}
		f := grouped(t, k, c.groups)
		last, b := f.Blocks[1].Ops[len(f.Blocks[1].Ops)-1], &k.Blocks[c.pays]
		if last.Code != ir.BRA || last.Origin != b.First+b.Count-1 {
			t.Errorf("%s: %s of instruction %d, want a branch that instruction %d pays", c.why, last.Code.Name, last.Origin, b.First+b.Count-1)
		}
	}
}

// A copy has two addresses: the last one is that of its access, and the one before it a source of its own.
func TestCopiesHaveBothAddresses(t *testing.T) {
	k := loweringtest.Assemble(t, "ld.global.u64 d1, [d9]\nld.global.u32 r1, [d1]\nadd.s32 r2, r1, 4\ncp.async.shared.global [r2+8], [d1+16], 16\nexit")
	in := &k.Instructions[3]
	in.Class, in.Space, in.LaneBytes, in.Destinations = trace.ClassLoad, trace.SpaceGlobal, 16, 0
	f, err := Select(k, [][]Part{{{Block: 0}}}, newer)
	if err != nil {
		t.Fatal(err)
	}
	ops := f.Blocks[0].Ops
	if got, want := written(f, ops[2:]), "*MOV t1 16; CP [r1+12] t1 [d1+16]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
