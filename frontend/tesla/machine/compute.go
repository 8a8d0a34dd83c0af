// SPDX-License-Identifier: Apache-2.0

package machine

import "github.com/warptape/warptape/frontend/tesla/language"

// register is where a lane's register lies in the partition of its processor: the rows of
// a warp have their registers one after the other.
func (p *multiprocessor) register(w *warp, lane int, r uint8) (processor, address int) {
	row := lane / p.m.Processors
	return lane % p.m.Processors, (w.base + row*p.m.kernel.RegistersPerThread + int(r)) & (1<<p.m.RegisterAddressBits - 1)
}

func (p *multiprocessor) get(w *warp, lane int, r uint8) uint32 {
	processor, address := p.register(w, lane, r)
	return p.registers[processor][address]
}

func (p *multiprocessor) set(w *warp, lane int, r uint8, value uint32) {
	processor, address := p.register(w, lane, r)
	p.registers[processor][address] = value
	w.written[lane] |= 1 << r
}

// compute does an instruction of the streaming processors.
func (p *multiprocessor) compute(w *warp, in language.Instruction) {
	for lane := range p.m.WarpWidth {
		if w.mask>>lane&1 == 0 {
			continue
		}
		a, b, c := p.get(w, lane, in.A), p.get(w, lane, in.B), p.get(w, lane, in.C)
		p.set(w, lane, in.D, result(in, a, b, c))
	}
}

// result is what an instruction computes (Table 4.1).
func result(in language.Instruction, a, b, c uint32) uint32 {
	switch in.Opcode {
	case language.MAD:
		return b*c + a
	case language.MUL:
		return b * c
	case language.ADD:
		return a + b
	case language.SUB:
		return a - b
	case language.SLT:
		return (a - b) >> 31
	case language.SGT:
		if d := a - b; d != 0 {
			return 1 - d>>31
		}
		return 0
	case language.SHR:
		return a >> b
	case language.SHL:
		return a << b
	case language.NOT:
		return ^b
	case language.AND:
		return a & b
	case language.OR:
		return a | b
	case language.XOR:
		return a ^ b
	case language.MV:
		return a
	case language.MVI:
		return uint32(in.Immediate)
	}
	panic("BUG: " + in.String() + " is not of the streaming processors")
}

// loadSpecial is LDS.
func (p *multiprocessor) loadSpecial(w *warp, in language.Instruction) error {
	k := p.m.kernel
	parameter, isParameter := language.SelectsParameter(in.A)
	if w.robbed && (in.A == language.SelectBIDX || isParameter) {
		return p.m.fault(p, w, w.pc, "another thread block has taken the block slot %d, and with it what the instruction reads; read it before, or use fewer thread blocks", w.place)
	}
	var value uint32
	switch {
	case in.A == language.SelectBDIM:
		value = packed(k.Block.X-1, k.Block.Y-1, k.Block.Z-1)
	case in.A == language.SelectGDIM:
		value = packed(k.Grid.X-1, k.Grid.Y-1, k.Grid.Z-1)
	case in.A == language.SelectBIDX:
		x, y := uint64(k.Grid.X), uint64(k.Grid.Y)
		value = packed(uint32(w.block%x), uint32(w.block/x%y), uint32(w.block/x/y))
	case isParameter && parameter < len(k.Parameters):
		value = k.Parameters[parameter]
	}
	for lane := range p.m.WarpWidth {
		if w.mask>>lane&1 == 0 {
			continue
		}
		if in.A == language.SelectTID {
			value = p.threadIndex(w, lane)
		}
		p.set(w, lane, in.D, value)
	}
	return nil
}

func packed(x, y, z uint32) uint32 { return z<<20 | y<<10 | x }

// threadIndex is TID, in which x and y have changed places (4.).
func (p *multiprocessor) threadIndex(w *warp, lane int) uint32 {
	n := uint32(w.number*p.m.WarpWidth + lane)
	b := p.m.kernel.Block
	return packed(n/b.X%b.Y, n%b.X, n/b.X/b.Y)
}
