// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// quarterCode is an 8-bit floating-point format as the OCP specification writes it:
// the number of exponent and fraction bits, and which codes are no numbers.
type quarterCode struct {
	name     string
	fraction uint
	bias     int
	special  func(magnitude int) string // "nan", "inf" or ""
	middles  []*big.Rat
}

var quarterCodes = []*quarterCode{
	{"e4m3", 3, 7, func(m int) string { return map[bool]string{true: "nan"}[m == 0x7f] }, nil},
	{"e5m2", 2, 15, func(m int) string {
		switch {
		case m == 0x7c:
			return "inf"
		case m > 0x7c:
			return "nan"
		}
		return ""
	}, nil},
}

// value is the number that a magnitude stands for.
func (q *quarterCode) value(magnitude int) *big.Rat {
	exponent, fraction := magnitude>>q.fraction, magnitude&(1<<q.fraction-1)
	if exponent > 0 {
		fraction |= 1 << q.fraction
	} else {
		exponent = 1
	}
	v := new(big.Rat).SetInt64(int64(fraction))
	return v.Mul(v, twoTo(exponent-q.bias-int(q.fraction)))
}

// nearest finds the code of a number: the closest one, of two the even one, the
// largest where the number is beyond it. It looks among the numbers in the middle
// of two codes.
func (q *quarterCode) nearest(v *big.Rat) int {
	if q.middles == nil {
		for m := 0; q.special(m+1) == ""; m++ {
			middle := new(big.Rat).Add(q.value(m), q.value(m+1))
			q.middles = append(q.middles, middle.Mul(middle, twoTo(-1)))
		}
	}
	m := sort.Search(len(q.middles), func(i int) bool { return q.middles[i].Cmp(v) >= 0 })
	if m < len(q.middles) && m&1 != 0 && q.middles[m].Cmp(v) == 0 {
		m++
	}
	return m
}

// encode is cvt.rn.satfinite{.relu} of a number, an infinity or NaN.
func (q *quarterCode) encode(f float64, relu bool) uint32 {
	switch {
	case f != f:
		return 0x7f
	case relu && math.Signbit(f):
		return 0
	}
	sign := uint32(0)
	if math.Signbit(f) {
		sign = 0x80
	}
	if math.IsInf(f, 0) {
		f = math.MaxFloat64
	}
	v := new(big.Rat)
	v.SetFloat64(math.Abs(f))
	return sign | uint32(q.nearest(v))
}

// runPairs runs an instruction from %r1, %r2 to %r3 for each pair of inputs.
func runPairs(t *testing.T, code string, pairs [][2]uint32) []uint32 {
	t.Helper()
	var input []uint32
	for _, p := range pairs {
		input = append(input, p[0], p[1])
	}
	blocks := uint32((len(pairs) + 255) / 256)
	input = append(input, make([]uint32, int(blocks)*512-len(input))...)
	s := script{grid: dims(blocks, 1), block: dims(256, 1), input: input, body: `mov.u32 %r4, %ctaid.x; mad.lo.u32 %r0, %r4, 256, %r0; mad.wide.u32 %d0, %r0, 4, %d1; mad.wide.u32 %d3, %r0, 8, %d2;
		.reg .f32 %f<4>; ld.global.v2.b32 {%r1, %r2}, [%d3]; mov.b32 %f1, %r1; mov.b32 %f2, %r2; cvt.u16.u32 %h2, %r1; ` + code + `; st.global.b32 [%d0], %r3; ret;`}
	return s.run(t)[:len(pairs)]
}

// All codes become the halves that they stand for, and NaN the canonical one.
func TestEveryQuarterBecomesItsHalf(t *testing.T) {
	for _, q := range quarterCodes {
		for _, relu := range []bool{false, true} {
			name := fmt.Sprintf("cvt.rn%s.f16x2.%sx2", map[bool]string{true: ".relu"}[relu], q.name)
			var pairs [][2]uint32
			for i := range uint32(256) {
				pairs = append(pairs, [2]uint32{i | (255-i)<<8, 0})
			}
			want := func(code uint32) uint32 {
				magnitude, negative := int(code&0x7f), code&0x80 != 0
				switch special := q.special(magnitude); {
				case special == "nan":
					return 0x7fff
				case relu && negative:
					return 0
				case special == "inf":
					return 0x7c00 | code&0x80<<8
				}
				v, _ := q.value(magnitude).Float64()
				// Every quarter is a half: by the definition of binary16.
				if v == 0 {
					return code & 0x80 << 8
				}
				fraction, e := math.Frexp(v)
				bits := uint32(0)
				if e-1 < -14 {
					bits = uint32(v * 0x1p24)
				} else {
					bits = uint32(e-1+15)<<10 | uint32((fraction*2-1)*1024)
				}
				return bits | code&0x80<<8
			}
			for i, got := range runPairs(t, name+" %r3, %h2", pairs) {
				low, high := pairs[i][0]&0xff, pairs[i][0]>>8
				if expected := want(low) | want(high)<<16; got != expected {
					t.Fatalf("%s of %#04x is %#08x, want %#08x", name, pairs[i][0], got, expected)
				}
			}
		}
	}
}

// All halves are rounded to the nearest code.
func TestEveryHalfIsRoundedToItsQuarter(t *testing.T) {
	pairs := make([][2]uint32, 1<<16)
	for i := range pairs {
		pairs[i][0] = uint32(i) | uint32(^i)<<16
	}
	value := func(h uint32) float64 {
		sign := 1.0
		if h&0x8000 != 0 {
			sign = -1
		}
		exponent, fraction := int(h>>10&31), float64(h&1023)
		switch {
		case exponent == 31 && fraction != 0:
			return math.NaN()
		case exponent == 31:
			return sign * math.Inf(1)
		case exponent == 0:
			return math.Copysign(fraction*0x1p-24, sign)
		}
		return sign * math.Ldexp(1+fraction/1024, exponent-15)
	}
	for _, q := range tracetest.Draw(t, quarterCodes, tracetest.Fewer(1, len(quarterCodes))) {
		codes := make([]uint32, 1<<16)
		for _, relu := range []bool{false, true} {
			for i := range codes {
				codes[i] = q.encode(value(uint32(i)), relu)
			}
			name := fmt.Sprintf("cvt.rn.satfinite%s.%sx2.f16x2", map[bool]string{true: ".relu"}[relu], q.name)
			for i, got := range runPairs(t, name+" %h1, %r1; cvt.u32.u16 %r3, %h1", pairs) {
				if want := codes[i] | codes[^uint16(i)]<<8; got != want {
					t.Fatalf("%s of %#08x is %#04x, want %#04x", name, pairs[i][0], got, want)
				}
			}
		}
	}
}

// Single-precision numbers are: those around all ties between codes, those at the
// ends, and random ones. The first operand becomes the upper half.
func TestSinglesAreRoundedToQuarters(t *testing.T) {
	for _, q := range quarterCodes {
		values := []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 1, 0x80000001, 0x7f7fffff}
		for m := range 127 {
			if q.special(m+1) != "" {
				break
			}
			middle := new(big.Rat).Add(q.value(m), q.value(m+1))
			v, _ := middle.Mul(middle, twoTo(-1)).Float32()
			bits := math.Float32bits(v)
			values = append(values, bits-1, bits, bits+1, bits|1<<31)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 2000 {
			values = append(values, r.Uint32(), math.Float32bits(float32(r.NormFloat64()*100)))
		}
		var pairs [][2]uint32
		for i := range values {
			pairs = append(pairs, [2]uint32{values[i], values[len(values)-1-i]})
		}
		for _, relu := range []bool{false, true} {
			name := fmt.Sprintf("cvt.rn.satfinite%s.%sx2.f32", map[bool]string{true: ".relu"}[relu], q.name)
			for i, got := range runPairs(t, name+" %h1, %f1, %f2; cvt.u32.u16 %r3, %h1", pairs) {
				code := func(bits uint32) uint32 { return q.encode(float64(math.Float32frombits(bits)), relu) }
				if want := code(pairs[i][0])<<8 | code(pairs[i][1]); got != want {
					t.Fatalf("%s of %#08x, %#08x is %#04x, want %#04x", name, pairs[i][0], pairs[i][1], got, want)
				}
			}
		}
	}
}
