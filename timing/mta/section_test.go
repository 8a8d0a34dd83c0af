// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"testing"

	"github.com/warptape/warptape/timing/arch"
)

// The prefetch buffer of an SM has 16 KB (Decoupled affine, Table 1). Each of its lines has a tag of 33 bits of an address
// of 40, and three of state.
func TestThePrefetchBufferHasTheBytesOfTheTable(t *testing.T) {
	m, err := arch.Load("gtx480+mta")
	if err != nil {
		t.Fatal(err)
	}
	s := m.Section(Key).(*Section)
	found := 0
	for _, x := range s.Structures(m) {
		switch x.Path {
		case "chip/sm/mta/lines":
			if found++; x.Count != m.GPU.SMs || x.Entries*x.EntryBits != 8*16<<10 || x.EntryBits != 8*128 {
				t.Errorf("%d buffers of %d lines of %d bits", x.Count, x.Entries, x.EntryBits)
			}
		case "chip/sm/mta/tags":
			if found++; x.Entries*s.BufferWays != 16<<10/128 || x.EntryBits != s.BufferWays*(40-7+3) {
				t.Errorf("%d sets of %d bits in %d ways", x.Entries, x.EntryBits, s.BufferWays)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of both structures", found)
	}
	for _, x := range s.Structures(m) { // a write is one of a way
		for _, c := range x.Charges {
			ways := max(x.Ways, 1)
			if x.Path == "chip/sm/mta/tags" {
				ways = s.BufferWays
			}
			if c.Use == arch.Write && x.Path != "chip/sm/mta/lines" && ways > 1 && c.Share*float64(ways) != 1 {
				t.Errorf("%s: %s writes %g of %d ways", x.Path, c.Counter, c.Share, ways)
			}
		}
	}
}
