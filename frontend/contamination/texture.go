// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// A texture has another handle on the device than in a recording. The kernel computes with
// the recording's, and looks up the device's in a table right where it accesses the texture,
// so handles may come from wherever the kernel has them. References, which CUDA 12 no longer
// has, become handles.

// View is what a row of the table has: handles of one texture for different instructions.
type View int

// The views. A GPU reads integers as they are or as numbers of 0 to 1 by the texture, not by
// the instruction.
const (
	ViewIntegers View = iota // for results that are integers
	ViewFloats               // for .f32 results
	ViewSurface
	Views    // their number
	RowBytes = 32
	// RowHandle is where the row of a reference has the recording's handle.
	RowHandle = 24
)

// Textured reports whether an instruction has the handle of a texture or surface.
func Textured(in *ptx.Instruction) bool {
	return Sampled(in) || in.Op == ptx.OpTxq || in.Op == ptx.OpSuq
}

// ViewOf is the view that an instruction needs.
func ViewOf(in *ptx.Instruction) View {
	switch {
	case in.Op.Surface() || in.Op == ptx.OpSuq:
		return ViewSurface
	case in.Op != ptx.OpTxq && in.Types[0] != ptx.F32:
		return ViewIntegers
	}
	return ViewFloats
}

func usesTextures(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return Textured(&in) })
}

func referencesOf(m *ptx.Module) (list []*ptx.Variable) {
	for _, v := range m.Variables {
		if v.Space == ptx.SpaceTexture {
			list = append(list, v)
		}
	}
	return list
}

// replaceHandle puts the device's handle in the place of the recording's.
func (r *rewriter) replaceHandle(in *ptx.Instruction, from, to int) error {
	if !Textured(in) {
		return nil
	}
	o := operand(in, addressOperand(in))
	r.line("// added: the device's handle for %s", mnemonic(in))
	r.line("ld.global.u64 $place, [%s_control+%d];", r.name(), ControlTextures)
	row, name := 0, ""
	if o.Register != nil {
		name = o.Register.Name
		row = len(r.result.References)
		r.operand(o)
		r.line("ld.global.u32 $t, [%s_control+%d];", r.name(), ControlHandles)
		r.line("cvt.u64.u32 $d, $t;")
		r.line("setp.lt.u64 $same, $value, $d;")
		r.line("selp.b64 $value, $value, 0, $same;")
		r.line("mul.lo.s64 $d, $value, %d;", RowBytes)
		r.line("add.s64 $place, $place, $d;")
	} else if row = slices.Index(r.result.References, o.Variable); row >= 0 {
		name = o.Variable.Name
	} else {
		return fmt.Errorf("%s: %s cannot be contaminated: it names no texture or surface", in.Position, mnemonic(in))
	}
	r.line("ld.global.u64 $texture, [$place+%d];", RowBytes*row+8*int(ViewOf(in)))
	found := regexp.MustCompile(`\[\s*(`+regexp.QuoteMeta(name)+`(\s*\+\s*-?\w+)?)\s*[,\]]`).FindAllSubmatchIndex(r.module.Text[from:to], -1)
	if len(found) != 1 {
		return fmt.Errorf("%s: BUG: [%s is not in the text of the instruction", in.Position, name)
	}
	r.edits = append(r.edits, edit{from + found[0][2], from + found[0][3], "%" + r.prefix + "texture"})
	return nil
}
