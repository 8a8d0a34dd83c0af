// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
)

// listed is what Print writes of the kernel below. Registers that are live were counted by hand: in the loop
// of block 1 all three are, as block 2 needs R2 and R3, and the next round R1. An operation under a mask may
// leave the old value, so it needs that, too.
const listed = `kernel k: 7 operations of 6 instructions, 4 registers of 32, 1 predicates, 8 bytes of spills

block 0
    0   2  MOV R1, 0x5  // 10: mov.u32
    1   3  MOV R2, RZ

block 1, of 2 recorded ones
    2   3 ?IADD R2, R2, R1  // 11: add.u32
    3   3  ISETP.LT P0, R2, c[n+0x4]  // 12: setp.u32
    4   3  @!P0 BRA  // 13: bra

block 2
    5   2  ST.E [R3+0x8], R2  // 14: st.u32
    6   0  EXIT  // 15: exit
`

func TestAListingHasTheRegistersThatAreLive(t *testing.T) {
	recorded := &trace.Kernel{Name: "k"}
	for i, name := range []string{"mov.u32", "add.u32", "setp.u32", "bra", "st.u32", "exit"} {
		opcode, kind, _ := strings.Cut(name, ".")
		in := trace.Instruction{Opcode: opcode, Line: uint32(10 + i)}
		if kind != "" {
			in.Types = []string{kind}
		}
		recorded.Instructions = append(recorded.Instructions, in)
	}
	immediate := func(v int64) trace.Operand { return trace.Operand{Kind: trace.OperandImmediate, Value: v} }
	predicate := trace.Register{File: trace.FilePredicate, Words: 1}
	k := &trace.Kernel{Name: "k", RegistersPerThread: 4, PredicatesPerThread: 1}
	k.Instructions = []trace.Instruction{
		{Opcode: "MOV", Destinations: 1, Operands: []trace.Operand{general(1), immediate(5)}},
		{Opcode: "MOV", Destinations: 1, Operands: []trace.Operand{general(2), immediate(0)}},
		{Opcode: "IADD", Destinations: 1, Operands: []trace.Operand{general(2), general(2), general(1)}},
		{Opcode: "ISETP", Modifiers: []string{"LT"}, Destinations: 1, Operands: []trace.Operand{
			{Kind: trace.OperandRegister, Register: predicate}, general(2), {Kind: trace.OperandParam, Symbol: "n", Value: 4}}},
		{Opcode: "BRA", Guard: trace.Guard{Present: true, Negated: true, Register: predicate}},
		{Opcode: "ST", Modifiers: []string{"E"}, Operands: []trace.Operand{{Kind: trace.OperandAddress, HasBase: true, Register: general(3).Register, Value: 8}, general(2)}},
		{Opcode: "EXIT"},
	}
	k.Blocks = []trace.BasicBlock{{First: 0, Count: 2, Successors: []uint32{1}}, {First: 2, Count: 3, Successors: []uint32{1, 2}}, {First: 5, Count: 2}}
	l := lowering.Lowered{
		Lowering: core.Lowering{
			Kernel: k, Origin: []uint32{0, 0, 1, 2, 3, 4, 5}, Guarded: []bool{2: true, 6: false},
			Visits: []core.LoweredVisit{{Parts: make([]core.VisitPart, 1)}, {Parts: make([]core.VisitPart, 2)}, {Parts: make([]core.VisitPart, 1)}},
		},
		SpillBytes: 8, Budget: 32,
	}
	var b strings.Builder
	if err := l.Print(&b, recorded); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(listed, b.String()); diff != "" {
		t.Errorf("(-by hand +printed):\n%s", diff)
	}
}
