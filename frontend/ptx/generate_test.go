// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/table/every-form.ptx anew")

// exampleKernel writes a kernel with an instruction for every form of every
// opcode, in every combination of its types, and with every modifier in turn.
// It is written from the table; that the parser takes it, each line by a form of
// its opcode, is what ties suffixes, shapes and rules together.
func exampleKernel() (text string, instructions int) {
	var b strings.Builder
	b.WriteString(".version 9.1\n.target sm_100a\n.address_size 64\n.visible .func (.param .b32 r) example(.param .b32 a) {\nst.param.b32 [r], 0; ret;\n}\n.entry examples(.param .u64 parameter) {\n")
	b.WriteString(".param .b32 result; .param .b32 argument;\nPROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);\n")
	for t := TypeNone + 1; t < typeEnd; t++ {
		if t.Declarable() {
			fmt.Fprintf(&b, ".reg .%s %%%s_<4>;\n", t, t)
		}
	}
	b.WriteString("LIST: .branchtargets LABEL, LABEL;\nLABEL:\n")
	for op := OpInvalid + 1; op < opEnd; op++ {
		for i := range specs[op].Forms {
			for _, line := range exampleLines(op, &specs[op].Forms[i]) {
				b.WriteString(line + "\n")
				instructions++
			}
		}
	}
	for _, line := range longAccesses {
		b.WriteString(line + "\n")
		instructions++
	}
	b.WriteString("ret;\n}\n")
	return b.String(), instructions
}

// longAccesses are of 256 bits, which no other example is.
var longAccesses = []string{
	"ld.global.v8.b32 {%b32_0, %b32_1, %b32_2, %b32_3, _, _, _, _}, [%u64_0];", "st.global.v8.f32 [%u64_0], {%f32_0, %f32_1, %f32_2, %f32_3, %f32_0, %f32_1, %f32_2, %f32_3};",
	"ld.global.v4.u64 {%u64_0, %u64_1, %u64_2, %u64_3}, [%u64_0];", "st.global.v4.f64 [%u64_0], {%f64_0, %f64_1, %f64_2, %f64_3};",
}

// exampleLines gives instructions of one form.
func exampleLines(op Opcode, f *Form) []string {
	var lines []string
	for _, types := range typeCombinations(f.Types) {
		for _, mods := range modifierVariants(f) {
			for _, space := range spaceVariants(f) {
				lines = append(lines, exampleLine(op, f, types, mods, space))
			}
		}
	}
	return lines
}

func typeCombinations(sets []TypeSet) [][]Type {
	combinations := [][]Type{nil}
	for _, set := range sets {
		var longer [][]Type
		for _, c := range combinations {
			for t := TypeNone + 1; t < typeEnd; t++ {
				if set.Has(t) {
					longer = append(longer, append(c[:len(c):len(c)], t))
				}
			}
		}
		combinations = longer
	}
	return combinations
}

// modifierVariants: for each group in turn each of its modifiers, with the
// first of the other required groups.
func modifierVariants(f *Form) [][]Mod {
	variants := [][]Mod{firstModifiers(f, -1, ModNone)}
	for i, g := range f.Groups {
		for m := ModNone + 1; m < modEnd; m++ {
			if g.Mods.Has(m) {
				variants = append(variants, firstModifiers(f, i, m))
			}
		}
	}
	return variants
}

func firstModifiers(f *Form, group int, chosen Mod) []Mod {
	var list []Mod
	for i, g := range f.Groups {
		for m := ModNone + 1; m < modEnd; m++ {
			if i == group && m == chosen || i != group && g.Required && g.Mods.Has(m) {
				list = append(list, m)
				break
			}
		}
	}
	return list
}

func spaceVariants(f *Form) []Space {
	if f.Spaces == 0 {
		return []Space{SpaceNone}
	}
	var list []Space
	for sp := SpaceNone + 1; sp < spaceEnd; sp++ {
		if f.Spaces.Has(sp) {
			list = append(list, sp)
		}
	}
	return list
}

func exampleLine(op Opcode, f *Form, types []Type, mods []Mod, space Space) string {
	text := op.String()
	in := Instruction{Op: op}
	late := "" // what stands behind the types
	for _, m := range mods {
		s := "." + m.String()
		switch m {
		case ModL1Hint:
			s = ".L1::evict_last"
		case ModL2Hint, ModL2Secondary:
			s = ".L2::evict_first"
		case ModL2Size:
			s = ".L2::128B"
		}
		if m == ModTensormap || standsBehindTypes(op, m) && !op.Surface() && (m != ModSatfinite || op != OpCvt) {
			late += s
		} else {
			text += s
		}
	}
	located := op.located()
	if op == OpCp {
		located = f.locatedTensor()
	}
	if op == OpTex || op == OpTld4 {
		text += ".v4"
	} else if into := f.Into(); into != SpaceNone {
		text += "." + into.String() + "." + space.String()
	} else if space != SpaceNone && space != SpaceGeneric && !op.Surface() {
		text += "." + space.String()
	}
	for i := range f.Shape {
		for n := 2; n <= 8 && in.Vector == 0; n++ {
			if f.Shape[i].Lengths.Has(n) {
				in.Vector = n
				text += fmt.Sprintf(".v%d", n)
			}
		}
	}
	for i, t := range types {
		text += "." + t.String()
		in.Types[i] = t
	}
	text += late
	switch {
	case op == OpCall && len(f.Shape) == 4:
		return text + " (result), %u64_0, (argument), PROTOTYPE;"
	case op == OpCall:
		return text + " (result), example, (argument);"
	}
	for i := range f.Shape {
		switch s := &f.Shape[i]; {
		case i > 0 && i == located+1 && located >= 0:
			// stands with the texture
		case i == located:
			text += []string{" ", ", "}[i] + "[%u64_0, " + exampleOperand(&in, &f.Shape[i+1], i+1) + "]"
		case i == 0 && mergesVideo(op, f, mods):
			text += " " + exampleOperand(&in, s, i) + ".b0"
		case i == 0:
			text += " " + exampleOperand(&in, s, i)
		case s.Pair:
			text += "|" + exampleOperand(&in, s, i)
		default:
			text += ", " + exampleOperand(&in, s, i)
		}
	}
	return text + ";"
}

// mergesVideo reports whether the example of a video instruction has a c and no
// second operation, so that the result must name a part.
func mergesVideo(op Opcode, f *Form, mods []Mod) bool {
	for _, m := range mods {
		if m == ModAdd || m == ModMin || m == ModMax {
			return false
		}
	}
	return op.VideoWidth() == 32 && op != OpVmad && len(f.Shape) == 4
}

// exampleOperand writes the kind of operand that the slot takes first.
func exampleOperand(in *Instruction, s *Slot, i int) string {
	switch {
	case s.Accept.Has(OperandAddress):
		return "[%u64_0+16]"
	case s.Accept.Has(OperandLabel):
		return "LABEL"
	case s.Accept.Has(OperandLabels):
		return "LIST"
	case s.Accept == kindsOf(OperandVector) && s.Elements == 0:
		e := Slot{Rule: s.Rule, Accept: registerOnly}
		return "{" + strings.TrimSuffix(strings.Repeat(exampleOperand(in, &e, i)+", ", in.Vector), ", ") + "}"
	case s.Elements != 0:
		e := Slot{Rule: s.Rule, Accept: registerOnly}
		if s.Rule == RuleDescriptor {
			e.Rule = RuleB32
		}
		return "{" + strings.TrimSuffix(strings.Repeat(exampleOperand(in, &e, i)+", ", in.VectorLength(s)), ", ") + "}"
	case s.Name == "cp-size":
		return "16"
	case s.Name == "f" || s.Name == "sp-sel": // which is zero where all lanes have metadata
		return "0"
	case s.Name == "imm-reg-count":
		return "24"
	case !s.Accept.Has(OperandRegister):
		return "1"
	}
	t := in.ruleType(s.Rule)
	switch {
	case s.Rule == RuleAddress:
		t = U64
	case t == U16x2 || t == S16x2:
		t = B32 // no register has them
	}
	if t == F32x2 {
		t = B64 // no register has the type
	}
	return fmt.Sprintf("%%%s_%d", t, min(i, 3))
}

func TestEveryFormHasAnInstructionThatParses(t *testing.T) {
	text, n := exampleKernel()
	m, err := Parse("examples.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernels[0]
	if len(k.Body) != n+1 || n < 1500 {
		t.Fatalf("%d instructions written, %d parsed", n, len(k.Body))
	}
	used := make(map[*Form]bool)
	for i := range k.Body {
		used[k.Body[i].Form()] = true
	}
	for op := OpInvalid + 1; op < opEnd; op++ {
		for i := range specs[op].Forms {
			if !used[&specs[op].Forms[i]] {
				t.Errorf("no example reached form %d of %s", i, op)
			}
		}
	}
	if again, err := Parse("printed.ptx", []byte(printKernel(k))); err != nil || len(again.Kernels[0].Body) != len(k.Body) {
		t.Errorf("the examples do not survive printing: %v", err)
	}
}

// The file lets the packages that consume instructions try every form of the
// table; "go test -run EveryFormOnFile -update" writes it after a change.
func TestEveryFormOnFileIsCurrent(t *testing.T) {
	const file = "testdata/table/every-form.ptx"
	text, _ := exampleKernel()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	onFile, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(onFile) != text {
		t.Error("the table has changed: run go test -run EveryFormOnFile -update ./frontend/ptx")
	}
}
