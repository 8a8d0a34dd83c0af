// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"math/rand/v2"
	"testing"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/host/pcg"
)

// The loops over whole storages give what element after element gives.
func TestLoopsOverWholeStoragesGiveWhatElementsGive(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for typ := range typeEnd {
		k := &kinds[typ]
		for range 40 {
			a := sample(r, typ, 1+r.IntN(70))
			zero := false
			for i := range a.Len() {
				zero = zero || k.load(a.data, i).zero()
			}
			if got := a.hasZero(); got != zero {
				t.Fatalf("%s: zeros %v, want %v", a, got, zero)
			}
			for _, rel := range []relation{relLt, relGt} {
				best := k.load(a.data, 0)
				for i := range a.Len() {
					if s := k.load(a.data, i); holds(rel, s.f, best.f) || holds(rel, s.i, best.i) || holds(rel, s.u, best.u) {
						best = s
					}
				}
				if got := k.load(a.data, k.first(rel, a.data)); !same(got, best) {
					t.Fatalf("%s: extreme %v, want %v", a, got, best)
				}
			}
			start, step := int64(r.Uint64()>>r.IntN(60))-5, int64(r.IntN(2000)-1000)
			counted, filled := k.make(9), k.make(9)
			value := k.load(a.data, 0)
			k.count(counted, start, step)
			k.fill(filled, value)
			for i := range 9 {
				one := k.make(1)
				k.store(one, 0, scalar{class: classSigned, i: start + int64(i)*step}.convertTo(k))
				if got, want := k.load(counted, i), k.load(one, 0); got != want {
					t.Fatalf("%s: %d and %d steps of %d: got %v, want %v", typ, start, i, step, got, want)
				}
				if got := k.load(filled, i); !same(got, value) {
					t.Fatalf("%s: filled with %v, got %v", typ, value, got)
				}
			}
		}
	}
}

func TestShiftGivesTheNearestElement(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	far := []int{math.MinInt, math.MaxInt, 1 << 40, -1 << 40}
	for range 2000 {
		rows, columns := 1+r.IntN(6), 1+r.IntN(6)
		down, right := r.IntN(17)-8, r.IntN(17)-8
		if r.IntN(20) == 0 {
			right = far[r.IntN(len(far))]
		}
		a := sample(r, I32, rows*columns)
		out := kinds[I32].make(rows * columns)
		for from := 0; from < rows*columns; { // in pieces
			to := from + 1 + r.IntN(rows*columns-from)
			kinds[I32].shift(kinds[I32].window(out, from, to), a.data, rows, columns, down, right, from)
			from = to
		}
		for y := range rows {
			for x := range columns {
				near := max(0, min(y+down, rows-1)) * columns
				switch {
				case right > columns:
					near += columns - 1
				case right >= -columns:
					near += max(0, min(x+right, columns-1))
				}
				if got, want := out.([]int32)[y*columns+x], a.data.([]int32)[near]; got != want {
					t.Fatalf("%d x %d shifted by %d, %d: got %d at %d, %d, want %d", rows, columns, down, right, got, y, x, want)
				}
			}
		}
	}
}

// Division by one number is that of element by element, also at the limits of 32 bits.
func TestDivisionByOneNumberIsThatOfElements(t *testing.T) {
	edges := []uint64{0, 1, 2, 3, 7, 1<<31 - 1, 1 << 31, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 1}
	r := rand.New(rand.NewPCG(13, 14))
	t.Run("i64", func(t *testing.T) { checkDivision[int64](t, r, I64, edges) })
	t.Run("u64", func(t *testing.T) { checkDivision[uint64](t, r, U64, edges) })
	t.Run("i32", func(t *testing.T) { checkDivision[int32](t, r, I32, edges) })
	t.Run("u32", func(t *testing.T) { checkDivision[uint32](t, r, U32, edges) })
	t.Run("i16", func(t *testing.T) { checkDivision[int16](t, r, I16, edges) })
	t.Run("u8", func(t *testing.T) { checkDivision[uint8](t, r, U8, edges) })
}

func checkDivision[T integer](t *testing.T, r *rand.Rand, typ Type, edges []uint64) {
	number := func() T {
		v := edges[r.IntN(len(edges))]
		if r.IntN(2) == 0 {
			v = r.Uint64() >> r.IntN(64)
		}
		return T(v)
	}
	x := make([]T, 64)
	for range 20000 {
		by := number()
		if by == 0 {
			continue
		}
		short := r.IntN(64) // or else hardly an array would be without a long number
		for i := range x {
			x[i] = T(uint64(number()) & math.MaxUint64 >> short)
			if r.IntN(3) == 0 {
				x[i] = ^x[i]
			}
		}
		x[0], x[1], x[2] = by-1, by, by+1
		if r.IntN(2) == 0 {
			x[0], x[1], x[2] = x[3], x[4], x[5]
		}
		quotient, remainder := make([]T, len(x)), make([]T, len(x))
		kinds[typ].binary[opFloorDiv](quotient, x, []T{by})
		kinds[typ].binary[opRem](remainder, x, []T{by})
		for i, v := range x {
			if quotient[i] != floorDiv(v, by) || remainder[i] != v-floorDiv(v, by)*by {
				t.Fatalf("%d by %d: got %d, rest %d; want %d", v, by, quotient[i], remainder[i], floorDiv(v, by))
			}
		}
	}
}

// Copies share elements until one is written. A twin copies at once.
func TestCopiesThatShareElementsAreCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 300 {
		arrays := []*Array{sample(r, I64, 6)}
		twins := [][]int64{append([]int64(nil), arrays[0].data.([]int64)...)}
		for range 40 {
			i := r.IntN(len(arrays))
			a := arrays[i]
			switch r.IntN(9) {
			case 0, 1, 2:
				copies := []func() (starlark.Value, error){a.copy, a.flatten, func() (starlark.Value, error) {
					return a.reshape(starlark.Tuple{starlark.MakeInt(2), starlark.MakeInt(3)}, nil)
				}, func() (starlark.Value, error) { return a.Slice(0, 6, 1), nil }}
				b, err := copies[r.IntN(len(copies))]()
				if err != nil {
					t.Fatal(err)
				}
				arrays, twins = append(arrays, b.(*Array)), append(twins, append([]int64(nil), twins[i]...))
			case 3:
				at, v := r.IntN(6), int64(r.IntN(6))
				if err := a.SetKey(starlark.MakeInt(at), starlark.MakeInt64(v)); err != nil {
					t.Fatal(err)
				}
				twins[i][at] = v
			case 4: // an index array that is the target, or shares its elements
				a.DrawInts(pcg.New(r.Uint64(), 0), 0, 6)
				copy(twins[i], a.data.([]int64))
			case 5, 6:
				j, k := r.IntN(len(arrays)), r.IntN(len(arrays))
				for n := range 6 {
					twins[j][n] = int64(r.IntN(6))
					arrays[j].SetInt(n, twins[j][n])
				}
				at, source := append([]int64(nil), twins[j]...), twins[k]
				b := arrays[k]
				if r.IntN(2) == 0 && k != i {
					for n, to := range at {
						twins[i][to] += source[n]
					}
					if _, err := a.addAt(starlark.Tuple{shaped(arrays[j]), shaped(b)}, nil); err != nil {
						t.Fatal(err)
					}
				} else {
					for n, to := range at {
						twins[i][to] = source[n]
					}
					if _, err := a.put(starlark.Tuple{shaped(arrays[j]), shaped(b)}, nil); err != nil {
						t.Fatal(err)
					}
				}
			case 7:
				if err := a.SetBytes(make([]byte, 48)); err != nil {
					t.Fatal(err)
				}
				clear(twins[i])
			case 8:
				v, err := a.sorted()
				if err != nil {
					t.Fatal(err)
				}
				_ = v
			}
			for n := range arrays {
				for e, want := range twins[n] {
					if got := arrays[n].Int(e); got != want {
						t.Fatalf("array %d of %d, element %d: got %d, want %d", n, len(arrays), e, got, want)
					}
				}
			}
		}
	}
}

// shaped gives an array six elements in one dimension, in place.
func shaped(a *Array) *Array {
	a.shape = []int{6}
	return a
}

// A frozen array may be read by several threads: sharing it writes nothing.
func TestSharingAFrozenArrayDoesNotWriteToIt(t *testing.T) {
	a := sample(rand.New(rand.NewPCG(1, 1)), F32, 6)
	a.Freeze()
	before := *a
	b, err := a.flatten()
	if err != nil {
		t.Fatal(err)
	}
	if a.shared != before.shared {
		t.Error("a frozen array was marked")
	}
	b.(*Array).SetFloat(0, 77)
	if a.Float(0) == 77 {
		t.Error("writing a copy of a frozen array wrote the array")
	}
}
