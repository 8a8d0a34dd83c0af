// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// Thread blocks whose logs had no room run again. What their first run printed cannot be taken
// back. So a launch of a kernel that prints runs quietly until its logs have room.

// prints reports whether a function writes text where the program's user sees it.
func prints(f *ptx.Function) bool {
	return !f.Defined && (f.Name == "vprintf" || f.Name == "printf")
}

// Prints reports whether a kernel calls a function that prints, and whether it may do so through
// a pointer, where it cannot be kept from it.
func Prints(k *contaminator.Kernel) (any, pointer bool) {
	for i := range k.PTX.Body {
		if in := &k.PTX.Body[i]; slices.ContainsFunc(in.Callees(k.PTX.Module), prints) {
			any, pointer = true, pointer || in.Called() == nil
		}
	}
	return any, pointer
}

// quiet puts a branch around a call that prints, for launches that print nothing.
func (r *rewriter) quiet(in *ptx.Instruction, to int) {
	if f := in.Called(); f == nil || !prints(f) {
		return
	}
	silent := r.newLabel("silent")
	r.line("// added: nothing is printed until the logs have room")
	r.line("ld.global.u32 $u, [%s_control+%d];", r.name(), ControlQuiet)
	r.line("setp.ne.u32 $write, $u, 0;")
	r.line("@$write bra %s;", verbatim(silent))
	before := r.take()
	r.b.WriteString(silent + ":\n")
	r.behind(in, to, before)
}
