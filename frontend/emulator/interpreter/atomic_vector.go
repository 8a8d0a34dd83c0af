// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// vectorAtomic is atom or red with .v2, .v4 or .v8 (9.7.13.5, 9.7.13.7): every
// element is an atomic operation of its own.
type vectorAtomic struct {
	accessOperation
	update func(old, b, c uint64) uint64
	// values are the elements of b, results those of d: none for red, sink where
	// nothing is wanted.
	values, results []uint32
}

func (l *lowering) vectorAtomic(in *ptx.Instruction, traced bool) (operation, error) {
	first, t := in.Destinations, in.Type()
	access, err := l.access(in, &in.Operands[first], traced)
	if err != nil {
		return operation{}, err
	}
	k := &vectorAtomic{accessOperation: *access, update: vectorUpdate(in)}
	k.write, k.atomic, k.verb = true, true, "vector atomic"
	if k.values, err = l.vectorSlots(&in.Operands[first+1], t, true); err != nil {
		return operation{}, err
	}
	k.bytes = uint64(k.width * len(k.values))
	if first > 0 {
		k.results, err = l.vectorSlots(&in.Operands[0], t, false)
	}
	return operation{kind: kindRun, run: runVectorAtomic, always: traced, extra: k}, err
}

// vectorSlots gives the slots of a vector's elements.
func (l *lowering) vectorSlots(o *ptx.Operand, t ptx.Type, source bool) ([]uint32, error) {
	if o.Kind != ptx.OperandVector {
		return nil, errUnsupported
	}
	list, err := l.elements(o, t, source)
	slots := make([]uint32, len(list))
	for i := range list {
		slots[i] = list[i].slot
	}
	return slots, err
}

// vectorUpdate gives the new value of an element: the operation of scalar
// atomics, or the smaller or larger number of halves.
func vectorUpdate(in *ptx.Instruction) func(old, b, c uint64) uint64 {
	if in.Mods.Has(ptx.ModAdd) {
		return addOf(in.Type(), ptx.SpaceGlobal)
	}
	format, bits := lanes.Half, in.Type().Bits()
	if t := in.Type(); t == ptx.BF16 || t == ptx.BF16x2 {
		format = lanes.Brain
	}
	largest := in.Mods.Has(ptx.ModMax)
	one := func(a, b uint64) uint64 {
		return format.Encode(lanes.Extreme(format.Decode(a&0xffff), format.Decode(b&0xffff), largest, false, lanes.Canonical64), lanes.Nearest)
	}
	if bits == 16 {
		return func(old, b, _ uint64) uint64 { return one(old, b) }
	}
	return func(old, b, _ uint64) uint64 { return one(old, b) | one(old>>16, b>>16)<<16 }
}

func runVectorAtomic(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*vectorAtomic)
	c.locate(&k.accessOperation, mask)
	c.trace(&k.accessOperation, mask)
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		if address := c.access.address(i); k.space == ptx.SpaceGeneric && memory.InWindow(address, memory.SharedWindowBase) {
			return c.accessFault(&k.accessOperation, coexecution.FaultOutOfBounds, i, "it lies in shared memory; atomic operations on vectors take global memory only (9.7.13.5)")
		}
		memory, err := c.resolve(&k.accessOperation, i)
		if err != nil {
			return err
		}
		for e, slot := range k.values {
			at := memory[e*k.width:]
			old := lanes.LoadRaw(at, k.width)
			lanes.StoreRaw(at, k.width, k.update(old, truncate(c.lane(slot, false, i), 8*k.width), 0))
			if k.results != nil && k.results[e] != sink {
				c.setLane(k.results[e], false, i, old)
			}
		}
	}
	return nil
}
