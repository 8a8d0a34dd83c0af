// SPDX-License-Identifier: Apache-2.0

package array

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func TestBytesAreTheElementsInLittleEndian(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for typ := range typeEnd {
		for _, n := range []int{0, 1, 100} {
			a := sample(r, typ, n)
			want, err := binary.Append([]byte{7}, binary.LittleEndian, a.data)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.AppendBytes([]byte{7}); !bytes.Equal(got, want) {
				t.Errorf("%s: got %x, want %x", typ, got, want)
			}
			if got := a.Bytes(); !bytes.Equal(got, want[1:]) {
				t.Errorf("%s: got %x, want %x", typ, got, want[1:])
			}
			b := sample(r, typ, n)
			if err := b.FillBytes(func(dst []byte) error { copy(dst, want[1:]); return nil }); err != nil || !bytes.Equal(b.Bytes(), want[1:]) {
				t.Errorf("%s: got %x, %v, want %x", typ, b.Bytes(), err, want[1:])
			}
		}
	}
}

func TestDifferencesAreFoundFromAPlaceOn(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for typ := range typeEnd {
		a, b := sample(r, typ, 300), sample(r, typ, 300)
		for i := 0; i < 300; i++ {
			next := NextDifferent(a, b, i)
			for ; i < next; i++ {
				if !equalAt(a, b, i) {
					t.Fatalf("%s: element %d differs: %v, %v", typ, i, a.Element(i), b.Element(i))
				}
			}
			if i < 300 && equalAt(a, b, i) {
				t.Fatalf("%s: element %d is equal: %v, %v", typ, i, a.Element(i), b.Element(i))
			}
		}
	}
}

// TestElementsApartAreFoundFromAPlaceOn: by the definition, of each pair of types.
func TestElementsApartAreFoundFromAPlaceOn(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for typ := range typeEnd {
		for other := range typeEnd {
			a, b := sample(r, typ, 300), sample(r, other, 300)
			relative, absolute := float64(r.IntN(3)), float64(r.IntN(300))
			apart := func(i int) bool {
				g, w := a.Float(i), b.Float(i)
				return !(g == w || math.Abs(g-w) <= absolute || math.Abs(g-w) <= relative*math.Abs(w))
			}
			for i := 0; i <= 300; i++ {
				next := NextApart(a, b, i, relative, absolute)
				for ; i < next; i++ {
					if apart(i) {
						t.Fatalf("%s, %s: element %d is apart: %v, %v", typ, other, i, a.Element(i), b.Element(i))
					}
				}
				if i < 300 && !apart(i) {
					t.Fatalf("%s, %s: element %d is near: %v, %v", typ, other, i, a.Element(i), b.Element(i))
				}
			}
		}
	}
}

// TestSlicesWithStepsAreThoseOfLists: Python's rule, element by element.
func TestSlicesWithStepsAreThoseOfLists(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 2000 {
		n := 1 + r.IntN(20)
		a := sample(r, I32, n)
		step := r.IntN(11) - 5
		if step == 0 {
			continue
		}
		start, end := r.IntN(n+1), r.IntN(n+1)
		if step < 0 { // as Starlark calls it
			start, end = start-1, end-1
		}
		var want []int64
		for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
			want = append(want, a.Int(i))
		}
		got := a.Slice(start, end, step).(*Array)
		if step == 1 && start > end {
			want = nil
		}
		if got.Len() != len(want) {
			t.Fatalf("[%d:%d:%d] of %d: got %d elements, want %d", start, end, step, n, got.Len(), len(want))
		}
		for i, w := range want {
			if got.Int(i) != w {
				t.Fatalf("[%d:%d:%d] of %d: element %d is %d, want %d", start, end, step, n, i, got.Int(i), w)
			}
		}
	}
}

func TestCopiesShareNothing(t *testing.T) {
	a := sample(rand.New(rand.NewPCG(1, 1)), I32, 10)
	a.SetInt(3, 5)
	c, err := a.convert(I32)
	if err != nil {
		t.Fatal(err)
	}
	part := a.Slice(2, 6, 1).(*Array)
	a.SetInt(3, 6)
	if c.Int(3) != 5 || part.Int(1) != 5 || part.Len() != 4 || a.Slice(4, 4, 1).(*Array).Len() != 0 {
		t.Errorf("the copies are %v and %v", c, part)
	}
}

// equalAt reports whether element i of two arrays of one type is equal.
func equalAt(a, b *Array, i int) bool {
	return kinds[a.typ].load(a.values(), i) == kinds[b.typ].load(b.values(), i)
}
