// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"testing"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// formLowering lowers instructions made from the instruction table.
type formLowering struct {
	*lowering
	registers map[ptx.Type]*ptx.Register
}

func newFormLowering(t *testing.T) *formLowering {
	t.Helper()
	f := &formLowering{registers: map[ptx.Type]*ptx.Register{}}
	k := &ptx.Kernel{Name: "forms", Module: &ptx.Module{}}
	for _, bits := range []ptx.Type{ptx.Pred, ptx.B16, ptx.B32, ptx.B64, ptx.B128} {
		r := &ptx.Register{Name: bits.String(), Type: bits, Index: len(k.Registers)}
		k.Registers = append(k.Registers, r)
		f.registers[bits] = r
	}
	l, err := newLowering(&contaminator.Kernel{PTX: k, Segments: []contaminator.Segment{{}}, Units: make([]contaminator.Unit, 1), Static: &trace.Kernel{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.lowering = l
	return f
}

// register gives a register that a type fits into.
func (f *formLowering) register(t ptx.Type) *ptx.Register {
	switch {
	case t == ptx.Pred:
		return f.registers[ptx.Pred]
	case t.Bits() <= 16:
		return f.registers[ptx.B16]
	case t.Bits() == 32:
		return f.registers[ptx.B32]
	case t == ptx.B128:
		return f.registers[ptx.B128]
	}
	return f.registers[ptx.B64]
}

// operand makes an operand for a slot of a form.
func (f *formLowering) operand(s *ptx.Slot, types [4]ptx.Type, vector int) ptx.Operand {
	label := &ptx.Label{}
	switch {
	case s.Accept == 1<<ptx.OperandVector && s.Elements == 0:
		v := ptx.Operand{Kind: ptx.OperandVector}
		for range vector {
			v.Elements = append(v.Elements, f.operand(&ptx.Slot{Rule: s.Rule, Accept: 1 << ptx.OperandRegister}, types, 1))
		}
		return v
	case s.Elements != 0:
		v := ptx.Operand{Kind: ptx.OperandVector}
		e := ptx.Slot{Rule: s.Rule, Accept: 1 << ptx.OperandRegister}
		if s.Rule == ptx.RuleDescriptor {
			e.Rule = ptx.RuleB32
		}
		for range (&ptx.Instruction{Types: types}).VectorLength(s) { // of the shape with n 8
			v.Elements = append(v.Elements, f.operand(&e, types, 1))
		}
		return v
	case s.Accept.Has(ptx.OperandAddress):
		return ptx.Operand{Kind: ptx.OperandAddress, Register: f.registers[ptx.B64]}
	case s.Accept.Has(ptx.OperandLabel):
		return ptx.Operand{Kind: ptx.OperandLabel, Label: label}
	case s.Accept.Has(ptx.OperandLabels):
		return ptx.Operand{Kind: ptx.OperandLabels, Labels: []*ptx.Label{label}}
	case !s.Accept.Has(ptx.OperandRegister):
		return ptx.Operand{Kind: ptx.OperandImmediate, Value: 1}
	}
	t := types[0]
	switch s.Rule {
	case ptx.RuleSecond:
		t = types[1]
	case ptx.RuleWide:
		t = map[int]ptx.Type{16: ptx.B32, 32: ptx.B64}[types[0].Bits()]
	case ptx.RulePred:
		t = ptx.Pred
	case ptx.RuleB32, ptx.RuleS32:
		t = ptx.B32
	case ptx.RuleB16:
		t = ptx.B16
	case ptx.RuleF32:
		t = ptx.F32
	case ptx.RuleAddress, ptx.RuleB64:
		t = ptx.B64
	}
	return ptx.Operand{Kind: ptx.OperandRegister, Register: f.register(t)}
}

// typeChoices are all ways to choose one type of each set.
func typeChoices(sets []ptx.TypeSet) [][4]ptx.Type {
	choices := [][4]ptx.Type{{}}
	for i, set := range sets {
		var more [][4]ptx.Type
		for _, c := range choices {
			for t := ptx.TypeNone + 1; t.Bits() > 0; t++ {
				if set.Has(t) {
					c[i] = t
					more = append(more, c)
				}
			}
		}
		choices = more
	}
	return choices
}

// modifierChoices are all legal sets of a form's modifiers.
func modifierChoices(groups []ptx.Group) []ptx.Modifiers {
	choices := []ptx.Modifiers{{}}
	for _, g := range groups {
		var more []ptx.Modifiers
		for _, c := range choices {
			if !g.Required {
				more = append(more, c)
			}
			for m := ptx.Mod(1); m < 255; m++ {
				if g.Mods.Has(m) {
					with := c
					with.Add(m)
					more = append(more, with)
				}
			}
		}
		choices = more
	}
	return choices
}

// spaceChoices are the state spaces of a form.
func spaceChoices(set ptx.SpaceSet) []ptx.Space {
	if set == 0 {
		return []ptx.Space{ptx.SpaceNone}
	}
	var list []ptx.Space
	for s := ptx.SpaceNone; s <= ptx.SpaceArgument; s++ {
		if set.Has(s) {
			list = append(list, s)
		}
	}
	return list
}

// leastVector is the length of vectors of a form that has no other: 1 else.
func leastVector(f *ptx.Form) int {
	for i := range f.Shape {
		for n := 2; n <= 8; n++ {
			if f.Shape[i].Lengths.Has(n) {
				return n
			}
		}
	}
	return 1
}

// shapeSuffix is the suffix that a modifier of wgmma stands for.
func shapeSuffix(mods *ptx.Modifiers) []string {
	for _, m := range []ptx.Mod{ptx.ModM64k8, ptx.ModM64k16, ptx.ModM64k32, ptx.ModM64k256} {
		if mods.Has(m) {
			return []string{m.String()}
		}
	}
	return nil
}

// TestEveryFormOfTheInstructionTableLowers goes through all forms that the
// parser accepts, with all their types, modifiers and state spaces.
func TestEveryFormOfTheInstructionTableLowers(t *testing.T) {
	tried := 0
	for op := ptx.Opcode(1); ptx.SpecOf(op).Name != ""; op++ {
		if op == ptx.OpCall {
			continue // needs functions: TestWhatParsesLoads has them
		}
		f := newFormLowering(t)
		for _, form := range ptx.SpecOf(op).Forms {
			for _, types := range typeChoices(form.Types) {
				for _, mods := range modifierChoices(form.Groups) {
					for _, space := range spaceChoices(form.Spaces) {
						in := ptx.Instruction{Op: op, Types: types, Mods: mods, Space: space, Into: form.Into(), Vector: leastVector(&form)}
						in.Suffixes = shapeSuffix(&mods)
						for i := range form.Shape {
							if form.Shape[i].Name == "cp-size" {
								in.Operands = append(in.Operands, ptx.Operand{Kind: ptx.OperandImmediate, Value: 16})
								continue
							}
							in.Operands = append(in.Operands, f.operand(&form.Shape[i], types, in.Vector))
							if form.Shape[i].Write {
								in.Destinations++
							}
						}
						tried++
						if _, err := f.instruction(&in, false); err != nil {
							t.Errorf("%s %v of types %v in %v: %v", op, mods, types, space, err)
						}
					}
				}
			}
		}
	}
	if tried < 5000 {
		t.Errorf("only %d forms tried", tried)
	}
	t.Logf("%d forms", tried)
}
