// SPDX-License-Identifier: Apache-2.0

package lanevector

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// special has numbers at which sums wrap, signs change and classes begin.
var special = []uint64{0, 1, 2, 3, 4, 5, 7, 8, 9, 1<<24 - 1, 1 << 24, 1<<25 - 1, 1<<31 - 1, 1 << 31, math.MaxUint32, 1 << 32, math.MaxInt64, 1 << 63, 1<<63 + 1, math.MaxUint64}

// draw fills lanes: any numbers, small ones, special ones, or sums of a base and small ones.
func draw(r *rand.Rand) (v [Lanes]uint64) {
	kind, base, width := r.IntN(4), r.Uint64(), 1+r.UintN(63)
	for l := range v {
		switch kind {
		case 0:
			v[l] = r.Uint64()
		case 1:
			v[l] = r.Uint64() >> (64 - width)
		case 2:
			v[l] = special[r.IntN(len(special))]
		case 3:
			v[l] = base + r.Uint64()>>(64-width)
		}
	}
	return v
}

const rounds = 3000

// forRounds calls f with drawn lanes and numbers, unless the processor has no assembly.
func forRounds(t *testing.T, f func(a, b [Lanes]uint64, x, y uint64, shift uint)) {
	if !available {
		t.Skip("this processor runs the loops in Go")
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range rounds {
		x, y := draw(r), draw(r)
		f(draw(r), draw(r), x[0], y[0], r.UintN(64))
	}
}

func TestAssemblyEqualsItsTwin(t *testing.T) {
	equal := func(t *testing.T, got, want any) {
		t.Helper()
		if got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	type result struct {
		a, b    [Lanes]uint64
		classes [Lanes]byte
		x, y    uint64
	}
	for name, f := range map[string]func(r *result, vector bool, shift uint){
		"zigzag from": func(r *result, vector bool, shift uint) {
			pick(vector, zigzagFromAVX2, func(v, p *[Lanes]uint64, n uint64) { zigzagFrom(v, p, uint(n)) })(&r.a, &r.b, uint64(shift))
		},
		"zigzag along": func(r *result, vector bool, _ uint) { pick(vector, zigzagAlongAVX2, zigzagAlong)(&r.a, r.x) },
		"changed":      func(r *result, vector bool, _ uint) { r.x = pick(vector, changedAVX2, changed)(&r.a, &r.b) },
		"same distance": func(r *result, vector bool, shift uint) {
			if shift%2 == 0 { // some lanes go with those before
				for l := range r.a {
					r.a[l] = r.b[l]>>shift + r.x + uint64(l/int(1+shift/4))
				}
			}
			r.x = pick(vector, sameDistanceAVX2, func(v, a *[Lanes]uint64, u, d uint64) uint64 { return sameDistance(v, a, uint(u), d) })(&r.a, &r.b, uint64(shift), r.x)
		},
		"near distance": func(r *result, vector bool, shift uint) {
			r.x = pick(vector, nearDistanceAVX2, func(v, a *[Lanes]uint64, u, d uint64) uint64 { return nearDistance(v, a, uint(u), d) })(&r.a, &r.b, uint64(shift), r.x)
		},
		"means": func(r *result, vector bool, shift uint) {
			pick(vector, moveMeansAVX2, func(m, u *[Lanes]uint64, f, p uint64) { moveMeans(m, u, uint(f), uint(p)) })(&r.a, &r.b, 4, uint64(shift%6))
		},
		"shift": func(r *result, vector bool, shift uint) {
			n := int(r.x % (Lanes + 1))
			if vector {
				Shift(r.a[:n], shift)
			} else {
				shiftEach(r.a[:n], shift)
			}
		},
		"place":  func(r *result, vector bool, _ uint) { r.y = pick(vector, placeAVX2, place)(&r.a, &r.b, r.x) },
		"stride": func(r *result, vector bool, _ uint) { pick(vector, strideAVX2, placeStride)(&r.a, r.x, r.y) },
		"extend": func(r *result, vector bool, shift uint) {
			low, high := min(r.x, r.y), max(r.x, r.y)
			if shift%4 == 0 {
				low, high = math.MaxUint64, 0
			}
			r.x, r.y = pick(vector, extendAVX2, extend)(&r.a, r.b[0], low, high)
		},
		"classes": func(r *result, vector bool, _ uint) { r.x = pick(vector, Classify, classify)(&r.classes, &r.a) },
	} {
		t.Run(name, func(t *testing.T) {
			forRounds(t, func(a, b [Lanes]uint64, x, y uint64, shift uint) {
				got, want := result{a: a, b: b, x: x, y: y}, result{a: a, b: b, x: x, y: y}
				f(&got, true, shift)
				f(&want, false, shift)
				equal(t, got, want)
			})
		})
	}
}

func pick[F any](vector bool, a, b F) F {
	if vector {
		return a
	}
	return b
}

// All codes of up to 31 bits have few different tops, and what lies below these must not
// count, or be rounded up.
func TestClassesOfCodesAtTheirEnds(t *testing.T) {
	for length := range 64 {
		for top := range uint64(8) {
			for _, below := range []int{0, 1, 2} { // zeros, ones, something
				code := (8 | top) << 60 >> (63 - length)
				free := uint64(1)<<max(0, length-3) - 1
				code = code&^free | []uint64{0, free, 0x5555555555555555 & free}[below]
				var codes [Lanes]uint64
				for l := range codes {
					codes[l] = code >> (l % 4)
				}
				var classes [Lanes]byte
				if all := Classify(&classes, &codes); all < code {
					t.Fatalf("the bits of %#x are %#x", code, all)
				}
				for l, have := range classes {
					if want := classByHand(codes[l]); have != want {
						t.Fatalf("code %#x has class %d, want %d", codes[l], have, want)
					}
				}
			}
		}
	}
}

// classByHand goes by wtape.proto.
func classByHand(code uint64) byte {
	if code < 8 {
		return byte(code)
	}
	n := bits.Len64(code)
	return byte(8 + 4*(n-4) + int(code>>(n-3)&3))
}

func TestContextsOfAllClasses(t *testing.T) {
	for first := 0; first < 256; first += Lanes {
		var classes, have [Lanes]byte
		for l := range classes {
			classes[l] = byte(first + l)
		}
		Contexts(&have, &classes)
		for l, class := range classes {
			want := class
			if class >= 8 {
				want = min(15, 8+(class-8)/4)
			}
			if have[l] != want || ContextOf(class) != want {
				t.Fatalf("class %d has context %d, and %d in Go, want %d", class, have[l], ContextOf(class), want)
			}
		}
	}
}
