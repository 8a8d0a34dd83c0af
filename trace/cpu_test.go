// SPDX-License-Identifier: Apache-2.0

package trace

import "testing"

func TestBranchKindsFollowTheRegisters(t *testing.T) {
	const sp, flags, ip, other = 6, 25, 26, 3
	for _, c := range []struct {
		writes, reads []uint8
		want          CPUBranch
	}{
		{[]uint8{ip}, []uint8{ip}, CPUDirectJump},
		{[]uint8{ip}, []uint8{other}, CPUIndirectJump},
		{[]uint8{ip}, []uint8{ip, flags}, CPUConditional},
		{[]uint8{ip}, []uint8{ip, other}, CPUConditional},
		{[]uint8{ip, sp}, []uint8{ip, sp}, CPUCall},
		{[]uint8{ip, sp}, []uint8{ip, sp, other}, CPUIndirectCall},
		{[]uint8{ip, sp}, []uint8{sp}, CPUReturn},
		{[]uint8{sp}, []uint8{sp}, CPUOtherBranch},
	} {
		in := CPUInstruction{Branch: true}
		copy(in.Destinations[:], c.writes)
		copy(in.Sources[:], c.reads)
		if got := in.BranchKind(); got != c.want {
			t.Errorf("writes %v, reads %v: %v, want %v", c.writes, c.reads, got, c.want)
		}
	}
}
