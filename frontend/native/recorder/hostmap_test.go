// SPDX-License-Identifier: Apache-2.0

package recorder

import "testing"

// A longer environment moves the stack by multiples of 16 bytes, and what is recorded stays.
func TestHostAddressesDoNotDependOnWhereTheStackBegins(t *testing.T) {
	recorded := func(stack uint64) [3]uint64 {
		h := newHostMap()
		var out [3]uint64
		out[0], _ = h.place(stack, 100)
		out[1], _ = h.place(stack+4096, 32)
		out[2], _ = h.place(stack+8, 16) // a part of the first
		return out
	}
	want := recorded(0x7fff_0000_0000)
	for move := uint64(16); move < 3*4096; move += 16 {
		if got := recorded(0x7fff_0000_0000 + move); got != want {
			t.Fatalf("moved by %d: %#x, want %#x", move, got, want)
		}
	}
	if want[2] != want[0]+8 {
		t.Errorf("%#x: a part of a range is not in it", want)
	}
}
