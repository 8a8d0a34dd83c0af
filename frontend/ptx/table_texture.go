// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// texForms: one to three dimensions and arrays of layers, in the unified mode in
// which texture and sampler are one handle; from a .texref variable or a
// register (9.7.10.3). Integer coordinates count texels; the first coordinate of
// an array is its layer. Textures have one level, which is the one of .base;
// whatever level .level asks for and gradients choose, it is clamped to that.
var texForms = func() []Form {
	d := Slot{Name: "d", Accept: kindsOf(OperandVector), Write: true, Elements: 4}
	lod := Slot{Name: "lod", Rule: RuleSecond, Accept: valueKinds}
	var forms []Form
	for _, g := range []struct {
		geometry Mod
		n        int
		gradient int
	}{{Mod1d, 1, 1}, {Mod2d, 2, 2}, {Mod3d, 3, 3}, {ModA1d, 2, 1}, {ModA2d, 3, 2}} {
		c := Slot{Name: "c", Rule: RuleSecond, Accept: kindsOf(OperandVector), Elements: g.n}
		f := Form{Types: two(typesOf(U32, S32, F32), typesOf(S32, F32)), Groups: groups(opt(ModBase), req(g.geometry)), Shape: []Slot{d, memory, c}, Class: trace.ClassTexture}
		level := Form{Types: two(typesOf(U32, S32, F32), typesOf(F32)), Groups: groups(req(ModLevel), req(g.geometry)), Shape: []Slot{d, memory, c, lod}, Class: trace.ClassTexture}
		grad := Form{Types: two(typesOf(U32, S32, F32), typesOf(F32)), Groups: groups(req(ModGrad), req(g.geometry)), Shape: []Slot{d, memory, c, gradient("dPdx", g.gradient), gradient("dPdy", g.gradient)}, Class: trace.ClassTexture}
		forms = append(forms, f.withSpaces(SpaceTexture).withVectors(), level.withSpaces(SpaceTexture).withVectors(), grad.withSpaces(SpaceTexture).withVectors())
	}
	return forms
}()

// gradient is a change of the coordinates, of as many elements as there are
// dimensions.
func gradient(name string, n int) Slot {
	return Slot{Name: name, Rule: RuleSecond, Accept: kindsOf(OperandVector), Elements: n}
}

// gatherForms: one channel of the four texels that a linear filter would take. The
// texture has two dimensions or is an array of such; e moves the place by whole
// texels.
var gatherForms = func() []Form {
	d := Slot{Name: "d", Accept: kindsOf(OperandVector), Write: true, Elements: 4}
	e := Slot{Name: "e", Rule: RuleB32, Accept: kindsOf(OperandVector), Elements: 2}
	var forms []Form
	for _, g := range []struct {
		geometry Mod
		n        int
	}{{Mod2d, 2}, {ModA2d, 3}} {
		c := Slot{Name: "c", Rule: RuleSecond, Accept: kindsOf(OperandVector), Elements: g.n}
		for _, shape := range [][]Slot{{d, memory, c}, {d, memory, c, e}} {
			f := Form{Types: two(typesOf(U32, S32, F32), typesOf(F32)), Groups: groups(req(ModR, ModG, ModB, ModA), req(g.geometry)), Shape: shape, Class: trace.ClassTexture}
			forms = append(forms, f.withSpaces(SpaceTexture).withVectors())
		}
	}
	return forms
}()

// queried is the texture or surface that is asked.
var queried = Slot{Name: "a", Rule: RuleNone, Accept: kindsOf(OperandAddress), Space: SpaceTexture}

// queryForms ask for one property, which no memory access is (9.7.10.5, 9.7.11.4).
func queryForms(of ...Mod) []Form {
	return []Form{{Types: one(typesOf(B32)), Groups: groups(req(of...)), Shape: []Slot{dst, queried}, Class: trace.ClassMove}}
}

var (
	textureQueryForms = append(queryForms(ModWidth, ModHeight, ModDepth, ModChannelDataType, ModChannelOrder, ModNormalizedCoords, ModForceUnnormalizedCoords,
		ModFilterMode, ModAddrMode0, ModAddrMode1, ModAddrMode2, ModArraySize, ModNumMipmapLevels, ModNumSamples),
		Form{Types: one(typesOf(B32)), Groups: groups(req(ModLevel), req(ModWidth, ModHeight, ModDepth)), Shape: []Slot{dst, queried, {Name: "lod", Rule: RuleB32, Accept: valueKinds}}, Class: trace.ClassMove})
	surfaceQueryForms = queryForms(ModWidth, ModHeight, ModDepth, ModChannelDataType, ModChannelOrder, ModArraySize, ModMemoryLayout)
)

// surfaceForms are one access to surfaces in all shapes; value comes before the
// address of a load and behind that of a store (9.7.11). A surface is the memory
// of a texture, so its accesses are those of global memory. Outside of it
// accesses trap, or go to the nearest place, or read zeros and write nothing.
func surfaceForms(types TypeSet, class trace.OpClass, value Slot, vectors bool, g ...Group) []Form {
	var forms []Form
	for _, shape := range []struct {
		geometry Mod
		n        int
	}{{Mod1d, 1}, {Mod2d, 2}, {Mod3d, 3}, {ModA1d, 2}, {ModA2d, 3}} {
		at := Slot{Name: "a", Rule: RuleNone, Accept: kindsOf(OperandAddress), Space: SpaceTexture}
		c := Slot{Name: "b", Rule: RuleB32, Accept: kindsOf(OperandVector), Elements: shape.n}
		slots := []Slot{at, c, value}
		if value.Write {
			slots = []Slot{value, at, c}
		}
		all := append(g[:len(g):len(g)], req(shape.geometry), req(ModTrap, ModClamp, ModZero))
		f := Form{Types: one(types), Groups: all, Shape: slots, Class: class}.withSpaces(SpaceGlobal)
		f.Vectors = vectors
		forms = append(forms, f)
	}
	return forms
}

var (
	surfaceResult = Slot{Name: "d", Accept: kindsOf(OperandRegister, OperandVector), Write: true, Widen: true}
	surfaceSource = Slot{Name: "c", Accept: kindsOf(OperandRegister, OperandImmediate, OperandVector), Widen: true}
	reduced       = Slot{Name: "c", Accept: valueKinds}

	surfaceLoadForms = surfaceForms(typesOf(B8, B16, B32, B64), trace.ClassLoad, surfaceResult, true,
		req(ModB), opt(ModCa, ModCg, ModCs, ModCv))
	surfaceStoreForms = join(surfaceForms(typesOf(B8, B16, B32, B64), trace.ClassStore, surfaceSource, true, req(ModB), opt(ModWb, ModCg, ModCs, ModWt)),
		surfaceForms(typesOf(B32), trace.ClassStore, surfaceSource, true, req(ModP), opt(ModWb, ModCg, ModCs, ModWt)))
	surfaceReductionForms = join(
		surfaceForms(typesOf(U32, S32, U64), trace.ClassAtomic, reduced, false, req(ModB), req(ModAdd)),
		surfaceForms(typesOf(U32, S32, U64, S64), trace.ClassAtomic, reduced, false, req(ModB), req(ModMin, ModMax)),
		surfaceForms(typesOf(B32), trace.ClassAtomic, reduced, false, req(ModB), req(ModAnd, ModOr)),
		surfaceForms(typesOf(B32), trace.ClassAtomic, reduced, false, req(ModP), req(ModAdd, ModMin, ModMax, ModAnd, ModOr)),
		surfaceForms(typesOf(B64), trace.ClassAtomic, reduced, false, req(ModP), req(ModMin, ModMax)))
)

// Surface reports whether op accesses surfaces.
func (op Opcode) Surface() bool { return op >= OpSuld && op <= OpSured }

// located gives the operand that is [texture, coordinates] of an access to a
// texture or surface, which is followed by the coordinates; -1 for others.
func (op Opcode) located() int {
	switch op {
	case OpTex, OpTld4, OpSuld:
		return 1
	case OpSust, OpSured:
		return 0
	}
	return -1
}
