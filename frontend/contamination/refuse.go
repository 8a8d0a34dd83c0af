// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// check gives all reasons why a kernel cannot be contaminated, with their positions.
func check(k *contaminator.Kernel, mode Mode) error {
	var all []error
	refuse := func(at ptx.Position, what, why string) {
		all = append(all, fmt.Errorf("%s: %s cannot be contaminated: %s", at, what, why))
	}
	m, name := k.PTX.Module, "kernel "+k.PTX.Name
	if m.AddressSize != 64 {
		refuse(k.PTX.Position, name, "its addresses have 32 bits, which drivers no longer load; compile it with 64")
	}
	if n := targetOf(m); n < 20 {
		refuse(k.PTX.Position, name, fmt.Sprintf("its target sm_%d has other rules for .f32 than all that drivers load; compile it for sm_20 or newer", n))
	}
	for i := range k.PTX.Body {
		in := &k.PTX.Body[i]
		if why := refusal(k, i, mode); why != "" {
			refuse(in.Position, mnemonic(in), why)
		}
	}
	if mode == Segments {
		all = append(all, refuseCarries(k)...)
	}
	return errors.Join(all...)
}

func mnemonic(in *ptx.Instruction) string {
	return strings.Join(append([]string{in.Op.String()}, in.Suffixes...), ".")
}

// targetOf is the number of a module's architecture, such as 70.
func targetOf(m *ptx.Module) int {
	for _, t := range m.Targets {
		if digits, ok := strings.CutPrefix(t, "sm_"); ok {
			n, _ := strconv.Atoi(strings.TrimRight(digits, "abcdefghijklmnopqrstuvwxyz"))
			return n
		}
	}
	return 0
}

// refusal is why one instruction cannot be contaminated; empty if it can.
func refusal(k *contaminator.Kernel, index int, mode Mode) string {
	in := &k.PTX.Body[index]
	if p := constantParam(k, in); p != nil && !loadsWhole(in) {
		return "parameter " + p.Name + " points to constant memory, and is not loaded as a whole to a register; load it as a whole"
	}
	switch in.Op {
	case ptx.OpCp:
		if in.Bulk() && in.Mods.Has(ptx.ModTensor) && changesMaps(k) && !Logged(in.Named("[tensorMap]")) {
			return "the kernel changes tensor maps, and names this one; put its address into a register"
		}
	case ptx.OpCall:
		return refuseCall(k, in, mode)
	}
	if in.Class().IsMemory() && in.Op != ptx.OpCp && !Sampled(in) && k.Static.Instructions[index].Class.IsMemory() && !plainAccess(in) {
		return "its addresses are not those of its operands"
	}
	return ""
}

// plainAccess reports whether each lane accesses the address that its operand has.
func plainAccess(in *ptx.Instruction) bool {
	switch in.Op {
	case ptx.OpLd, ptx.OpLdu, ptx.OpSt, ptx.OpAtom, ptx.OpRed, ptx.OpLdmatrix, ptx.OpStmatrix, ptx.OpWmma, ptx.OpMbarrier, ptx.OpTensormap:
		return true
	}
	return false
}

func refuseCall(k *contaminator.Kernel, in *ptx.Instruction, mode Mode) string {
	for _, f := range in.Callees(k.PTX.Module) {
		switch {
		case f.Defined:
		case mode == Segments && in.Operands[1].Function == nil:
			return "it can reach function " + f.Name + ", which is not in this module, and by segments its text is needed; run it straight through, or link the module that has it"
		case allocator(f) && in.Operands[1].Function == nil:
			return "it can reach function " + f.Name + " through a pointer; call it by its name"
		case imaging(f):
			if why := unfit(f); why != "" {
				return why
			}
		case strings.Contains(f.Name, "ocl_image"):
			return "image function " + f.Name + " is none that is executed: images of one to three dimensions and layers are, without samples, levels and depths"
		}
	}
	return ""
}

// alone refuses kernels that stay as they are and call functions that are rewritten.
func alone(kernels []*contaminator.Kernel, o Options) error {
	if o.Alone {
		return nil
	}
	rewritten := map[*ptx.Function]string{}
	names := map[string]bool{}
	for _, k := range kernels {
		names[k.PTX.Name] = true
		for _, u := range k.Units[1:] {
			rewritten[u.PTX.Function] = k.PTX.Name
		}
	}
	for _, k := range kernels[0].PTX.Module.Kernels {
		if names[k.Name] {
			continue
		}
		linked, err := ptx.Link(k)
		if err != nil {
			return err
		}
		for i := range linked.Body {
			if in := &linked.Body[i]; slices.ContainsFunc(kernels, Allocates) && slices.ContainsFunc(in.Callees(k.Module), allocator) {
				return fmt.Errorf("%s: %s of kernel %s cannot stay as it is, since other kernels of the module have memory from the host's heap; contaminate it as well", in.Position, mnemonic(in), k.Name)
			}
		}
		for i := range linked.Units {
			if f := linked.Units[i].Function; f != nil && rewritten[f] != "" {
				return fmt.Errorf("%s: function %s cannot be contaminated for kernel %s alone: kernel %s calls it as well; contaminate both", f.Position, f.Name, rewritten[f], k.Name)
			}
		}
	}
	return nil
}
