// SPDX-License-Identifier: Apache-2.0

package selection

import (
	"math/bits"
	"strings"

	"github.com/warptape/warptape/trace"
)

// zeroBits is how many zeros a value of zero ends with: more than any alignment asks for, and a
// power of two that an int64 holds.
const zeroBits = 62

// variableZeros are those of the address of a variable that lies at the beginning of shared
// memory, which is aligned to the widest access.
const variableZeros = 4

// maxPasses bounds the passes over a kernel. Compilers' kernels take two to four.
const maxPasses = 32

// alignments gives, by instruction, the zero bits with which its address is sure to end;
// zero for what has no address, and in a kernel without shared memory.
//
// Each variable has the least of all its definitions. They begin with as many as can be,
// so that what grows in a loop by a multiple of 16 from one of 16 stays one.
func (s *selector) alignments() []uint8 {
	out := make([]uint8, len(s.k.Instructions))
	if !s.sharesMemory() {
		return out // no other access is joined with its neighbours
	}
	a := alignment{s: s, zeros: make([]uint8, len(s.vars.defs)), symbol: s.onlyVariable()}
	for r := range a.zeros {
		if s.vars.defs[r] > 0 {
			a.zeros[r] = zeroBits
		}
	}
	for again, pass := true, 0; again; pass++ {
		if pass == maxPasses {
			clear(a.zeros) // nothing is known
			break
		}
		again = false
		for i := range s.k.Instructions {
			again = a.define(i) || again
		}
	}
	for i := range s.k.Instructions {
		for n := range s.k.Instructions[i].Operands {
			if o := &s.k.Instructions[i].Operands[n]; o.Kind == trace.OperandAddress {
				out[i] = a.of(o)
			}
		}
	}
	return out
}

// sharesMemory reports whether an instruction accesses shared memory.
func (s *selector) sharesMemory() bool {
	for i := range s.k.Instructions {
		if s.k.Instructions[i].Space == trace.SpaceShared {
			return true
		}
	}
	return false
}

// onlyVariable names the one variable of shared memory that a kernel and its functions name:
// it lies at the beginning. It is empty where they name several, as a trace does not say
// where variables lie, nor in which memory those are whose address is moved.
func (s *selector) onlyVariable() string {
	only := ""
	for i := range s.k.Instructions {
		in := &s.k.Instructions[i]
		for n := range in.Operands {
			o := &in.Operands[n]
			if o.Symbol == "" || o.Kind != trace.OperandSymbol && o.Kind != trace.OperandAddress || strings.HasPrefix(o.Symbol, "__local_depot") {
				continue
			}
			if o.Kind == trace.OperandAddress && in.Space != trace.SpaceShared {
				continue
			}
			if only != "" && only != o.Symbol {
				return ""
			}
			only = o.Symbol
		}
	}
	return only
}

// alignment holds the zero bits with which variables end.
type alignment struct {
	s      *selector
	zeros  []uint8
	symbol string
}

// define takes in what an instruction makes; it reports whether that changed anything.
func (a *alignment) define(i int) bool {
	changed := false
	for _, r := range a.s.writes(i) {
		if n := a.result(&a.s.k.Instructions[i]); n < a.zeros[r] {
			a.zeros[r], changed = n, true
		}
	}
	return changed
}

// result is how many zeros the result of an instruction ends with.
func (a *alignment) result(in *trace.Instruction) uint8 {
	if !simple(in) || has(in, "sat") || len(in.Operands) < 2 || kindOf(in, 0) == 'f' || bitsOf(in, 0) < 32 {
		return 0
	}
	at := func(n int) uint8 {
		if n >= len(in.Operands) {
			return 0
		}
		return a.of(&in.Operands[n])
	}
	switch in.Opcode {
	case "mov", "cvta", "neg":
		return at(1)
	case "cvt":
		if kindOf(in, 1) != 'f' && bitsOf(in, 1) >= 32 {
			return at(1)
		}
	case "add", "sub", "or", "xor", "selp", "min", "max":
		return min(at(1), at(2))
	case "and":
		return max(at(1), at(2))
	case "mul", "mad":
		if !has(in, "lo") && !has(in, "wide") {
			return 0
		}
		product := min(at(1)+at(2), zeroBits)
		if in.Opcode == "mad" {
			return min(product, at(3))
		}
		return product
	case "shl":
		if o := &in.Operands[2]; o.Kind == trace.OperandImmediate && o.Value >= 0 && o.Value < zeroBits {
			return min(at(1)+uint8(o.Value), zeroBits)
		}
		return at(1)
	}
	return 0
}

// of is that of an operand.
func (a *alignment) of(o *trace.Operand) uint8 {
	value := uint8(zeroBits)
	if o.Value != 0 {
		value = min(uint8(bits.TrailingZeros64(uint64(o.Value))), zeroBits)
	}
	switch {
	case o.Kind == trace.OperandRegister, o.Kind == trace.OperandAddress && o.HasBase:
		return min(a.zeros[a.s.vars.of(a.s.f, &o.Register)], value)
	case o.Kind == trace.OperandImmediate, o.Kind == trace.OperandAddress && o.Symbol == "":
		return value
	case (o.Kind == trace.OperandSymbol || o.Kind == trace.OperandAddress) && o.Symbol == a.symbol && a.symbol != "":
		return min(variableZeros, value)
	}
	return 0
}

// aligned is the alignment of an access, in zero bits.
func (s *selector) aligned(i int, in *trace.Instruction) uint8 {
	if !in.Class.IsMemory() {
		return 0
	}
	return s.zeros[i]
}
