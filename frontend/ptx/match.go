// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
)

// fits reports whether the instruction is of this form, operand types aside.
func (f *Form) fits(in *Instruction) bool {
	return f.fitsTypes(&in.Types) && f.modifierFault(&in.Mods) == modifiersFit && f.fitsSpace(in.Space) && f.Into() == in.Into &&
		f.fitsLength(in) && f.takes(len(in.Operands))
}

// fitsLength reports whether the instruction's vector is one of the form's.
func (f *Form) fitsLength(in *Instruction) bool {
	return f.fitsVector(in.Vector) || f.Vectors && in.Vector == 8 && in.longestVector() == 8
}

// fitsVector reports whether the form has vectors of n elements; 1 stands for
// none.
func (f *Form) fitsVector(n int) bool {
	if !f.Vectors {
		return n == 1
	}
	for i := range f.Shape {
		if l := f.Shape[i].Lengths; l != 0 {
			return l.Has(n)
		}
	}
	return n == 1 || n == 2 || n == 4
}

func (f *Form) fitsTypes(types *[4]Type) bool {
	for i, t := range types {
		if i < len(f.Types) {
			if !f.Types[i].Has(t) {
				return false
			}
		} else if t != TypeNone {
			return false
		}
	}
	return true
}

// fitsSpace: an instruction outside the memory group has SpaceNone.
func (f *Form) fitsSpace(sp Space) bool {
	if f.Spaces == 0 {
		return sp == SpaceNone || sp == SpaceGeneric
	}
	return f.Spaces.Has(sp)
}

// modifierFault says how modifiers miss a form.
type modifierFault uint8

const (
	modifiersFit modifierFault = iota
	modifierIllegal
	modifierMissing
	modifiersConflict
)

func (f *Form) modifierFault(mods *Modifiers) modifierFault {
	rest := *mods
	missing, conflict := false, false
	for i := range f.Groups {
		g := &f.Groups[i]
		n := mods.common(&g.Mods)
		missing = missing || n == 0 && g.Required
		conflict = conflict || n > 1
		rest = rest.without(g.Mods)
	}
	switch {
	case rest != Modifiers{}:
		return modifierIllegal
	case conflict:
		return modifiersConflict
	case missing:
		return modifierMissing
	}
	return modifiersFit
}

// hasPair reports whether the form allows "p|q".
func (f *Form) hasPair() bool { return len(f.Shape) > 1 && f.Shape[1].Pair }

// takes reports whether n operands fit the shape.
func (f *Form) takes(n int) bool {
	return n == len(f.Shape) || f.hasPair() && n == len(f.Shape)-1
}

// slot gives operand i's place when the instruction has n operands; nil where
// there is none.
func (f *Form) slot(i, n int) *Slot {
	if n == len(f.Shape)-1 && f.hasPair() && i >= 1 {
		i++
	}
	if i < 0 || i >= len(f.Shape) {
		return nil
	}
	return &f.Shape[i]
}

// explain says why no form of the instruction's opcode fits it, with what
// would be legal: the first of types, space, vector, modifiers and operands
// that excludes all remaining forms.
func explain(in *Instruction) string {
	spec := SpecOf(in.Op)
	forms := make([]*Form, len(spec.Forms))
	for i := range forms {
		forms[i] = &spec.Forms[i]
	}
	keep := func(ok func(f *Form) bool) []*Form {
		var kept []*Form
		for _, f := range forms {
			if ok(f) {
				kept = append(kept, f)
			}
		}
		return kept
	}
	kept := keep(func(f *Form) bool { return f.fitsTypes(&in.Types) })
	if len(kept) == 0 {
		return explainTypes(in, forms)
	}
	forms = kept
	if kept = keep(func(f *Form) bool { return f.fitsSpace(in.Space) && f.Into() == in.Into }); len(kept) == 0 {
		return explainSpace(in, forms)
	}
	forms = kept
	if in.Vector != 1 {
		if kept = keep(func(f *Form) bool { return f.fitsLength(in) }); len(kept) == 0 {
			return fmt.Sprintf("illegal vector length .v%d for %s", in.Vector, in.Op)
		}
		forms = kept
	}
	if kept = keep(func(f *Form) bool { return f.modifierFault(&in.Mods) == modifiersFit }); len(kept) == 0 {
		return explainModifiers(in, forms)
	}
	return explainOperands(in, kept)
}

func explainTypes(in *Instruction, forms []*Form) string {
	n := 0
	for n < len(in.Types) && in.Types[n] != TypeNone {
		n++
	}
	for i := 0; i <= n && i < len(in.Types); i++ {
		var legal TypeSet
		end, fits := false, false
		for _, f := range forms {
			switch {
			case i < len(f.Types):
				legal |= f.Types[i]
				fits = fits || f.Types[i].Has(in.Types[i])
			default:
				end = true
				fits = fits || in.Types[i] == TypeNone
			}
		}
		switch {
		case fits:
			continue
		case in.Types[i] == TypeNone:
			return fmt.Sprintf("a type is missing; legal for %s: %s", in.Op, legal)
		case end && legal == 0:
			return fmt.Sprintf("%s takes no type .%s here", in.Op, in.Types[i])
		}
		return fmt.Sprintf("illegal type .%s for %s; legal: %s", in.Types[i], in.Op, legal)
	}
	return fmt.Sprintf("the types do not go together for %s; see PTX ISA %s", in.Op, SpecOf(in.Op).Section)
}

func explainSpace(in *Instruction, forms []*Form) string {
	var legal SpaceSet
	for _, f := range forms {
		legal |= f.Spaces
	}
	if in.Op == OpSt && in.Space == SpaceParam {
		return "st.param writes arguments and results of calls, not the parameters of a kernel"
	}
	if in.Op == OpCp || in.Op == OpTensormap {
		return fmt.Sprintf("%s: the state spaces of destination and source do not go together; see PTX ISA %s", in.Op, SpecOf(in.Op).Section)
	}
	if legal == 0 {
		return fmt.Sprintf("%s takes no state space", in.Op)
	}
	if in.Space == SpaceGeneric {
		return fmt.Sprintf("%s needs a state space: %s", in.Op, legal.list())
	}
	return fmt.Sprintf("illegal state space .%s for %s; legal: %s", in.Space, in.Op, legal.list())
}

func explainModifiers(in *Instruction, forms []*Form) string {
	var legal Modifiers
	for _, f := range forms {
		for _, g := range f.Groups {
			legal = legal.with(g.Mods)
		}
	}
	illegal := in.Mods.without(legal)
	typed := ""
	if in.Types[0] != TypeNone {
		typed = " with ." + in.Types[0].String()
	}
	if illegal != (Modifiers{}) {
		if legal == (Modifiers{}) {
			return fmt.Sprintf("illegal modifier %s for %s%s, which takes none", illegal.list(), in.Op, typed)
		}
		return fmt.Sprintf("illegal modifier %s for %s%s; legal: %s", illegal.list(), in.Op, typed, legal.list())
	}
	for _, f := range forms {
		if f.modifierFault(&in.Mods) != modifierMissing {
			continue
		}
		for _, g := range f.Groups {
			if g.Required && in.Mods.common(&g.Mods) == 0 {
				return fmt.Sprintf("%s%s needs one of %s", in.Op, typed, g.Mods.list())
			}
		}
	}
	return fmt.Sprintf("the modifiers %s do not go together for %s%s; see PTX ISA %s", in.Mods.list(), in.Op, typed, SpecOf(in.Op).Section)
}

func explainOperands(in *Instruction, forms []*Form) string {
	text := ""
	for i, f := range forms {
		if i > 0 {
			text += " or "
		}
		text += f.synopsis(in.Op)
	}
	return fmt.Sprintf("wrong number of operands: %d given, expected %s", len(in.Operands), text)
}

// synopsis renders "mad d, a, b, c".
func (f *Form) synopsis(op Opcode) string {
	text := op.String()
	for i := range f.Shape {
		s := &f.Shape[i]
		switch {
		case s.Pair:
			text += "{|" + s.Name + "}"
		case i == 0:
			text += " " + s.Name
		default:
			text += ", " + s.Name
		}
	}
	return text
}
