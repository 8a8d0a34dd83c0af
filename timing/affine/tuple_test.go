// SPDX-License-Identifier: Apache-2.0

package affine

import (
	"math/rand/v2"
	"testing"
)

// everyPlace calls f for all threads of a small launch.
func everyPlace(e *extent, f func(p *Point)) {
	for i := range e[0] * e[1] * e[2] * e[3] * e[4] * e[5] {
		p := Point{i % e[0]}
		rest := i / e[0]
		for d := 1; d < dimensions; d++ {
			p[d] = rest % e[d]
			rest /= e[d]
		}
		f(&p)
	}
}

func randomTuple(rng *rand.Rand) Tuple {
	t := Tuple{Base: rng.Int64N(200) - 100}
	for d := range t.Offsets {
		t.Offsets[d] = rng.Int64N(9) - 4
	}
	return t
}

// Each operation on tuples gives every thread what the operation on the threads'
// values gives.
func TestTupleArithmeticIsTheThreadsArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	e := extent{5, 3, 2, 4, 2, 2}
	for range 200 {
		a, b, s := randomTuple(rng), randomTuple(rng), constant(rng.Int64N(19)-9)
		d := rng.Int64N(30) + 1
		sum, okSum := a.plus(b)
		product, okProduct := a.times(s)
		modulo, okModulo := a.modulo(d)
		scaled, okScaled := modulo.times(s)
		shifted, okShifted := scaled.plus(constant(7))
		if !okSum || !okProduct || !okModulo || !okScaled || !okShifted {
			t.Fatalf("refused for %+v, %+v, %+v, %d", a, b, s, d)
		}
		bounded := []*Tuple{&sum, &product, &modulo, &scaled, &shifted}
		var least, most [5]int64
		for i, tuple := range bounded {
			var ok bool
			if least[i], most[i], ok = tuple.bounds(&e); !ok || least[i] > most[i] {
				t.Fatalf("%+v lies from %d to %d, %v", *tuple, least[i], most[i], ok)
			}
		}
		var reached [5][2]bool
		everyPlace(&e, func(p *Point) {
			for i, tuple := range bounded {
				v := tuple.At(p)
				if v < least[i] || v > most[i] {
					t.Fatalf("%+v at %v is %d, not from %d to %d", *tuple, *p, v, least[i], most[i])
				}
				reached[i][0], reached[i][1] = reached[i][0] || v == least[i], reached[i][1] || v == most[i]
			}
			x, y := a.At(p), b.At(p)
			m := (x%d + d) % d
			for _, c := range []struct {
				name      string
				got, want int64
			}{
				{"sum", sum.At(p), x + y}, {"product", product.At(p), x * s.Base}, {"modulo", modulo.At(p), m},
				{"scaled modulo", scaled.At(p), m * s.Base}, {"shifted modulo", shifted.At(p), m*s.Base + 7},
			} {
				if c.got != c.want {
					t.Fatalf("%s at %v is %d, want %d", c.name, *p, c.got, c.want)
				}
			}
		})
		for i := range 2 { // the mod-type ones may reach no end, with few threads
			if reached[i] != [2]bool{true, true} {
				t.Fatalf("no thread of %+v has %d, or %d", *bounded[i], least[i], most[i])
			}
		}
	}
}

func TestModTypeTuplesGoOnOnlyWithScalars(t *testing.T) {
	a := Tuple{Offsets: [dimensions]int64{1}}
	m, _ := a.modulo(4)
	if _, ok := m.plus(a); ok {
		t.Error("a mod-type tuple was added to an affine one")
	}
	if _, ok := m.times(a); ok {
		t.Error("a mod-type tuple was multiplied by an affine one")
	}
	if _, ok := m.modulo(2); ok {
		t.Error("a mod-type tuple was taken modulo once more")
	}
	if _, ok := a.times(a); ok {
		t.Error("two affine tuples were multiplied")
	}
}

// A conversion to a wider register is exact for every thread unless the tuple says
// that it may not be.
func TestWideningIsExactOrSaysThatItMayNotBe(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	e := extent{5, 3, 2, 4, 2, 2}
	exact, wrapped := 0, 0
	for range 2000 {
		a := randomTuple(rng)
		a.Base <<= rng.IntN(11)
		for d := range a.Offsets {
			a.Offsets[d] <<= rng.IntN(11)
		}
		for _, signed := range []bool{false, true} {
			stored := a.wrap(16)
			wide := stored.read(16, signed, &e)
			if wide.Wrapped {
				wrapped++
				continue
			}
			exact++
			everyPlace(&e, func(p *Point) {
				if got, want := wide.At(p), extend(stored.At(p), 16, signed); got != want {
					t.Fatalf("%+v signed %v at %v is %d, want %d", stored, signed, *p, got, want)
				}
			})
		}
	}
	if exact < 100 || wrapped < 50 {
		t.Errorf("%d exact, %d wrapped: too few of one", exact, wrapped)
	}
}

func TestBoundsAreTheLeastAndTheGreatestValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	e := extent{5, 3, 2, 4, 2, 2}
	for range 200 {
		a := randomTuple(rng)
		least, most, ok := a.bounds(&e)
		if !ok {
			t.Fatalf("no bounds of %+v", a)
		}
		low, high := a.At(&Point{}), a.At(&Point{})
		everyPlace(&e, func(p *Point) { low, high = min(low, a.At(p)), max(high, a.At(p)) })
		if least != low || most != high {
			t.Fatalf("bounds %d to %d of %+v, values are %d to %d", least, most, a, low, high)
		}
	}
}

func TestRegisterForgetsTheOldestTupleOfMoreThanFour(t *testing.T) {
	var r register
	var alive Lanes
	alive.set(0, 0xff)
	for n := range 6 {
		var lanes Lanes
		lanes.set(0, 1<<n)
		r.assign(constant(int64(n)), &lanes, &alive, false)
	}
	if r.n != maxTuples {
		t.Fatalf("%d tuples, want %d", r.n, maxTuples)
	}
	for n := range 6 {
		var lanes Lanes
		lanes.set(0, 1<<n)
		tuple, ok := r.only(&lanes)
		if want := n >= 2; ok != want || ok && tuple.Base != int64(n) {
			t.Errorf("thread %d has %v, %v", n, tuple, ok)
		}
	}
}

// Threads leave a loop one after the other, each with what the loop computes anew and which stays the
// same. All keep it, and what a few of them get after the loop is one more tuple.
func TestRegisterKeepsATupleThatALoopComputesAgain(t *testing.T) {
	var r register
	var alive, some Lanes
	alive.set(0, 0xfff)
	same, other := Tuple{Base: 7, Offsets: [dimensions]int64{4}}, constant(9)
	for first := range 10 {
		var inside Lanes
		inside.set(0, 0xfff&^(1<<first-1))
		r.assign(same, &inside, &alive, first == 0)
	}
	some.set(0, 0xf0)
	r.assign(other, &some, &alive, false)
	for thread := range 12 {
		want := same
		if thread >= 4 && thread < 8 {
			want = other
		}
		var lanes Lanes
		lanes.set(0, 1<<thread)
		if tuple, ok := r.only(&lanes); !ok || *tuple != want {
			t.Errorf("thread %d has %v, %v, want %v", thread, tuple, ok, want)
		}
	}
}
