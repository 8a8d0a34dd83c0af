// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"

	"github.com/warptape/warptape/timing/replay"
)

// TestTheTextOfAKernelIsPlacedByItsOpcodes, and left out where that is not certain.
func TestTheTextOfAKernelIsPlacedByItsOpcodes(t *testing.T) {
	const text = ".visible .entry k()\n{\n\tld.param.u64 %rd1, [p];\n\tadd.s64 %rd2, %rd1, 4;\n\tret;\n}\n"
	profile := func(lines []uint32, opcodes ...string) *replay.Profile {
		p := &replay.Profile{}
		for i, op := range opcodes {
			p.Instructions = append(p.Instructions, replay.InstructionProfile{Line: lines[i], Opcode: op})
		}
		return p
	}
	for name, c := range map[string]struct {
		p    *replay.Profile
		want uint32 // zero: none
	}{
		"whole":         {profile([]uint32{12, 13, 14}, "ld", "add", "ret"), 10},
		"first line":    {profile([]uint32{3, 4, 5}, "ld", "add", "ret"), 1},
		"another text":  {profile([]uint32{12, 13, 14}, "ld", "mul", "ret"), 0},
		"not certain":   {profile([]uint32{12}, "r"), 0},
		"farther apart": {profile([]uint32{12, 40}, "ld", "ret"), 0},
		"empty":         {profile(nil), 0},
	} {
		got := uint32(0)
		if placed := placed(text, c.p); placed != nil {
			got = placed.first
		}
		if got != c.want {
			t.Errorf("%s: the text begins at line %d, want %d", name, got, c.want)
		}
	}
}
