// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// stride says which of the 2^32 single-precision numbers the approximations are
// tested with: every stride-th, which should be odd. "make exhaustive" takes all.
var stride = flag.Uint64("stride", 40961, "test approximations with every `n`-th number")

// approximation is a unary instruction with the bound that the PTX ISA gives for
// its error (9.7.3.13 to 9.7.3.22).
type approximation struct {
	text string
	want func(x float64) float64
	// bound is the largest error for an argument and its result; infinite where
	// none is given.
	bound func(x, want float64) float64
}

// ulp is the distance of single-precision numbers at x.
func ulp(x float64) float64 {
	_, exponent := math.Frexp(x)
	return math.Ldexp(1, max(exponent-24, -149))
}

func relative(e float64) func(x, want float64) float64 {
	return func(_, want float64) float64 { return max(e*math.Abs(want), 0x1p-149) }
}

func ulps(n float64) func(x, want float64) float64 {
	return func(_, want float64) float64 { return n * ulp(want) }
}

func angle(x, _ float64) float64 {
	switch {
	case math.Abs(x) <= 2*math.Pi:
		return math.Exp2(-20.5)
	case math.Abs(x) <= 100*math.Pi:
		return math.Exp2(-14.7)
	}
	return 2 // any value of a sine
}

func logarithm(x, want float64) float64 {
	if x > 0.5 && x < 2 {
		return 0x1p-22
	}
	return 0x1p-22 * math.Abs(want)
}

var wholeRange = []approximation{
	{"rcp.approx", func(x float64) float64 { return 1 / x }, ulps(1)},
	{"sqrt.approx", math.Sqrt, relative(0x1p-23)},
	{"rsqrt.approx", func(x float64) float64 { return 1 / math.Sqrt(x) }, relative(math.Exp2(-22.9))},
	{"sin.approx", math.Sin, angle},
	{"cos.approx", math.Cos, angle},
	{"lg2.approx", math.Log2, logarithm},
	{"ex2.approx", math.Exp2, ulps(2)},
	{"tanh.approx", math.Tanh, relative(0x1p-11)},
}

// sweepKernel runs one unary instruction over numbers from first on, eight in each
// thread; out is the address of the results.
func sweepKernel(operation string) string {
	var text strings.Builder
	text.WriteString(`.visible .entry sweep(.param .u64 out, .param .u32 first, .param .u32 stride) {
.reg .b32 %r<16>; .reg .b64 %d<2>;
ld.param.u64 %d1, [out]; ld.param.u32 %r1, [first]; ld.param.u32 %r2, [stride];
mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r3, %r3, %r4, %r5;
mad.wide.u32 %d1, %r3, 32, %d1; shl.b32 %r3, %r3, 3; mad.lo.u32 %r6, %r3, %r2, %r1;
`)
	for i := range sweptByThread {
		fmt.Fprintf(&text, "%s %%r%d, %%r6; add.u32 %%r6, %%r6, %%r2;\n", operation, 8+i)
	}
	text.WriteString("st.global.v4.u32 [%d1], {%r8, %r9, %r10, %r11}; st.global.v4.u32 [%d1+16], {%r12, %r13, %r14, %r15}; ret; }\n")
	return text.String()
}

const sweptByThread = 8

func TestApproximationsKeepTheirBoundsOverTheWholeRange(t *testing.T) {
	for _, a := range wholeRange {
		t.Run(a.text, func(t *testing.T) {
			t.Parallel()
			a.sweep(t)
		})
	}
}

// variant is an approximation with subnormal numbers, or without.
type variant struct {
	text   string
	ftz    bool
	kernel *LoadedKernel
}

func (a *approximation) variants(t *testing.T, d *Device) []variant {
	list := []variant{{text: a.text + ".f32"}}
	if a.text != "tanh.approx" { // has no such form
		list = append(list, variant{text: a.text + ".ftz.f32", ftz: true})
	}
	for i := range list {
		list[i].kernel = kernelOf(t, d, "sweep.ptx", ptxHeader+sweepKernel(list[i].text), "sweep")
	}
	return list
}

func (a *approximation) sweep(t *testing.T) {
	const blocks, threads = 64, 256
	const n = blocks * threads * sweptByThread
	d := NewDevice(Options{})
	out := upload(t, d, "out", make([]uint32, n))
	variants := a.variants(t, d)
	results := make([][]uint32, len(variants))
	wrong := 0
	for first := uint64(0); first < 1<<32 && wrong < 10; first += n * *stride {
		for v := range variants {
			if _, err := d.Launch(LaunchRequest{Kernel: variants[v].kernel, Grid: dims(blocks, 1), Block: dims(threads, 1), Arguments: pack(out, uint32(first), uint32(*stride))}); err != nil {
				t.Fatal(err)
			}
			results[v] = download(t, d, out, n)
		}
		for i := range n {
			bits := first + uint64(i)**stride
			if bits >= 1<<32 {
				break
			}
			want := a.want(float64(value(uint32(bits))))
			for v := range variants {
				if complaint := a.judge(uint32(bits), results[v][i], want, variants[v].ftz); complaint != "" {
					t.Errorf("%s of %#x (%g) is %#x (%g): %s", variants[v].text, bits, value(uint32(bits)), results[v][i], value(results[v][i]), complaint)
					wrong++
				}
			}
		}
	}
}

// judge says what is wrong with a result, where want is that of the argument.
func (a *approximation) judge(argument, result uint32, want float64, ftz bool) string {
	x, got := float64(value(argument)), float64(value(result))
	if flushed := lanes.Flush32(argument); ftz && flushed != argument {
		x = float64(value(flushed))
		want = a.want(x)
	}
	rounded := math.Float32bits(float32(want))
	if ftz {
		rounded = lanes.Flush32(rounded)
	}
	switch {
	case result == rounded && !math.IsNaN(want):
		return "" // nearly always, and no bound is below half a unit of the last place
	case math.IsNaN(want):
		if result != math.Float32bits(lanes.Canonical32) {
			return "want the canonical NaN"
		}
		return ""
	case math.IsInf(want, 0) || value(rounded) == 0 || math.IsInf(float64(value(rounded)), 0):
		// At the ends of the range the rounded result may be a neighbour.
		if math.Abs(got-want) <= a.bound(x, want) && !math.IsInf(want, 0) {
			return ""
		}
		return "not the limit"
	case ftz && lanes.Flush32(result) != result:
		return "a subnormal result"
	case ftz && math.Abs(want) < 0x1p-126+ulp(0x1p-126) && got == 0:
		return ""
	case math.Signbit(got) != math.Signbit(want) && math.Abs(want) > a.bound(x, want):
		return "of the other sign"
	case !(math.Abs(got-want) <= a.bound(x, want)):
		return "outside the bound"
	}
	return ""
}
