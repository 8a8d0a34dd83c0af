// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// cvtForms: which rounding a conversion takes depends on the kinds and widths
// of its types (9.7.9.21, 6.5). What only sm_100 and later machines convert
// (.rs, four numbers at a time, the formats of 4 and 6 bits) is not there.
var cvtForms = join(convertScalarForms, convertPairForms, convertPackForms)

var convertScalarForms = func() []Form {
	d := Slot{Name: "d", Accept: registerOnly, Write: true, Widen: true}
	a := Slot{Name: "a", Rule: RuleSecond, Accept: kindsOf(OperandRegister, OperandImmediate, OperandSpecial), Widen: true}
	f16, f32, f64 := typesOf(F16), typesOf(F32), typesOf(F64)
	bf16 := typesOf(BF16)
	toInteger := req(ModRni, ModRzi, ModRmi, ModRpi)
	optInteger := opt(ModRni, ModRzi, ModRmi, ModRpi)
	half2 := req(ModRn, ModRz) // .frnd2
	form := func(to, from TypeSet, g ...Group) Form {
		return Form{Types: two(to, from), Groups: g, Shape: []Slot{d, a}, Class: trace.ClassConvert}
	}
	return []Form{
		form(int8to64, int8to64, sat),
		form(int8to64, f16|f64, toInteger, sat),
		form(int8to64, f32, toInteger, ftz, sat),
		form(f16|f64, int8to64, mustRound, sat),
		form(f32, int8to64, mustRound, ftz, sat),
		form(f32, f64, mustRound, ftz, sat),
		form(f16, f32, mustRound, ftz, sat),
		form(f16, f64, mustRound, sat),
		form(f16, f32, half2, req(ModRelu), opt(ModSatfinite)),
		form(f16, f32, half2, req(ModSatfinite)),
		form(bf16, f32, half2, opt(ModRelu), opt(ModSatfinite)),
		form(typesOf(TF32), f32, req(ModRna), opt(ModSatfinite)),
		form(typesOf(TF32), f32, half2, opt(ModRelu), opt(ModSatfinite)),
		form(int8to64, bf16, toInteger, sat),
		form(bf16, int8to64, mustRound),
		form(bf16, f16|f64, mustRound, sat),
		form(f16, bf16, mustRound, sat),
		form(f64, bf16, sat),
		form(bf16, bf16, optInteger),
		form(f64, f32, ftz, sat),
		form(f64, f16, sat),
		form(f32, f16, ftz, sat),
		form(f32, bf16, ftz, sat),
		form(f32, f32, optInteger, ftz, sat),
		form(f64, f64, optInteger, sat),
		form(f16, f16, optInteger, ftz, sat),
	}
}()

// convertPairForms convert two numbers at once, which stand in one register or
// in two.
var convertPairForms = func() []Form {
	a := Slot{Name: "a", Rule: RuleSecond, Accept: valueKinds}
	b := Slot{Name: "b", Rule: RuleSecond, Accept: valueKinds}
	rn, finite, relu := req(ModRn), req(ModSatfinite), opt(ModRelu)
	bytes, f16x2 := typesOf(E4M3x2, E5M2x2), typesOf(F16x2)
	return []Form{
		{Types: two(typesOf(F16x2, BF16x2), typesOf(F32)), Groups: groups(req(ModRn, ModRz), relu, opt(ModSatfinite)), Shape: []Slot{dst, a, b}, Class: trace.ClassConvert},
		{Types: two(bytes, typesOf(F32)), Groups: groups(rn, finite, relu), Shape: []Slot{dst, a, b}, Class: trace.ClassConvert},
		{Types: two(bytes, f16x2), Groups: groups(rn, finite, relu), Shape: []Slot{dst, a}, Class: trace.ClassConvert},
		{Types: two(f16x2, bytes), Groups: groups(rn, relu), Shape: []Slot{dst, a}, Class: trace.ClassConvert},
	}
}()

// convertPackForms are cvt.pack (9.7.9.22).
var convertPackForms = func() []Form {
	integer := Slot{Name: "a", Rule: RuleB32, Accept: valueKinds}
	pair := []Slot{dstB32, integer, srcB32}
	return []Form{
		{Types: two(typesOf(U16, S16), typesOf(S32)), Groups: groups(req(ModPack), req(ModSat)), Shape: pair, Class: trace.ClassConvert},
		{Types: []TypeSet{typesOf(U2, S2, U4, S4, U8, S8), typesOf(S32), typesOf(B32)}, Groups: groups(req(ModPack), req(ModSat)), Shape: append(pair[:3:3], cntB32), Class: trace.ClassConvert},
	}
}()
