// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"math"
	"sort"
)

// Unit is the code of a kernel itself, or of one function that it can call,
// inside a linked kernel.
type Unit struct {
	// Function is nil for the kernel's own code, which is the first unit.
	Function *Function
	// First and Count delimit the instructions in Kernel.Body.
	First, Count int
	// Returns and Params are the function's formals with the registers of the
	// linked kernel.
	Returns, Params []Formal
	// Variables are those declared in the unit.
	Variables     []*Variable
	ArgumentBytes uint64
	ArgumentAlign uint32
}

// FunctionAt names the function that an instruction of a linked kernel belongs
// to; it is empty for the kernel's own.
func (k *Kernel) FunctionAt(instruction int) string {
	i := sort.Search(len(k.Units), func(i int) bool { return k.Units[i].First > instruction }) - 1
	if i < 0 || k.Units[i].Function == nil {
		return ""
	}
	return k.Units[i].Function.Name
}

// maxLinkedInstructions bounds a kernel with all functions that it can call.
const maxLinkedInstructions = 1 << 18

// Link gives a kernel with the code of all functions that it can call, each
// once, behind its own, so that one table of instructions and registers serves
// all. See Kernel.Units. Every unit ends with an instruction that leaves it. A
// kernel without calls is given back as it is. External functions have no unit.
func Link(k *Kernel) (*Kernel, error) {
	if !calls(k.Body) {
		return k, nil
	}
	linked := *k
	linked.Registers = append([]*Register(nil), k.Registers...)
	linked.Body, linked.Labels = nil, nil
	l := linker{kernel: &linked, placed: make(map[*Function]bool)}
	if err := l.add(nil, &k.Code, nil, nil); err != nil {
		return nil, err
	}
	for len(l.pending) > 0 {
		f := l.pending[0]
		l.pending = l.pending[1:]
		if err := l.add(f, &f.Code, f.Returns, f.Params); err != nil {
			return nil, err
		}
	}
	return &linked, nil
}

func calls(body []Instruction) bool {
	for i := range body {
		if body[i].Op == OpCall {
			return true
		}
	}
	return false
}

// linker copies units one behind the other.
type linker struct {
	kernel  *Kernel
	placed  map[*Function]bool // placed or pending
	pending []*Function
	// of the unit at hand
	first     int
	registers map[*Register]*Register
	labels    map[*Label]*Label
}

func (l *linker) add(f *Function, code *Code, returns, params []Formal) error {
	k := l.kernel
	l.first, l.labels = len(k.Body), make(map[*Label]*Label, len(code.Labels))
	if len(code.Body)+l.first >= maxLinkedInstructions || len(k.Registers)+len(code.Registers) > math.MaxInt32 {
		return fmt.Errorf("%s: kernel %s has, with the functions that it can call, more than %d instructions", k.Position, k.Name, maxLinkedInstructions)
	}
	l.registers = nil // the kernel's own stay
	if f != nil {
		l.registers = make(map[*Register]*Register, len(code.Registers))
		for _, r := range code.Registers {
			l.newRegister(r)
		}
	}
	u := Unit{Function: f, First: l.first, Variables: code.Variables, ArgumentBytes: code.ArgumentBytes, ArgumentAlign: max(code.ArgumentAlign, 1)}
	u.Returns, u.Params = l.formals(returns), l.formals(params)
	end := false // a label stands at the end
	for _, label := range code.Labels {
		moved := *label
		moved.Index += l.first
		l.labels[label] = &moved
		k.Labels = append(k.Labels, &moved)
		end = end || label.Index == len(code.Body)
	}
	for i := range code.Body {
		k.Body = append(k.Body, l.instruction(&code.Body[i]))
		for _, callee := range code.Body[i].Callees(k.Module) {
			if callee.Defined && !l.placed[callee] {
				l.placed[callee] = true
				l.pending = append(l.pending, callee)
			}
		}
	}
	if n := len(code.Body); n == 0 || end || !leaves(&code.Body[n-1]) {
		at := Position{File: k.File, Line: code.LastLine, Column: 1}
		k.Body = append(k.Body, Instruction{Position: at, Op: OpRet, Vector: 1})
	}
	u.Count = len(k.Body) - l.first
	k.Units = append(k.Units, u)
	return nil
}

// leaves reports whether nothing falls through the instruction.
func leaves(in *Instruction) bool {
	switch in.Op {
	case OpRet, OpExit, OpBra, OpTrap:
		return in.Guard.Register == nil
	}
	return false
}

func (l *linker) newRegister(r *Register) *Register {
	n := &Register{Name: r.Name, Type: r.Type, Index: len(l.kernel.Registers)}
	l.kernel.Registers = append(l.kernel.Registers, n)
	l.registers[r] = n
	return n
}

// formals maps registers; one that the body never names gets a register now.
func (l *linker) formals(list []Formal) []Formal {
	moved := make([]Formal, len(list))
	for i, f := range list {
		if f.Register != nil {
			if f.Register = l.register(f.Register); f.Register == nil {
				f.Register = l.newRegister(list[i].Register)
			}
		}
		moved[i] = f
	}
	return moved
}

func (l *linker) register(r *Register) *Register {
	if l.registers == nil {
		return r
	}
	return l.registers[r]
}

func (l *linker) instruction(in *Instruction) Instruction {
	moved := *in
	if r := in.Guard.Register; r != nil {
		moved.Guard.Register = l.register(r)
	}
	moved.Operands = l.operands(in.Operands)
	return moved
}

func (l *linker) operands(list []Operand) []Operand {
	moved := append([]Operand(nil), list...)
	for i := range moved {
		o := &moved[i]
		if o.Register != nil {
			o.Register = l.register(o.Register)
		}
		if o.Label != nil {
			o.Label = l.labels[o.Label]
		}
		if o.Labels != nil {
			o.Labels = append([]*Label(nil), o.Labels...)
			for j := range o.Labels {
				o.Labels[j] = l.labels[o.Labels[j]]
			}
		}
		if o.Elements != nil {
			o.Elements = l.operands(o.Elements)
		}
	}
	return moved
}
