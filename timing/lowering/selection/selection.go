// SPDX-License-Identifier: Apache-2.0

// Package selection chooses the machine operations that do the work of PTX instructions.
//
// Which instructions a PTX instruction becomes on which generation is what compilers'
// output shows (cuobjdump -sass of published programs; S. Gray's maxas notes; Z. Jia et
// al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking" and "... Turing
// T4 ..."). Sequences of divisions are given by their length and their chains: see
// sequences.go.
package selection

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// Part is a recorded basic block that a lowered block has; lanes need not come to an
// optional one.
type Part = ir.Part16

// Target is what selection has to know of a generation.
type Target struct {
	// ThreeInputs says that it has IADD3, LOP3 and IMAD in one cycle's issue (from Maxwell
	// and Volta on).
	ThreeInputs bool
	// WideMultiply says that a product of two words is one operation (IMAD.WIDE).
	WideMultiply bool
	// NaN says that divisions in single precision go through their subroutine, with the
	// operands when one is no number.
	NaN bool
	// Scoped says that a branch inside of a block announces where lanes meet (BSSY, BSYNC,
	// from Volta on).
	Scoped bool
}

// selector selects for one kernel.
type selector struct {
	k      *trace.Kernel
	f      *ir.Function
	vars   *variables
	target Target

	block *ir.Block
	part  uint16
	mask  uint16 // guards of the part so far
	// accesses are those of the part so far.
	accesses uint16
	// held are registers with constants, in this block.
	held map[ir.Operand]ir.Register
	// list is room for registers, and the rest for what operations have.
	list      []ir.Register
	registers ir.Lists[ir.Register]
	operands  ir.Lists[ir.Operand]
	covered   ir.Lists[uint32]
	accessed  ir.Lists[ir.Access]
	reads     ir.Lists[ir.Read]
	// variables are the PTX registers; those behind them the lowering has made.
	variables int
	// zeros are the zero bits with which instructions' addresses are sure to end.
	zeros []uint8
	// behind is the block whose operations lie in memory behind those of the present one.
	behind uint32
	// following is the lowered block behind each in memory, and scopes are where lanes that
	// part meet again.
	following []uint32
	scopes    scopes
}

// Select makes a kernel's operations. groups has, by recorded basic block, the parts of
// the lowered one; nil for a block that is part of another.
func Select(k *trace.Kernel, groups [][]Part, target Target) (*ir.Function, error) {
	if err := inside(k); err != nil {
		return nil, err
	}
	f := &ir.Function{Kernel: k, Blocks: make([]*ir.Block, len(k.Blocks))}
	s := &selector{k: k, f: f, target: target, vars: newVariables(k, f), held: map[ir.Operand]ir.Register{}}
	s.variables = len(f.Registers)
	s.findNarrow()
	s.zeros = s.alignments()
	s.findAliases()
	s.countUses()
	s.arrange(groups)
	for b, parts := range groups {
		if parts == nil {
			continue
		}
		s.block, s.behind = &ir.Block{Parts: parts, Ops: make([]ir.Op, 0, room(k, parts))}, s.following[b]
		clear(s.held)
		s.meet(b)
		for p := range parts {
			s.selectPart(b, p)
		}
		s.predicate()
		s.vars.leave(len(s.block.Ops))
		s.block.Successors = successors(k, parts)
		s.block.Ops = compact(s.block.Ops)
		f.Blocks[b] = s.block
	}
	removeDead(f)
	s.unmask()
	removeDead(f)
	return f, nil
}

// inside checks that basic blocks lie within their kernel's instructions.
func inside(k *trace.Kernel) error {
	for b := range k.Blocks {
		if end := uint64(k.Blocks[b].First) + uint64(k.Blocks[b].Count); end > uint64(len(k.Instructions)) {
			return fmt.Errorf("kernel %s: basic block %d does not lie within the %d instructions; the trace is damaged", k.Name, b, len(k.Instructions))
		}
	}
	return nil
}

// room is how many operations the parts of a block may become: some more than their
// instructions, and a few that end it.
func room(k *trace.Kernel, parts []Part) int {
	n := 4
	for _, p := range parts {
		n += int(k.Blocks[p.Block].Count)
	}
	return n + n/4
}

// arrange lays the lowered blocks out in memory, and finds where lanes meet.
func (s *selector) arrange(groups [][]Part) {
	owners := ownersOf(groups)
	graph, entries := graphOf(s.k, groups, owners)
	s.following = make([]uint32, len(groups))
	for b := range s.following {
		s.following[b] = trace.NoBlock
	}
	before := -1
	for _, b := range s.together(graph.Layout(entries...), groups, owners) {
		if groups[b] == nil {
			continue
		}
		if s.f.Layout = append(s.f.Layout, b); before >= 0 {
			s.following[before] = b
		}
		before = int(b)
	}
	s.scopes = scopes{make([]int, len(groups)), make([]int, len(groups))}
	if s.target.Scoped {
		s.scopes = scopesOf(graph, groups, owners, divergenceOf(s.k, s.vars))
	}
}

// successors are the recorded blocks to which control goes from the parts' end.
func successors(k *trace.Kernel, parts []Part) []uint32 {
	inside := map[uint32]bool{}
	for _, p := range parts[1:] {
		inside[p.Block] = true
	}
	var list []uint32
	seen := map[uint32]bool{}
	for _, p := range parts {
		for _, next := range k.Blocks[p.Block].Successors {
			if !inside[next] && !seen[next] {
				seen[next] = true
				list = append(list, next)
			}
		}
	}
	return list
}

// selectPart selects for a recorded basic block of lowered block number.
func (s *selector) selectPart(number, p int) {
	s.part, s.mask, s.accesses = uint16(p), 0, 0
	b := &s.k.Blocks[s.block.Parts[p].Block]
	end := int(b.First + b.Count)
	last, announced := p == len(s.block.Parts)-1, false
	for i := int(b.First); i < end; i++ {
		in := &s.k.Instructions[i]
		if in.Guarded() {
			s.mask++
		}
		if in.Class == trace.ClassBranch && in.Opcode == "bra" && (!last || s.fallsThrough(in)) {
			continue // what follows is the next part, or the next block in memory
		}
		if last && i == end-1 && leavesBlock(in.Class) {
			s.announce(number, uint32(i))
			announced = true
		}
		s.instruction(i, in)
		if in.HasAccess() {
			s.accesses++
		}
	}
	if last {
		if !announced && b.Count > 0 {
			s.announce(number, uint32(end-1))
		}
		s.goOn()
	}
}

// leavesBlock reports whether an instruction of a class stays the last one of its block.
func leavesBlock(c trace.OpClass) bool {
	return c == trace.ClassBranch || c == trace.ClassBarrier || c == trace.ClassCall || c == trace.ClassExit
}

// fallsThrough reports whether a branch without a condition goes to the block behind it.
func (s *selector) fallsThrough(in *trace.Instruction) bool {
	return !in.Guard.Present && len(in.Operands) > 0 && in.Operands[0].Kind == trace.OperandBlock && in.Operands[0].Value == int64(s.behind)
}

// together moves lowered blocks that others have to lie in front of behind these.
func (s *selector) together(order []uint32, groups [][]Part, owners []uint32) []uint32 {
	behind, before := make(map[uint32]uint32), make(map[uint32]uint32)
	for b, parts := range groups {
		if parts == nil {
			continue
		}
		tail := parts[len(parts)-1].Block
		if !s.sticks(tail) || int(tail)+1 >= len(owners) {
			continue
		}
		next := owners[tail+1]
		if _, other := before[next]; !other && groups[next] != nil && int(next) != b {
			behind[uint32(b)], before[next] = next, uint32(b)
		}
	}
	done := make([]bool, len(groups))
	var out []uint32
	for _, b := range order {
		if done[b] {
			continue
		}
		head := b
		for front, more := before[head]; more && front != b; front, more = before[head] {
			head = front
		}
		for more := true; more && !done[head]; head, more = behind[head] {
			done[head] = true
			out = append(out, head)
		}
	}
	return out
}

// sticks reports whether a recorded block ends by an instruction behind which no branch can
// stand, and goes on with the next block.
func (s *selector) sticks(block uint32) bool {
	b := &s.k.Blocks[block]
	if b.Count == 0 || !slices.Contains(b.Successors, block+1) {
		return false
	}
	class := s.k.Instructions[b.First+b.Count-1].Class
	return class == trace.ClassCall || class == trace.ClassBarrier
}

// goOn adds a branch to a block that goes on with the next recorded one, when another lies
// behind it in the layout. Where the last part was moved to the branch that went to it, that branch, or else the last
// instruction, pays. The last part's own conditional branch stands for both ways: visits
// say which is taken.
func (s *selector) goOn() {
	tail := s.block.Parts[len(s.block.Parts)-1].Block
	b := &s.k.Blocks[tail]
	if b.Count == 0 || s.behind == tail+1 || !slices.Contains(b.Successors, tail+1) {
		return
	}
	pays := b.First + b.Count - 1
	if leavesBlock(s.k.Instructions[pays].Class) {
		return
	}
	for p := len(s.block.Parts) - 2; p >= 0; p-- {
		from := &s.k.Blocks[s.block.Parts[p].Block]
		if from.Count == 0 {
			continue
		}
		if in := &s.k.Instructions[from.First+from.Count-1]; in.Class == trace.ClassBranch && !in.Guard.Present {
			pays = from.First + from.Count - 1
			break
		}
	}
	s.block.Ops = append(s.block.Ops, ir.Op{Code: ir.BRA, Origin: pays, Effect: ir.Ends, Part: s.part})
}

// writes are the variables that an instruction writes.
func (s *selector) writes(i int) []ir.Register { return s.vars.written[i] }

// readsOf are those that it reads, its guard among them.
func (s *selector) readsOf(i int) []ir.Register { return s.vars.read[i] }

// countUses counts how often operations read each variable, and finds the instructions for
// which nothing is executed. They are those whose results are aliases, and those whose
// results no operation reads, as the sums that addresses take in.
func (s *selector) countUses() {
	s.f.Variables, s.f.Costless = s.vars.number, make([]bool, len(s.k.Instructions))
	count := func(i int, more int32) {
		s.list = s.sourcesOf(s.list[:0], i)
		for _, r := range s.list {
			s.vars.uses[r] += more
		}
	}
	for i := range s.k.Instructions {
		if s.f.Costless[i] = s.costsNothing(i); !s.f.Costless[i] {
			count(i, 1)
		}
	}
	var work []int
	for i := range s.k.Instructions {
		if s.unread(i) {
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if s.f.Costless[i] {
			continue
		}
		s.f.Costless[i] = true
		count(i, -1)
		for _, r := range s.list {
			if d := s.vars.def[r]; d >= 0 && s.vars.once(r) && s.unread(int(d)) {
				work = append(work, int(d))
			}
		}
	}
}

// unread reports whether an instruction does nothing but make variables that no operation
// reads.
func (s *selector) unread(i int) bool {
	in := &s.k.Instructions[i]
	if s.f.Costless[i] || in.Destinations == 0 || in.Guard.Present || !pureClass(in.Class) {
		return false
	}
	writes := s.writes(i)
	for _, r := range writes {
		if s.vars.uses[r] > 0 || !s.vars.once(r) {
			return false
		}
	}
	return len(writes) > 0
}

// pureClass reports whether instructions of a class do nothing but compute.
func pureClass(c trace.OpClass) bool {
	return c >= trace.ClassIntAdd && c <= trace.ClassPredicate
}

// sourcesOf appends the registers that the operations of an instruction read, with those to
// which addresses are folded in the place of their bases.
func (s *selector) sourcesOf(list []ir.Register, i int) []ir.Register {
	in := &s.k.Instructions[i]
	if in.Guard.Present {
		list = appendRegister(list, s.value(s.vars.of(s.f, &in.Guard.Register)))
	}
	for n := range in.Operands {
		list = s.sourcesIn(list, in, &in.Operands[n], n < int(in.Destinations))
	}
	return list
}

// sourcesIn appends those of an operand.
func (s *selector) sourcesIn(list []ir.Register, in *trace.Instruction, o *trace.Operand, written bool) []ir.Register {
	switch o.Kind {
	case trace.OperandRegister:
		if !written {
			list = appendRegister(list, s.value(s.vars.of(s.f, &o.Register)))
		}
	case trace.OperandAddress:
		base, _ := s.address(in, o)
		list = appendRegister(list, base)
	case trace.OperandVector:
		for n := range o.Elements {
			list = s.sourcesIn(list, in, &o.Elements[n], written)
		}
	}
	return list
}

func appendRegister(list []ir.Register, o ir.Operand) []ir.Register {
	if o.Kind == ir.Reg {
		list = append(list, o.Register)
	}
	return list
}

// costsNothing reports whether all results of an instruction are aliases.
func (s *selector) costsNothing(i int) bool {
	in := &s.k.Instructions[i]
	if in.Destinations == 0 || in.Guard.Present {
		return false
	}
	for _, r := range s.writes(i) {
		if s.vars.alias[r].Kind == ir.None {
			return false
		}
	}
	return len(s.writes(i)) > 0
}

// value is a variable as operations read it.
func (s *selector) value(r ir.Register) ir.Operand {
	if a := s.vars.alias[r]; a.Kind != ir.None {
		return a
	}
	return ir.RegOperand(r)
}

// source is an operand of an instruction as operations read it; 64-bit registers give
// their low word where that is enough.
func (s *selector) source(o *trace.Operand, narrow bool) ir.Operand {
	switch o.Kind {
	case trace.OperandRegister:
		v := s.value(s.vars.of(s.f, &o.Register))
		v.Negated = v.Negated != o.Negated
		if narrow {
			v = s.low(v)
		}
		return v
	case trace.OperandImmediate:
		return ir.Operand{Kind: ir.Immediate, Value: o.Value}
	case trace.OperandParam, trace.OperandSymbol:
		return ir.Operand{Kind: ir.Immediate, Symbol: o.Symbol, Value: o.Value}
	case trace.OperandSpecial:
		if dimension(o.Symbol) {
			return ir.Operand{Kind: ir.Constant, Symbol: "%" + o.Symbol, Words: 1}
		}
		return ir.Operand{Kind: ir.Special, Symbol: o.Symbol}
	}
	return ir.Operand{}
}

// low is the low word of an operand.
func (s *selector) low(o ir.Operand) ir.Operand {
	switch {
	case o.Kind == ir.Reg && o.Part == ir.Whole && s.f.Registers[o.Register].Words == 2:
		o.Part = ir.Low
	case o.Kind == ir.Reg && o.Part == ir.ZeroExtended:
		o.Part = ir.Whole
	case o.Kind == ir.Constant:
		o.Words = 1
	}
	return o
}

// emit adds an operation that does the work of an instruction.
func (s *selector) emit(code *ir.Code, i int, dst []ir.Register, src ...ir.Operand) *ir.Op {
	op := s.add(ir.Op{Code: code, Dst: dst, Src: src, Origin: uint32(i)})
	s.covers(op, i)
	s.legal(op)
	return s.define()
}

// step adds an operation that does a part of the work of an instruction, and makes a
// register of its own.
func (s *selector) step(code *ir.Code, i int, file trace.RegisterFile, words uint8, src ...ir.Operand) ir.Operand {
	r := s.f.NewRegister(file, words)
	s.vars.grow(len(s.f.Registers))
	op := s.add(ir.Op{Code: code, Dst: append(s.registers.Make(1), r), Src: src, Origin: uint32(i)})
	s.legal(op)
	s.define()
	return ir.RegOperand(r)
}

// add appends an operation with the guard of the instruction that pays.
func (s *selector) add(op ir.Op) *ir.Op {
	in := &s.k.Instructions[op.Origin]
	op.Part = s.part
	if in.Guarded() {
		op.Guard = s.value(s.vars.of(s.f, &in.Guard.Register))
		op.Guard.Negated = op.Guard.Negated != in.Guard.Negated
		op.Mask, op.Partial = s.mask, len(op.Dst) > 0
		if op.Guard.Kind != ir.Reg {
			op.Guard = ir.Operand{}
		}
	}
	s.block.Ops = append(s.block.Ops, op)
	return &s.block.Ops[len(s.block.Ops)-1]
}

// covers notes that an operation does the whole work of an instruction, and where it finds
// the variables.
func (s *selector) covers(op *ir.Op, i int) {
	op.Covers = append(s.covered.Make(1), uint32(i))
	reads := s.readsOf(i)
	op.Reads = s.reads.Make(len(reads))
	for _, r := range reads {
		op.Reads = append(op.Reads, ir.Read{Variable: r, Operand: s.value(r)})
	}
}

// define notes the place of the last operation's definitions.
func (s *selector) define() *ir.Op {
	at := len(s.block.Ops) - 1
	op := &s.block.Ops[at]
	for _, r := range op.Dst {
		s.vars.place(r, at)
	}
	return op
}

// legal keeps the last operation's sources within what an operation can have: one that is
// a constant or an immediate; others are moved to registers.
func (s *selector) legal(op *ir.Op) {
	fixed := 0
	for n := range op.Src {
		o := &op.Src[n]
		if o.Kind != ir.Constant && !(o.Kind == ir.Immediate && (o.Value != 0 || o.Symbol != "")) {
			continue
		}
		if fixed++; fixed > 1 && op.Code != ir.MOV && op.Code != ir.MOV64 {
			words := max(o.Words, 1)
			s.moveBehind(n, s.hold(*o, words))
			op = &s.block.Ops[len(s.block.Ops)-1]
		}
	}
}

// moveBehind puts a register in the place of a source of the last operation but one; the
// move that makes it goes in front.
func (s *selector) moveBehind(n int, r ir.Register) {
	ops := s.block.Ops
	if at := len(ops) - 1; len(ops[at].Dst) == 1 && ops[at].Dst[0] == r {
		ops[at-1], ops[at] = ops[at], ops[at-1]
		s.vars.place(r, at-1)
	}
	op := &ops[len(ops)-1]
	old := op.Src[n]
	op.Src[n] = ir.RegOperand(r)
	for k := range op.Reads {
		if op.Reads[k].Operand == old {
			op.Reads[k].Operand = op.Src[n]
		}
	}
}

// hold gives a register that holds a constant in this block.
func (s *selector) hold(o ir.Operand, words uint8) ir.Register {
	o.Words = words
	if r, ok := s.held[o]; ok {
		return r
	}
	r := s.f.NewRegister(trace.FileGeneral, words)
	s.vars.grow(len(s.f.Registers))
	code := ir.MOV
	if words == 2 {
		code = ir.MOV64
	}
	origin := uint32(0)
	if n := len(s.block.Ops); n > 0 {
		origin = s.block.Ops[n-1].Origin
	}
	s.block.Ops = append(s.block.Ops, ir.Op{Code: code, Dst: []ir.Register{r}, Src: []ir.Operand{o}, Origin: origin, Unmasked: true})
	s.vars.place(r, len(s.block.Ops)-1)
	s.held[o] = r
	return r
}

// compact drops operations that others have taken over.
func compact(ops []ir.Op) []ir.Op {
	out := ops[:0]
	for i := range ops {
		if ops[i].Code != nil {
			out = append(out, ops[i])
		}
	}
	return out
}

// removeDead drops operations with results that no operation reads.
func removeDead(f *ir.Function) {
	uses := make([]int32, len(f.Registers))
	for _, b := range f.Blocks {
		if b == nil {
			continue
		}
		for i := range b.Ops {
			b.Ops[i].EachRead(func(r ir.Register) { uses[r]++ })
		}
	}
	for again := true; again; {
		again = false
		for n := len(f.Blocks) - 1; n >= 0; n-- {
			b := f.Blocks[n]
			if b == nil {
				continue
			}
			dropped := false
			for i := len(b.Ops) - 1; i >= 0; i-- {
				if op := &b.Ops[i]; dead(op, uses) {
					op.EachRead(func(r ir.Register) { uses[r]-- })
					op.Code, dropped = nil, true
				}
			}
			if dropped {
				b.Ops, again = compact(b.Ops), true
			}
		}
	}
}

// dead reports whether an operation does nothing but make what no operation reads.
func dead(op *ir.Op, uses []int32) bool {
	if op.Effect != ir.Pure || op.Memory || len(op.Dst) == 0 || op.Code.Class == trace.ClassNop {
		return false
	}
	for _, r := range op.Dst {
		if uses[r] > 0 {
			return false
		}
	}
	return true
}
