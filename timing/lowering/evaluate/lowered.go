// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// lowered executes a block's operations and compares what each does with what the
// instructions that it covers did.
func (c *checker) lowered(b *ir.Block, taken []bool, want map[uint32]event) error {
	seen := map[uint32]int{}
	for n := range b.Ops {
		op := &b.Ops[n]
		lanes := taken[op.Part] || op.Unmasked
		if err := c.leaves(op); err != nil {
			return err
		}
		if err := c.chosen(b, op, taken); err != nil {
			return fmt.Errorf("operation %d (%s): %w", n, op.Code.Name, err)
		}
		if err := c.op(op, lanes, taken[op.Part], want, seen); err != nil {
			return fmt.Errorf("operation %d (%s): %w", n, op.Code.Name, err)
		}
	}
	for i, e := range want {
		if e.access && !c.l.Function.Costless[i] && seen[i] != 1 {
			return fmt.Errorf("instruction %d (line %d, %s) accesses memory once, its operations %d times", i, c.k.Instructions[i].Line, c.k.Instructions[i].Name(), seen[i])
		}
	}
	return nil
}

// op executes an operation. lanes says that the thread takes part, inside that it comes to
// the part of the block to which the operation belongs.
func (c *checker) op(op *ir.Op, lanes, inside bool, want map[uint32]event, seen map[uint32]int) error {
	if op.Mask > 0 && inside { // a guard of the recording
		lanes = lanes && c.source(&op.Guard, 1).bits[0]&1 != 0
	}
	switch {
	case op.Spill > 0 && len(op.Dst) == 0:
		words := c.words(op.Src[0].Register)
		v := c.source(&op.Src[0], words)
		for w := range uint32(words) {
			c.local[op.Spill+w] = part(v, uint8(w))
		}
		return nil
	case op.Spill > 0:
		v := value{}
		for w := range uint32(c.words(op.Dst[0])) {
			v = with(v, uint8(w), c.local[op.Spill+w])
		}
		c.write(op.Dst[0], v)
		return nil
	case len(op.Covers) == 0:
		for _, r := range op.Dst {
			v := mixed("step", nil)
			if len(op.Src) == 1 && moves(op.Code) {
				v = c.source(&op.Src[0], c.words(r))
			}
			c.write(r, v.cut(c.words(r)))
		}
		return nil
	}
	return c.work(op, lanes, inside, want, seen)
}

// moves reports whether an operation's result is its source.
func moves(c *ir.Code) bool {
	return c == ir.MOV || c == ir.MOV64 || c == ir.IMADMov || c == ir.S2R || c == ir.P2R || c == ir.Valued || c == ir.Unpack
}

// work executes an operation that does the work of instructions.
func (c *checker) work(op *ir.Op, lanes, inside bool, want map[uint32]event, seen map[uint32]int) error {
	c.covered = map[trace.Register]value{}
	for _, r := range op.Reads {
		v := c.names[r.Variable]
		c.covered[v] = c.source(&r.Operand, words(v))
	}
	var list []trace.Register
	var last, all []value
	apart := uint64(0) // from the address of the first of several accesses that are one
	for _, i := range op.Covers {
		in := &c.k.Instructions[i]
		if inside {
			if err := c.compare(op, i, in, want[i], lanes, apart); err != nil {
				return err
			}
		}
		if op.Memory {
			apart += uint64(in.LaneBytes)
		}
		if in.Class.IsMemory() && inside {
			seen[i]++
		}
		list = in.Writes(list[:0])
		last = c.resultsOf(i, in, (*registers)(c), list, want[i].address, inside)
		for n, r := range list {
			if !op.Memory { // what an access reads is not read by another that is one with it
				c.covered[r] = last[n]
				c.inside(op, c.numbers[r], last[n])
			}
		}
		all = append(all, last...)
	}
	if op.Memory {
		last = all
	}
	if !lanes {
		return nil
	}
	for n, r := range op.Dst {
		c.write(r, c.combined(op, last[n]))
	}
	return nil
}

// combined is a comparison's result with the predicate that the operation takes in.
func (c *checker) combined(op *ir.Op, v value) value {
	if op.Combine == ir.Alone {
		return v
	}
	p := c.source(&op.Src[len(op.Src)-1], 1)
	decides := uint64(0)
	if op.Combine == ir.Or {
		decides = 1
	}
	switch {
	case p.unknown:
		v.unknown = true
	case p.bits[0]&1 == decides:
		v = value{}
		v.bits[0] = decides
	}
	return v
}

// inside gives a result that an operation makes on its way to the variables that are the
// same under another name.
func (c *checker) inside(op *ir.Op, made ir.Register, v value) {
	for _, r := range op.Reads {
		if r.Operand.Kind != ir.Reg || r.Operand.Register != made || r.Variable == made {
			continue
		}
		c.covered[c.names[r.Variable]] = ofPart(v, r.Operand.Part)
	}
}

// compare compares what an instruction reads here with what it read in the recorded
// kernel.
func (c *checker) compare(op *ir.Op, i uint32, in *trace.Instruction, want event, lanes bool, apart uint64) error {
	m := (*registers)(c)
	if err := c.others(op, in, want); err != nil {
		return err
	}
	if want.access && want.executed {
		if got := short(in, c.addressOf(op, in)+apart); got != want.address && !want.lost {
			return fmt.Errorf("line %d, %s: the address is %#x, want %#x", in.Line, in.Name(), got, want.address)
		}
	}
	if in.Guarded() && !want.guard.unknown && lanes != want.executed {
		return fmt.Errorf("line %d, %s: its guard is another", in.Line, in.Name())
	}
	if in.Guard.Present && !in.Guarded() && !want.guard.unknown { // of a branch: the path says where it goes
		if got := m.get(in.Guard.Register); got.bits[0]&1 != want.guard.bits[0]&1 != in.Guard.Negated {
			return fmt.Errorf("line %d, %s: its condition is another", in.Line, in.Name())
		}
	}
	if !want.executed {
		return nil
	}
	for n, got := range operands(in, m) {
		w := want.values[n]
		if !w.unknown && !same(in, got, w) {
			return fmt.Errorf("line %d, %s: source %d is %#x, want %#x", in.Line, in.Name(), n, got.bits, w.bits)
		}
	}
	return nil
}

// others compares the addresses that a copy has besides that of the access.
func (c *checker) others(op *ir.Op, in *trace.Instruction, want event) error {
	n := 0
	for i := range op.Src {
		o := &op.Src[i]
		if !o.Address || n == len(want.others) {
			continue
		}
		w, got := want.others[n], uint64(o.Value)
		if o.Kind == ir.Reg {
			got += c.source(o, c.words(o.Register)).bits[0]
		}
		if n++; want.executed && !w.unknown && short(in, got) != short(in, w.bits[0]) {
			return fmt.Errorf("line %d, %s: address %d is %#x, want %#x", in.Line, in.Name(), n, got, w.bits[0])
		}
	}
	if n < len(want.others) {
		return fmt.Errorf("line %d, %s: address %d is read nowhere", in.Line, in.Name(), n+1)
	}
	return nil
}

// addressOf is the address that an operation has: its base and offset are what is left of
// the sums that made the recorded one.
func (c *checker) addressOf(op *ir.Op, in *trace.Instruction) uint64 {
	a := uint64(op.Offset)
	if op.Base.Kind == ir.Reg {
		a += c.source(&op.Base, c.words(op.Base.Register)).bits[0]
	}
	return a
}

// same compares a source. Of sums, products, shifts and logic in 64 bits the low word is
// enough. A lowering may compute no more of addresses that have 32 bits, which are
// compared themselves.
func same(in *trace.Instruction, got, want value) bool {
	if got.bits == want.bits {
		return true
	}
	switch in.Opcode {
	case "add", "sub", "mul", "mad", "shl", "and", "or", "xor", "not", "neg", "mov", "cvt", "cvta":
		return uint32(got.bits[0]) == uint32(want.bits[0])
	}
	return false
}

// registers gives the variables that a covered instruction reads.
type registers checker

func (r *registers) get(v trace.Register) value {
	if x, ok := r.covered[v]; ok {
		return x
	}
	return mixed("nowhere", nil)
}

// drawn implements machine.
func (r *registers) drawn() uint64 { return r.draw }

// place implements machine.
func (r *registers) place(symbol string) uint64 { return r.thread.place(symbol) }

// words are those of a register.
func (c *checker) words(r ir.Register) uint8 { return c.l.Function.Registers[r].Words }

// source is what an operation reads, in a number of words.
func (c *checker) source(o *ir.Operand, words uint8) value {
	switch o.Kind {
	case ir.Reg:
		v := c.read(o.Register)
		v = ofPart(v, o.Part)
		if o.Negated {
			v.bits[0] ^= 1
		}
		return v
	case ir.Immediate:
		return word(uint64(o.Value)).cut(words)
	case ir.Constant:
		switch {
		case len(o.Symbol) > 0 && o.Symbol[0] == '%':
			return mixed(o.Symbol, nil).cut(1)
		case len(o.Symbol) > 0 && o.Symbol[0] == '&':
			return word(uint64(o.Value)).cut(words)
		}
		if o.Words > 0 {
			words = min(words, o.Words) // a word that zeros extend
		}
		return bank(o.Symbol, o.Value, words)
	case ir.Special:
		return mixed("%"+o.Symbol, nil).cut(1)
	}
	return value{}
}

// ofPart is a part of a register's value.
func ofPart(v value, p ir.Part) value {
	switch p {
	case ir.Low, ir.ZeroExtended:
		v.bits = [2]uint64{uint64(uint32(v.bits[0])), 0}
	case ir.High:
		v.bits = [2]uint64{v.bits[0] >> 32, 0}
	}
	return v
}

// read reads a register where it has been placed.
func (c *checker) read(r ir.Register) value {
	at, info := c.l.Place[r], &c.l.Function.Registers[r]
	if at < 0 {
		return mixed("nowhere", nil)
	}
	if info.File == trace.FilePredicate {
		return c.predicates[at]
	}
	v := value{}
	for w := range info.Words {
		v = with(v, w, c.general[at+int(w)])
	}
	return v
}

func (c *checker) write(r ir.Register, v value) {
	at, info := c.l.Place[r], &c.l.Function.Registers[r]
	if info.File == trace.FilePredicate {
		c.predicates[at] = v
		return
	}
	for w := range info.Words {
		c.general[at+int(w)] = part(v, w)
	}
}

// part is a word of a value, and with puts one into its place.
func part(v value, w uint8) value {
	return value{bits: [2]uint64{uint64(uint32(v.bits[w/2] >> (32 * (w % 2)))), 0}, unknown: v.unknown}
}

func with(v value, w uint8, x value) value {
	v.bits[w/2] |= x.bits[0] << (32 * (w % 2))
	v.unknown = v.unknown || x.unknown
	return v
}
