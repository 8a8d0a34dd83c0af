package ptx

import "github.com/warptape/warptape/trace"

// texForms: one and two dimensions, in the unified mode in which texture and
// sampler are one handle; from a .texref variable or a register (9.7.10.3).
// Integer coordinates count texels.
var texForms = func() []Form {
	d := Slot{Name: "d", Accept: kindsOf(OperandVector), Write: true, Elements: 4}
	coordinates := func(n int) Slot {
		return Slot{Name: "c", Rule: RuleSecond, Accept: kindsOf(OperandVector), Elements: n}
	}
	form := func(dimensions Mod, n int) Form {
		f := Form{two(typesOf(U32, S32, F32), typesOf(S32, F32)), groups(req(dimensions)), 0, false, []Slot{d, memory, coordinates(n)}, trace.ClassTexture}
		return f.withSpaces(SpaceTexture).withVectors()
	}
	return []Form{form(Mod1d, 1), form(Mod2d, 2)}
}()
