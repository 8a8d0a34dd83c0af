// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// fragment is a matrix's part in each lane: a vector of n 32-bit registers,
// which hold two .f16 or four 8-bit elements each, or one of 32 bits.
func fragment(name string, rule Rule, n int) Slot {
	return Slot{Name: name, Rule: rule, Accept: kindsOf(OperandVector), Elements: n}
}

// fragmentResult is a fragment that is written.
func fragmentResult(rule Rule, n int) Slot {
	s := fragment("d", rule, n)
	s.Write = true
	return s
}

var (
	wmmaShape  = req(ModM16n16k16, ModM8n32k16, ModM32n8k16)
	layoutOne  = req(ModRow, ModCol)
	layoutB    = req(ModRowB, ModColB)
	aligned    = opt(ModAligned) // PTX 6.0 has wmma without it
	wmmaStride = Slot{Name: "stride", Rule: RuleB32, Accept: valueKinds}
)

// byteFragments gives the registers of 8-bit fragments of a and b by shape
// (9.7.14.4.1).
var byteFragments = []struct {
	shape Mod
	a, b  int
}{{ModM16n16k16, 2, 2}, {ModM8n32k16, 1, 4}, {ModM32n8k16, 4, 1}}

// wmmaForms: wmma.load, wmma.store and wmma.mma (9.7.14.4).
var wmmaForms = join(wmmaLoadForms, wmmaStoreForms, wmmaHalfForms, wmmaByteForms, wmmaSingleForms, wmmaSmallForms)

var wmmaLoadForms = func() []Form {
	var forms []Form
	add := func(types TypeSet, rule Rule, n int, matrix, shape Group) {
		g := groups(req(ModLoad), matrix, req(ModSync), aligned, layoutOne, shape)
		forms = append(forms, withStride(Form{Types: one(types), Groups: g, Shape: []Slot{fragmentResult(rule, n), memory}, Class: trace.ClassLoad})...)
	}
	add(typesOf(F16), RuleB32, 8, req(ModA, ModB), wmmaShape)
	add(typesOf(F16), RuleB32, 4, req(ModC), wmmaShape)
	add(typesOf(F32, S32), RuleFirst, 8, req(ModC), wmmaShape)
	for _, f := range byteFragments {
		add(typesOf(S8, U8), RuleB32, f.a, req(ModA), req(f.shape))
		add(typesOf(S8, U8), RuleB32, f.b, req(ModB), req(f.shape))
	}
	for _, f := range brainFragments {
		add(typesOf(BF16), RuleB32, f.a, req(ModA), req(f.shape))
		add(typesOf(BF16), RuleB32, f.b, req(ModB), req(f.shape))
	}
	add(typesOf(TF32), RuleB32, 4, req(ModA, ModB), req(ModM16n16k8))
	add(typesOf(F32), RuleFirst, 8, req(ModC), req(ModM16n16k8))
	add(typesOf(S32), RuleFirst, 2, req(ModC), req(ModM8n8k32, ModM8n8k128))
	add(typesOf(F64), RuleFirst, 1, req(ModA, ModB), req(ModM8n8k4))
	add(typesOf(F64), RuleFirst, 2, req(ModC), req(ModM8n8k4))
	for _, packed := range []struct {
		types TypeSet
		shape Mod
	}{{nibbles, ModM8n8k32}, {typesOf(B1), ModM8n8k128}} { // along k only: rows of a, columns of b
		for _, g := range [][]Group{groups(req(ModA), req(ModRow)), groups(req(ModB), req(ModCol))} {
			g = append(groups(req(ModLoad), g[0], req(ModSync), aligned), g[1], req(packed.shape))
			forms = append(forms, withStride(Form{Types: one(packed.types), Groups: g, Shape: []Slot{fragmentResult(RuleB32, 1), memory}, Class: trace.ClassLoad})...)
		}
	}
	return forms
}()

var wmmaStoreForms = func() []Form {
	form := func(types TypeSet, shape Group, rule Rule, n int) []Form {
		g := groups(req(ModStore), req(ModD), req(ModSync), aligned, layoutOne, shape)
		return withStride(Form{Types: one(types), Groups: g, Shape: []Slot{memory, fragment("r", rule, n)}, Class: trace.ClassStore})
	}
	return join(
		form(typesOf(F16), wmmaShape, RuleB32, 4),
		form(typesOf(F32, S32), wmmaShape, RuleFirst, 8),
		form(typesOf(F32), req(ModM16n16k8), RuleFirst, 8),
		form(typesOf(S32), req(ModM8n8k32, ModM8n8k128), RuleFirst, 2),
		form(typesOf(F64), req(ModM8n8k4), RuleFirst, 2))
}()

// withStride gives the form without and with the distance of the matrix's rows
// or columns, in elements.
func withStride(f Form) []Form {
	f = f.withSpaces(SpaceGeneric, SpaceGlobal, SpaceShared)
	strided := f
	strided.Shape = append(f.Shape[:len(f.Shape):len(f.Shape)], wmmaStride)
	return []Form{f, strided}
}

// wmmaHalfForms: the types are those of d and c.
var wmmaHalfForms = func() []Form {
	g := groups(req(ModMma), req(ModSync), aligned, layoutOne, layoutB, wmmaShape)
	a, b := fragment("a", RuleB32, 8), fragment("b", RuleB32, 8)
	accumulators := []struct {
		typ           Type
		first, second Rule
		n             int
	}{{F16, RuleB32, RuleB32, 4}, {F32, RuleFirst, RuleSecond, 8}}
	var forms []Form
	for _, d := range accumulators {
		for _, c := range accumulators {
			shape := []Slot{fragmentResult(d.first, d.n), a, b, fragment("c", c.second, c.n)}
			forms = append(forms, Form{Types: two(typesOf(d.typ), typesOf(c.typ)), Groups: g, Shape: shape, Class: trace.ClassTensor})
		}
	}
	return forms
}()

// wmmaByteForms: the types are those of d, a, b and c.
var wmmaByteForms = func() []Form {
	var forms []Form
	for _, f := range byteFragments {
		g := groups(req(ModMma), req(ModSync), aligned, layoutOne, layoutB, req(f.shape), opt(ModSatfinite))
		shape := []Slot{fragmentResult(RuleFirst, 8), fragment("a", RuleB32, f.a), fragment("b", RuleB32, f.b), fragment("c", RuleFirst, 8)}
		for _, t := range []Type{S8, U8} {
			types := []TypeSet{typesOf(S32), typesOf(t), typesOf(t), typesOf(S32)}
			forms = append(forms, Form{Types: types, Groups: g, Shape: shape, Class: trace.ClassTensor})
		}
	}
	return forms
}()

// mmaForms: mma.sync on .f16 matrices (9.7.14.5); the types are those of d, a, b
// and c.
var mmaForms = func() []Form {
	var forms []Form
	for _, f := range []struct {
		shape Mod
		a, b  int
	}{{ModM16n8k8, 2, 1}, {ModM16n8k16, 4, 2}} {
		g := groups(req(ModSync), req(ModAligned), req(f.shape), req(ModRow), req(ModColB))
		a, b := fragment("a", RuleB32, f.a), fragment("b", RuleB32, f.b)
		types := func(t Type) []TypeSet { return []TypeSet{typesOf(t), typesOf(F16), typesOf(F16), typesOf(t)} }
		forms = append(forms,
			Form{Types: types(F16), Groups: g, Shape: []Slot{fragmentResult(RuleB32, 2), a, b, fragment("c", RuleB32, 2)}, Class: trace.ClassTensor},
			Form{Types: types(F32), Groups: g, Shape: []Slot{fragmentResult(RuleFirst, 4), a, b, fragment("c", RuleFirst, 4)}, Class: trace.ClassTensor})
	}
	return forms
}()

// brainFragments gives the registers of .bf16 fragments of a and b by shape.
var brainFragments = []struct {
	shape Mod
	a, b  int
}{{ModM16n16k16, 4, 4}, {ModM8n32k16, 2, 8}, {ModM32n8k16, 8, 2}}

// wmmaSingleForms: .bf16 and .tf32 factors, which only have .f32 accumulators.
var wmmaSingleForms = func() []Form {
	form := func(shape Mod, t Type, a, b int) Form {
		g := groups(req(ModMma), req(ModSync), aligned, layoutOne, layoutB, req(shape))
		types := []TypeSet{typesOf(F32), typesOf(t), typesOf(t), typesOf(F32)}
		return Form{Types: types, Groups: g, Shape: []Slot{fragmentResult(RuleFirst, 8), fragment("a", RuleB32, a), fragment("b", RuleB32, b), fragment("c", RuleFirst, 8)}, Class: trace.ClassTensor}
	}
	forms := []Form{form(ModM16n16k8, TF32, 4, 4)}
	for _, f := range brainFragments {
		forms = append(forms, form(f.shape, BF16, f.a, f.b))
	}
	return forms
}()

// nibbles are the 4-bit integers.
var nibbles = typesOf(S4, U4)

// bitOperation is what stands for the multiplication of single bits, whose ones
// are counted (9.7.14.5.14).
var bitOperation = groups(req(ModXor, ModAnd), req(ModPopc))

// wmmaSmallForms: 4-bit integers, single bits and .f64, in matrices of 8 x 8
// sums.
var wmmaSmallForms = func() []Form {
	var forms []Form
	add := func(shape Mod, d, factor Type, rule Rule, more ...Group) {
		layouts := groups(req(ModRow), req(ModColB))
		if d == F64 {
			layouts = groups(layoutOne, layoutB)
		}
		g := append(append(groups(req(ModMma), req(ModSync), aligned, req(shape)), layouts...), more...)
		types := []TypeSet{typesOf(d), typesOf(factor), typesOf(factor), typesOf(d)}
		forms = append(forms, Form{Types: types, Groups: g, Shape: []Slot{fragmentResult(RuleFirst, 2), fragment("a", rule, 1), fragment("b", rule, 1), fragment("c", RuleFirst, 2)}, Class: trace.ClassTensor})
	}
	add(ModM8n8k32, S32, S4, RuleB32, opt(ModSatfinite))
	add(ModM8n8k32, S32, U4, RuleB32, opt(ModSatfinite))
	add(ModM8n8k128, S32, B1, RuleB32, bitOperation...)
	add(ModM8n8k4, F64, F64, RuleFirst, rounding)
	return forms
}()

// mmaQuadForms: mma.m8n8k4 on .f16 matrices, four products by eight lanes each
// (9.7.14.5.1).
var mmaQuadForms = func() []Form {
	g := groups(req(ModSync), req(ModAligned), req(ModM8n8k4), layoutOne, layoutB)
	a, b := fragment("a", RuleB32, 2), fragment("b", RuleB32, 2)
	form := func(d, c Type, into, from Slot) Form {
		return Form{Types: []TypeSet{typesOf(d), typesOf(F16), typesOf(F16), typesOf(c)}, Groups: g, Shape: []Slot{into, a, b, from}, Class: trace.ClassTensor}
	}
	halves, singles := fragment("c", RuleB32, 4), fragment("c", RuleFirst, 8)
	return []Form{
		form(F16, F16, fragmentResult(RuleB32, 4), halves),
		form(F32, F16, fragmentResult(RuleFirst, 8), halves),
		form(F32, F32, fragmentResult(RuleFirst, 8), singles),
	}
}()

// mmaMoreForms: mma.sync on .bf16, .tf32, integers of 8 and 4 bits,
// single bits and .f64 (9.7.14.5).
var mmaMoreForms = func() []Form {
	var forms []Form
	add := func(shape Mod, d Type, a, b TypeSet, accumulators, inA, inB int, more ...Group) {
		g := append(groups(req(ModSync), req(ModAligned), req(shape), req(ModRow), req(ModColB)), more...)
		factor := RuleB32
		if d == F64 {
			factor = RuleFirst
		}
		forms = append(forms, Form{Types: []TypeSet{typesOf(d), a, b, typesOf(d)}, Groups: g, Shape: []Slot{fragmentResult(RuleFirst, accumulators), fragment("a", factor, inA), fragment("b", factor, inB), fragment("c", RuleFirst, accumulators)}, Class: trace.ClassTensor})
	}
	add(ModM16n8k8, F32, typesOf(BF16), typesOf(BF16), 4, 2, 1)
	add(ModM16n8k16, F32, typesOf(BF16), typesOf(BF16), 4, 4, 2)
	add(ModM16n8k4, F32, typesOf(TF32), typesOf(TF32), 4, 2, 1)
	add(ModM16n8k8, F32, typesOf(TF32), typesOf(TF32), 4, 4, 2)
	bytes := typesOf(S8, U8)
	add(ModM8n8k16, S32, bytes, bytes, 2, 1, 1, opt(ModSatfinite))
	add(ModM16n8k16, S32, bytes, bytes, 4, 2, 1, opt(ModSatfinite))
	add(ModM16n8k32, S32, bytes, bytes, 4, 4, 2, opt(ModSatfinite))
	add(ModM8n8k32, S32, nibbles, nibbles, 2, 1, 1, opt(ModSatfinite))
	add(ModM16n8k32, S32, nibbles, nibbles, 4, 2, 1, opt(ModSatfinite))
	add(ModM16n8k64, S32, nibbles, nibbles, 4, 4, 2, opt(ModSatfinite))
	add(ModM8n8k128, S32, typesOf(B1), typesOf(B1), 2, 1, 1, bitOperation...)
	add(ModM16n8k128, S32, typesOf(B1), typesOf(B1), 4, 2, 1, bitOperation...)
	add(ModM16n8k256, S32, typesOf(B1), typesOf(B1), 4, 4, 2, bitOperation...)
	forms = append(forms, mmaQuarterForms()...)
	add(ModM8n8k4, F64, typesOf(F64), typesOf(F64), 2, 1, 1, rounding)
	add(ModM16n8k4, F64, typesOf(F64), typesOf(F64), 4, 2, 1, rounding)
	add(ModM16n8k8, F64, typesOf(F64), typesOf(F64), 4, 4, 2, rounding)
	add(ModM16n8k16, F64, typesOf(F64), typesOf(F64), 4, 8, 4, rounding)
	return forms
}()

// mmaQuarterForms: mma.sync on matrices of 8-bit floating-point numbers; a and b
// may have different formats.
func mmaQuarterForms() []Form {
	var forms []Form
	quarter := typesOf(E4M3, E5M2)
	for _, f := range []struct {
		shape Mod
		a, b  int
	}{{ModM16n8k16, 2, 1}, {ModM16n8k32, 4, 2}} {
		g := groups(req(ModSync), req(ModAligned), req(f.shape), req(ModRow), req(ModColB))
		a, b := fragment("a", RuleB32, f.a), fragment("b", RuleB32, f.b)
		forms = append(forms,
			Form{Types: []TypeSet{typesOf(F16), quarter, quarter, typesOf(F16)}, Groups: g, Shape: []Slot{fragmentResult(RuleB32, 2), a, b, fragment("c", RuleB32, 2)}, Class: trace.ClassTensor},
			Form{Types: []TypeSet{typesOf(F32), quarter, quarter, typesOf(F32)}, Groups: g, Shape: []Slot{fragmentResult(RuleFirst, 4), a, b, fragment("c", RuleFirst, 4)}, Class: trace.ClassTensor})
	}
	return forms
}

// matrixRowForms are those of ldmatrix and stmatrix: one, two or four matrices
// of 8 x 8 elements of 16 bits, a row at the address of each lane.
func matrixRowForms(store bool) []Form {
	var forms []Form
	for i, count := range []Mod{ModX1, ModX2, ModX4} {
		n := 1 << i
		g := groups(req(ModSync), req(ModAligned), req(ModM8n8), req(count), opt(ModTrans))
		shape, class := []Slot{fragmentResult(RuleB32, n), memory}, trace.ClassLoad
		if store {
			shape, class = []Slot{memory, fragment("r", RuleB32, n)}, trace.ClassStore
		}
		forms = append(forms, Form{Types: one(typesOf(B16)), Groups: g, Shape: shape, Class: class}.withSpaces(SpaceGeneric, SpaceShared))
	}
	return forms
}
