// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"testing"

	"github.com/warptape/warptape/trace"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func TestEveryOpcodeHasARow(t *testing.T) {
	names := make(map[string]Opcode)
	for op := OpInvalid + 1; op < opEnd; op++ {
		s := SpecOf(op)
		if s.Name == "" || s.Section == "" || len(s.Forms) == 0 {
			t.Errorf("opcode %d has the row %+v", op, s)
		}
		if other, twice := names[s.Name]; twice {
			t.Errorf("opcodes %d and %d are both %s", op, other, s.Name)
		}
		names[s.Name] = op
	}
	if SpecOf(OpInvalid).Name != "" || SpecOf(opEnd).Name != "" || len(specs) != int(opEnd) {
		t.Error("the table has rows outside of the opcodes")
	}
}

func TestFormsAreWellMade(t *testing.T) {
	for op := OpInvalid + 1; op < opEnd; op++ {
		for i := range SpecOf(op).Forms {
			checkForm(t, op, i, &SpecOf(op).Forms[i])
		}
	}
}

func checkForm(t *testing.T, op Opcode, i int, f *Form) {
	t.Helper()
	complain := func(what string) { t.Errorf("%s form %d: %s", op, i, what) }
	if f.Class == trace.ClassInvalid || int(f.Class) >= trace.ClassCount {
		complain("no class")
	}
	if len(f.Types) > 4 {
		complain("more types than an instruction holds")
	}
	for _, set := range f.Types {
		if set == 0 || set.Has(TypeNone) || set >= 1<<typeEnd {
			complain("a type slot with no or unknown types")
		}
	}
	var seen Modifiers
	for _, g := range f.Groups {
		if g.Mods == (Modifiers{}) {
			complain("an empty group")
		}
		if g.Mods.common(&seen) != 0 {
			complain("a modifier in two groups")
		}
		seen = seen.with(g.Mods)
	}
	sources, addresses := false, 0
	for j, s := range f.Shape {
		if s.Name == "" || s.Accept == 0 {
			complain("a slot without name or kinds")
		}
		if s.Write && sources {
			complain("a destination behind a source")
		}
		sources = sources || !s.Write
		if s.Pair && j != 1 {
			complain("a pair's second part that is not the second operand")
		}
		if s.Rule == RuleFirst && len(f.Types) < 1 || s.Rule == RuleSecond && len(f.Types) < 2 {
			complain("operand " + s.Name + " takes its type from a suffix that is not there")
		}
		if s.Rule == RuleNone && s.Accept&(valueKinds|resultKinds) != 0 {
			complain("operand " + s.Name + " has a value but no type")
		}
		if s.Accept.Has(OperandAddress) {
			addresses++
		}
	}
	if len(f.Shape) == 3 && f.Shape[2].Name == asyncBarrier.Name {
		addresses-- // the mbarrier that st.async and red.async tell
	}
	if types := len(f.Types); f.Class.IsMemory() && (op != OpCp && (addresses != 1 || f.Spaces == 0 || types != 1 && (f.Class != trace.ClassTexture || types != 2))) {
		complain("a memory form needs one address, its spaces and one type, or two of a texture")
	}
	if (f.Class == trace.ClassBranch) != (len(f.Shape) > 0 && f.Shape[len(f.Shape)-1].Accept&kindsOf(OperandLabel, OperandLabels) != 0) {
		complain("branches and only branches take labels")
	}
}

// Two forms that fit one instruction would make its class a matter of order.
// The test asks with every type combination and the least modifiers of each.
func TestFormsDoNotOverlap(t *testing.T) {
	for op := OpInvalid + 1; op < opEnd; op++ {
		forms := SpecOf(op).Forms
		for i := range forms {
			for j := i + 1; j < len(forms); j++ {
				if overlap(&forms[i], &forms[j]) {
					t.Errorf("%s: forms %d and %d fit the same instruction", op, i, j)
				}
			}
		}
	}
}

// overlap reports whether an instruction that uses all of a's required groups
// and nothing optional, or the reverse, also fits b, in types and operands.
func overlap(a, b *Form) bool {
	if len(a.Types) != len(b.Types) {
		return false
	}
	for i := range a.Types {
		if a.Types[i]&b.Types[i] == 0 {
			return false
		}
	}
	if a.Spaces != b.Spaces && a.Spaces&b.Spaces == 0 {
		return false
	}
	counts, lengths := false, false
	for n := range 9 {
		counts = counts || a.takes(n) && b.takes(n)
		lengths = lengths || n > 0 && a.fitsVector(n) && b.fitsVector(n)
	}
	return counts && lengths && (leastFits(a, b) || leastFits(b, a))
}

func leastFits(a, b *Form) bool {
	var m Modifiers
	for _, g := range a.Groups {
		for mod := ModNone + 1; g.Required && mod < modEnd; mod++ {
			if g.Mods.Has(mod) {
				m.Add(mod)
				break
			}
		}
	}
	return b.modifierFault(&m) == modifiersFit
}

func TestEveryModifierHasASpellingAndAUse(t *testing.T) {
	var used Modifiers
	for op := range specs {
		for _, f := range specs[op].Forms {
			for _, g := range f.Groups {
				used = used.with(g.Mods)
			}
		}
	}
	for m := ModNone + 1; m < modEnd; m++ {
		if m.String() == "" {
			t.Errorf("modifier %d has no spelling", m)
		}
		if !used.Has(m) {
			t.Errorf("no form takes .%s", m)
		}
	}
}

func TestEveryNameTableIsComplete(t *testing.T) {
	for ty := TypeNone + 1; ty < typeEnd; ty++ {
		if ty.String() == "" || ty.Bits() == 0 || suffixes[ty.String()].typ != ty {
			t.Errorf("type %d: name %q, %d bits", ty, ty, ty.Bits())
		}
	}
	for s := SpecialNone + 1; s < specialEnd; s++ {
		if s.String() == "" || specialOf[s.String()] != s {
			t.Errorf("special register %d is named %q", s, s)
		}
	}
	for sp := SpaceNone + 1; sp < spaceEnd; sp++ {
		if sp.String() == "" {
			t.Errorf("state space %d has no name", sp)
		}
	}
}
