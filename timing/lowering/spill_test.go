// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"fmt"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/lowering/loweringtest"
)

// Forty values are live at a time, more than thirty registers hold. What is spilled lies behind the local
// memory that the kernel has, from the next multiple of sixteen bytes on, and the kernel has so much more.
func TestSpillsLieBehindTheKernelsLocalMemory(t *testing.T) {
	text := ""
	for n := range 40 {
		text += fmt.Sprintf("ld.global.u32 r%d, [d1+%d]\n", n, 4*n)
	}
	for n := range 40 {
		text += fmt.Sprintf("xor.b32 r40, r40, r%d\nst.global.u32 [d1+%d], r40\n", 39-n, 4096+4*n)
	}
	for local, first := range map[uint32]uint32{0: 0, 1: 16, 16: 16, 17: 32, 4000: 4000, 4001: 4016} {
		k := loweringtest.Assemble(t, text+"exit")
		k.LocalBytes = local
		l := lowered(t, k, lowering.Budget{Registers: 30})
		if l.SpillBytes == 0 || l.Kernel.LocalBytes != first+uint32(l.SpillBytes) {
			t.Errorf("%d bytes of local memory and %d of spills make %d", local, l.SpillBytes, l.Kernel.LocalBytes)
		}
		spills, least := 0, ^uint32(0)
		for _, v := range l.Visits {
			for _, at := range v.Spills {
				if least, spills = min(least, at), spills+1; at%4 != 0 || at+4 > l.Kernel.LocalBytes {
					t.Errorf("%d bytes of local memory: a spill lies at %d of %d", local, at, l.Kernel.LocalBytes)
				}
			}
		}
		if spills < 2 || least != first {
			t.Errorf("%d bytes of local memory: %d accesses to spills, the first of them at %d, want %d", local, spills, least, first)
		}
	}
}
