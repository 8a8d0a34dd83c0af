// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering/loweringtest"
)

// What instructions become, as public disassemblies show it for sm_70 and sm_75, and what they
// become on Fermi. Codes of two words stand once.
func TestFormsOfInstructions(t *testing.T) {
	const begin = "ld.global.u64 d1, [d9]\nld.global.u32 r1, [d1]\nld.global.u32 r2, [d1+4]\nld.global.u32 r3, [d1+8]\nld.global.u64 d2, [d1+16]\nld.global.u64 d3, [d1+24]\n"
	const r, d = "\nst.global.u32 [d1], r9", "\nst.global.u64 [d1], d9"
	for _, c := range []struct{ lines, newer, older string }{
		{"add.f32 r9, r1, r2" + r, "FADD", "FADD"},
		{"add.f16 r9, r1, r2" + r, "HADD2", "HADD2"},
		{"add.bf16 r9, r1, r2" + r, "HADD2", "HADD2"},
		{"add.f64 d9, d2, d3" + d, "DADD", "DADD"},
		{"add.s64 d9, d2, d3" + d, "IADD3.X", "IADD3.X"},
		{"sub.s32 r9, r1, r2" + r, "IADD3", "IADD3"},
		{"sub.s64 d9, d2, d3" + d, "IADD3.X", "IADD3.X"},
		{"sub.f32 r9, r1, r2" + r, "FADD", "FADD"},
		{"mul.f32 r9, r1, r2" + r, "FMUL", "FMUL"},
		{"mul.f16 r9, r1, r2" + r, "HMUL2", "HMUL2"},
		{"mul.f64 d9, d2, d3" + d, "DMUL", "DMUL"},
		{"fma.rn.f32 r9, r1, r2, r3" + r, "FFMA", "FFMA"},
		{"fma.rn.bf16 r9, r1, r2, r3" + r, "HFMA2", "HFMA2"},
		{"fma.rn.f64 d9, d2, d3, d2" + d, "DFMA", "DFMA"},
		{"mul.lo.s32 r9, r1, r2" + r, "IMAD", "IMAD"},
		{"mul.hi.s32 r9, r1, r2" + r, "IMAD.HI", "IMAD.HI"},
		{"mul24.lo.s32 r9, r1, r2" + r, "IMAD", "IMAD"},
		{"mad.lo.s32 r9, r1, r2, r3" + r, "IMAD", "IMAD"},
		{"mul.wide.s32 d9, r1, r2" + d, "IMAD.WIDE", "IMAD"},
		{"mad.wide.s32 d9, r1, r2, d2" + d, "IMAD.WIDE", "IMAD"},
		{"mul.lo.s64 d9, d2, d3" + d, "IMAD IMAD IMAD.WIDE IADD3", "IMAD/4"},
		{"mul.hi.s64 d9, d2, d3" + d, "IMAD.WIDE IMAD.WIDE IMAD.WIDE IADD3 IMAD IMAD.MOV.U32 IMAD.WIDE", "IMAD.HI/10"},
		{"mul.lo.s64 d8, d2, d3\nst.shared.u32 [d8], r1", "IMAD STS", "IMAD STS"},
		{"and.b32 r9, r1, r2" + r, "LOP3", "LOP3"},
		{"and.b64 d9, d2, d3" + d, "LOP3", "LOP3"},
		{"not.b32 r9, r1" + r, "LOP3", "LOP3"},
		{"lop3.b32 r9, r1, r2, r3, 128" + r, "LOP3", "LOP3"},
		{"shl.b32 r9, r1, 3" + r, "SHF", "SHF"},
		{"shr.u32 r9, r1, r2" + r, "SHF", "SHF"},
		{"shl.b64 d9, d2, 3" + d, "SHF", "SHF"},
		{"shr.u64 d9, d2, r1" + d, "SHF", "SHF"},
		{"cvt.u64.u32 d8, r1\nshl.b64 d9, d8, 3" + d, "IMAD.WIDE", "SHF"},
		{"cvt.s64.s32 d8, r1\nshl.b64 d9, d8, 3" + d, "IMAD.WIDE", "SHF.R.S32.HI SHF"},
		{"cvt.s64.s32 d8, r1\nshl.b64 d9, d8, 30" + d, "IMAD.WIDE", "SHF.R.S32.HI SHF"},
		{"cvt.s64.s32 d8, r1\nshl.b64 d9, d8, 31" + d, "SHF.R.S32.HI SHF", "SHF.R.S32.HI SHF"}, // 2^31 has a sign
		{"cvt.s64.s32 d8, r1\nshl.b64 d9, d8, 40" + d, "SHF.R.S32.HI SHF", "SHF.R.S32.HI SHF"},
		{"setp.lt.s32 p1, r1, r2\nselp.b32 r9, r1, r2, p1" + r, "ISETP SEL", "ISETP SEL"},
		{"setp.lt.f32 p1, r1, r2\nselp.f32 r9, r1, r2, p1" + r, "FSETP FSEL", "FSETP FSEL"},
		{"setp.lt.bf16 p1, r1, r2\nselp.b32 r9, r1, r2, p1" + r, "HSETP2 SEL", "HSETP2 SEL"},
		{"setp.lt.s64 p1, d2, d3\nselp.b64 d9, d2, d3, p1" + d, "ISETP.EX SEL", "ISETP.EX SEL"},
		{"setp.lt.f64 p1, d2, d3\nselp.f64 d9, d2, d3, p1" + d, "DSETP SEL", "DSETP SEL"},
		{"setp.lt.s32 p1, r1, r2\nsetp.lt.f32 p2, r1, r3\nand.pred p3, p1, p2\nselp.b32 r9, r1, r2, p3" + r, "ISETP FSETP SEL", "ISETP FSETP SEL"},
		{"setp.lt.s32 p1, r1, r2\nnot.pred p2, p1\nselp.b32 r9, r1, r2, p2" + r, "ISETP SEL", "ISETP SEL"},
		{"min.s32 r9, r1, r2" + r, "IMNMX", "IMNMX"},
		{"max.f32 r9, r1, r2" + r, "FMNMX", "FMNMX"},
		{"max.f16 r9, r1, r2" + r, "HMNMX2", "HMNMX2"},
		{"min.s64 d9, d2, d3" + d, "ISETP.EX SEL", "ISETP.EX SEL"},
		{"min.f64 d9, d2, d3" + d, "DSETP SEL", "DSETP SEL"},
		{"neg.s32 r9, r1" + r, "IADD3", "IADD3"},
		{"neg.f32 r9, r1" + r, "FADD", "FADD"},
		{"neg.s64 d9, d2" + d, "IADD3.X", "IADD3.X"},
		{"abs.s32 r9, r1" + r, "IABS", "IABS"},
		{"abs.f64 d9, d2" + d, "DADD", "DADD"},
		{"mov.u32 r9, %tid.x" + r, "S2R", "S2R"},
		{"mov.u32 r9, %ntid.x" + r, "MOV", "MOV"}, // a store takes registers alone
		{"add.s32 r9, r1, %ntid.y" + r, "IADD3", "IADD3"},
		{"mov.b64 d9, {r1,r2}" + d, "MOV", "MOV"},
		{"mov.b32 r9, {r1,r2}" + r, "PRMT", "PRMT"},
		{"mov.b64 {r8,r7}, d2\nadd.s32 r9, r7, 1" + r, "IADD3", "IADD3"},
		{"@p1 mov.u32 r9, r1" + r, "MOV", "MOV"},
		{"@p1 mov.u64 d9, d2" + d, "MOV", "MOV"},
		{"cvt.f32.f64 r9, d2" + r, "F2F", "F2F"},
		{"cvt.rn.f32.s32 r9, r1" + r, "I2F", "I2F"},
		{"cvt.rn.bf16.s32 r9, r1" + r, "I2F", "I2F"},
		{"cvt.rzi.s32.f32 r9, r1" + r, "F2I", "F2I"},
		{"cvt.sat.s32.u32 r9, r1" + r, "I2I", "I2I"},
		{"cvt.pack.sat.s8.s32.b32 r9, r1, r2, r3" + r, "I2IP", "I2IP"},
		{"cvt.s64.s32 d9, r1" + d, "SHF.R.S32.HI", "SHF.R.S32.HI"},
		{"cvt.u64.u32 d9, r1" + d, "", ""},
		{"cvt.u32.u64 r9, d2" + r, "", ""},
		{"cvt.u16.u32 r9, r1" + r, "LOP3", "LOP3"},
		{"cvt.u32.u16 r9, r1" + r, "LOP3", "LOP3"},
		{"ld.global.u16 r8, [d1]\ncvt.u32.u16 r9, r8" + r, "MOV", "MOV"},
		{"ld.global.s16 r8, [d1]\ncvt.u32.s16 r9, r8" + r, "LOP3", "LOP3"},
		{"popc.b32 r9, r1" + r, "POPC", "POPC"},
		{"popc.b64 r9, d2" + r, "POPC POPC IADD3", "POPC POPC IADD3"},
		{"clz.b32 r9, r1" + r, "FLO IADD3", "FLO IADD3"},
		{"bfind.u32 r9, r1" + r, "FLO", "FLO"},
		{"brev.b32 r9, r1" + r, "BREV", "BREV"},
		{"brev.b64 d9, d2" + d, "BREV BREV MOV", "BREV BREV MOV"},
		{"bfe.u32 r9, r1, r2, r3" + r, "SHF LOP3", "SHF LOP3"},
		{"bfi.b32 r9, r1, r2, r3, r1" + r, "SHF LOP3", "SHF LOP3"},
		{"sin.approx.f32 r9, r1" + r, "FMUL MUFU", "FMUL MUFU"},
		{"ex2.approx.f32 r9, r1" + r, "FSETP FMUL MUFU FMUL", "FSETP FMUL MUFU FMUL"},
		{"ex2.approx.ftz.f32 r9, r1" + r, "MUFU", "MUFU"},
		{"tanh.approx.f32 r9, r1" + r, "MUFU", "MUFU"},
		{"div.approx.f32 r9, r1, r2" + r, "MUFU FMUL", "MUFU FMUL"},
		{"div.full.f32 r9, r1, r2" + r, "FSETP FMUL MUFU FMUL FMUL", "FSETP FMUL MUFU FMUL FMUL"},
		{"rcp.approx.ftz.f32 r9, r1" + r, "MUFU", "MUFU"},
		{"rcp.rn.f32 r9, r1" + r, "MUFU FFMA IADD3 BSSY BRA BSYNC FFMA", "MUFU FFMA IADD3 BRA FFMA"},
		{"sqrt.rn.f32 r9, r1" + r, "MUFU FMUL FMUL FFMA IADD3 BSSY BRA BSYNC FFMA", "MUFU FMUL FMUL FFMA IADD3 BRA FFMA"},
		{"rcp.rn.f64 d9, d2" + d, "MUFU DFMA DFMA DFMA DFMA IADD3 BSSY BRA BSYNC DFMA", "MUFU DFMA DFMA DFMA DFMA IADD3 BRA DFMA"},
		{"sqrt.rn.f64 d9, d2" + d, "MUFU DMUL DFMA DFMA DFMA DMUL DFMA IADD3 BSSY BRA BSYNC DFMA", "MUFU DMUL DFMA DFMA DFMA DMUL DFMA IADD3 BRA DFMA"},
		{"div.rn.f64 d9, d2, d3" + d, "MUFU DFMA DFMA DFMA DFMA DFMA DMUL DFMA FSETP BSSY BRA BSYNC DFMA", "MUFU DFMA DFMA DFMA DFMA DFMA DMUL DFMA FSETP BRA DFMA"},
		// What three inputs and wide products take in, and where they do not.
		{"shl.b32 r8, r1, r2\nadd.s32 r9, r8, r3" + r, "SHF IADD3", "SHF IADD3"},
		{"shr.u32 r8, r1, 2\nadd.s32 r9, r8, r3" + r, "SHF IADD3", "SHF IADD3"},
		{"add.s32 r8, r1, r2\nadd.s32 r9, r3, r8" + r, "IADD3", "IADD3 IADD3"},
		{"add.s32 r8, r1, 5\nadd.s32 r9, r8, 7" + r, "IADD3 IADD3", "IADD3 IADD3"},
		{"mul.lo.s32 r8, r1, r2\nadd.s32 r9, r3, r8" + r, "IMAD", "IMAD"},
		{"add.s32 r8, r1, r2\nadd.s32 r1, r1, 1\nadd.s32 r9, r8, r3\nst.global.u32 [d1+4], r1" + r, "IADD3 IADD3 IADD3", "IADD3 IADD3 IADD3"},
		{"@p1 add.s32 r8, r1, r2\nadd.s32 r9, r8, r3" + r, "IADD3 IADD3", "IADD3 IADD3"},
		{"add.s32 r8, r1, r2\n@p1 add.s32 r9, r8, r3" + r, "IADD3 IADD3", "IADD3 IADD3"},
		{"xor.b32 r8, r1, r2\nxor.b32 r9, r3, r8" + r, "LOP3", "LOP3 LOP3"},
		{"xor.b32 r8, r1, 15\nxor.b32 r9, r8, 7" + r, "LOP3 LOP3", "LOP3 LOP3"},
		{"mul.wide.u32 d8, r1, 4\nadd.s64 d9, d2, d8" + d, "IMAD.WIDE", "IMAD IADD3.X"},
		{"shl.b64 d8, d2, 32\nadd.s64 d9, d8, d3" + d, "SHF IADD3.X", "SHF IADD3.X"},
		{"shl.b64 d8, d2, 31\nadd.s64 d9, d8, d3" + d, "LEA.HI.X", "SHF IADD3.X"},
		// Of sums of 64 bits: extended words, and a third input.
		{"add.s64 d8, d1, d2\nadd.s64 d9, d3, d8" + d, "IADD3.X", "IADD3.X IADD3.X"},
		{"sub.s64 d8, d1, d2\nadd.s64 d9, d3, d8" + d, "IADD3.X IADD3.X", "IADD3.X IADD3.X"},
		{"add.s64 d8, d1, 5\nadd.s64 d9, d8, 7" + d, "IADD3.X IADD3.X", "IADD3.X IADD3.X"},
		{"add.s64 d8, d1, d2\nadd.s64 d9, d3, d8\nst.global.u64 [d1+8], d8" + d, "IADD3.X IADD3.X", "IADD3.X IADD3.X"},
		{"add.s64 d8, d1, d2\n@p1 add.s64 d9, d3, d8" + d, "IADD3.X IADD3.X", "IADD3.X IADD3.X"},
		{"cvt.s64.s32 d8, r1\nadd.s64 d9, d2, d8" + d, "LEA.HI.X.SX32", "SHF.R.S32.HI IADD3.X"},
		{"cvt.s64.s32 d8, r1\ncvt.s64.s32 d7, r2\nadd.s64 d9, d7, d8" + d, "SHF.R.S32.HI LEA.HI.X.SX32", "SHF.R.S32.HI SHF.R.S32.HI IADD3.X"},
		{"cvt.s64.s32 d8, r1\nadd.s64 d7, d2, d8\nadd.s64 d9, d7, d3" + d, "LEA.HI.X.SX32 IADD3.X", "SHF.R.S32.HI IADD3.X IADD3.X"},
		{"cvt.s64.s16 d8, r1\nadd.s64 d9, d2, d8" + d, "SHF.R.S32.HI IADD3.X", "SHF.R.S32.HI IADD3.X"},
		{"cvt.u64.u32 d8, r1\nadd.s64 d9, d2, d8\nadd.s32 r1, r1, 1\nst.global.u32 [d1+4], r1" + d, "IADD3.X IADD3", "IADD3.X IADD3"},
		{"cvt.u64.u32 d8, r1\nadd.s32 r1, r1, 1\nadd.s64 d9, d2, d8\nst.global.u32 [d1+4], r1" + d, "MOV IADD3 IADD3.X", "MOV IADD3 IADD3.X"},
		{"cvt.u64.u16 d8, r1\nadd.s64 d9, d2, d8" + d, "MOV IADD3.X", "MOV IADD3.X"},
		{"cvt.u64.u32 d8, r1\nsub.s64 d9, d2, d8\nadd.s32 r1, r1, 1\nst.global.u32 [d1+4], r1" + d, "IADD3.X IADD3", "IADD3.X IADD3"},
		// Constants are sources of operations, one of each. Stores and addresses take registers.
		{"ld.param.u32 r8, [second]\nadd.s32 r9, r1, r8" + r, "IADD3", "IADD3"},
		{"ld.param.u32 r8, [second]\nadd.s32 r9, r8, 3" + r, "MOV IADD3", "MOV IADD3"},
		{"ld.param.u64 d9, [first]" + d, "MOV", "MOV"},
		{"ld.const.v2.u32 {r8,r7}, [table]\nadd.s32 r9, r1, r7" + r, "IADD3", "IADD3"},
		{"ld.const.volatile.u32 r9, [table]" + r, "LDC", "LDC"},
		{"ld.const.u16 r9, [table]" + r, "LDC", "LDC"},
	} {
		k := loweringtest.Assemble(t, begin+c.lines+"\nexit")
		if got := chosen(t, k, Target{ThreeInputs: true, WideMultiply: true, Scoped: true}); got != c.newer {
			t.Errorf("%s: %s, want %s", c.lines, got, c.newer)
		}
		if got := chosen(t, k, Target{}); got != c.older {
			t.Errorf("%s on Fermi: %s, want %s", c.lines, got, c.older)
		}
	}
}
