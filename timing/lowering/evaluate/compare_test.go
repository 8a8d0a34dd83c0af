// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering/loweringtest"
)

// holds are Go's comparisons of numbers; the ordered ones and those that hold for what is not a number.
func holds[T int64 | uint64 | float64](x, y T) map[string]bool {
	nan := x != x || y != y
	return map[string]bool{
		"eq": x == y, "ne": x != y && !nan, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y,
		"lo": x < y, "ls": x <= y, "hi": x > y, "hs": x >= y,
		"equ": x == y || nan, "neu": x != y, "ltu": x < y || nan, "leu": x <= y || nan, "gtu": x > y || nan, "geu": x >= y || nan,
		"num": !nan, "nan": nan,
	}
}

// pair are two values, and which comparisons hold for them.
type pair struct {
	x, y uint64
	want map[string]bool
}

// compares checks all comparisons of pairs, and those that take a predicate in.
func compares(t *testing.T, kind string, pairs []pair) {
	t.Helper()
	out := make([]value, 2)
	for name := range holds(0.0, 0) {
		for combine, of := range map[string]func(a, b bool) bool{
			"":     func(a, _ bool) bool { return a },
			".and": func(a, b bool) bool { return a && b }, ".or": func(a, b bool) bool { return a || b }, ".xor": func(a, b bool) bool { return a != b },
		} {
			line := fmt.Sprintf("setp.%s%s.%s p1, r1, r2", name, combine, kind)
			in := loweringtest.Assemble(t, line).Instructions[0]
			for n, p := range pairs {
				third := n%2 == 1
				a := []value{word(p.x), word(p.y), word(uint64(n % 2))}
				if combine == "" {
					a = a[:2]
				}
				if !compared(&in, a, 7, out) {
					t.Fatalf("%s is not compared", line)
				}
				if first, second := out[0].bits[0] == 1, out[1].bits[0] == 1; first != of(p.want[name], third) || second != of(!p.want[name], third) || out[0].unknown {
					t.Fatalf("%s of %#x, %#x and %v: %v and %v", line, p.x, p.y, third, first, second)
				}
			}
		}
	}
}

// Small integers and floating-point values with short fractions are compared as they are.
func TestConstantsAreComparedAsTheyAre(t *testing.T) {
	for _, width := range []uint{16, 32, 64} {
		var signed, unsigned []pair
		mask := ^uint64(0) >> (64 - width)
		integers := []int64{-4096, -1, 0, 1, 4095}
		for _, x := range integers {
			for _, y := range integers {
				ux, uy := uint64(x)&mask, uint64(y)&mask
				signed = append(signed, pair{ux, uy, holds(x, y)})
				unsigned = append(unsigned, pair{ux | ^mask&0x123456789abcdef0, uy, holds(ux, uy)}) // the bits above do not count
			}
		}
		compares(t, fmt.Sprintf("s%d", width), signed)
		compares(t, fmt.Sprintf("u%d", width), unsigned)
	}
	var single, double []pair
	floats := []float64{math.Inf(-1), -2.5, math.Copysign(0, -1), 0, 0.125, math.Inf(1), math.NaN()}
	for _, x := range floats {
		for _, y := range floats {
			single = append(single, pair{uint64(math.Float32bits(float32(x))), uint64(math.Float32bits(float32(y))), holds(x, y)})
			double = append(double, pair{math.Float64bits(x) &^ 0xffffffff, math.Float64bits(y) &^ 0xffffffff, holds(x, y)})
		}
	}
	compares(t, "f32", single)
	compares(t, "f64", double)
}

// Other values have an order that is drawn: each draw has one, in which no comparisons contradict each
// other, and draws differ.
func TestDrawnComparisonsDoNotContradictEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, kind := range []string{"s16", "u16", "s32", "u32", "b32", "s64", "u64", "f16", "f32", "f64"} {
		met := map[order]int{}
		for draw := range uint64(400) {
			of := func(a, b value) order {
				o, ok := orderOf(kind, a, b, draw)
				if !ok {
					t.Fatalf("%s is not compared", kind)
				}
				return o
			}
			list := []value{word(r.Uint64() | 0x8001), word(r.Uint64() | 0x8001), word(r.Uint64() | 0x8001)}
			list = slices.DeleteFunc(list, func(v value) bool { return of(v, v) == unordered }) // not a number
			for i, x := range list {
				if of(x, x) != equal {
					t.Fatalf("%s: %#x is not equal to itself", kind, x.bits[0])
				}
				for _, y := range list[i+1:] {
					met[of(x, y)]++
					if of(x, y)+of(y, x) != less+greater {
						t.Fatalf("%s: orders of %#x and %#x are %d and %d", kind, x.bits[0], y.bits[0], of(x, y), of(y, x))
					}
				}
			}
			if len(list) == 3 {
				slices.SortFunc(list, func(x, y value) int { return int(of(x, y)) - 1 })
				if of(list[0], list[2]) == greater {
					t.Fatalf("%s: no order of %v", kind, list)
				}
			} else {
				met[unordered]++
			}
		}
		if met[less] < 200 || met[equal] < 10 || met[greater] < 200 || (met[unordered] > 60) != (kind[0] == 'f') {
			t.Errorf("%s: orders are %v", kind, met)
		}
	}
}

// Bounds are on both sides of what is drawn, so that branches at them go both ways: also that of a
// thread's number, which is never negative where its bits are taken as unsigned.
func TestBoundsAreOnBothSidesOfWhatIsDrawn(t *testing.T) {
	for _, kind := range []string{"s32", "u32", "s64", "u64", "f32"} {
		for _, bound := range []uint64{0, 1, 9, 30, 300} {
			b := bound
			if kind == "f32" {
				b = uint64(math.Float32bits(float32(bound)))
			}
			met := map[order]int{}
			for draw := range uint64(300) {
				o, _ := orderOf(kind, word(0x123456789abcdef1), word(b), draw)
				met[o]++
			}
			if met[greater] < 45 || met[less] < 45 && (bound > 0 || kind[0] == 'u' && met[equal] < 45) {
				t.Errorf("%s: values lie to %d as %v", kind, bound, met)
			}
		}
	}
}

// What is not a comparison of two single values stays a function without an interpretation, and an unknown value
// gives an unknown outcome.
func TestOtherComparisonsAreNotInterpreted(t *testing.T) {
	for _, line := range []string{"setp.lt.f16x2 p1, r1, r2", "setp.lt.bf16 p1, r1, r2", "setp.s32 p1, r1, r2", "setp.other.s32 p1, r1, r2", "setp.lt p1, r1, r2", "set.lt.s32 r3, r1, r2", "setp.lt.pred p1, r1, r2"} {
		in := loweringtest.Assemble(t, line).Instructions[0]
		if compared(&in, []value{word(1), word(2)}, 1, make([]value, 1)) {
			t.Errorf("%s is compared", line)
		}
	}
	in := loweringtest.Assemble(t, "setp.lt.and.s32 p1, r1, r2, p2").Instructions[0]
	for n := range 3 {
		a := []value{word(1), word(2), word(1)}
		a[n].unknown = true
		if out := make([]value, 1); !compared(&in, a, 1, out) || !out[0].unknown {
			t.Errorf("argument %d is unknown, and the outcome is %v", n, out[0])
		}
	}
}

// A comparison that flushes subnormals takes no predicate in by that, and one that takes a predicate in does so with it, too.
func TestComparisonsThatFlushTakeNoPredicateIn(t *testing.T) {
	out := make([]value, 2)
	one, two := word(uint64(math.Float32bits(1))), word(uint64(math.Float32bits(2)))
	for line, want := range map[string]uint64{"setp.lt.ftz.f32 p1, r1, r2": 1, "setp.gt.ftz.f32 p1, r1, r2": 0, "setp.lt.and.ftz.f32 p1, r1, r2": 0, "setp.gt.or.ftz.f32 p1, r1, r2": 0, "setp.lt.xor.ftz.f32 p1, r1, r2": 1} {
		in := loweringtest.Assemble(t, line).Instructions[0]
		a := []value{one, two}
		if len(in.Modifiers) > 2 {
			a = append(a, word(0))
		}
		if !compared(&in, a, 7, out) || out[0].bits[0] != want {
			t.Errorf("%s of 1 and 2: %d, want %d", line, out[0].bits[0], want)
		}
	}
}
