// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
)

// call writes what is done by segments in the place of a call.
func (r *rewriter) call(k *Kernel, index int) {
	in, unit := &k.PTX.Body[index], k.UnitAt(index)
	skip := ""
	if in.Guard.Register != nil {
		skip = r.newLabel("uncalled")
		r.unless(in, skip)
	}
	switch pointer := in.Operands[1].Register; {
	case isProvided(in):
		r.provided(in)
	case pointer == nil:
		r.push(k, unit, index, in.Operands[1].Function)
	default:
		r.line("// added: which function it is; lanes that call none stop")
		for _, f := range in.Callees(k.PTX.Module) {
			other := r.newLabel("other")
			r.b.WriteString(r.indent + fmt.Sprintf("setp.ne.u%d %%%smore, %s, 0x%x;\n", pointer.Type.Bits(), r.prefix, pointer.Name, coexecution.FunctionAddress(f)))
			r.line("@$more bra %s;", verbatim(other))
			r.push(k, unit, index, f)
			r.b.WriteString(other + ":\n")
		}
		r.stop(k, unit)
	}
	if skip != "" {
		r.b.WriteString(skip + ":\n")
	}
}

// push writes the frame of a function that is called, and stops.
func (r *rewriter) push(k *Kernel, unit, index int, f *ptx.Function) {
	in, callee := &k.PTX.Body[index], k.UnitOf(f)
	caller, frame := &k.Frames[unit], &k.Frames[callee]
	at := slices.IndexFunc(caller.landings, func(l landing) bool { return l.call == index })
	to := caller.landings[at].to
	r.line("// added: a frame for function %s", verbatim(f.Name))
	r.visit(KindNext, r.numbering.Of(&k.PTX.Body[k.Segments[k.Units[callee].Entry].First]))
	r.line("add.u32 $low, $depth, %d;", r.traced.FrameStep(unit, callee))
	r.line("add.u32 $high, $low, %d;", r.traced.Units[callee].FrameBytes)
	r.line("ld.global.u32 $t, [$state+%d];", stateLimit)
	r.line("setp.gt.u32 $more, $high, $t;")
	r.stopIf(k, unit, "@$more ")
	r.line("add.u32 $u, $offset, %d;", caller.Bytes)
	r.line("cvt.u64.u32 $d, $u;")
	r.line("add.s64 $callee, $state, $d;")
	put := func(base string, place int, value uint32) {
		r.line("mov.u32 $t, 0x%x;", value)
		r.line("st.global.u32 [%s+%d], $t;", base, place)
	}
	back := uint32(0)
	if to >= 0 {
		back = uint32(KindNext)<<kindShift | uint32(r.numbering.Of(&k.PTX.Body[k.Segments[to].First]))
	}
	put("$callee", stateNext, uint32(len(caller.Segments)+at))
	put("$callee", stateUnit, uint32(caller.number))
	put("$callee", frameRecord, back)
	r.line("st.global.u32 [$callee+%d], $offset;", stateOffset)
	r.line("st.global.u32 [$callee+%d], $depth;", stateDepth)
	r.line("ld.global.u32 $t, [$state+%d];", stateTop)
	r.line("st.global.u32 [$callee+%d], $t;", stateTop)
	put("$state", stateNext, uint32(len(frame.Segments)+len(frame.landings)))
	put("$state", stateUnit, uint32(frame.number))
	r.line("st.global.u32 [$state+%d], $u;", stateOffset)
	r.line("st.global.u32 [$state+%d], $low;", stateDepth)
	r.line("st.global.u32 [$state+%d], $high;", stateTop)
	for i := range in.Operands[2].Elements {
		r.pass(&in.Operands[2].Elements[i], "callee", frameHead+passedAt(f.Params, i))
	}
	if to >= 0 {
		for _, register := range k.live[to] {
			r.move(register, frameBase(unit), k.Slots[register.Index], false)
		}
	}
	r.stop(k, unit)
}

// pass writes the code that puts an argument or result into a frame.
func (r *rewriter) pass(o *ptx.Operand, base string, at uint64) {
	switch o.Kind {
	case ptx.OperandRegister:
		r.line("mov.u64 $d, 0;")
		r.line("st.global.u64 [$%s+%d], $d;", base, at)
		r.move(o.Register, base, at, false)
	case ptx.OperandImmediate:
		r.line("mov.u64 $d, 0x%x;", o.Value)
		r.line("st.global.u64 [$%s+%d], $d;", base, at)
	case ptx.OperandVariable:
		r.copyVariable(o.Variable, base, at, false)
	}
}

// receive writes the code that takes one out of a frame.
func (r *rewriter) receive(o *ptx.Operand, base string, at uint64) {
	switch o.Kind {
	case ptx.OperandRegister:
		if o.Register.Name != "_" {
			r.move(o.Register, base, at, true)
		}
	case ptx.OperandVariable:
		r.copyVariable(o.Variable, base, at, true)
	}
}

// copyVariable copies a variable on the stack from or to a frame.
func (r *rewriter) copyVariable(v *ptx.Variable, base string, at uint64, in bool) {
	words, n := v.Align >= 4 && v.Bytes%4 == 0, v.Bytes
	if words {
		n /= 4
	}
	r.line("add.s64 $to, $variables, %d;", r.offsets[v])
	r.line("mov.u32 $count, 0;")
	r.copyUnits("argument", ptx.SpaceLocal, words, "$"+base, at, fmt.Sprint(n), "1", in)
}

// asOperand is what names a formal parameter or result in the function's own body.
func asOperand(f ptx.Formal) *ptx.Operand {
	if f.Register != nil {
		return &ptx.Operand{Kind: ptx.OperandRegister, Register: f.Register}
	}
	return &ptx.Operand{Kind: ptx.OperandVariable, Variable: f.Variable}
}

// begin writes the begin of a function: it takes its arguments.
func (r *rewriter) begin(k *Kernel, unit int) {
	var taken []*ptx.Register
	params := k.Units[unit].PTX.Params
	for i, f := range params {
		r.receive(asOperand(f), "frame", frameHead+passedAt(params, i))
		taken = append(taken, f.Register)
	}
	r.loadLive(k, unit, k.Units[unit].Entry, taken)
}

// land writes where a call comes back: it takes the results out of the callee's frame.
func (r *rewriter) land(k *Kernel, unit int, l *landing) {
	in := &k.PTX.Body[l.call]
	if l.to < 0 {
		r.stop(k, unit)
		return
	}
	callees := in.Callees(k.PTX.Module)
	if len(callees) == 0 { // no function has this prototype, so that nothing comes back
		r.stop(k, unit)
		return
	}
	callee := k.Units[k.UnitOf(callees[0])].PTX // whose results are like those of others
	r.line("add.s64 $callee, $%s, %d;", frameBase(unit), k.Frames[unit].Bytes)
	var taken []*ptx.Register
	for i := range in.Operands[0].Elements {
		o := &in.Operands[0].Elements[i]
		r.receive(o, "callee", frameHead+passedAt(callee.Returns, i))
		taken = append(taken, o.Register)
	}
	r.loadLive(k, unit, l.to, taken)
}

// leaveUnit writes what goes before an instruction that leaves a function or ends lanes.
func (r *rewriter) leaveUnit(k *Kernel, index int) {
	in, unit := &k.PTX.Body[index], k.UnitAt(index)
	switch {
	case in.Op == ptx.OpRet && unit > 0:
		r.returns(k, unit, in)
	case in.Op == ptx.OpRet || in.Op == ptx.OpExit:
		r.ends(k, unit, in)
	}
}

// returns writes the return of a function to what its frame says.
func (r *rewriter) returns(k *Kernel, unit int, in *ptx.Instruction) {
	skip := ""
	if in.Guard.Register != nil {
		skip = r.newLabel("stays")
		r.unless(in, skip)
	}
	r.line("// added: back to what the frame says")
	list := k.Units[unit].PTX.Returns
	for i, f := range list {
		r.pass(asOperand(f), "frame", frameHead+passedAt(list, i))
	}
	r.visitAs(func() { r.line("ld.global.u32 $word, [$frame+%d];", frameRecord) })
	for _, place := range []int{stateNext, stateUnit, stateOffset, stateDepth, stateTop} {
		r.line("ld.global.u32 $t, [$frame+%d];", place)
		r.line("st.global.u32 [$state+%d], $t;", place)
	}
	r.line("ret;")
	if skip != "" {
		r.b.WriteString(skip + ":\n")
	}
}

// provided writes the call of a function that the device provides: what it is passed goes
// through variables of the device's own convention.
func (r *rewriter) provided(in *ptx.Instruction) {
	f := in.Operands[1].Function
	r.line("// added: arguments and results of %s", f.Name)
	r.line("{")
	names := func(what string, list []ptx.Operand, formals []ptx.Formal) string {
		var all []string
		for i := range list {
			name := operandText(&list[i], formals[i].Passed().Type)
			if v := list[i].Variable; v != nil {
				name = fmt.Sprintf("%s_%s%d", r.name(), what, i)
				if v.Bytes > uint64(v.Type.Bytes()) {
					r.line(".param .align %d .b8 %s[%d];", v.Align, name, v.Bytes)
				} else {
					r.line(".param .b%d %s;", 8*v.Bytes, name)
				}
			}
			all = append(all, name)
		}
		return strings.Join(all, ", ")
	}
	results := names("result", in.Operands[0].Elements, f.Returns)
	arguments := names("argument", in.Operands[2].Elements, f.Params)
	for i, o := range in.Operands[2].Elements {
		r.throughParam(&o, fmt.Sprintf("%s_argument%d", r.name(), i), true)
	}
	if results != "" {
		results = "(" + results + "), "
	}
	if arguments != "" {
		arguments = ", (" + arguments + ")"
	}
	r.b.WriteString(r.indent + "call " + results + r.providedName(f) + arguments + ";\n")
	for i, o := range in.Operands[0].Elements {
		r.throughParam(&o, fmt.Sprintf("%s_result%d", r.name(), i), false)
	}
	r.line("}")
}

// throughParam copies a variable on the stack to or from one of the device's convention.
func (r *rewriter) throughParam(o *ptx.Operand, name string, there bool) {
	v := o.Variable
	if v == nil {
		return
	}
	unit := v.Bytes
	if unit > uint64(v.Type.Bytes()) || unit > 8 {
		unit = uint64(min(v.Align, 4))
	}
	if v.Bytes%unit != 0 {
		unit = 1
	}
	register := "$t"
	if unit == 8 {
		register = "$d"
	}
	for at := uint64(0); at < v.Bytes; at += unit {
		if there {
			r.line("ld.local.b%d %s, [$variables+%d];", 8*unit, register, r.offsets[v]+at)
			r.line("st.param.b%d [%s+%d], %s;", 8*unit, name, at, register)
		} else {
			r.line("ld.param.b%d %s, [%s+%d];", 8*unit, register, name, at)
			r.line("st.local.b%d [$variables+%d], %s;", 8*unit, r.offsets[v]+at, register)
		}
	}
}

// operandText writes what a call passes that is no variable.
func operandText(o *ptx.Operand, t ptx.Type) string {
	switch {
	case o.Kind == ptx.OperandRegister:
		return o.Register.Name
	case o.Kind == ptx.OperandSink:
		return "_"
	case t == ptx.F32:
		return fmt.Sprintf("0f%08X", uint32(o.Value))
	case t == ptx.F64:
		return fmt.Sprintf("0d%016X", o.Value)
	}
	return fmt.Sprintf("0x%x", o.Value)
}
