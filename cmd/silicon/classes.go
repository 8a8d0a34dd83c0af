// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"strings"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
)

// Classes are the profiler's classes of instructions.
var Classes = [...]string{"fp32", "integer", "control", "memory", "misc", "conversion"}

// operations are the codes of each class: the groups of NVIDIA's list of instructions of
// Turing (CUDA Binary Utilities, table 6), as the profiler of the RTX 2080 Ti counts them.
// Its rows of points tell four things:
//   - LOP3 is one of integers. Rows that take the last bit of a number have one operation on
//     integers a point more, and one operation in all, than rows that do not.
//   - SHF is one of integers, and MUFU and FCHK have no class. With that the subroutine of a
//     division has the card's 13 operations on integers, 12 in single precision with both
//     differences, and six without a class. That is so with one point, with six, and with 10 to 20.
//   - SEL is one of integers: points that add a predicate to a number have three of these and none
//     without a class.
//   - MOV is among the miscellaneous ones: rows of two points or more have one of these an edge, where
//     nothing but a division's return address is to be moved.
//
// A listing of a Volta has LOP3 in no class and MUFU in single precision (NVIDIA's developer
// forum, "About instruction per warp metric").
var operations = [len(Classes)]string{
	"FADD FMUL FFMA FMNMX FSETP FSET FSEL",
	"IADD3 IMAD IMNMX ISETP LEA IABS SEL POPC FLO BREV IDP LOP3 SHF",
	"BRA BSSY BSYNC CALL RET EXIT",
	"LD LDG LDS LDL LDC ST STG STS STL ATOM ATOMS ATOMG RED",
	"S2R CS2R MOV NOP BAR DEPBAR VOTE",
	"I2F F2I F2F FRND I2I",
}

// classOfCode is the class of a machine instruction's code; -1: none.
func classOfCode(code string) int {
	code, _, _ = strings.Cut(code, ".")
	for n := range operations {
		for c := range strings.FieldsSeq(operations[n]) {
			if c == code {
				return n
			}
		}
	}
	return -1
}

// classOfKept is that of an instruction that keeps its recorded opcode, such as a barrier.
func classOfKept(c trace.OpClass) int {
	switch c {
	case trace.ClassLoad, trace.ClassStore, trace.ClassAtomic:
		return 3
	case trace.ClassBranch, trace.ClassExit, trace.ClassCall:
		return 2
	case trace.ClassBarrier:
		return 4
	}
	return -1
}

// shares are how the lanes of each class of operations divide into the profiler's classes.
type shares [trace.ClassCount][len(Classes)]float64

// sharesOf counts by instruction. Operations that a recorded instruction became execute as
// often as each other, so its lanes of a class divide evenly among its operations of that
// class. Of a conditional branch those lanes count that take it.
func sharesOf(made *core.Lowering, k *trace.Kernel, p *replay.Profile, ways map[passage]uint64) *shares {
	type key struct {
		origin uint32
		class  trace.OpClass
	}
	operations := map[key]float64{}
	for i := range made.Kernel.Instructions {
		operations[key{made.Origin[i], made.Kernel.Instructions[i].Class}]++
	}
	lines := p.Instructions
	s := new(shares)
	var all [trace.ClassCount]float64
	for i := range made.Kernel.Instructions {
		in := &made.Kernel.Instructions[i]
		if int(made.Origin[i]) >= len(lines) || lines[made.Origin[i]].Counters == nil {
			continue
		}
		lanes := float64(lines[made.Origin[i]].Counters[counters.LaneOps(in.Class)]) / operations[key{made.Origin[i], in.Class}]
		all[in.Class] += lanes
		class := classOfCode(in.Opcode)
		if class < 0 {
			class = classOfKept(in.Class)
		}
		if class >= 0 {
			s[in.Class][class] += float64(lanes * taken(made, k, i, ways))
		}
	}
	for c := range s {
		for n := range s[c] {
			if all[c] > 0 {
				s[c][n] /= all[c]
			}
		}
	}
	return s
}
