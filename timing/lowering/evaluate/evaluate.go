// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"math/rand/v2"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// event is what an instruction does that others can see.
type event struct {
	instruction uint32
	address     uint64
	values      []value
	others      []value // addresses besides that of the access
	guard       value
	executed    bool
	access      bool
	lost        bool // the kernel has not written what the address is made of
}

// Path is a way through a kernel's recorded blocks, drawn at random, of at most length
// blocks.
func Path(k *trace.Kernel, r *rand.Rand, length int) []uint32 {
	path := []uint32{0}
	for len(path) < length {
		next := k.Blocks[path[len(path)-1]].Successors
		if len(next) == 0 {
			break
		}
		to := next[r.IntN(len(next))]
		if int(to) >= len(k.Blocks) {
			break
		}
		path = append(path, to)
	}
	return path
}

// Check follows a path through a kernel and what it was lowered to. The error says what is
// different.
func Check(k *trace.Kernel, l *lowering.Lowered, path []uint32) error {
	c := &checker{k: k, l: l, variables: map[trace.Register]value{}, general: map[int]value{}, predicates: map[int]value{}, local: map[uint32]value{}}
	c.numbers, c.names = map[trace.Register]ir.Register{}, map[ir.Register]trace.Register{}
	l.Function.Variables.Each(func(name trace.Register, r ir.Register) { c.numbers[name], c.names[r] = r, name })
	for at := 0; at < len(path); {
		b := c.l.Function.Blocks[path[at]]
		if b == nil {
			return fmt.Errorf("kernel %s: a path comes to block %d, which is a part of another", k.Name, path[at])
		}
		taken := make([]bool, len(b.Parts))
		n := 0
		for p := range b.Parts {
			if at+n < len(path) && path[at+n] == b.Parts[p].Block && (p > 0 || n == 0) {
				taken[p] = true
				n++
			} else if !b.Parts[p].Optional {
				return nil // the path ends inside of a lowered block
			}
		}
		c.round++
		want := c.recorded(b, taken)
		if err := c.lowered(b, taken, want); err != nil {
			return fmt.Errorf("kernel %s, block %d (visit %d): %w", k.Name, path[at], c.round, err)
		}
		at += n
	}
	return nil
}

// checker holds the state of both.
type checker struct {
	k     *trace.Kernel
	l     *lowering.Lowered
	round int // of lowered blocks: a load reads something else in each

	variables           map[trace.Register]value
	general, predicates map[int]value
	local               map[uint32]value
	covered             map[trace.Register]value // while an operation is executed

	numbers map[trace.Register]ir.Register // of the variables
	names   map[ir.Register]trace.Register
}

// get implements machine for the recorded kernel.
func (c *checker) get(r trace.Register) value {
	if v, ok := c.variables[r]; ok {
		return v
	}
	return value{unknown: true}
}

// loaded is what an access at an address reads.
func (c *checker) loaded(instruction uint32, in *trace.Instruction, address uint64) value {
	return mixed("memory", []value{word(uint64(instruction)), word(uint64(c.round)), word(short(in, address))})
}

// short is an address in the width that its space has.
func short(in *trace.Instruction, address uint64) uint64 {
	switch in.Space {
	case trace.SpaceShared, trace.SpaceLocal, trace.SpaceConst:
		return uint64(uint32(address))
	}
	return address
}

// recorded executes the parts that are taken, and gives what each instruction does.
func (c *checker) recorded(b *ir.Block, taken []bool) map[uint32]event {
	events := map[uint32]event{}
	var list []trace.Register
	for p, part := range b.Parts {
		block := &c.k.Blocks[part.Block]
		for i := block.First; i < block.First+block.Count; i++ {
			in := &c.k.Instructions[i]
			if !taken[p] {
				continue
			}
			e := event{instruction: i, executed: true, access: in.Class.IsMemory()}
			if in.Guard.Present {
				e.guard = c.get(in.Guard.Register)
				if in.Guard.Negated {
					e.guard.bits[0] ^= 1
				}
				e.executed = e.guard.bits[0]&1 != 0 || !in.Guarded()
			}
			var known bool
			e.address, known = addressIn(in, c)
			e.address, e.lost, e.values, e.others = short(in, e.address), !known, operands(in, c), otherAddresses(in, c)
			events[i] = e
			if !e.executed {
				continue
			}
			list = in.Writes(list[:0])
			for n, v := range c.resultsOf(i, in, c, list, e.address) {
				c.variables[list[n]] = v
			}
		}
	}
	return events
}

// resultsOf is what an instruction writes; what is read of the constant bank depends on
// the place alone.
func (c *checker) resultsOf(i uint32, in *trace.Instruction, m machine, written []trace.Register, at uint64) []value {
	if in.Opcode == "ld" && (in.Space == trace.SpaceParam || in.Space == trace.SpaceConst) {
		if o := &in.Operands[1]; o.Kind == trace.OperandAddress && !o.HasBase {
			out := make([]value, len(written))
			for n := range out {
				out[n] = bank(c.symbol(in.Space, o), o.Value+c.offset(in.Space, o)+int64(4*n), written[n].Words)
			}
			return out
		}
	}
	return results(in, m, c.loaded(i, in, at), written)
}

func (c *checker) symbol(space trace.Space, o *trace.Operand) string {
	if c.offset(space, o) >= 0 && space == trace.SpaceParam {
		return ""
	}
	return o.Symbol
}

// offset is where a parameter begins.
func (c *checker) offset(space trace.Space, o *trace.Operand) int64 {
	if space == trace.SpaceParam {
		for i := range c.k.Params {
			if c.k.Params[i].Name == o.Symbol {
				return int64(c.k.Params[i].Offset)
			}
		}
	}
	return 0
}

// bank is what stands in the constant bank, word by word.
func bank(symbol string, offset int64, words uint8) value {
	v := value{}
	for n := range min(words, 2) {
		w := mixed("bank "+symbol, []value{word(uint64(offset) + uint64(4*n))})
		v.bits[0] |= uint64(uint32(w.bits[0])) << (32 * n)
	}
	return v
}
