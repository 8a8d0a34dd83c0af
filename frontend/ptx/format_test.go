// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// printFormals renders what a call passes as parameters.
func printFormals(list []Passed) string {
	var texts []string
	for _, p := range list {
		texts = append(texts, fmt.Sprintf(".param .align %d .b8 _[%d]", p.Type.Bytes(), p.Bytes))
	}
	return strings.Join(texts, ", ")
}

// printKernel renders a kernel from its parts alone, every instruction by
// Format. Registers get names of their own, since names of inner scopes repeat.
func printKernel(k *Kernel) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 7.0\n.target sm_70\n.address_size %d\n", k.Module.AddressSize)
	for _, f := range k.Module.Functions {
		fmt.Fprintf(&b, ".func (%s) %s (%s);\n", printFormals(passedOf(f.Returns)), f.Name, printFormals(passedOf(f.Params)))
	}
	for _, v := range append(append([]*Variable(nil), k.Module.Variables...), k.Variables...) {
		if v.Space == SpaceArgument {
			continue
		}
		if v.Space == SpaceTexture {
			fmt.Fprintf(&b, ".global .texref %s;\n", v.Name)
			continue
		}
		fmt.Fprintf(&b, "%s.%s .align %d .b8 %s[%d];\n", map[bool]string{true: ".extern "}[v.Extern], v.Space, v.Align, v.Name, v.Bytes)
	}
	fmt.Fprintf(&b, ".entry %s(", k.Name)
	for i, p := range k.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, ".param .align %d .b8 %s[%d]", p.Align, p.Name, p.Bytes)
	}
	b.WriteString(")\n{\n")
	for i, r := range k.Registers {
		r.Name = fmt.Sprintf("%%x%c%d", 'a'+rune(r.Type), i)
		fmt.Fprintf(&b, ".reg .%s %s;\n", r.Type, r.Name)
	}
	for i, v := range k.Variables {
		if v.Space == SpaceArgument {
			v.Name = fmt.Sprintf("argument%d", i)
			fmt.Fprintf(&b, ".param .align %d .b8 %s[%d];\n", v.Align, v.Name, v.Bytes)
		}
	}
	names := make(map[*Label]string)
	for i, l := range k.Labels {
		names[l] = fmt.Sprintf("L%d", i)
		l.Name = names[l]
	}
	for i := range k.Body {
		for j, l := range k.Labels {
			if l.Index == i {
				fmt.Fprintf(&b, "L%d:\n", j)
			}
		}
		in := &k.Body[i]
		if in.Op == OpCall && len(in.Operands) > 3 {
			s := in.Operands[3].Prototype.Signature
			fmt.Fprintf(&b, "prototype%d: .callprototype (%s) _ (%s);\n", i, printFormals(s.Returns), printFormals(s.Params))
			b.WriteString(strings.Replace(Format(in), "...;", fmt.Sprintf("prototype%d;", i), 1) + "\n")
			continue
		}
		if in.Op == OpBrx {
			var list []string
			for _, l := range in.Operands[1].Labels {
				list = append(list, names[l])
			}
			fmt.Fprintf(&b, "branchtargets%d: .branchtargets %s;\n", i, strings.Join(list, ", "))
			b.WriteString(strings.Replace(Format(in), "{"+strings.Join(list, ", ")+"}", fmt.Sprintf("branchtargets%d", i), 1))
		} else {
			b.WriteString(Format(in))
		}
		b.WriteByte('\n')
	}
	for j, l := range k.Labels {
		if l.Index == len(k.Body) {
			fmt.Fprintf(&b, "L%d:\n", j)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// An instruction in terms of names instead of pointers and places.
func flatten(in *Instruction) string {
	in2 := *in
	in2.Position, in2.SourceFile, in2.SourceLine, in2.Guard, in2.Operands = Position{}, 0, 0, Guard{}, nil
	text := fmt.Sprintf("%+v", in2)
	if in.Guard.Register != nil {
		text += fmt.Sprintf(" guard %s %v", in.Guard.Register.Name, in.Guard.Negated)
	}
	for i := range in.Operands {
		text += " | " + flattenOperand(&in.Operands[i])
	}
	return text
}

func flattenOperand(o *Operand) string {
	text := fmt.Sprintf("%d %v %s %d %x %s", o.Kind, o.Negated, o.base(), o.Offset, o.Value, o.Special)
	if o.Label != nil {
		text += fmt.Sprint(" label ", o.Label.Index)
	}
	for _, l := range o.Labels {
		text += fmt.Sprint(" label ", l.Index)
	}
	for i := range o.Elements {
		text += " {" + flattenOperand(&o.Elements[i]) + "}"
	}
	return text
}

func TestPrintedInstructionsParseToThemselves(t *testing.T) {
	instructions := 0
	for _, file := range goodFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range m.Kernels {
			printed := printKernel(k)
			again, err := Parse("printed.ptx", []byte(printed))
			if err != nil {
				t.Errorf("%s: %s: %v", file, k.Name, err)
				continue
			}
			var want, got []string
			for i := range k.Body {
				want = append(want, flatten(&k.Body[i]))
			}
			for i := range again.Kernels[0].Body {
				got = append(got, flatten(&again.Kernels[0].Body[i]))
			}
			instructions += len(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s changed by printing (-want +got):\n%s", file, k.Name, diff)
			}
		}
	}
	if instructions < 1000 {
		t.Errorf("only %d instructions were compared", instructions)
	}
}

func TestFormatSpellsPTX(t *testing.T) {
	lines := []string{
		"@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8];",
		"mad.lo.s32 %r1, %r2, -5, %r3;",
		"setp.lt.and.f32 %p1|%p2, %f1, 0f3F800000, !%p0;",
		"mov.u32 %r1, %tid.x;",
		"mov.f64 %fd1, 0d3FF0000000000000;",
		"mov.u64 %rd1, array+16;",
		"atom.shared.add.u32 _, [array+4], 1;",
		"ld.param.u32 %r1, [n];",
		"shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, 4294967295;",
		"mov.b64 %rd1, {%r1, %r2};",
		"st.global.b32 [4096], 7;",
	}
	head := ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u32 n) {\n.shared .b32 array[32];\n" +
		".reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>;\n"
	m, err := Parse("k.ptx", []byte(head+strings.Join(lines, "\n")+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range lines {
		if got := Format(&m.Kernels[0].Body[i]); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
