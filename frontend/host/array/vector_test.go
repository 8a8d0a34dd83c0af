// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math/rand/v2"
	"testing"
)

// A single element is computed in Go, many of them in assembly where there is some.

func TestManyElementsGiveWhatEachGives(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for typ := range typeEnd {
		k := &kinds[typ]
		for op, f := range k.binary {
			if f == nil {
				continue
			}
			for _, n := range [][2]int{{200, 200}, {333, 1}, {1, 70}, {31, 31}} {
				a, b := sample(r, typ, n[0]).data, sample(r, typ, n[1]).data
				if operator(op) == opFloorDiv || operator(op) == opRem {
					b = divisors(r, typ, n[1])
				}
				testBinary(t, operator(op), k, a, b, n)
			}
		}
		for name, f := range k.unary {
			a, got, one := sample(r, typ, 200).data, k.make(200), k.make(1)
			f(got, a)
			for i := range 200 {
				f(one, k.window(a, i, i+1))
				if !same(k.load(got, i), k.load(one, 0)) {
					t.Fatalf("%s of the %s %v is %v, want %v", name, k.name, k.load(a, i).starlark(), k.load(got, i).starlark(), k.load(one, 0).starlark())
				}
			}
		}
	}
}

// divisors are elements that are not zero, equal or not.
func divisors(r *rand.Rand, typ Type, n int) storage {
	k, b := &kinds[typ], sample(r, typ, n).data
	for i := range n {
		if v := k.load(b, i); v.i == 0 && v.u == 0 || r.IntN(3) == 0 {
			k.store(b, i, scalar{f: float64(1 + r.IntN(100))}.convertTo(k))
		}
	}
	return b
}

func testBinary(t *testing.T, op operator, k *kind, a, b storage, lengths [2]int) {
	t.Helper()
	n := max(lengths[0], lengths[1])
	got, one := k.make(n), k.make(1)
	k.binary[op](got, a, b)
	for i := range n {
		x, y := min(i, lengths[0]-1), min(i, lengths[1]-1)
		k.binary[op](one, k.window(a, x, x+1), k.window(b, y, y+1))
		if !same(k.load(got, i), k.load(one, 0)) {
			t.Fatalf("%s: %v %s %v is %v, want %v", k.name, k.load(a, x).starlark(), operatorNames[op], k.load(b, y).starlark(), k.load(got, i).starlark(), k.load(one, 0).starlark())
		}
	}
}

// TestNumbersThatAreTooLargeToDivideInAssemblyAreDividedAmongOthers has some in any places.
func TestNumbersThatAreTooLargeToDivideInAssemblyAreDividedAmongOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		a := make([]int64, 2000)
		for i := range a {
			if a[i] = int64(int32(r.Uint32())); r.IntN(200) == 0 {
				a[i] = int64(r.Uint64())
			}
		}
		by := []int64{2 + int64(r.Uint32()>>r.IntN(31))}
		for _, op := range []operator{opFloorDiv, opRem} {
			testBinary(t, op, &kinds[I64], a, by, [2]int{len(a), 1})
		}
	}
}
