// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"

	"github.com/warptape/warptape/trace"
)

func ExampleWarp_Executed() {
	kernel := &trace.Kernel{
		Instructions: []trace.Instruction{
			{Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceGlobal, LaneBytes: 4},
			{Opcode: "bra", Class: trace.ClassBranch},
			{Opcode: "ret", Class: trace.ClassExit},
		},
		Blocks: []trace.BasicBlock{{First: 0, Count: 2, PostDominator: 1}, {First: 2, Count: 1, PostDominator: trace.NoBlock}},
	}
	// The warp goes round its loop twice, with half of its lanes the second time.
	warp := trace.Warp{
		Blocks:   []uint32{0, 0, 1},
		Masks:    []uint32{0xffffffff, 0x0000ffff, 0xffffffff},
		Accesses: []trace.Access{{Base: 0x1000, Stride: 4}, {Base: 0x1080, Stride: 4}},
	}
	for e := range warp.Executed(kernel) {
		if e.Access != nil {
			fmt.Printf("%s by lanes %08x from %#x\n", e.In.Opcode, e.Mask, e.Access.Base)
		} else {
			fmt.Printf("%s by lanes %08x\n", e.In.Opcode, e.Mask)
		}
	}
	// Output:
	// ld by lanes ffffffff from 0x1000
	// bra by lanes ffffffff
	// ld by lanes 0000ffff from 0x1080
	// bra by lanes 0000ffff
	// ret by lanes ffffffff
}
