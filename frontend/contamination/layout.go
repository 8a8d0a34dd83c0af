// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// layoutOf lists the variables whose places the device chooses: those in shared memory,
// also of functions, those of the kernel itself in local memory, those in constant memory, and
// parameters whose addresses the kernel takes. The kernel tells the host where they are, two
// words of 64 bits for each: the address in its space and the generic one.
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
	return append(append(append(list, sharedOfFunctions(k)...), addressedParams(k)...), constantsOf(k)...)
}

// sharedOfFunctions are variables in shared memory that functions declare.
func sharedOfFunctions(k *contaminator.Kernel) (list []*ptx.Variable) {
	for _, u := range k.Units[min(1, len(k.Units)):] {
		for _, v := range u.PTX.Variables {
			if v.Space == ptx.SpaceShared {
				list = append(list, v)
			}
		}
	}
	return list
}

// addressedParams stand for the parameters whose addresses the kernel takes.
func addressedParams(k *contaminator.Kernel) (list []*ptx.Variable) {
	for _, p := range k.PTX.Params {
		if slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool {
			return slices.ContainsFunc(in.Operands, func(o ptx.Operand) bool { return o.Kind == ptx.OperandParam && o.Param.Name == p.Name })
		}) {
			list = append(list, &ptx.Variable{Position: p.Position, Name: p.Name, Space: ptx.SpaceParam, Align: p.Align, Bytes: uint64(p.Bytes)})
		}
	}
	return list
}

// GenericParams reports whether a kernel makes generic addresses of those of parameters. Only
// then the generic addresses that it tells of them are such: cvta.param came with PTX 7.7.
func GenericParams(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpCvta && in.Space == ptx.SpaceParam })
}

// layoutFor is the same for a mode: by segments, local variables of kernels with calls lie in
// one variable, whose place the kernel tells behind those of the others.
func layoutFor(k *contaminator.Kernel, mode Mode) []*ptx.Variable {
	list := layoutOf(k)
	if mode == Segments && hasCalls(k) {
		list = slices.DeleteFunc(list, func(v *ptx.Variable) bool { return v.Space == ptx.SpaceLocal })
	}
	if mode == Segments && needsDynamic(k, list) {
		list = append(list, &ptx.Variable{Position: dynamicPosition, Name: "dynamic", Space: ptx.SpaceShared, Type: ptx.B8, Align: 1, Extern: true})
	}
	return list
}

// dynamicPosition is that of the variable that stands for dynamic shared memory in kernels that
// name none, and reach it by addresses behind their own variables.
var dynamicPosition = ptx.Position{Line: -1}

// needsDynamic reports whether by segments a kernel needs that variable, so that all of shared
// memory is kept.
func needsDynamic(k *contaminator.Kernel, list []*ptx.Variable) bool {
	return !slices.ContainsFunc(list, func(v *ptx.Variable) bool { return v.Space == ptx.SpaceShared && v.Extern && v.Bytes == 0 }) &&
		slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool {
			return in.Space == ptx.SpaceShared || in.Into == ptx.SpaceShared
		})
}

// declareDynamic declares the variable once for a module.
func (r *rewriter) declareDynamic(k *Kernel) {
	if r.moved[dynamicPosition] == "" && slices.ContainsFunc(k.Layout, func(v *ptx.Variable) bool { return v.Position == dynamicPosition }) {
		name := r.name() + "_dynamic"
		r.moved[dynamicPosition] = name
		r.insert(r.headEnd, fmt.Sprintf("// added: dynamic shared memory, which no variable of the kernel names\n.extern .shared .align 1 .b8 %s[];\n", name))
	}
}

// ownVariables are those of the kernel itself, without the functions that it calls.
func ownVariables(k *contaminator.Kernel) []*ptx.Variable {
	if len(k.Units) > 0 {
		return k.Units[0].PTX.Variables
	}
	return k.PTX.Variables
}

// usedVariables are those that a kernel names, and those whose addresses are in their initial values.
func usedVariables(k *contaminator.Kernel) map[*ptx.Variable]bool {
	used := map[*ptx.Variable]bool{}
	var add func(v *ptx.Variable)
	add = func(v *ptx.Variable) {
		if v == nil || used[v] {
			return
		}
		used[v] = true
		for i := range v.Relocations {
			add(v.Relocations[i].Symbol)
		}
	}
	for i := range k.PTX.Body {
		for j := range k.PTX.Body[i].Operands {
			add(k.PTX.Body[i].Operands[j].Variable)
		}
	}
	return used
}

// Variables are those of the module that a kernel can reach by their names, in order.
func Variables(k *contaminator.Kernel) (list []*ptx.Variable) {
	used := usedVariables(k)
	for _, v := range k.PTX.Module.Variables {
		if used[v] {
			list = append(list, v)
		}
	}
	return list
}

// tellLayout writes the code by which the first thread tells where variables are.
func (r *rewriter) tellLayout(k *Kernel) {
	list := k.Layout
	if k.StackBytes > 0 {
		list = append(slices.Clone(list), &ptx.Variable{Name: r.stackName(), Space: ptx.SpaceLocal})
	}
	if len(list) == 0 {
		return
	}
	r.line("// added: the first thread tells the host where the device has put variables")
	r.line("ld.global.u64 $place, [%s_control+%d];", r.name(), ControlLayout)
	for i, v := range list {
		r.line("mov.u64 $d, %s;", verbatim(r.nameOf(v)))
		if v.Space != ptx.SpaceParam || GenericParams(k.Kernel) {
			r.line("cvta.%s.u64 $base, $d;", v.Space)
		} else {
			r.line("mov.u64 $base, $d;")
		}
		r.line("@$first st.global.u64 [$place+%d], $d;", 16*i)
		r.line("@$first st.global.u64 [$place+%d], $base;", 16*i+8)
	}
	if !MapsShared(k.Kernel) {
		return
	}
	r.line("// added: and what shared memory is mapped to in the first thread block")
	for i, v := range list {
		if v.Space != ptx.SpaceShared {
			continue
		}
		r.line("mov.u64 $d, %s;", verbatim(r.nameOf(v)))
		r.line("cvta.shared.u64 $base, $d;")
		r.line("mapa.shared::cluster.u64 $d, $d, 0;")
		r.line("mapa.u64 $base, $base, 0;")
		r.line("@$first st.global.u64 [$place+%d], $d;", 16*(len(list)+i))
		r.line("@$first st.global.u64 [$place+%d], $base;", 16*(len(list)+i)+8)
	}
}

// nameOf is the name of a variable in the text as it is rewritten.
func (r *rewriter) nameOf(v *ptx.Variable) string {
	if name := r.moved[v.Position]; name != "" {
		return name
	}
	return v.Name
}

// sharedStatement is what a declaration begins with.
var sharedStatement = pattern(`(\.extern\s+)?\.shared\b[^;]*$`)

// moveShared moves the variables that functions have in shared memory to the module, so that
// kernels can name them: to tell their places, and to save them between segments. So it does with
// a kernel's own, where functions name them.
func (r *rewriter) moveShared(k *contaminator.Kernel) error {
	list := sharedOfFunctions(k)
	if r.options.Mode == Segments && multipliesInFunctions(k) { // which keep all of shared memory
		for _, v := range ownVariables(k) {
			if v.Space == ptx.SpaceShared {
				list = append(list, v)
			}
		}
	}
	for _, v := range list {
		if r.moved[v.Position] != "" {
			continue
		}
		at := r.source.offset(v.Position)
		if bytes.HasPrefix(r.module.Text[at:], []byte(".")) { // at the statement
			at = r.source.skip(at, ';')
		}
		head := sharedStatement().FindIndex(r.module.Text[:at])
		if head == nil {
			return fmt.Errorf("%s: BUG: no .shared is before variable %s", v.Position, v.Name)
		}
		name := fmt.Sprintf("%s_shared%d_%s", r.name(), len(r.moved), v.Name)
		r.moved[v.Position] = name
		if v.Extern {
			r.insert(r.headEnd, fmt.Sprintf("// added: %s of a body\n.extern .shared .align %d .b8 %s[];\n", v.Name, v.Align, name))
		} else {
			r.insert(r.headEnd, fmt.Sprintf("// added: %s of a body\n.shared .align %d .b8 %s[%d];\n", v.Name, v.Align, name, v.Bytes))
		}
		to := r.source.skip(head[0], ';') + 1
		if !slices.ContainsFunc(r.edits, func(e edit) bool { return e.from == head[0] && e.to == to }) {
			r.comment("moved to the module", head[0], to)
		}
	}
	return nil
}
