// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
)

// Functions of libdevice, which CUDA's headers call as __nv_NAME (double
// precision) and __nv_NAMEf (single). They are computed in double precision by
// Go's math package. Single-precision results are rounded once, so that they
// are within half an ulp and a trifle. Double-precision ones are within the few
// ulp that the CUDA C++ Programming Guide allows (appendix "Mathematical
// Functions"). Most are also there under their C names, which compilers leave
// where no libdevice is linked.

// unaryMath are functions of one number.
var unaryMath = map[string]func(float64) float64{
	"acos": math.Acos, "acosh": math.Acosh, "asin": math.Asin, "asinh": math.Asinh, "atan": math.Atan, "atanh": math.Atanh,
	"cbrt": math.Cbrt, "ceil": math.Ceil, "cos": math.Cos, "cosh": math.Cosh, "erf": math.Erf, "erfc": math.Erfc,
	"erfinv": math.Erfinv, "erfcinv": math.Erfcinv, "exp": math.Exp, "exp2": math.Exp2, "expm1": math.Expm1,
	"exp10": func(x float64) float64 { return math.Pow(10, x) },
	"fabs":  math.Abs, "floor": math.Floor, "j0": math.J0, "j1": besselJ1, "y0": besselY0, "y1": math.Y1,
	"lgamma": logGamma, "log": lanes.Log, "log10": lanes.Log10, "log1p": math.Log1p, "log2": math.Log2, "logb": math.Logb,
	"nearbyint": math.RoundToEven, "rint": math.RoundToEven, "round": math.Round, "trunc": math.Trunc,
	"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) }, "rcbrt": func(x float64) float64 { return 1 / math.Cbrt(x) },
	"sin": math.Sin, "sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh, "tgamma": math.Gamma,
	"sinpi": func(x float64) float64 { return sinPi(x) }, "cospi": func(x float64) float64 { return sinPi(math.Mod(x, 2) + 0.5) },
	"normcdf":    func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) },
	"normcdfinv": func(x float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*x) },
}

// sinPi is sin(pi*x) with the argument reduced exactly.
func sinPi(x float64) float64 {
	r := math.Mod(x, 2)
	switch {
	case r == 0 || r == 1 || r == -1:
		return math.Copysign(0, x)
	case r > 0.5 && r <= 1.5:
		r = 1 - r
	case r > 1.5:
		r -= 2
	case r < -0.5 && r >= -1.5:
		r = -1 - r
	case r < -1.5:
		r += 2
	}
	return math.Sin(math.Pi * r)
}

// binaryMath are functions of two numbers.
var binaryMath = map[string]func(a, b float64) float64{
	"atan2": arctangent, "copysign": math.Copysign, "fdim": fdim, "fmod": math.Mod, "hypot": math.Hypot,
	"pow": math.Pow, "remainder": math.Remainder,
	"fmax": func(a, b float64) float64 { return lanes.Extreme(a, b, true, false, lanes.Canonical64) },
	"fmin": func(a, b float64) float64 { return lanes.Extreme(a, b, false, false, lanes.Canonical64) },
}

// fdim is C's positive difference; Go's gives NaN for two infinities.
func fdim(a, b float64) float64 {
	switch {
	case a != a || b != b:
		return math.NaN()
	case a <= b:
		return 0
	}
	return a - b
}

// fastMath are the single-precision functions of __nv_fast_NAMEf.
var fastMath = []string{"cos", "exp", "exp10", "log", "log10", "log2", "sin", "tan"}

// addMathFunctions enters all functions, by all their names.
func addMathFunctions(table map[string]*external) {
	for name, f := range unaryMath {
		double := numeric(ptx.F64, 1, func(a []float64) float64 { return f(a[0]) })
		single := numeric(ptx.F32, 1, func(a []float64) float64 { return f(a[0]) })
		enter(table, name, double, single)
	}
	for name, f := range binaryMath {
		enter(table, name, numeric(ptx.F64, 2, func(a []float64) float64 { return f(a[0], a[1]) }),
			numeric(ptx.F32, 2, func(a []float64) float64 { return f(a[0], a[1]) }))
	}
	for _, name := range fastMath {
		f := unaryMath[name]
		table["__nv_fast_"+name+"f"] = numeric(ptx.F32, 1, func(a []float64) float64 { return f(a[0]) })
	}
	table["__nv_fast_powf"] = numeric(ptx.F32, 2, func(a []float64) float64 { return math.Pow(a[0], a[1]) })
	table["__nv_fast_fdividef"] = numeric(ptx.F32, 2, func(a []float64) float64 { return a[0] / a[1] })
	table["__nv_saturatef"] = numeric(ptx.F32, 1, func(a []float64) float64 { return lanes.Saturate(a[0]) })
	addPreciseFunctions(table)
	addPartFunctions(table)
	addIntegerFunctions(table)
}

// enter adds a function under its C names and those of libdevice.
func enter(table map[string]*external, name string, double, single *external) {
	table[name], table[name+"f"] = double, single
	table["__nv_"+name], table["__nv_"+name+"f"] = double, single
}

// numeric makes a function of n numbers of one type, computed in double
// precision and rounded.
func numeric(t ptx.Type, n int, f func([]float64) float64) *external {
	decode, encode := floatDecoder(t, false), floatEncoder(t, lanes.Nearest, false)
	e := &external{result: t}
	for range n {
		e.params = append(e.params, t)
	}
	e.run = func(_ *warpContext, _ int, raw []uint64) (uint64, error) {
		var a [4]float64
		for i, v := range raw {
			a[i] = decode(v)
		}
		return encode(f(a[:n])), nil
	}
	return e
}

// addPreciseFunctions enters what rounds in a given direction, and nextafter,
// which moves by one place of its own type.
func addPreciseFunctions(table map[string]*external) {
	modes := map[string]lanes.Rounding{"rn": lanes.Nearest, "rz": lanes.TowardZero, "rd": lanes.TowardMinus, "ru": lanes.TowardPlus}
	f32, f64 := ptx.F32, ptx.F64
	for suffix, mode := range modes {
		single := func(n int, f func(a []float32) float32) *external {
			return raw(repeated(f32, n), f32, func(v []uint64) uint64 {
				var a [3]float32
				for i := range v {
					a[i] = math.Float32frombits(uint32(v[i]))
				}
				return uint64(math.Float32bits(canonicalSingle(f(a[:]))))
			})
		}
		double := func(n int, f func(a []float64) float64) *external {
			return raw(repeated(f64, n), f64, func(v []uint64) uint64 {
				var a [3]float64
				for i := range v {
					a[i] = math.Float64frombits(v[i])
				}
				return math.Float64bits(lanes.Canonical(f(a[:])))
			})
		}
		table["__nv_fadd_"+suffix] = single(2, func(a []float32) float32 { return lanes.AddRounded32(a[0], a[1], mode) })
		table["__nv_fsub_"+suffix] = single(2, func(a []float32) float32 { return lanes.AddRounded32(a[0], -a[1], mode) })
		table["__nv_fmul_"+suffix] = single(2, func(a []float32) float32 { return lanes.MulRounded32(a[0], a[1], mode) })
		table["__nv_fdiv_"+suffix] = single(2, func(a []float32) float32 { return lanes.DivRounded32(a[0], a[1], mode) })
		table["__nv_frcp_"+suffix] = single(1, func(a []float32) float32 { return lanes.DivRounded32(1, a[0], mode) })
		table["__nv_fsqrt_"+suffix] = single(1, func(a []float32) float32 { return lanes.SqrtRounded32(a[0], mode) })
		table["__nv_fmaf_"+suffix] = single(3, func(a []float32) float32 { return lanes.FmaRounded32(a[0], a[1], a[2], mode) })
		table["__nv_dadd_"+suffix] = double(2, func(a []float64) float64 { return lanes.AddRounded64(a[0], a[1], mode) })
		table["__nv_dsub_"+suffix] = double(2, func(a []float64) float64 { return lanes.AddRounded64(a[0], -a[1], mode) })
		table["__nv_dmul_"+suffix] = double(2, func(a []float64) float64 { return lanes.MulRounded64(a[0], a[1], mode) })
		table["__nv_ddiv_"+suffix] = double(2, func(a []float64) float64 { return lanes.DivRounded64(a[0], a[1], mode) })
		table["__nv_drcp_"+suffix] = double(1, func(a []float64) float64 { return lanes.DivRounded64(1, a[0], mode) })
		table["__nv_dsqrt_"+suffix] = double(1, func(a []float64) float64 { return lanes.SqrtRounded64(a[0], mode) })
		table["__nv_fma_"+suffix] = double(3, func(a []float64) float64 { return lanes.FmaRounded64(a[0], a[1], a[2], mode) })
	}
	enter(table, "fma", table["__nv_fma_rn"], table["__nv_fmaf_rn"])
	enter(table, "nextafter",
		raw(repeated(f64, 2), f64, func(v []uint64) uint64 {
			return math.Float64bits(nextAfter(math.Float64frombits(v[0]), math.Float64frombits(v[1])))
		}),
		raw(repeated(f32, 2), f32, func(v []uint64) uint64 {
			return uint64(math.Float32bits(nextAfterSingle(math.Float32frombits(uint32(v[0])), math.Float32frombits(uint32(v[1])))))
		}))
}

func canonicalSingle(v float32) float32 {
	if v != v {
		return lanes.Canonical32
	}
	return v
}

// raw makes a function of its arguments' bits.
func raw(params []ptx.Type, result ptx.Type, f func(v []uint64) uint64) *external {
	return &external{params, result, func(_ *warpContext, _ int, v []uint64) (uint64, error) { return f(v), nil }}
}

func repeated(t ptx.Type, n int) []ptx.Type {
	list := make([]ptx.Type, n)
	for i := range list {
		list[i] = t
	}
	return list
}

// addPartFunctions enters the functions that take numbers apart, with integers
// or pointers among their arguments and results.
func addPartFunctions(table map[string]*external) {
	for _, t := range []ptx.Type{ptx.F32, ptx.F64} {
		decode, encode := floatDecoder(t, false), floatEncoder(t, lanes.Nearest, false)
		suffix := map[ptx.Type]string{ptx.F32: "f", ptx.F64: ""}[t]
		add := func(name string, e *external) {
			table["__nv_"+name+suffix], table[name+suffix] = e, e
		}
		scale := raw([]ptx.Type{t, ptx.S32}, t, func(v []uint64) uint64 { return encode(math.Ldexp(decode(v[0]), int(int32(v[1])))) })
		add("ldexp", scale)
		add("scalbn", scale)
		add("powi", raw([]ptx.Type{t, ptx.S32}, t, func(v []uint64) uint64 { return encode(math.Pow(decode(v[0]), float64(int32(v[1])))) }))
		add("ilogb", raw([]ptx.Type{t}, ptx.S32, func(v []uint64) uint64 { return uint64(uint32(exponentOf(decode(v[0])))) }))
		add("llrint", raw([]ptx.Type{t}, ptx.S64, func(v []uint64) uint64 { return clampSigned(math.RoundToEven(decode(v[0]))) }))
		add("llround", raw([]ptx.Type{t}, ptx.S64, func(v []uint64) uint64 { return clampSigned(math.Round(decode(v[0]))) }))
		pair := []ptx.Type{t, ptx.U64, ptx.U64}
		add("sincos", &external{pair, ptx.TypeNone, func(c *warpContext, lane int, v []uint64) (uint64, error) {
			return 0, c.storeBoth(lane, t.Bytes(), v, encode(math.Sin(decode(v[0]))), encode(math.Cos(decode(v[0]))))
		}})
		add("sincospi", &external{pair, ptx.TypeNone, func(c *warpContext, lane int, v []uint64) (uint64, error) {
			x := decode(v[0])
			return 0, c.storeBoth(lane, t.Bytes(), v, encode(unaryMath["sinpi"](x)), encode(unaryMath["cospi"](x)))
		}})
		add("modf", &external{[]ptx.Type{t, ptx.U64}, t, func(c *warpContext, lane int, v []uint64) (uint64, error) {
			x := decode(v[0])
			whole := math.Trunc(x)
			fraction := math.Copysign(x-whole, x)
			if math.IsInf(x, 0) {
				fraction = math.Copysign(0, x)
			}
			return encode(fraction), c.storeGeneric(lane, v[1], t.Bytes(), encode(whole))
		}})
		add("frexp", &external{[]ptx.Type{t, ptx.U64}, t, func(c *warpContext, lane int, v []uint64) (uint64, error) {
			fraction, e := math.Frexp(decode(v[0]))
			return encode(fraction), c.storeGeneric(lane, v[1], 4, uint64(uint32(e)))
		}})
	}
	test := func(name string, t ptx.Type, f func(float64) bool) {
		decode := floatDecoder(t, false)
		table["__nv_"+name] = raw([]ptx.Type{t}, ptx.S32, func(v []uint64) uint64 {
			if f(decode(v[0])) {
				return 1
			}
			return 0
		})
	}
	isInf := func(x float64) bool { return math.IsInf(x, 0) }
	isFinite := func(x float64) bool { return x-x == 0 }
	test("isnanf", ptx.F32, math.IsNaN)
	test("isnand", ptx.F64, math.IsNaN)
	test("isinff", ptx.F32, isInf)
	test("isinfd", ptx.F64, isInf)
	test("finitef", ptx.F32, isFinite)
	test("isfinited", ptx.F64, isFinite)
	test("signbitf", ptx.F32, math.Signbit)
	test("signbitd", ptx.F64, math.Signbit)
}

// exponentOf is C's ilogb.
func exponentOf(x float64) int32 {
	switch {
	case x == 0 || x != x:
		return math.MinInt32
	case math.IsInf(x, 0):
		return math.MaxInt32
	}
	return int32(math.Ilogb(x))
}

func clampSigned(x float64) uint64 {
	switch {
	case x != x:
		return 1 << 63
	case x >= 0x1p63:
		return math.MaxInt64
	case x < -0x1p63:
		return 1 << 63
	}
	return uint64(int64(x))
}

// storeGeneric stores a value of some bytes at a generic address.
func (c *warpContext) storeGeneric(lane int, address uint64, bytes int, v uint64) error {
	b, err := c.genericBytes(lane, address, bytes, true)
	if err != nil {
		return err
	}
	lanes.StoreRaw(b, bytes, v)
	return nil
}

// storeBoth stores two results through the pointers behind the argument.
func (c *warpContext) storeBoth(lane, bytes int, v []uint64, first, second uint64) error {
	if err := c.storeGeneric(lane, v[1], bytes, first); err != nil {
		return err
	}
	return c.storeGeneric(lane, v[2], bytes, second)
}

// addIntegerFunctions enters libdevice's integer functions and those that
// look at bits.
func addIntegerFunctions(table map[string]*external) {
	s32, u32, s64, u64, f32, f64 := ptx.S32, ptx.U32, ptx.S64, ptx.U64, ptx.F32, ptx.F64
	add := func(name string, result ptx.Type, f func(v []uint64) uint64, params ...ptx.Type) {
		table["__nv_"+name] = raw(params, result, func(v []uint64) uint64 { return truncate(f(v), result.Bits()) })
	}
	i := func(v uint64) int64 { return int64(int32(v)) }
	add("abs", s32, func(v []uint64) uint64 { return uint64(max(i(v[0]), -i(v[0]))) }, s32)
	add("llabs", s64, func(v []uint64) uint64 { return uint64(max(int64(v[0]), -int64(v[0]))) }, s64)
	add("min", s32, func(v []uint64) uint64 { return uint64(min(i(v[0]), i(v[1]))) }, s32, s32)
	add("max", s32, func(v []uint64) uint64 { return uint64(max(i(v[0]), i(v[1]))) }, s32, s32)
	add("umin", u32, func(v []uint64) uint64 { return min(v[0], v[1]) }, u32, u32)
	add("umax", u32, func(v []uint64) uint64 { return max(v[0], v[1]) }, u32, u32)
	add("llmin", s64, func(v []uint64) uint64 { return uint64(min(int64(v[0]), int64(v[1]))) }, s64, s64)
	add("llmax", s64, func(v []uint64) uint64 { return uint64(max(int64(v[0]), int64(v[1]))) }, s64, s64)
	add("ullmin", u64, func(v []uint64) uint64 { return min(v[0], v[1]) }, u64, u64)
	add("ullmax", u64, func(v []uint64) uint64 { return max(v[0], v[1]) }, u64, u64)
	add("mulhi", s32, func(v []uint64) uint64 { return uint64(i(v[0]) * i(v[1]) >> 32) }, s32, s32)
	add("umulhi", u32, func(v []uint64) uint64 { return v[0] * v[1] >> 32 }, u32, u32)
	add("umul64hi", u64, func(v []uint64) uint64 { h, _ := bits.Mul64(v[0], v[1]); return h }, u64, u64)
	add("mul64hi", s64, func(v []uint64) uint64 {
		h, _ := bits.Mul64(v[0], v[1])
		return h - uint64(int64(v[0])>>63)&v[1] - uint64(int64(v[1])>>63)&v[0]
	}, s64, s64)
	add("mul24", s32, func(v []uint64) uint64 { return uint64(int64(int32(v[0])<<8>>8) * int64(int32(v[1])<<8>>8)) }, s32, s32)
	add("umul24", u32, func(v []uint64) uint64 { return (v[0] & 0xffffff) * (v[1] & 0xffffff) }, u32, u32)
	add("brev", s32, func(v []uint64) uint64 { return uint64(bits.Reverse32(uint32(v[0]))) }, s32)
	add("brevll", s64, func(v []uint64) uint64 { return bits.Reverse64(v[0]) }, s64)
	add("clz", s32, func(v []uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(v[0]))) }, s32)
	add("clzll", s32, func(v []uint64) uint64 { return uint64(bits.LeadingZeros64(v[0])) }, s64)
	add("popc", s32, func(v []uint64) uint64 { return uint64(bits.OnesCount32(uint32(v[0]))) }, s32)
	add("popcll", s32, func(v []uint64) uint64 { return uint64(bits.OnesCount64(v[0])) }, s64)
	add("ffs", s32, func(v []uint64) uint64 { return (uint64(bits.TrailingZeros32(uint32(v[0]))) + 1) % 33 }, s32)
	add("ffsll", s32, func(v []uint64) uint64 { return (uint64(bits.TrailingZeros64(v[0])) + 1) % 65 }, s64)
	add("hadd", s32, func(v []uint64) uint64 { return uint64((i(v[0]) + i(v[1])) >> 1) }, s32, s32)
	add("rhadd", s32, func(v []uint64) uint64 { return uint64((i(v[0]) + i(v[1]) + 1) >> 1) }, s32, s32)
	add("uhadd", u32, func(v []uint64) uint64 { return (v[0] + v[1]) >> 1 }, u32, u32)
	add("urhadd", u32, func(v []uint64) uint64 { return (v[0] + v[1] + 1) >> 1 }, u32, u32)
	add("sad", s32, func(v []uint64) uint64 { return uint64(max(i(v[0])-i(v[1]), i(v[1])-i(v[0]))) + v[2] }, s32, s32, u32)
	add("usad", u32, func(v []uint64) uint64 { return max(v[0], v[1]) - min(v[0], v[1]) + v[2] }, u32, u32, u32)
	add("byte_perm", s32, func(v []uint64) uint64 { return permuteBytes(v[0]|v[1]<<32, v[2]) }, s32, s32, s32)
	same := func(v []uint64) uint64 { return v[0] }
	add("float_as_int", s32, same, f32)
	add("float_as_uint", u32, same, f32)
	add("int_as_float", f32, same, s32)
	add("uint_as_float", f32, same, u32)
	add("double_as_longlong", s64, same, f64)
	add("longlong_as_double", f64, same, s64)
	add("hiloint2double", f64, func(v []uint64) uint64 { return v[0]<<32 | v[1] }, s32, s32)
	add("double2hiint", s32, func(v []uint64) uint64 { return v[0] >> 32 }, f64)
	add("double2loint", s32, same, f64)
	addConversionFunctions(table)
}

// permuteBytes selects four of eight bytes by the low three bits of each
// nibble of the selector.
func permuteBytes(source, selector uint64) uint64 {
	var eight [8]byte
	binary.LittleEndian.PutUint64(eight[:], source)
	var r uint64
	for n := range 4 {
		r |= uint64(eight[selector>>(4*n)&7]) << (8 * n)
	}
	return r
}

// addConversionFunctions enters __nv_FROM2TO_MODE, each a cvt.
func addConversionFunctions(table map[string]*external) {
	names := map[string]ptx.Type{"int": ptx.S32, "uint": ptx.U32, "ll": ptx.S64, "ull": ptx.U64, "float": ptx.F32, "double": ptx.F64}
	modes := []struct {
		suffix            string
		integer, floating ptx.Mod
	}{{"_rn", ptx.ModRni, ptx.ModRn}, {"_rz", ptx.ModRzi, ptx.ModRz}, {"_rd", ptx.ModRmi, ptx.ModRm}, {"_ru", ptx.ModRpi, ptx.ModRp}}
	for from, a := range names {
		for to, b := range names {
			if a == b || !a.Float() && !b.Float() {
				continue
			}
			for _, m := range modes {
				in := &ptx.Instruction{Op: ptx.OpCvt, Types: [4]ptx.Type{b, a}}
				var f func(uint64) uint64
				switch {
				case a.Float() && b.Float():
					in.Mods.Add(m.floating)
					f = floatToFloat(in)
				case a.Float():
					in.Mods.Add(m.integer)
					f = floatToInteger(in)
				default:
					in.Mods.Add(m.floating)
					f = integerToFloat(in)
				}
				table["__nv_"+from+"2"+to+m.suffix] = raw([]ptx.Type{a}, b, func(v []uint64) uint64 { return f(v[0]) })
			}
		}
	}
	// Those that are exact have no mode in their names.
	table["__nv_int2double"] = table["__nv_int2double_rn"]
	table["__nv_uint2double"] = table["__nv_uint2double_rn"]
	table["__nv_half2float"] = raw([]ptx.Type{ptx.U16}, ptx.F32, func(v []uint64) uint64 {
		return uint64(math.Float32bits(lanes.HalfValue(uint32(v[0]))))
	})
	table["__nv_float2half_rn"] = raw([]ptx.Type{ptx.F32}, ptx.U16, func(v []uint64) uint64 {
		return uint64(lanes.HalfRounded(math.Float32frombits(uint32(v[0]))))
	})
}
