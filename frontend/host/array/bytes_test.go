// SPDX-License-Identifier: Apache-2.0

package array

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
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
				if !EqualAt(a, b, i) {
					t.Fatalf("%s: element %d differs: %v, %v", typ, i, a.Element(i), b.Element(i))
				}
			}
			if i < 300 && EqualAt(a, b, i) {
				t.Fatalf("%s: element %d is equal: %v, %v", typ, i, a.Element(i), b.Element(i))
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
