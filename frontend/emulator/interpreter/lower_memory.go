// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// accessOperation is a memory instruction: where its addresses come from and
// how its elements meet registers.
type accessOperation struct {
	space ptx.Space
	// The address is that in slot base, if there is one, plus offset.
	hasBase, baseWide bool
	base              uint32
	offset            uint64
	// limit has the bits of an address in the space; see memory.Narrow.
	limit uint64
	// elements of width bytes each, bytes in all; .b128 is two elements.
	elements []element
	width    int
	bytes    uint64
	signed   bool // loads sign-extend
	// atomic accesses do not race with each other.
	write, atomic bool
	copies        bool // a bulk copy makes it
	traced        bool
	verb          string
	// whole says that the one element fills its register, and has the byte order
	// of the host, so that a warp is copied as a whole.
	whole bool
	// cache is the index of the allocation used last, pattern that of the lane pattern
	// of its base register, negative without one.
	cache, pattern int
	// instruction is the index in the kernel's body, negative for accesses of
	// functions that the emulator provides.
	instruction int
}

// element is the register of one element of a vector access: its slot, or
// sink; registerBits is what a load extends to.
type element struct {
	slot         uint32
	wide         bool
	registerBits int
}

// memory lowers loads, stores, atomics and prefetches.
func (l *lowering) memory(in *ptx.Instruction, traced bool) (operation, error) {
	switch in.Op {
	case ptx.OpPrefetch, ptx.OpPrefetchu, ptx.OpApplypriority, ptx.OpDiscard:
		// Discarded memory is undefined; it stays as it is.
		return operation{kind: kindRun, run: nothing}, nil
	case ptx.OpAtom, ptx.OpRed:
		return l.atomic(in, traced)
	}
	store := in.Op == ptx.OpSt
	place, value := &in.Operands[1], &in.Operands[0]
	if store {
		place, value = value, place
	}
	k, err := l.access(in, place, traced)
	if err != nil {
		return operation{}, err
	}
	l.findPattern(k)
	k.write, k.verb = store, "load"
	op := operation{kind: kindRun, run: runLoad, always: traced, extra: k}
	if store {
		k.verb, op.run = "store", runStore
	}
	k.elements, err = l.elements(value, in.Type(), store)
	k.bytes = uint64(k.width * len(k.elements))
	if err == nil && len(k.elements) == 1 {
		e := k.elements[0]
		k.whole = littleEndian && e.slot != sink && (k.width == 4 && !e.wide || k.width == 8 && e.wide)
	}
	return op, err
}

// policy lowers createpolicy. What a policy holds is not told by the ISA
// (9.7.9.18), and nothing here follows it: it is zero, or for .cvt the property
// that it comes from.
func (l *lowering) policy(in *ptx.Instruction) (operation, error) {
	property := ptx.Operand{Kind: ptx.OperandImmediate}
	if in.Mods.Has(ptx.ModCvt) {
		property = in.Operands[1]
	}
	move := *in
	move.Operands = []ptx.Operand{in.Operands[0], property}
	return l.lanesOperation(&move, lanes.Move[uint64], 64, 64)
}

// access lowers the address of a memory instruction.
func (l *lowering) access(in *ptx.Instruction, place *ptx.Operand, traced bool) (*accessOperation, error) {
	k := &accessOperation{
		space: in.Space, width: min(in.Type().Bytes(), 8), bytes: uint64(in.Type().Bytes()), signed: in.Type().Signed(),
		traced: traced, offset: uint64(place.Offset), cache: l.caches, pattern: -1, instruction: l.index,
	}
	switch in.Space {
	case ptx.SpaceNone:
		k.space = ptx.SpaceGeneric
	case ptx.SpaceArgument:
		k.space = ptx.SpaceLocal // the frames lie there
	}
	if k.limit = math.MaxUint64; memory.Narrow(k.space) {
		k.limit = math.MaxUint32
	}
	l.caches++
	if place.Kind != ptx.OperandAddress {
		return nil, errUnsupported
	}
	switch {
	case place.Register != nil:
		k.hasBase, k.baseWide = true, place.Register.Type.Bits() == 64
		if place.Register.Type.Bits() < 32 {
			return nil, fmt.Errorf("register %s is too narrow for an address", place.Register.Name)
		}
		k.base = l.layout.registers[place.Register.Index]
	case place.Param != nil:
		k.offset += uint64(place.Param.Offset)
	case place.Variable != nil:
		return k, l.variableAddress(k, place.Variable)
	}
	return k, nil
}

// findPattern gives an access the lane pattern of its base register. The lanes of
// local memory lie apart whatever their addresses are.
func (l *lowering) findPattern(k *accessOperation) {
	if !k.hasBase || k.space == ptx.SpaceLocal {
		return
	}
	if l.patterns == nil {
		l.patterns = map[uint32]int{}
	}
	n, known := l.patterns[k.base]
	if !known {
		n = len(l.patterns)
		l.patterns[k.base] = n
	}
	k.pattern = n
}

// variableAddress adds a variable's address to that of an access.
func (l *lowering) variableAddress(k *accessOperation, v *ptx.Variable) error {
	if v.Space == ptx.SpaceShared || v.Space == ptx.SpaceLocal || v.Space == ptx.SpaceArgument {
		place, err := l.place(v)
		k.offset += place
		if l.framed[v] {
			k.hasBase, k.baseWide, k.base = true, true, l.layout.frame
		}
		if k.space == ptx.SpaceGeneric {
			k.space = v.Space
		}
		return err
	}
	if k.space == ptx.SpaceGeneric {
		k.space = v.Space // [symbol] without a space means the symbol's
	}
	k.hasBase, k.baseWide = true, true
	k.base = l.layout.symbol(v, 0, true)
	return nil
}

// elements lowers the register or vector of a load or store.
func (l *lowering) elements(value *ptx.Operand, t ptx.Type, store bool) ([]element, error) {
	operands := []ptx.Operand{*value}
	if value.Kind == ptx.OperandVector {
		operands = value.Elements
	}
	if t == ptx.B128 {
		return l.halves(value, store)
	}
	list := make([]element, len(operands))
	for i := range operands {
		o := &operands[i]
		if o.Kind == ptx.OperandSink {
			list[i] = element{slot: sink}
			continue
		}
		bits := registerBits(o, t)
		slot, err := l.elementSlot(o, bits, store)
		if err != nil {
			return nil, err
		}
		list[i] = element{slot: slot, wide: bits == 64, registerBits: bits}
	}
	return list, nil
}

// halves are the two elements of a .b128 register.
func (l *lowering) halves(o *ptx.Operand, store bool) ([]element, error) {
	slot, err := l.elementSlot(o, 128, store)
	return []element{{slot, true, 64}, {upperHalf(slot), true, 64}}, err
}

func (l *lowering) elementSlot(o *ptx.Operand, bits int, store bool) (uint32, error) {
	if store {
		return l.source(o, bits)
	}
	return l.destination(o, bits)
}
