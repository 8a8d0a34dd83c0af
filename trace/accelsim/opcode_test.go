// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

func TestEveryOpcodeOfExportMeansTheSameToImport(t *testing.T) {
	opcodes := []string{"add", "setp", "set", "and", "or", "xor", "not", "lop3", "shl", "shr", "shf", "selp", "slct", "popc", "clz", "bfind", "brev",
		"prmt", "abs", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh", "vote", "match", "activemask", "shfl", "mov"}
	for class := trace.ClassIntAdd; int(class) < trace.ClassCount; class++ {
		for _, opcode := range opcodes {
			for space := trace.SpaceNone; int(space) < trace.SpaceCount; space++ {
				in := &trace.Instruction{Opcode: opcode, Class: class, Types: []string{"f32", "s32"}}
				if class.IsMemory() {
					in.Space, in.LaneBytes = space, 16
				}
				name, err := Opcode(in)
				if err != nil {
					if !class.IsMemory() {
						t.Errorf("%v %s: %v", class, opcode, err)
					}
					continue
				}
				m, ok := meaningOf(name)
				if ok && class == trace.ClassSpecial && m.class == class {
					continue
				}
				if !ok || m.class != class || class.IsMemory() && (m.space != space || laneBytes(name) != 16) {
					t.Errorf("%v %s of %v became %s, which means %v of %v", class, opcode, space, name, m.class, m.space)
				}
			}
		}
	}
}

func TestWidthSuffixSaysTheBytes(t *testing.T) {
	for _, bytes := range []uint32{1, 2, 4, 8, 16, 32} {
		if got := laneBytes("LDG.E" + width(bytes)); uint32(got) != bytes {
			t.Errorf("LDG.E%s is taken for %d bytes, want %d", width(bytes), got, bytes)
		}
	}
	// What the format says of opcodes that an exporter of ours does not write.
	for opcode, want := range map[string]uint8{"LDG.U8": 1, "LDG.E.128": 16, "LDG.S8": 4, "LDG.E.64.STRONG.GPU": 8, "LDS": 4} {
		if got := laneBytes(opcode); got != want {
			t.Errorf("%s: %d bytes, want %d", opcode, got, want)
		}
	}
}
