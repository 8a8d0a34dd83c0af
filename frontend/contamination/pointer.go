// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// A variable in global memory may have the address of a constant as its initial value. The host
// gives its bytes, and the device gives the address. So the text has a kernel that tells these
// addresses, and the host puts them in the place of the recording's.

// Pointer is an address in the initial value of a variable in global memory: by their places among
// the module's variables, and the variable's relocations.
type Pointer struct{ Variable, Relocation int }

// pointersOf lists those that kernels can reach.
func pointersOf(kernels []*contaminator.Kernel) (list []Pointer) {
	for i, v := range kernels[0].PTX.Module.Variables {
		if v.Space != ptx.SpaceGlobal || !slices.ContainsFunc(kernels, func(k *contaminator.Kernel) bool { return usedVariables(k)[v] }) {
			continue
		}
		for n, r := range v.Relocations {
			if r.Symbol != nil && r.Symbol.Space == ptx.SpaceConst {
				list = append(list, Pointer{i, n})
			}
		}
	}
	return list
}

// tellPointers adds the kernel that tells the addresses, 64 bits each.
func (r *rewriter) tellPointers(kernels []*contaminator.Kernel) {
	if r.result.Pointers = pointersOf(kernels); len(r.result.Pointers) == 0 || r.options.Globals == nil {
		return
	}
	r.result.TellsPointers = r.name() + "_pointers"
	r.indent = "\t"
	r.line("ld.global.u64 $place, [%s_control+%d];", r.name(), ControlLayout)
	for i, p := range r.result.Pointers {
		v := r.module.Variables[p.Variable]
		at := &v.Relocations[p.Relocation]
		r.line("// what %s has at byte %d", verbatim(v.Name), at.Offset)
		r.line("mov.u64 $d, %s;", verbatim(at.Symbol.Name))
		if at.Generic {
			r.line("cvta.const.u64 $d, $d;")
		}
		r.line("add.s64 $d, $d, %d;", at.Addend)
		r.line("st.global.u64 [$place+%d], $d;", 8*i)
	}
	r.line("ret;")
	body := strings.ReplaceAll("\t.reg .b64 $d, $place;\n", "$", "%"+r.prefix) + r.take()
	r.insert(len(r.module.Text), fmt.Sprintf("\n// added: where the device has put constants whose addresses are in global memory\n.visible .entry %s()\n{\n%s}\n", r.result.TellsPointers, body))
}
