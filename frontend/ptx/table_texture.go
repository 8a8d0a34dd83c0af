package ptx

import "github.com/warptape/warptape/trace"

// texForms: one to three dimensions and arrays of layers, in the unified mode in
// which texture and sampler are one handle; from a .texref variable or a
// register (9.7.10.3). Integer coordinates count texels; the first coordinate of
// an array is its layer. Textures have one level, whatever .level asks for.
var texForms = func() []Form {
	d := Slot{Name: "d", Accept: kindsOf(OperandVector), Write: true, Elements: 4}
	lod := Slot{Name: "lod", Rule: RuleSecond, Accept: valueKinds}
	var forms []Form
	for _, g := range []struct {
		geometry Mod
		n        int
	}{{Mod1d, 1}, {Mod2d, 2}, {Mod3d, 3}, {ModA1d, 2}, {ModA2d, 3}} {
		c := Slot{Name: "c", Rule: RuleSecond, Accept: kindsOf(OperandVector), Elements: g.n}
		f := Form{two(typesOf(U32, S32, F32), typesOf(S32, F32)), groups(req(g.geometry)), 0, false, []Slot{d, memory, c}, trace.ClassTexture}
		level := Form{two(typesOf(U32, S32, F32), typesOf(F32)), groups(req(ModLevel), req(g.geometry)), 0, false, []Slot{d, memory, c, lod}, trace.ClassTexture}
		forms = append(forms, f.withSpaces(SpaceTexture).withVectors(), level.withSpaces(SpaceTexture).withVectors())
	}
	return forms
}()
