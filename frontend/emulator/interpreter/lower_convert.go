// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// conversion lowers cvt (9.7.9.21). Source registers may be wider than the
// source type, which chops them; wider destination registers are extended
// by the destination type's sign (9.4.1).
func (l *lowering) conversion(in *ptx.Instruction) (operation, error) {
	to, from := in.Types[0], in.Types[1]
	switch {
	case in.Mods.Has(ptx.ModPack):
		return l.lanesOperation(in, lanes.Each3(packIntegers(to)), 32, 32)
	case pairFormat(to) != nil:
		return l.convertPair(in)
	}
	sourceBits, destinationBits := registerBits(&in.Operands[1], from), registerBits(&in.Operands[0], to)
	d, err := l.destination(&in.Operands[0], destinationBits)
	if err != nil {
		return operation{}, err
	}
	a, err := l.source(&in.Operands[1], sourceBits)
	loop := fastConversion(in, destinationBits, sourceBits)
	if loop == nil {
		loop = lanes.Convert(destinationBits == 64, sourceBits == 64, conversionOf(in, destinationBits))
	}
	return operation{kind: kindLanes, wide: destinationBits == 64, d: d, a: a, loop: loop}, err
}

// registerBits is the width of an operand's register; of something else the
// width of its slot.
func registerBits(o *ptx.Operand, t ptx.Type) int {
	switch {
	case o.Kind == ptx.OperandRegister:
		return max(o.Register.Type.Bits(), 8)
	case o.Kind == ptx.OperandSpecial && wideSpecial(o.Special, t.Bits()):
		return 64
	case o.Kind == ptx.OperandSpecial:
		return 32
	}
	return t.Bits()
}

// fastConversion finds a loop for the conversions that kernels do all the time.
func fastConversion(in *ptx.Instruction, destinationBits, sourceBits int) lanes.Loop {
	to, from := in.Types[0], in.Types[1]
	if in.Mods.Has(ptx.ModSat) || destinationBits != to.Bits() || sourceBits != from.Bits() {
		return nil
	}
	integers := !to.Float() && !from.Float()
	switch {
	case integers && to.Bits() == 64 && from == ptx.S32:
		return lanes.VectorWidenS32.Or(lanes.Cast[int32, int64])
	case integers && to.Bits() == 64 && from == ptx.U32:
		return lanes.VectorWidenU32.Or(lanes.Cast[uint32, uint64])
	case integers && to.Bits() == 32 && from.Bits() == 64:
		return lanes.VectorNarrow64.Or(lanes.Cast[uint64, uint32])
	case from == ptx.F32 && !in.Mods.Has(ptx.ModFtz) || from == ptx.F64:
		return fastFromFloat(in)
	case !in.Mods.Has(ptx.ModRn):
		return nil
	case to == ptx.F32 && from == ptx.S32:
		return lanes.VectorS32ToF32.Or(lanes.Cast[int32, float32])
	case to == ptx.F32 && from == ptx.U32:
		return lanes.VectorU32ToF32.Or(lanes.Cast[uint32, float32])
	case to == ptx.F64 && from == ptx.S32:
		return lanes.Cast[int32, float64]
	case to == ptx.F64 && from == ptx.U32:
		return lanes.Cast[uint32, float64]
	}
	return nil
}

// fastFromFloat is fastConversion for floating-point sources.
func fastFromFloat(in *ptx.Instruction) lanes.Loop {
	to, from := in.Types[0], in.Types[1]
	truncating := in.Mods.Has(ptx.ModRzi)
	switch {
	case from == ptx.F32 && to == ptx.S32 && truncating:
		return lanes.Truncate[float32, int32](math.MinInt32, 1<<31, math.MaxInt32, 0)
	case from == ptx.F32 && to == ptx.U32 && truncating:
		return lanes.Truncate[float32, uint32](0, 1<<32, math.MaxUint32, 0)
	case from == ptx.F64 && to == ptx.S32 && truncating:
		return lanes.Truncate[float64, int32](math.MinInt32, 1<<31, math.MaxInt32, math.MinInt32)
	case from == ptx.F32 && to == ptx.F64:
		return lanes.Widen
	case from == ptx.F32 && to == ptx.F32 && in.Mods.Has(ptx.ModRni) && !in.Mods.Has(ptx.ModRelu):
		return lanes.VectorIntegralF32.Or(lanes.IntegralF32)
	case from == ptx.F64 && to == ptx.F32 && in.Mods.Has(ptx.ModRn) && !in.Mods.Has(ptx.ModFtz):
		return lanes.Narrow
	}
	return nil
}

// conversionOf makes the conversion of one lane's bits.
func conversionOf(in *ptx.Instruction, destinationBits int) func(uint64) uint64 {
	to, from := in.Types[0], in.Types[1]
	var f func(uint64) uint64
	switch {
	case to == ptx.TF32:
		f = toTF32(in)
	case from.Float() && to.Float():
		f = floatToFloat(in)
	case from.Float():
		f = floatToInteger(in)
	case to.Float():
		f = integerToFloat(in)
	default:
		f = integerToInteger(in)
	}
	bits, signed := to.Bits(), to.Signed()
	return func(raw uint64) uint64 { return truncate(lanes.Extend(f(raw), bits, signed), destinationBits) }
}

// floatDecoder gives the value of a float's bits, flushed if .ftz says so.
func floatDecoder(t ptx.Type, flush bool) func(uint64) float64 {
	switch t {
	case ptx.F16:
		return lanes.Half.Decode
	case ptx.BF16:
		return lanes.Brain.Decode
	case ptx.F64:
		return math.Float64frombits
	}
	if flush {
		return func(raw uint64) float64 { return float64(math.Float32frombits(lanes.Flush32(uint32(raw)))) }
	}
	return func(raw uint64) float64 { return float64(math.Float32frombits(uint32(raw))) }
}

// floatEncoder rounds a double, exact or rounded to odd, to a type's bits.
func floatEncoder(t ptx.Type, mode lanes.Rounding, flush bool) func(float64) uint64 {
	switch t {
	case ptx.F16:
		return func(v float64) uint64 { return lanes.Half.Encode(v, mode) }
	case ptx.BF16:
		return func(v float64) uint64 { return lanes.Brain.Encode(v, mode) }
	case ptx.F64:
		return func(v float64) uint64 { return math.Float64bits(lanes.Canonical(v)) }
	}
	return func(v float64) uint64 {
		r := math.Float32bits(lanes.Narrow32(v, mode))
		if flush {
			r = lanes.Flush32(r)
		}
		return uint64(r)
	}
}

func floatToFloat(in *ptx.Instruction) func(uint64) uint64 {
	to, from := in.Types[0], in.Types[1]
	flush, clamp, relu := in.Mods.Has(ptx.ModFtz), in.Mods.Has(ptx.ModSat), in.Mods.Has(ptx.ModRelu)
	finite, limit := in.Mods.Has(ptx.ModSatfinite), largest[to]
	mode := lanes.RoundingOf(in)
	integral := in.Mods.Has(ptx.ModRni) || in.Mods.Has(ptx.ModRzi) || in.Mods.Has(ptx.ModRmi) || in.Mods.Has(ptx.ModRpi)
	decode, encode := floatDecoder(from, flush), floatEncoder(to, mode, flush)
	return func(raw uint64) uint64 {
		v := decode(raw)
		if integral {
			v = lanes.RoundIntegral(v, mode)
		}
		if clamp {
			v = lanes.Saturate(v)
		}
		if relu && v <= 0 {
			v = 0
		}
		if finite {
			v = within(limit, v)
		}
		return encode(v)
	}
}

// floatToInteger always clamps. NaN becomes zero, but the top bit alone for
// .f64 sources and 64-bit destinations.
func floatToInteger(in *ptx.Instruction) func(uint64) uint64 {
	to, from := in.Types[0], in.Types[1]
	mode, bits, signed := lanes.RoundingOf(in), to.Bits(), to.Signed()
	decode := floatDecoder(from, in.Mods.Has(ptx.ModFtz))
	var nan uint64
	if from == ptx.F64 || bits == 64 {
		nan = 1 << (bits - 1)
	}
	low, high := 0.0, math.Ldexp(1, bits)
	if signed {
		low, high = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	return func(raw uint64) uint64 {
		v := lanes.RoundIntegral(decode(raw), mode)
		switch {
		case v != v:
			return nan
		case v >= high && signed:
			return 1<<(bits-1) - 1
		case v >= high:
			return truncate(^uint64(0), bits)
		case v <= low && signed:
			return 1 << (bits - 1)
		case v <= low:
			return 0
		case signed:
			return uint64(int64(v))
		}
		return uint64(v)
	}
}

func integerToFloat(in *ptx.Instruction) func(uint64) uint64 {
	to, from := in.Types[0], in.Types[1]
	mode, clamp := lanes.RoundingOf(in), in.Mods.Has(ptx.ModSat)
	encode := floatEncoder(to, mode, false)
	bits, signed := from.Bits(), from.Signed()
	return func(raw uint64) uint64 {
		v := lanes.Extend(raw, bits, signed)
		// Both halves are exact; the sum is rounded once.
		high, low := float64(v>>32)*0x1p32, float64(uint32(v))
		if signed {
			high = float64(int64(v)>>32) * 0x1p32
		}
		var r float64
		if to == ptx.F64 {
			r = high + low
			if mode != lanes.Nearest {
				r = lanes.AddRounded64(high, low, mode)
			}
		} else {
			r = lanes.SumToOdd(high, low)
		}
		if clamp {
			r = lanes.Saturate(r)
		}
		return encode(r)
	}
}

func integerToInteger(in *ptx.Instruction) func(uint64) uint64 {
	to, from := in.Types[0], in.Types[1]
	fromBits, fromSigned := from.Bits(), from.Signed()
	if !in.Mods.Has(ptx.ModSat) {
		return func(raw uint64) uint64 { return lanes.Extend(raw, fromBits, fromSigned) }
	}
	bits, signed := to.Bits(), to.Signed()
	return func(raw uint64) uint64 {
		return clampInteger(lanes.Extend(raw, fromBits, fromSigned), fromSigned, bits, signed)
	}
}

// clampInteger saturates v, signed as told, to an integer type.
func clampInteger(v uint64, fromSigned bool, bits int, signed bool) uint64 {
	negative := fromSigned && int64(v) < 0
	switch {
	case negative && !signed:
		return 0
	case negative:
		return uint64(max(int64(v), -1<<(bits-1)))
	case signed:
		return min(v, 1<<(bits-1)-1)
	}
	return min(v, truncate(^uint64(0), bits))
}

// toTF32 is cvt.tf32.f32: 10 bits of fraction stay. Halves are rounded away
// from zero (.rna), or to even (.rn). The 13 bits below are zero here; PTX
// leaves them undefined.
func toTF32(in *ptx.Instruction) func(uint64) uint64 {
	const low = 1<<13 - 1
	away, truncate, relu := in.Mods.Has(ptx.ModRna), in.Mods.Has(ptx.ModRz), in.Mods.Has(ptx.ModRelu)
	finite := in.Mods.Has(ptx.ModSatfinite)
	return func(raw uint64) uint64 {
		v := uint32(raw)
		magnitude, sign := v&0x7fff_ffff, v&0x8000_0000
		switch {
		case magnitude > 0x7f80_0000:
			return 0x7fff_ffff
		case relu && sign != 0:
			return 0
		case magnitude == 0x7f80_0000 || truncate:
			magnitude &^= low
		case away:
			magnitude = (magnitude + 1<<12) &^ low
		default:
			magnitude = lanes.RoundTF32(magnitude)
		}
		if finite && magnitude >= 0x7f80_0000 {
			magnitude = 0x7f7f_e000
		}
		return uint64(sign | magnitude)
	}
}
