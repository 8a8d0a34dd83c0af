// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// corners are numbers at which conversions and comparisons differ.
var corners = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 127, 128, 255, 256, -128, -129, 32767.9, 65535, 65536, 1<<31 - 1, 1 << 31, -1 << 31,
	1<<32 - 1, 1 << 32, 1 << 53, 1<<53 + 2, 1 << 63, -1 << 63, 1 << 64, math.MaxFloat32, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), 1e-310}

// sample is an array of a type with corners and random bits in it.
func sample(r *rand.Rand, t Type, n int) *Array {
	k := &kinds[t]
	a := &Array{typ: t, shape: []int{n}, data: k.make(n), space: NewSpace(1 << 20)}
	for i := range n {
		if c := corners[r.IntN(len(corners))]; r.IntN(2) == 0 || k.class == classFloat {
			k.store(a.data, i, scalar{f: c}.convertTo(k))
		} else {
			u := r.Uint64() >> r.IntN(64)
			k.store(a.data, i, scalar{class: k.class, i: int64(u), u: u})
		}
	}
	return a
}

// same reports whether an element is a scalar, NaNs being alike.
func same(a, b scalar) bool { return a == b || a.f != a.f && b.f != b.f }

func TestConversionsGiveWhatScalarsGive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for from := range typeEnd {
		for to := range typeEnd {
			a := sample(r, from, 500)
			out := kinds[to].make(500)
			kinds[to].convert(out, a.data)
			for i := range 500 {
				v := kinds[from].load(a.data, i)
				one := kinds[to].make(1)
				kinds[to].store(one, 0, v.convertTo(&kinds[to]))
				if got, want := kinds[to].load(out, i), kinds[to].load(one, 0); !same(got, want) {
					t.Fatalf("%s %v to %s: got %v, want %v", from, v.starlark(), to, got, want)
				}
			}
		}
	}
}

func TestRelationsHoldForEachElement(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for typ := range typeEnd {
		for rel := relEq; rel <= relGe; rel++ {
			for _, n := range [][2]int{{300, 300}, {5000, 5000}, {300, 1}, {1, 300}, {1, 1}, {0, 0}, {0, 1}} {
				a, b := sample(r, typ, n[0]), sample(r, typ, n[1])
				dst := make([]uint8, n[0])
				if n[0] == 1 {
					dst = make([]uint8, n[1])
				}
				kinds[typ].compare(rel, dst, a.data, b.data)
				for i := range dst {
					x, y := kinds[typ].load(a.data, min(i, n[0]-1)), kinds[typ].load(b.data, min(i, n[1]-1))
					want := holds(rel, x.f, y.f)
					switch kinds[typ].class {
					case classSigned:
						want = holds(rel, x.i, y.i)
					case classUnsigned:
						want = holds(rel, x.u, y.u)
					}
					if dst[i] != bit(want) {
						t.Fatalf("%s: %v, %v: relation %d is %d", typ, x.starlark(), y.starlark(), rel, dst[i])
					}
				}
			}
		}
	}
}

func TestElementsAreChosenOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for typ := range typeEnd {
		k := &kinds[typ]
		for _, n := range [][2]int{{300, 300}, {5000, 5000}, {300, 1}, {1, 300}, {1, 1}, {0, 0}, {0, 1}} {
			a, b := sample(r, typ, n[0]), sample(r, typ, n[1])
			length := n[0]
			if length == 1 {
				length = n[1]
			}
			mask, got := make([]uint8, length), k.make(length)
			for i := range mask {
				mask[i] = uint8(r.Uint32() >> (8 + r.IntN(24))) // often zero
			}
			k.choose(got, a.data, b.data, mask)
			for i, m := range mask {
				want := k.load(a.data, min(i, n[0]-1))
				if m == 0 {
					want = k.load(b.data, min(i, n[1]-1))
				}
				if !same(k.load(got, i), want) {
					t.Fatalf("%s, element %d of %d with mask %d: got %v, want %v", typ, i, length, m, k.load(got, i), want)
				}
			}
		}
	}
}

// Sums of integers are exact, and an array has something other than zero if one element is.
func TestSumsAndAnyAreThoseOfElements(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for typ := range typeEnd {
		k := &kinds[typ]
		for range 20 {
			a := sample(r, typ, r.IntN(200))
			want, other := new(big.Int), false
			for i := range a.Len() {
				v := k.load(a.data, i)
				want.Add(want, big.NewInt(v.i)).Add(want, new(big.Int).SetUint64(v.u))
				other = other || !v.zero()
			}
			if got := k.other(a.data); got != other || k.other(k.make(100)) {
				t.Fatalf("%s: any of %v is %t", k.name, a, got)
			}
			if k.class == classFloat {
				continue
			}
			if got, err := a.sum(); err != nil || got.String() != want.String() {
				t.Fatalf("%s: the sum of %v is %v, want %v (%v)", k.name, a, got, want, err)
			}
		}
	}
}

// A sum of more elements than are added at once is that of their parts.
func TestLongSumsAreExact(t *testing.T) {
	tracetest.Nightly(t) // an array of 128 MiB
	s := make([]uint64, addedAtOnce+3)
	fillAll(s, math.MaxUint64)
	a := &Array{typ: U64, shape: []int{len(s)}, data: s, space: NewSpace(1 << 30)}
	want := new(big.Int).Mul(big.NewInt(int64(len(s))), new(big.Int).SetUint64(math.MaxUint64))
	if got, err := a.sum(); err != nil || got.String() != want.String() {
		t.Errorf("the sum is %v, want %v (%v)", got, want, err)
	}
}

func TestASingleElementGoesWithAllOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for typ := range typeEnd {
		for op, f := range kinds[typ].binary {
			if f == nil || operator(op) == opFloorDiv || operator(op) == opRem {
				continue
			}
			for _, n := range []int{0, 1, 255, 256, 257, 1000} {
				a, one := sample(r, typ, n), sample(r, typ, 1)
				all := kinds[typ].make(n)
				kinds[typ].put(all, one.data, positionsOf(nil, seq(n), n))
				for _, operands := range [][4]storage{{a.data, one.data, a.data, all}, {one.data, a.data, all, a.data}} {
					got, want := kinds[typ].make(n), kinds[typ].make(n)
					f(got, operands[0], operands[1])
					f(want, operands[2], operands[3])
					for i := range n {
						if g, w := kinds[typ].load(got, i), kinds[typ].load(want, i); !same(g, w) {
							t.Fatalf("%s %s, element %d of %d: got %v, want %v", typ, operatorNames[op], i, n, g, w)
						}
					}
				}
			}
		}
	}
}

func seq(n int) []int64 {
	s := make([]int64, n)
	for i := range s {
		s[i] = int64(i)
	}
	return s
}

func holds[T number](rel relation, a, b T) bool {
	switch rel {
	case relEq:
		return a == b
	case relNe:
		return a != b
	case relLt:
		return a < b
	case relLe:
		return a <= b
	case relGt:
		return a > b
	default:
		return a >= b
	}
}
