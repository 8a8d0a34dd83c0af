// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// staticKernel builds the static part of the trace.
func staticKernel(k *Kernel, a *allocation) *trace.Kernel {
	digest := sha256.Sum256(k.PTX.Module.Text)
	t := &trace.Kernel{
		Name:                k.PTX.Name,
		File:                k.PTX.Module.File,
		Digest:              hex.EncodeToString(digest[:]),
		RegistersPerThread:  a.general,
		PredicatesPerThread: a.predicates,
		SharedBytes:         uint32(k.SharedBytes),
		SharedVariables:     k.sharedVariables(),
		LocalBytes:          uint32(k.LocalBytes),
		ConstBytes:          uint32(constBytes(k.PTX.Module)),
		MaxThreads:          k.PTX.MaxThreads,
		MaxRegisters:        k.PTX.MaxRegisters,
		MinBlocksPerSM:      k.PTX.MinBlocksPerSM,
		Source:              sourceText(k.PTX.Module.Text, k.PTX.FirstLine, k.PTX.LastLine),
		SourceFiles:         make(map[uint32]string),
	}
	for index, name := range k.PTX.Module.SourceFiles {
		t.SourceFiles[uint32(index)] = name
	}
	for _, p := range k.PTX.Params {
		t.Params = append(t.Params, trace.Param{Name: p.Name, Type: p.Type.String(), Offset: p.Offset, Bytes: p.Bytes, Align: p.Align})
	}
	for i := range k.PTX.Units {
		if u := &k.PTX.Units[i]; u.Function != nil {
			t.Functions = append(t.Functions, trace.Function{Name: u.Function.Name, First: uint32(u.First), Count: uint32(u.Count),
				FirstLine: uint32(u.Function.FirstLine), Source: sourceText(k.PTX.Module.Text, u.Function.FirstLine, u.Function.LastLine)})
		}
	}
	w := staticWriter{k: k, a: a}
	t.Instructions = make([]trace.Instruction, len(k.PTX.Body))
	for i := range k.PTX.Body {
		if w.unit+1 < len(k.Units) && k.Units[w.unit+1].PTX.First == i {
			w.unit++
		}
		t.Instructions[i] = w.instruction(&k.PTX.Body[i])
	}
	t.Blocks = make([]trace.BasicBlock, len(k.Segments))
	for i := range k.Segments {
		t.Blocks[i] = k.basicBlock(&k.Segments[i])
	}
	return t
}

// sourceText is the lines of a kernel or function in its module's text.
func sourceText(text []byte, first, last int) string {
	text = skipLines(text, first-1)
	return string(text[:len(text)-len(skipLines(text, last-first+1))])
}

// skipLines gives what follows the first n lines.
func skipLines(text []byte, n int) []byte {
	for range n {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return nil
		}
		text = text[end+1:]
	}
	return text
}

func (k *Kernel) basicBlock(s *Segment) trace.BasicBlock {
	b := trace.BasicBlock{First: uint32(s.First), Count: uint32(s.Count), PostDominator: blockID(s.PostDominator)}
	for _, next := range k.pathSuccessors(s) {
		b.Successors = append(b.Successors, uint32(next))
	}
	if len(s.Joins) > 1 || len(s.Joins) == 1 && s.Joins[0] != s.PostDominator {
		for _, join := range s.Joins {
			b.Joins = append(b.Joins, uint32(join))
		}
	}
	return b
}

// blockID is a segment id as the trace writes it.
func blockID(segment int) uint32 {
	if segment == Exit {
		return trace.NoBlock
	}
	return uint32(segment)
}

// staticWriter turns PTX instructions into rows of the instruction table.
type staticWriter struct {
	k *Kernel
	a *allocation
	// unit is the one that the instruction at hand belongs to.
	unit int
}

func (w staticWriter) instruction(in *ptx.Instruction) trace.Instruction {
	t := trace.Instruction{
		Opcode:       in.Op.String(),
		Class:        in.Class(),
		Destinations: uint8(in.Destinations),
		Line:         uint32(in.Line),
		SourceFile:   uint32(in.SourceFile),
		SourceLine:   uint32(in.SourceLine),
	}
	types := typeSuffixes(in)
	for i, s := range in.Suffixes {
		if types[i] {
			t.Types = append(t.Types, s)
		} else {
			t.Modifiers = append(t.Modifiers, s)
		}
	}
	if in.Op == ptx.OpBarrier && t.Class == trace.ClassBarrier && !in.Mods.Has(ptx.ModAligned) && w.k.PTX.Module.Lockstep() {
		t.Modifiers = append(t.Modifiers, "aligned") // what it means before sm_70 (9.7.13.1)
	}
	if in.Op == ptx.OpRet && w.unit > 0 {
		t.Class = trace.ClassBranch // back to the caller
	}
	if in.Guard.Register != nil {
		t.Guard = trace.Guard{Present: true, Negated: in.Guard.Negated, Register: w.register(in.Guard.Register)}
	}
	if t.Class.IsMemory() {
		t.Space = traceSpace(in.Space)
		t.LaneBytes = uint8(in.LaneBytes())
		if in.Into == ptx.SpaceGlobal {
			t.Space = trace.SpaceGlobal // the side of a copy that its addresses are of
		}
	}
	for i := range in.Operands {
		if o := &in.Operands[i]; o.Kind == ptx.OperandPrototype {
			t.Operands = append(t.Operands, w.callees(in))
		} else {
			t.Operands = append(t.Operands, w.operand(o))
		}
	}
	t.Values = t.Class == trace.ClassBarrier && slices.ContainsFunc(t.Operands[t.Destinations:], isGeneral)
	return t
}

// isGeneral reports whether an operand is a general register. A source of bar or barrier that
// is one holds the number of the barrier, or of its threads (PTX ISA 9.7.13.1).
func isGeneral(o trace.Operand) bool {
	return o.Kind == trace.OperandRegister && o.Register.File == trace.FileGeneral
}

// callees lists what an indirect call can reach.
func (w staticWriter) callees(in *ptx.Instruction) trace.Operand {
	v := trace.Operand{Kind: trace.OperandVector}
	for _, f := range in.Callees(w.k.PTX.Module) {
		v.Elements = append(v.Elements, w.function(f))
	}
	return v
}

// function is the entry block of a function, or the name of an external one.
func (w staticWriter) function(f *ptx.Function) trace.Operand {
	if u := w.k.UnitOf(f); u > 0 {
		return trace.Operand{Kind: trace.OperandBlock, Value: int64(w.k.Units[u].Entry)}
	}
	return trace.Operand{Kind: trace.OperandSymbol, Symbol: f.Name}
}

// typeSuffixes says which suffixes are types.
func typeSuffixes(in *ptx.Instruction) []bool {
	is := make([]bool, len(in.Suffixes))
	next := 0
	for i, s := range in.Suffixes {
		if next < len(in.Types) && in.Types[next] != ptx.TypeNone && s == in.Types[next].String() {
			is[i] = true
			next++
		}
	}
	return is
}

func (w staticWriter) register(r *ptx.Register) trace.Register { return w.a.registers[r.Index] }

func (w staticWriter) operand(o *ptx.Operand) trace.Operand {
	switch o.Kind {
	case ptx.OperandRegister:
		return trace.Operand{Kind: trace.OperandRegister, Register: w.register(o.Register), Negated: o.Negated}
	case ptx.OperandImmediate:
		return trace.Operand{Kind: trace.OperandImmediate, Value: int64(o.Value)}
	case ptx.OperandSpecial:
		return trace.Operand{Kind: trace.OperandSpecial, Symbol: o.Special.String()}
	case ptx.OperandVariable:
		return trace.Operand{Kind: trace.OperandSymbol, Symbol: o.Variable.Name, Value: o.Offset}
	case ptx.OperandParam:
		return trace.Operand{Kind: trace.OperandParam, Symbol: o.Param.Name, Value: int64(o.Param.Offset) + o.Offset}
	case ptx.OperandAddress:
		return w.address(o)
	case ptx.OperandLabel:
		return w.block(o.Label)
	case ptx.OperandLabels:
		v := trace.Operand{Kind: trace.OperandVector}
		for _, l := range o.Labels {
			v.Elements = append(v.Elements, w.block(l))
		}
		return v
	case ptx.OperandVector:
		v := trace.Operand{Kind: trace.OperandVector}
		for i := range o.Elements {
			v.Elements = append(v.Elements, w.operand(&o.Elements[i]))
		}
		return v
	case ptx.OperandFunction:
		operand := w.function(o.Function)
		if operand.Kind == trace.OperandSymbol {
			operand.Value = o.Offset
		}
		return operand
	case ptx.OperandSink:
		return trace.Operand{Kind: trace.OperandSink}
	}
	panic("BUG: operand of unknown kind in a checked instruction at " + o.Position.String())
}

// address: the offset is relative to the register or the symbol.
func (w staticWriter) address(o *ptx.Operand) trace.Operand {
	t := trace.Operand{Kind: trace.OperandAddress, Value: o.Offset}
	switch {
	case o.Register != nil:
		t.HasBase, t.Register = true, w.register(o.Register)
	case o.Variable != nil:
		t.Symbol = o.Variable.Name
	case o.Param != nil:
		t.Symbol = o.Param.Name
	}
	return t
}

// block is a branch's target; a sink where that is no basic block. Such are the end of a body,
// where a kernel ends, and what no path reaches, as the branch itself.
func (w staticWriter) block(l *ptx.Label) trace.Operand {
	to := w.k.SegmentAt(l.Index)
	if to == Exit {
		return trace.Operand{Kind: trace.OperandSink}
	}
	return trace.Operand{Kind: trace.OperandBlock, Value: int64(to)}
}

func traceSpace(s ptx.Space) trace.Space {
	switch s {
	case ptx.SpaceGlobal:
		return trace.SpaceGlobal
	case ptx.SpaceShared:
		return trace.SpaceShared
	case ptx.SpaceLocal:
		return trace.SpaceLocal
	case ptx.SpaceConst:
		return trace.SpaceConst
	case ptx.SpaceParam:
		return trace.SpaceParam
	case ptx.SpaceGeneric:
		return trace.SpaceGeneric
	case ptx.SpaceTexture:
		return trace.SpaceTexture
	}
	return trace.SpaceNone
}
