// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// layoutOf lists the variables whose places the device chooses: those in shared memory,
// those of the kernel itself in local memory, and those in constant memory. The kernel
// tells the host where they are, two words of 64 bits for each: the address in its space
// and the generic one.
func layoutOf(k *contaminator.Kernel) []*ptx.Variable {
	var list []*ptx.Variable
	used := usedVariables(k)
	for _, v := range k.PTX.Module.Variables {
		if _, shared := k.SharedOffsets[v]; shared || v.Space == ptx.SpaceConst && used[v] {
			list = append(list, v)
		}
	}
	for _, v := range ownVariables(k) {
		if v.Space == ptx.SpaceShared || v.Space == ptx.SpaceLocal {
			list = append(list, v)
		}
	}
	return list
}

// layoutFor is the same for a mode: by segments, local variables of kernels with calls lie in
// one variable, whose place the kernel tells behind those of the others.
func layoutFor(k *contaminator.Kernel, mode Mode) []*ptx.Variable {
	list := layoutOf(k)
	if mode == Segments && hasCalls(k) {
		list = slices.DeleteFunc(list, func(v *ptx.Variable) bool { return v.Space == ptx.SpaceLocal })
	}
	return list
}

// ownVariables are those of the kernel itself, without the functions that it calls.
func ownVariables(k *contaminator.Kernel) []*ptx.Variable {
	if len(k.Units) > 0 {
		return k.Units[0].PTX.Variables
	}
	return k.PTX.Variables
}

func usedVariables(k *contaminator.Kernel) map[*ptx.Variable]bool {
	used := map[*ptx.Variable]bool{}
	for i := range k.PTX.Body {
		for j := range k.PTX.Body[i].Operands {
			if v := k.PTX.Body[i].Operands[j].Variable; v != nil {
				used[v] = true
			}
		}
	}
	return used
}

// tellLayout writes the code by which the first thread tells where variables are.
func (e *emitter) tellLayout(k *Kernel) {
	list := k.Layout
	if k.StackBytes > 0 {
		list = append(slices.Clone(list), &ptx.Variable{Name: e.stackName(), Space: ptx.SpaceLocal})
	}
	if len(list) == 0 {
		return
	}
	e.line("// added: the first thread tells the host where the device has put variables")
	e.line("ld.global.u64 $place, [%s_control+%d];", e.name(), ControlLayout)
	for i, v := range list {
		e.b.WriteString(e.indent + "mov.u64 %" + e.prefix + "d, " + v.Name + ";\n")
		e.line("cvta.%s.u64 $base, $d;", v.Space)
		e.line("@$first st.global.u64 [$place+%d], $d;", 16*i)
		e.line("@$first st.global.u64 [$place+%d], $base;", 16*i+8)
	}
}
