// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// layout assigns slots of the register file: the kernel's registers first,
// then the values that lane loops see as if they were registers (immediates,
// special registers, addresses of variables).
type layout struct {
	// registers gives the byte offset of each register's slot, or, for a
	// predicate, its index among the predicates.
	registers []uint32
	// zeroed is the end of the registers that are cleared for each warp; those
	// that keep what invariant instructions leave in them come behind.
	zeroed uint32
	bytes  uint32
	// frame is the slot of the frame pointer, where the frame of the function that
	// a lane executes begins in its local memory; of kernels with functions only.
	frame uint32

	constants []constantSlot
	specials  []specialSlot
	symbols   []symbolSlot

	// predicates counts predicate masks: the registers, then constant false and
	// constant true. The first zeroedPredicates registers are cleared for each warp.
	predicates, zeroedPredicates uint32
}

// constantSlot holds an immediate in all lanes.
type constantSlot struct {
	offset uint32
	wide   bool
	value  uint64
}

// specialSlot holds a special register.
type specialSlot struct {
	offset  uint32
	special ptx.Special
	wide    bool
}

// symbolSlot holds the address of a .global or .const variable plus an offset.
type symbolSlot struct {
	offset   uint32
	wide     bool
	variable *ptx.Variable
	addend   int64
}

// newLayout places a kernel's registers; those of invariant instructions are kept from
// block to block.
func newLayout(k *ptx.Kernel, invariants []int) *layout {
	l := &layout{registers: make([]uint32, len(k.Registers))}
	kept := make([]bool, len(k.Registers))
	for _, i := range invariants {
		markResults(k.Body[i].Operands[:k.Body[i].Destinations], kept)
	}
	l.place(k.Registers, kept, false)
	if len(k.Units) > 0 {
		l.frame = l.add(true)
	}
	l.zeroed, l.zeroedPredicates = l.bytes, l.predicates
	l.place(k.Registers, kept, true)
	return l
}

// markResults marks the registers among destinations.
func markResults(destinations []ptx.Operand, marked []bool) {
	for i := range destinations {
		o := &destinations[i]
		if o.Kind == ptx.OperandRegister {
			marked[o.Register.Index] = true
		}
		markResults(o.Elements, marked)
	}
}

// place gives slots to the registers that are kept, or to those that are not.
func (l *layout) place(registers []*ptx.Register, kept []bool, which bool) {
	for i, r := range registers {
		switch {
		case kept[i] != which:
		case r.Type == ptx.Pred:
			l.registers[i] = l.predicates
			l.predicates++
		case r.Type == ptx.B128: // the lower halves, then the upper ones
			l.registers[i] = l.add(true)
			l.add(true)
		default:
			l.registers[i] = l.add(r.Type.Bits() == 64)
		}
	}
}

// add appends a slot.
func (l *layout) add(wide bool) uint32 {
	offset := l.bytes
	if wide {
		l.bytes += lanes.WideSlot
	} else {
		l.bytes += lanes.NarrowSlot
	}
	return offset
}

// constant gives the slot of an immediate.
func (l *layout) constant(value uint64, wide bool) uint32 {
	if !wide {
		value = uint64(uint32(value))
	}
	for _, c := range l.constants {
		if c.value == value && c.wide == wide {
			return c.offset
		}
	}
	offset := l.add(wide)
	l.constants = append(l.constants, constantSlot{offset, wide, value})
	return offset
}

// wideSpecial reports whether an instruction of the given width reads 64 bits of a
// special register. A 32-bit instruction reads the lower half of %gridid (10.10).
func wideSpecial(s ptx.Special, bits int) bool {
	return s == ptx.Clock64 || s == ptx.Globaltimer || s == ptx.Gridid && bits == 64
}

// special gives the slot of a special register and whether it is 64 bits wide.
func (l *layout) special(s ptx.Special, bits int) (offset uint32, wide bool) {
	wide = wideSpecial(s, bits)
	for _, c := range l.specials {
		if c.special == s && c.wide == wide {
			return c.offset, wide
		}
	}
	offset = l.add(wide)
	l.specials = append(l.specials, specialSlot{offset, s, wide})
	return offset, wide
}

// symbol gives the slot of the address of a variable in memory.
func (l *layout) symbol(v *ptx.Variable, addend int64, wide bool) uint32 {
	for _, s := range l.symbols {
		if s.variable == v && s.addend == addend && s.wide == wide {
			return s.offset
		}
	}
	offset := l.add(wide)
	l.symbols = append(l.symbols, symbolSlot{offset, wide, v, addend})
	return offset
}

// constantPredicate gives the index of the predicate that is always value; it
// follows the registers.
func (l *layout) constantPredicate(value bool) uint32 {
	if value {
		return l.predicates + 1
	}
	return l.predicates
}
