// SPDX-License-Identifier: Apache-2.0

package lowering

import (
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/lowering/allocate"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// emitter makes instructions of operations.
type emitter struct {
	k      *trace.Kernel
	f      *ir.Function
	placed *allocate.Result
	out    *core.Lowering
	spills uint32 // where spilled registers begin in a thread's local memory
	// apart says that lanes do not run together as they were recorded: they take each visit
	// by itself, so that no block may be empty.
	apart bool

	operands ir.Lists[trace.Operand]
	visit    *core.LoweredVisit
	masks    []uint32 // of the present block's parts: the number of the first
	first    []uint32 // and of their accesses
}

func emit(k *trace.Kernel, f *ir.Function, placed *allocate.Result, kept int, apart bool) *core.Lowering {
	lowered := *k
	lowered.RegistersPerThread, lowered.PredicatesPerThread = uint32(placed.General+kept), uint32(placed.Predicates)
	e := &emitter{k: k, f: f, placed: placed, apart: apart, spills: (k.LocalBytes + 15) / 16 * 16}
	if placed.SpillBytes > 0 {
		lowered.LocalBytes = e.spills + uint32(placed.SpillBytes)
	}
	operations := 1
	for _, b := range f.Blocks {
		if b != nil {
			for i := range b.Ops {
				operations += int(b.Ops[i].Code.Slots)
			}
		}
	}
	lowered.Instructions, lowered.Blocks = make([]trace.Instruction, 0, operations), make([]trace.BasicBlock, len(k.Blocks))
	e.out = &core.Lowering{Kernel: &lowered, Visits: make([]core.LoweredVisit, len(k.Blocks)), Origin: make([]uint32, 0, operations), Guarded: make([]bool, 0, operations)}
	for _, b := range f.Layout {
		e.block(int(b))
	}
	for b := range k.Blocks {
		if f.Blocks[b] == nil {
			e.block(b)
		}
	}
	return e.out
}

// block makes the instructions of a basic block.
func (e *emitter) block(b int) {
	lowered := e.out.Kernel
	at := &lowered.Blocks[b]
	*at = e.k.Blocks[b]
	at.First, at.Count = uint32(len(lowered.Instructions)), 0
	e.visit = &e.out.Visits[b]
	block := e.f.Blocks[b]
	if block == nil {
		e.visit.Parts = []core.VisitPart{{Block: uint32(b)}}
		return
	}
	e.masks, e.first = e.masks[:0], e.first[:0]
	mask, access := uint32(0), uint32(0)
	for _, p := range block.Parts {
		e.visit.Parts = append(e.visit.Parts, core.VisitPart{Block: p.Block, Optional: p.Optional})
		e.masks, e.first = append(e.masks, mask), append(e.first, access)
		c := countsOf(e.k, p.Block)
		mask, access = mask+1+c.guards, access+c.accesses
	}
	if b == 0 { // the stack's register gets its value
		e.add(trace.Instruction{Opcode: "MOV", Class: trace.ClassMove}, 0)
	}
	for i := range block.Ops {
		e.op(block, &block.Ops[i])
	}
	if e.apart && uint32(len(lowered.Instructions)) == at.First {
		in := &e.k.Blocks[b]
		e.add(trace.Instruction{Opcode: "NOP", Class: trace.ClassNop}, in.First+in.Count-1)
	}
	at.Count = uint32(len(lowered.Instructions)) - at.First
	last := block.Parts[len(block.Parts)-1].Block
	at.Successors, at.PostDominator, at.Joins = block.Successors, e.k.Blocks[last].PostDominator, e.k.Blocks[last].Joins
}

// add appends an instruction that a recorded one pays.
func (e *emitter) add(in trace.Instruction, origin uint32) {
	if int(origin) < len(e.k.Instructions) {
		from := &e.k.Instructions[origin]
		in.Line, in.SourceFile, in.SourceLine = from.Line, from.SourceFile, from.SourceLine
	}
	e.out.Kernel.Instructions = append(e.out.Kernel.Instructions, in)
	e.out.Origin = append(e.out.Origin, origin)
	e.out.Guarded = append(e.out.Guarded, false)
}

// op makes the instructions of an operation.
func (e *emitter) op(block *ir.Block, op *ir.Op) {
	for slot := range op.Code.Slots {
		in := e.instruction(op, slot)
		e.add(in, op.Origin)
		at := len(e.out.Guarded) - 1
		ends := in.Class == trace.ClassBranch || in.Class == trace.ClassExit
		optional := block.Parts[op.Part].Optional && !op.Unmasked
		if !ends && (op.Mask > 0 || optional) {
			e.out.Guarded[at] = true
			e.visit.Guards = append(e.visit.Guards, e.masks[op.Part]+uint32(op.Mask))
		}
	}
	switch {
	case op.Spill > 0:
		e.visit.Accesses = append(e.visit.Accesses, core.NoAccess)
		e.visit.Spills = append(e.visit.Spills, e.spills+4*(op.Spill-1))
	case len(op.Accesses) > 0:
		a := op.Accesses[0]
		e.visit.Accesses = append(e.visit.Accesses, e.first[a.Part]+uint32(a.Ordinal))
	}
}

// instruction makes one of an operation's instructions: of the words of results that have
// several, each makes one.
func (e *emitter) instruction(op *ir.Op, slot uint8) trace.Instruction {
	in := trace.Instruction{Opcode: op.Code.Name, Class: op.Code.Class, Space: op.Space, LaneBytes: op.Bytes}
	if k := op.Keep; k != nil {
		in.Opcode, in.Modifiers, in.Types, in.Values = k.Opcode, k.Modifiers, k.Types, k.Values
	}
	if op.Guard.Kind == ir.Reg {
		in.Guard = trace.Guard{Present: true, Negated: op.Guard.Negated, Register: e.register(op.Guard.Register)}
	}
	apart := op.Code.Slots > 1
	in.Operands = e.operands.Make(len(op.Dst) + 1 + len(op.Src))
	for _, r := range op.Dst {
		if op.Code.Class == trace.ClassNop {
			break // a subroutine's registers: it is not executed, or by operations of its own
		}
		d := e.register(r)
		if apart && d.File == trace.FileGeneral && uint8(d.Words) == op.Code.Slots {
			d.Number, d.Words = d.Number+uint16(slot), 1
		} else if slot+1 < op.Code.Slots && !op.Partial {
			continue // the last instruction has the result
		}
		in.Operands = append(in.Operands, trace.Operand{Kind: trace.OperandRegister, Register: d})
		in.Destinations++
	}
	if op.Base.Kind == ir.Reg {
		o, _ := e.source(&op.Base, slot, false)
		o.Kind, o.HasBase, o.Value = trace.OperandAddress, true, op.Offset
		in.Operands = append(in.Operands, o)
	}
	if op.Keep != nil && op.Code.Class == trace.ClassBarrier {
		in.Operands = append(in.Operands, e.barrier(op)...)
		return in
	}
	for n := range op.Src {
		if o, ok := e.source(&op.Src[n], slot, apart); ok {
			in.Operands = append(in.Operands, o)
		}
	}
	return in
}

// register is a register where it has been placed.
func (e *emitter) register(r ir.Register) trace.Register {
	info := &e.f.Registers[r]
	return trace.Register{File: info.File, Number: uint16(max(e.placed.Place[r], 0)), Words: info.Words, Virtual: info.Name}
}

// source is an operand that an instruction reads: with apart the word that the slot needs.
func (e *emitter) source(o *ir.Operand, slot uint8, apart bool) (trace.Operand, bool) {
	switch o.Kind {
	case ir.Reg:
		r := e.register(o.Register)
		switch {
		case o.Part == ir.Low:
			r.Words = 1
		case o.Part == ir.High:
			r.Number, r.Words = r.Number+1, 1
		case o.Part == ir.ZeroExtended && apart && slot > 0:
			return trace.Operand{Kind: trace.OperandImmediate}, true
		case apart && r.File == trace.FileGeneral && r.Words > slot && r.Words > 1:
			r.Number, r.Words = r.Number+uint16(slot), 1
		}
		if o.Address {
			return trace.Operand{Kind: trace.OperandAddress, HasBase: true, Register: r, Value: o.Value}, true
		}
		return trace.Operand{Kind: trace.OperandRegister, Register: r, Negated: o.Negated}, true
	case ir.Immediate:
		if o.Symbol != "" {
			return trace.Operand{Kind: trace.OperandSymbol, Symbol: o.Symbol, Value: o.Value}, true
		}
		return trace.Operand{Kind: trace.OperandImmediate, Value: o.Value}, true
	case ir.Constant:
		word := int64(slot % max(o.Words, 1)) // an operation may issue more often than a constant has words
		return trace.Operand{Kind: trace.OperandParam, Symbol: o.Symbol, Value: o.Value + 4*word}, true
	case ir.Special:
		return trace.Operand{Kind: trace.OperandSpecial, Symbol: o.Symbol}, true
	}
	return trace.Operand{}, false
}

// barrier gives the sources of a barrier in the places where the recording has them.
func (e *emitter) barrier(op *ir.Op) []trace.Operand {
	list := append([]trace.Operand(nil), op.Keep.Operands[op.Keep.Destinations:]...)
	for n := range list {
		if list[n].Kind != trace.OperandRegister {
			continue
		}
		list[n].Register = trace.Register{File: list[n].Register.File}
		if n < len(op.Src) && op.Src[n].Kind == ir.Reg {
			list[n].Register = e.register(op.Src[n].Register)
		}
	}
	return list
}
