// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// atomicOperation is atom or red (9.7.13.5, 9.7.13.7). Lanes are served in
// ascending order.
type atomicOperation struct {
	accessOperation
	update func(old, b, c uint64) uint64
	// inShared is update for a generic address that lies in shared memory.
	inShared func(old, b, c uint64) uint64
	b, c     uint32
	wide     bool // registers of 64 bits
	pair     bool // of 128 bits, with compare and swap or an exchange
	compare  bool
	counts   bool // adds integers of 32 bits
	d        uint32
	returns  bool
	// system says that the host may do atomics at the same place at the same time (8.5,
	// scope .sys).
	system bool
}

func (l *lowering) atomic(in *ptx.Instruction, traced bool) (operation, error) {
	if in.Vector > 1 {
		return l.vectorAtomic(in, traced)
	}
	first := in.Destinations
	access, err := l.access(in, &in.Operands[first], traced)
	if err != nil {
		return operation{}, err
	}
	l.findPattern(access)
	access.write, access.atomic, access.verb = true, true, "atomic"
	t := in.Type()
	k := &atomicOperation{accessOperation: *access, update: updateOf(in, in.Space), inShared: updateOf(in, ptx.SpaceShared), wide: t.Bits() == 64, returns: first > 0}
	k.pair, k.compare = t == ptx.B128, in.Mods.Has(ptx.ModCas)
	k.system = in.Mods.Has(ptx.ModSys)
	k.counts = !k.system && in.Mods.Has(ptx.ModAdd) && (t == ptx.U32 || t == ptx.S32)
	if k.update == nil {
		return operation{}, errUnsupported
	}
	if k.returns {
		if k.returns = in.Operands[0].Kind != ptx.OperandSink; k.returns {
			if k.d, err = l.destination(&in.Operands[0], t.Bits()); err != nil {
				return operation{}, err
			}
		}
	}
	s, err := l.sources(in.Values()[first+1:], t.Bits())
	k.b, k.c = s[0], s[1]
	return operation{kind: kindRun, run: runAtomic, always: traced, extra: k}, err
}

func runAtomic(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*atomicOperation)
	if k.pattern >= 0 && mask != 0 {
		p, base := c.arrange(&k.accessOperation, mask)
		if k.wraps(p, base) {
			c.locate(&k.accessOperation, mask)
			c.trace(&k.accessOperation, mask)
			return c.updateLocated(k, mask)
		}
		c.tracePattern(&k.accessOperation, p, base)
		if data := c.reach(&k.accessOperation, p, base); data != nil {
			if k.counts {
				c.countLanes(k, data, p.expand(&c.access.near), mask)
				return nil
			}
			update := k.updateAt(base)
			for ; mask != 0; mask &= mask - 1 {
				i := lanes.FirstLane(mask)
				c.updateLane(k, update, data[p.offset(i):], i)
			}
			return nil
		}
		c.locate(&k.accessOperation, mask)
		return c.updateLocated(k, mask)
	}
	c.locate(&k.accessOperation, mask)
	c.trace(&k.accessOperation, mask)
	if mask == 0 {
		return nil
	}
	return c.updateLocated(k, mask)
}

// updateLocated applies an atomic at the located addresses.
func (c *warpContext) updateLocated(k *atomicOperation, mask uint32) error {
	data, ok := c.window(&k.accessOperation, mask)
	if !ok {
		return c.atomicSlowly(k, mask)
	}
	update := k.updateAt(c.access.address(lanes.FirstLane(mask)))
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		c.updateLane(k, update, data[c.access.offsets[i]:], i)
	}
	return nil
}

// countLanes adds an integer of each lane in mask at its offset in data.
func (c *warpContext) countLanes(k *atomicOperation, data []byte, offsets *[trace.WarpSize]uint32, mask uint32) {
	b := lanes.Of[uint32](c.at(k.b))
	d := b // of no use without a result
	if k.returns {
		d = lanes.Of[uint32](c.at(k.d))
	}
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		word := data[offsets[i]:][:4]
		old := binary.LittleEndian.Uint32(word)
		binary.LittleEndian.PutUint32(word, old+b[i])
		if k.returns {
			d[i] = old
		}
	}
}

// updateLane applies an atomic to memory for lane i.
func (c *warpContext) updateLane(k *atomicOperation, update func(old, b, c uint64) uint64, memory []byte, i int) {
	if k.pair {
		c.updatePair(k, memory, i)
		return
	}
	b, e := c.lane(k.b, k.wide, i), c.lane(k.c, k.wide, i)
	old := lanes.LoadRaw(memory, k.width)
	for value := update(old, b, e); !k.exchange(memory, old, value); value = update(old, b, e) {
		old = lanes.LoadRaw(memory, k.width)
	}
	if k.returns {
		c.setLane(k.d, k.wide, i, old)
	}
}

// exchange stores a value where memory still has the old one. The device's memory is the
// program's, too, whose threads go on while a kernel runs. There is no such exchange for
// 16 bits (D230).
func (k *atomicOperation) exchange(memory []byte, old, value uint64) bool {
	at := unsafe.Pointer(&memory[0])
	switch {
	case k.system && k.width == 4:
		return atomic.CompareAndSwapUint32((*uint32)(at), uint32(old), uint32(value))
	case k.system && k.width == 8:
		return atomic.CompareAndSwapUint64((*uint64)(at), old, value)
	}
	lanes.StoreRaw(memory, k.width, value)
	return true
}

// updatePair is updateLane for 128 bits.
func (c *warpContext) updatePair(k *atomicOperation, memory []byte, i int) {
	pair := func(slot uint32) [2]uint64 { return [2]uint64{c.lane(slot, true, i), c.lane(upperHalf(slot), true, i)} }
	old := [2]uint64{lanes.LoadRaw(memory, 8), lanes.LoadRaw(memory[8:], 8)}
	value := pair(k.b)
	if k.compare {
		expected := value
		if value = pair(k.c); old != expected {
			value = old
		}
	}
	lanes.StoreRaw(memory, 8, value[0])
	lanes.StoreRaw(memory[8:], 8, value[1])
	if k.returns {
		c.setLane(k.d, true, i, old[0])
		c.setLane(upperHalf(k.d), true, i, old[1])
	}
}

func (c *warpContext) atomicSlowly(k *atomicOperation, mask uint32) error {
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		memory, err := c.resolve(&k.accessOperation, i)
		if err != nil {
			return err
		}
		c.updateLane(k, k.updateAt(c.access.address(i)), memory, i)
	}
	return nil
}

// updateAt gives the update of memory at an address.
func (k *atomicOperation) updateAt(address uint64) func(old, b, c uint64) uint64 {
	if k.space == ptx.SpaceGeneric && memory.InWindow(address, memory.SharedWindowBase) {
		return k.inShared
	}
	return k.update
}

// updateOf gives the new value of an atomic's memory in a space.
func updateOf(in *ptx.Instruction, space ptx.Space) func(old, b, c uint64) uint64 {
	t := in.Type()
	switch {
	case in.Mods.Has(ptx.ModAdd):
		return addOf(t, space)
	case in.Mods.Has(ptx.ModAnd):
		return func(old, b, _ uint64) uint64 { return old & b }
	case in.Mods.Has(ptx.ModOr):
		return func(old, b, _ uint64) uint64 { return old | b }
	case in.Mods.Has(ptx.ModXor):
		return func(old, b, _ uint64) uint64 { return old ^ b }
	case in.Mods.Has(ptx.ModExch):
		return func(_, b, _ uint64) uint64 { return b }
	case in.Mods.Has(ptx.ModCas):
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case in.Mods.Has(ptx.ModInc):
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case in.Mods.Has(ptx.ModDec):
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	case in.Mods.Has(ptx.ModMin), in.Mods.Has(ptx.ModMax):
		return atomicExtreme(t, in.Mods.Has(ptx.ModMax))
	}
	return nil
}

// addOf is atomic addition. Single precision flushes subnormals in global
// memory, and keeps them in shared memory (9.7.13.5).
func addOf(t ptx.Type, space ptx.Space) func(old, b, c uint64) uint64 {
	switch t {
	case ptx.F32:
		flush := space != ptx.SpaceShared
		return func(old, b, _ uint64) uint64 { return uint64(addAtomic32(uint32(old), uint32(b), flush)) }
	case ptx.F16, ptx.F16x2:
		return addHalves(lanes.Half, t.Bits())
	case ptx.BF16, ptx.BF16x2:
		return addHalves(lanes.Brain, t.Bits())
	case ptx.F64:
		return func(old, b, _ uint64) uint64 {
			return math.Float64bits(lanes.Canonical(math.Float64frombits(old) + math.Float64frombits(b)))
		}
	}
	return func(old, b, _ uint64) uint64 { return old + b }
}

// addHalves is atomic addition of one or two half-precision numbers, without
// flushing (.noftz).
func addHalves(format *lanes.SmallFloat, bits int) func(old, b, c uint64) uint64 {
	one := func(a, b uint64) uint64 {
		return format.Encode(lanes.SumToOdd(format.Decode(a&0xffff), format.Decode(b&0xffff)), lanes.Nearest)
	}
	if bits == 16 {
		return func(old, b, _ uint64) uint64 { return one(old, b) }
	}
	return func(old, b, _ uint64) uint64 { return one(old, b) | one(old>>16, b>>16)<<16 }
}

func addAtomic32(a, b uint32, flush bool) uint32 {
	if flush {
		a, b = lanes.Flush32(a), lanes.Flush32(b)
	}
	r := math.Float32frombits(a) + math.Float32frombits(b)
	if r != r {
		r = lanes.Canonical32
	}
	v := math.Float32bits(r)
	if flush {
		v = lanes.Flush32(v)
	}
	return v
}

func atomicExtreme(t ptx.Type, largest bool) func(old, b, c uint64) uint64 {
	bits, signed := t.Bits(), t.Signed()
	return func(old, b, _ uint64) uint64 {
		x, y := lanes.Extend(old, bits, signed), lanes.Extend(b, bits, signed)
		less := x < y
		if signed {
			less = int64(x) < int64(y)
		}
		if less == largest {
			return b
		}
		return old
	}
}
