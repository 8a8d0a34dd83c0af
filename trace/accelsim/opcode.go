// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"errors"
	"fmt"
	"strings"

	"github.com/warptape/warptape/trace"
)

// plain are the classes that one opcode stands for. Division has none in SASS; it
// goes to the special-function unit, where the simulator sends PTX division too.
var plain = map[trace.OpClass]string{
	trace.ClassIntMinMax: "IMNMX", trace.ClassIntMul: "IMUL", trace.ClassIntMad: "IMAD", trace.ClassIntDiv: "MUFU.IDIV",
	trace.ClassF16: "HFMA2", trace.ClassF32MinMax: "FMNMX", trace.ClassF32Mul: "FMUL", trace.ClassF32Fma: "FFMA", trace.ClassF32Div: "MUFU.FDIV",
	trace.ClassF64Add: "DADD", trace.ClassF64MinMax: "DSETP.MNMX", trace.ClassF64Mul: "DMUL", trace.ClassF64Fma: "DFMA", trace.ClassF64Div: "MUFU.DDIV",
	trace.ClassPredicate: "PLOP3", trace.ClassTensor: "HMMA", trace.ClassBarrier: "BAR.SYNC", trace.ClassFence: "MEMBAR",
	trace.ClassBranch: "BRA", trace.ClassCall: "CALL", trace.ClassExit: "EXIT", trace.ClassNop: "NOP",
}

// byOpcode are the classes of several opcodes, by PTX opcode; "" is any other.
var byOpcode = map[trace.OpClass]map[string]string{
	trace.ClassIntAdd: {
		"": "IADD3", "setp": "ISETP", "set": "ISETP", "and": "LOP3", "or": "LOP3", "xor": "LOP3", "not": "LOP3", "lop3": "LOP3",
		"shl": "SHF", "shr": "SHF", "shf": "SHF", "selp": "SEL", "popc": "POPC", "clz": "FLO", "bfind": "FLO", "brev": "BREV",
		"prmt": "PRMT", "abs": "IABS",
	},
	trace.ClassF32Add: {"": "FADD", "setp": "FSETP", "set": "FSET", "selp": "FSEL", "slct": "FSEL"},
	trace.ClassSpecial: {
		"": "MUFU", "rcp": "MUFU.RCP", "sqrt": "MUFU.SQRT", "rsqrt": "MUFU.RSQ", "sin": "MUFU.SIN", "cos": "MUFU.COS",
		"lg2": "MUFU.LG2", "ex2": "MUFU.EX2", "tanh": "MUFU.TANH",
	},
	trace.ClassMove:    {"": "MOV"},
	trace.ClassConvert: {"": "F2F"},
	trace.ClassShuffle: {"": "SHFL", "vote": "VOTE", "match": "MATCH", "activemask": "VOTE"},
}

// memory are the memory instructions by class and space. LDC.PARAM keeps the
// parameter space, which SASS does not have, apart from constant memory.
var memory = map[trace.OpClass]map[trace.Space]string{
	trace.ClassLoad: {
		trace.SpaceGlobal: "LDG.E", trace.SpaceShared: "LDS", trace.SpaceLocal: "LDL", trace.SpaceConst: "LDC",
		trace.SpaceParam: "LDC.PARAM", trace.SpaceGeneric: "LD.E", trace.SpaceTexture: "TLD",
	},
	trace.ClassStore: {
		trace.SpaceGlobal: "STG.E", trace.SpaceShared: "STS", trace.SpaceLocal: "STL", trace.SpaceGeneric: "ST.E",
	},
	trace.ClassAtomic: {trace.SpaceGlobal: "ATOMG.E", trace.SpaceShared: "ATOMS", trace.SpaceGeneric: "ATOM.E"},
	trace.ClassTexture: {
		trace.SpaceTexture: "TEX", trace.SpaceGlobal: "TEX.GLOBAL",
	},
}

// ErrNoCounterpart is the error for an instruction that files of Accel-Sim cannot hold, such as
// a bulk copy.
var ErrNoCounterpart = errors.New("no counterpart")

// Opcode is the SASS-like opcode of an instruction, an error for one that has no
// counterpart.
func Opcode(in *trace.Instruction) (string, error) {
	if in.Class.IsMemory() {
		name := memory[in.Class][in.Space]
		if name == "" {
			return "", fmt.Errorf("%s (line %d): %w for a %v of %v memory", in.Name(), in.Line, ErrNoCounterpart, in.Class, in.Space)
		}
		if name == "ATOMG.E" && in.Destinations == 0 {
			name = "RED.E"
		}
		return name + width(uint32(in.LaneBytes)), nil
	}
	if name, ok := plain[in.Class]; ok {
		return name, nil
	}
	names := byOpcode[in.Class]
	switch {
	case in.Class == trace.ClassConvert && len(in.Types) == 2:
		return kindOf(in.Types[1]) + "2" + kindOf(in.Types[0]), nil
	case in.Class == trace.ClassMove && readsSpecial(in):
		return "S2R", nil
	case names[in.Opcode] != "":
		return names[in.Opcode], nil
	case names[""] != "":
		return names[""], nil
	}
	return "", fmt.Errorf("%s (line %d): %w for class %v", in.Name(), in.Line, ErrNoCounterpart, in.Class)
}

// width is the size suffix by which Accel-Sim knows the bytes of a lane.
func width(bytes uint32) string {
	switch {
	case bytes == 4:
		return ""
	case bytes < 4:
		return fmt.Sprintf(".U%d", 8*bytes)
	}
	return fmt.Sprintf(".%d", 8*bytes)
}

// kindOf is F for a floating-point type, I for any other.
func kindOf(ptxType string) string {
	if strings.HasPrefix(ptxType, "f") || strings.HasPrefix(ptxType, "bf") {
		return "F"
	}
	return "I"
}

func readsSpecial(in *trace.Instruction) bool {
	for i := range in.Operands {
		if in.Operands[i].Kind == trace.OperandSpecial {
			return true
		}
	}
	return false
}
