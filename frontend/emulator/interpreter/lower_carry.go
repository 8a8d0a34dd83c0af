// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// carryOperation is an instruction of extended-precision arithmetic (9.7.2).
// CC.CF is the carry of the adder, of subtractions too: a - b is a + ^b + 1 there, so the
// flag is set where nothing is borrowed. PTX calls it the borrow and leaves it open. It
// shows where sub.cc goes before addc, or add.cc before subc: add.cc of zeros, then subc
// of zeros gives -1 on a GPU (Stack Overflow, question 5818713).
type carryOperation struct {
	product  bool // d = a*b + c, with the high or the low half of the product
	high     bool
	signed   bool
	subtract bool
	in, out  bool // takes CC.CF, writes CC.CF
}

func (l *lowering) carryChain(in *ptx.Instruction) (operation, error) {
	k := &carryOperation{
		product:  in.Op == ptx.OpMad || in.Op == ptx.OpMadc,
		high:     in.Mods.Has(ptx.ModHi),
		signed:   in.Type().Signed(),
		subtract: in.Op == ptx.OpSub || in.Op == ptx.OpSubc,
		in:       in.Op == ptx.OpAddc || in.Op == ptx.OpSubc || in.Op == ptx.OpMadc,
		out:      in.Mods.Has(ptx.ModCC),
	}
	width := in.Type().Bits()
	d, err := l.destination(&in.Operands[0], width)
	if err != nil {
		return operation{}, err
	}
	s, err := l.sources(in.Operands[1:], width)
	op := operation{kind: kindRun, run: runCarry32, d: d, a: s[0], b: s[1], c: s[2], extra: k}
	if width == 64 {
		op.run = runCarry64
	}
	return op, err
}

func runCarry32(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*carryOperation)
	d, a, b, addend := lanes.Of[uint32](c.at(op.d)), lanes.Of[uint32](c.at(op.a)), lanes.Of[uint32](c.at(op.b)), lanes.Of[uint32](c.at(op.c))
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		x, y := a[i], b[i]
		if k.product {
			x, y = k.half32(x, y), addend[i]
		}
		var carry uint32
		if k.subtract {
			y, carry = ^y, 1
		}
		if k.in {
			carry = c.carry >> i & 1
		}
		d[i], carry = bits.Add32(x, y, carry)
		if k.out {
			c.carry = c.carry&^(1<<i) | carry<<i
		}
	}
	return nil
}

func (k *carryOperation) half32(x, y uint32) uint32 {
	switch {
	case !k.high:
		return x * y
	case k.signed:
		return uint32(mulHigh(int32(x), int32(y)))
	}
	return mulHigh(x, y)
}

func runCarry64(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*carryOperation)
	d, a, b, addend := lanes.Of[uint64](c.at(op.d)), lanes.Of[uint64](c.at(op.a)), lanes.Of[uint64](c.at(op.b)), lanes.Of[uint64](c.at(op.c))
	for ; mask != 0; mask &= mask - 1 {
		i := lanes.FirstLane(mask)
		x, y := a[i], b[i]
		if k.product {
			x, y = k.half64(x, y), addend[i]
		}
		var carry uint64
		if k.subtract {
			y, carry = ^y, 1
		}
		if k.in {
			carry = uint64(c.carry >> i & 1)
		}
		d[i], carry = bits.Add64(x, y, carry)
		if k.out {
			c.carry = c.carry&^(1<<i) | uint32(carry)<<i
		}
	}
	return nil
}

func (k *carryOperation) half64(x, y uint64) uint64 {
	switch {
	case !k.high:
		return x * y
	case k.signed:
		return uint64(mulHigh(int64(x), int64(y)))
	}
	return mulHigh(x, y)
}
