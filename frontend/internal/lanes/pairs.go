// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"unsafe"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// pairScratch takes the lower and upper numbers of .f32x2 operands apart: the
// result's, then those of a, b and c.
type pairScratch [4][2][trace.WarpSize]uint32

// LoopPairs finds the loop of an instruction on .f32x2: that of .f32, once for
// the lower and once for the upper numbers (9.7.3.6).
func LoopPairs(in *ptx.Instruction) Loop {
	loop := LoopF32(in)
	if loop == nil {
		return nil
	}
	sources := len(in.Operands) - 1
	return func(s *Scratch, d, a, b, c unsafe.Pointer) {
		p := &s.pairs
		p.split(1, Of[uint64](a))
		p.split(2, Of[uint64](b))
		if sources > 2 {
			p.split(3, Of[uint64](c))
		}
		for h := range 2 {
			loop(s, PointerTo(&p[0][h]), PointerTo(&p[1][h]), PointerTo(&p[2][h]), PointerTo(&p[3][h]))
		}
		z := Of[uint64](d)
		for i := range z {
			z[i] = uint64(p[0][0][i]) | uint64(p[0][1][i])<<32
		}
	}
}

func (p *pairScratch) split(operand int, x *[trace.WarpSize]uint64) {
	low, high := &p[operand][0], &p[operand][1]
	for i, v := range x {
		low[i], high[i] = uint32(v), uint32(v>>32)
	}
}

// extremeOfThree is min or max of three numbers; with .abs of their magnitudes
// (9.7.3.11, 9.7.3.12).
func extremeOfThree(in *ptx.Instruction) func(a, b, c float32) float32 {
	largest, propagate, magnitude := in.Op == ptx.OpMax, in.Mods.Has(ptx.ModNaN), in.Mods.Has(ptx.ModAbs)
	return func(a, b, c float32) float32 {
		if magnitude {
			a, b, c = abs32(a), abs32(b), abs32(c)
		}
		return Extreme(Extreme(a, b, largest, propagate, Canonical32), c, largest, propagate, Canonical32)
	}
}
