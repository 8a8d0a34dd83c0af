// SPDX-License-Identifier: Apache-2.0

package evaluate

import "github.com/warptape/warptape/trace"

// thread executes a recorded kernel.
type thread struct {
	k         *trace.Kernel
	draw      uint64   // of the outcomes of conditions
	visits    []uint64 // by block: a load reads something else in each
	blockOf   []uint32 // by instruction
	variables map[trace.Register]value
}

func newThread(k *trace.Kernel, draw uint64) *thread {
	t := &thread{k: k, draw: draw, visits: make([]uint64, len(k.Blocks)), blockOf: make([]uint32, len(k.Instructions)), variables: map[trace.Register]value{}}
	for b := range k.Blocks {
		for i := k.Blocks[b].First; i < k.Blocks[b].First+k.Blocks[b].Count; i++ {
			t.blockOf[i] = uint32(b)
		}
	}
	return t
}

// get implements machine.
func (t *thread) get(r trace.Register) value {
	if v, ok := t.variables[r]; ok {
		return v
	}
	return value{unknown: true}
}

// drawn implements machine.
func (t *thread) drawn() uint64 { return t.draw }

// place implements machine.
func (t *thread) place(symbol string) uint64 {
	for _, v := range t.k.SharedVariables {
		if v.Name == symbol {
			return uint64(v.Offset)
		}
	}
	return 0
}

// block executes a block, and adds what its instructions do to events, which may be nil.
func (t *thread) block(b uint32, events map[uint32]event) {
	t.visits[b]++
	block := &t.k.Blocks[b]
	var list []trace.Register
	for i := block.First; i < block.First+block.Count; i++ {
		in := &t.k.Instructions[i]
		e := event{instruction: i, executed: true, access: in.Class.IsMemory()}
		if in.Guard.Present {
			e.guard = t.get(in.Guard.Register)
			if in.Guard.Negated {
				e.guard.bits[0] ^= 1
			}
			e.executed = e.guard.bits[0]&1 != 0 || !in.Guarded()
		}
		var known bool
		e.address, known = addressIn(in, t)
		e.address, e.lost = short(in, e.address), !known
		if events != nil {
			e.values, e.others = operands(in, t), otherAddresses(in, t)
			events[i] = e
		}
		if !e.executed {
			continue
		}
		list = in.Writes(list[:0])
		for n, v := range t.resultsOf(i, in, t, list, e.address, true) {
			t.variables[list[n]] = v
		}
	}
}

// loaded is what an access at an address reads. In lanes that do not come to its block it is
// something else.
func (t *thread) loaded(instruction uint32, in *trace.Instruction, address uint64, inside bool) value {
	visit := 2 * t.visits[t.blockOf[instruction]]
	if !inside {
		visit++
	}
	return mixed("memory", []value{word(uint64(instruction)), word(visit), word(short(in, address))})
}

// short is an address in the width that its space has.
func short(in *trace.Instruction, address uint64) uint64 {
	switch in.Space {
	case trace.SpaceShared, trace.SpaceLocal, trace.SpaceConst:
		return uint64(uint32(address))
	}
	return address
}

// resultsOf is what an instruction writes; what is read of the constant bank depends on
// the place alone.
func (t *thread) resultsOf(i uint32, in *trace.Instruction, m machine, written []trace.Register, at uint64, inside bool) []value {
	if in.Opcode == "ld" && (in.Space == trace.SpaceParam || in.Space == trace.SpaceConst) {
		if o := &in.Operands[1]; o.Kind == trace.OperandAddress && !o.HasBase {
			out := make([]value, len(written))
			for n := range out {
				out[n] = bank(t.symbol(in.Space, o), o.Value+t.offset(in.Space, o)+int64(4*n), written[n].Words)
			}
			return out
		}
	}
	return results(in, m, t.loaded(i, in, at, inside), written)
}

func (t *thread) symbol(space trace.Space, o *trace.Operand) string {
	if t.offset(space, o) >= 0 && space == trace.SpaceParam {
		return ""
	}
	return o.Symbol
}

// offset is where a parameter begins.
func (t *thread) offset(space trace.Space, o *trace.Operand) int64 {
	if space == trace.SpaceParam {
		for i := range t.k.Params {
			if t.k.Params[i].Name == o.Symbol {
				return int64(t.k.Params[i].Offset)
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
