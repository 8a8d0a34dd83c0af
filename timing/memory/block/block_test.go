// SPDX-License-Identifier: Apache-2.0

package block

import "testing"

// set is a mask, byte by byte.
func set(b Bytes) (s [Size]bool) {
	for i := range s {
		s[i] = b[i/64]>>(i%64)&1 != 0
	}
	return s
}

// A range has its bytes, as far as the block has them.
func TestARangeHasItsBytes(t *testing.T) {
	for offset := range Size + 1 {
		for n := range Size + 3 {
			b := Range(offset, n)
			count, first := 0, -1
			for i, in := range set(b) {
				if want := i >= offset && i < offset+n; in != want {
					t.Fatalf("%d bytes from %d: byte %d is in it: %v", n, offset, i, in)
				}
				if in {
					if count++; first < 0 {
						first = i
					}
				}
			}
			if b.Count() != count || b.Empty() != (count == 0) || count > 0 && b.First() != first {
				t.Fatalf("%d bytes from %d: count %d, empty %v", n, offset, b.Count(), b.Empty())
			}
		}
	}
}

// Masks are sets of bytes.
func TestMasksAreSets(t *testing.T) {
	a, b := Bytes{0xf0f0f0f0f0f0f0f0, 0x00ff00ff00ff00ff}, Bytes{0xff00ff00ff00ff00, 0x0f0f0f0f0f0f0f0f}
	x, y := set(a), set(b)
	or, and, not := set(a.Or(b)), set(a.And(b)), set(a.AndNot(b))
	for i := range Size {
		if or[i] != (x[i] || y[i]) || and[i] != (x[i] && y[i]) || not[i] != (x[i] && !y[i]) {
			t.Errorf("byte %d of %v and %v: or %v, and %v, without %v", i, x[i], y[i], or[i], and[i], not[i])
		}
	}
}
