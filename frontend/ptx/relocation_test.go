// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"encoding/hex"
	"testing"
)

// An address is stored with its lowest byte first; a mask selects a byte (PTX ISA 5.4.4).
func TestAddressesInInitialisers(t *testing.T) {
	for _, c := range []struct {
		mask uint64
		size int
		want string
	}{
		{0, 64, "8877665544332211"}, {0, 32, "88776655"},
		{0xff, 64, "88"}, {0xff00, 64, "77"}, {0xff << 24, 64, "55"}, {0xff << 56, 64, "11"}, {0xff00, 32, "77"},
	} {
		data := make([]byte, 10)
		r := Relocation{Mask: c.mask}
		n := r.Store(data, 0x1122334455667788, c.size)
		if got := hex.EncodeToString(data[:n]); got != c.want {
			t.Errorf("mask %#x, %d bits: %s, want %s", c.mask, c.size, got, c.want)
		}
		for _, b := range data[n:] {
			if b != 0 {
				t.Errorf("mask %#x, %d bits: more than %d bytes are written", c.mask, c.size, n)
			}
		}
	}
}
