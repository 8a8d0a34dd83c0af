// SPDX-License-Identifier: Apache-2.0

package contaminator

import "github.com/warptape/warptape/frontend/ptx"

// ConstantParams says for each of PTX.Params whether it is a pointer to constant
// memory; the host program gives the buffer. Such a pointer is declared with .ptr
// .const (5.1.6.3). LLVM leaves that out: then the address of an ld.const has its
// value, which has gone through moves, sums, local memory and calls only. A register
// or a place in local memory may have pointers of both kinds one after the other:
// what goes to global memory as well is none.
func (k *Kernel) ConstantParams() []bool {
	k.findConstants.Do(func() { k.constants = k.constantParams() })
	return k.constants
}

func (k *Kernel) constantParams() []bool {
	params := make([]bool, len(k.PTX.Params))
	some := false
	for i, p := range k.PTX.Params {
		params[i] = p.Pointer == ptx.SpaceConst
	}
	for i := range k.PTX.Body {
		some = some || addressIn(&k.PTX.Body[i], ptx.SpaceConst) != nil
	}
	if !some {
		return params
	}
	direct, spilled := newPointerFlow(k, false), newPointerFlow(k, true)
	for i, p := range k.PTX.Params {
		at := place{param: p}
		switch {
		case p.Pointer != ptx.SpaceNone: // it says what it is
		case direct.constant[at] || direct.global[at]:
			params[i] = direct.constant[at] && !direct.global[at]
		default:
			params[i] = spilled.constant[at] && !spilled.global[at]
		}
	}
	return params
}

// addressIn is the register that holds an address in the space: of a load or
// store, or what cvta takes from there or puts there; nil for other instructions.
func addressIn(in *ptx.Instruction, space ptx.Space) *ptx.Register {
	if in.Space != space {
		return nil
	}
	switch in.Op {
	case ptx.OpCvta:
		if in.Mods.Has(ptx.ModTo) == (space == ptx.SpaceGlobal) {
			return in.Operands[1].Register
		}
		return nil
	case ptx.OpLd, ptx.OpLdu, ptx.OpSt, ptx.OpAtom, ptx.OpRed:
		for i := range in.Operands {
			if in.Operands[i].Kind == ptx.OperandAddress {
				return in.Operands[i].Register
			}
		}
	}
	return nil
}

// place is where a pointer can be: in a parameter, a register, or memory at an
// offset from a register or a variable.
type place struct {
	param    *ptx.Param
	register *ptx.Register
	variable *ptx.Variable
	memory   bool // at register + offset
	offset   int64
}

// pointerFlow follows pointers back from place to place, in whatever order the
// instructions are executed.
type pointerFlow struct {
	k       *Kernel
	spilled bool // also through the thread's memory
	from    map[place][]place
	moved   map[*ptx.Register]*ptx.Operand // addresses of parameters
	// constant and global are the places whose pointers get there.
	constant, global map[place]bool
}

func newPointerFlow(k *Kernel, spilled bool) *pointerFlow {
	f := &pointerFlow{k: k, spilled: spilled, from: make(map[place][]place), moved: make(map[*ptx.Register]*ptx.Operand)}
	for i := range k.PTX.Body {
		if in := &k.PTX.Body[i]; in.Op == ptx.OpMov && in.Operands[1].Kind == ptx.OperandParam {
			f.moved[in.Operands[0].Register] = &in.Operands[1]
		}
	}
	for i := range k.PTX.Body {
		f.connect(&k.PTX.Body[i])
	}
	f.constant, f.global = f.sources(ptx.SpaceConst), f.sources(ptx.SpaceGlobal)
	return f
}

func (f *pointerFlow) edge(from, to place) { f.from[to] = append(f.from[to], from) }

// connect adds the edges of an instruction.
func (f *pointerFlow) connect(in *ptx.Instruction) {
	switch in.Op {
	case ptx.OpLd, ptx.OpLdu:
		f.move(in, &in.Operands[1], &in.Operands[0], false)
	case ptx.OpSt:
		f.move(in, &in.Operands[0], &in.Operands[1], true)
	case ptx.OpCall:
		f.call(in)
	case ptx.OpMov, ptx.OpAdd, ptx.OpSub, ptx.OpMad, ptx.OpSelp, ptx.OpSlct, ptx.OpCvta, ptx.OpCvt, ptx.OpAnd, ptx.OpOr:
		f.compute(in)
	}
}

// sources are the places whose pointers become addresses in a space.
func (f *pointerFlow) sources(space ptx.Space) map[place]bool {
	seen := make(map[place]bool)
	var work []place
	visit := func(p place) {
		if !seen[p] {
			seen[p] = true
			work = append(work, p)
		}
	}
	for i := range f.k.PTX.Body {
		if r := addressIn(&f.k.PTX.Body[i], space); r != nil {
			visit(place{register: r})
		}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range f.from[at] {
			visit(p)
		}
	}
	return seen
}

// compute lets all sources of an operation reach its results.
func (f *pointerFlow) compute(in *ptx.Instruction) {
	Writes(in, func(to *ptx.Register) {
		Reads(in, func(from *ptx.Register) { f.edge(place{register: from}, place{register: to}) })
	})
}

// move adds the edges of a load from parameters or of a load or store of memory
// where pointers are spilled: that of the thread, or of arguments. What other
// memory holds is unknown.
func (f *pointerFlow) move(in *ptx.Instruction, at, value *ptx.Operand, store bool) {
	values := []ptx.Operand{*value}
	if value.Kind == ptx.OperandVector {
		values = value.Elements
	}
	for i := range values {
		r := values[i].Register
		where, ok := f.memoryPlace(in, at, int64(i*in.Type().Bytes()))
		if r == nil || !ok {
			continue
		}
		if store {
			f.edge(place{register: r}, where)
		} else {
			f.edge(where, place{register: r})
		}
	}
}

func (f *pointerFlow) memoryPlace(in *ptx.Instruction, at *ptx.Operand, more int64) (place, bool) {
	offset := at.Offset + more
	switch {
	case at.Param != nil:
		return f.paramAt(int64(at.Param.Offset) + offset)
	case in.Space == ptx.SpaceParam && at.Register != nil:
		if p := f.moved[at.Register]; p != nil {
			return f.paramAt(p.Offset + int64(p.Param.Offset) + offset)
		}
		return place{}, false
	case in.Space != ptx.SpaceLocal && in.Space != ptx.SpaceArgument && in.Space != ptx.SpaceGeneric:
		return place{}, false
	case !f.spilled && in.Space != ptx.SpaceArgument:
		return place{}, false
	case at.Register != nil:
		return place{register: at.Register, memory: true, offset: offset}, true
	case at.Variable != nil:
		return place{variable: at.Variable, offset: offset}, true
	}
	return place{}, false
}

// paramAt finds the parameter at an offset of parameter space.
func (f *pointerFlow) paramAt(offset int64) (place, bool) {
	for _, p := range f.k.PTX.Params {
		if offset >= int64(p.Offset) && offset < int64(p.Offset)+int64(p.Bytes) {
			return place{param: p}, true
		}
	}
	return place{}, false
}

// call passes arguments and results.
func (f *pointerFlow) call(in *ptx.Instruction) {
	for _, callee := range in.Callees(f.k.PTX.Module) {
		u := f.k.UnitOf(callee)
		if u <= 0 {
			continue
		}
		unit := f.k.Units[u].PTX
		f.pass(in.Operands[2].Elements, unit.Params, false)
		f.pass(in.Operands[0].Elements, unit.Returns, true)
	}
}

func (f *pointerFlow) pass(actual []ptx.Operand, formal []ptx.Formal, back bool) {
	for i := range min(len(actual), len(formal)) {
		for offset := int64(0); offset < argumentBytes(&formal[i]); offset += 4 {
			from, to := place{register: actual[i].Register}, place{register: formal[i].Register}
			if v := actual[i].Variable; v != nil {
				from = place{variable: v, offset: offset}
			}
			if v := formal[i].Variable; v != nil {
				to = place{variable: v, offset: offset}
			}
			if back {
				from, to = to, from
			}
			if from != (place{}) && to != (place{}) {
				f.edge(from, to)
			}
		}
	}
}

// argumentBytes is how much of a formal is looked at: structures of many
// pointers are followed so far.
func argumentBytes(f *ptx.Formal) int64 {
	const most = 256
	if f.Variable == nil {
		return 4
	}
	return int64(min(f.Variable.Bytes, most))
}
