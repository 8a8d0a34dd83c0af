// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// wide is an operand of two registers, n and n+1.
func wide(n int) trace.Operand {
	return trace.Operand{Kind: trace.OperandRegister, Register: trace.Register{Number: uint16(n), Words: 2}}
}

func threadIndex() trace.Operand { return trace.Operand{Kind: trace.OperandSpecial, Symbol: "tid.x"} }

func arithmetic(opcode, typ string, operands ...trace.Operand) trace.Instruction {
	return trace.Instruction{Opcode: opcode, Types: []string{typ}, Class: trace.ClassIntAdd, Destinations: 1, Operands: operands}
}

// counts of a step, in the order of the counters.
type counts struct{ scalar, affine, divergent, expansions, reads, writes uint64 }

// TestEachInstructionCountsItsRegisters counts reads and writes of affine registers, by the
// word, on any unit that executes the instruction; the numbers are those of its operands.
func TestEachInstructionCountsItsRegisters(t *testing.T) {
	const all, half, no = ^uint32(0), uint32(0xFFFF), 0
	guarded := func(predicate uint16, in trace.Instruction) trace.Instruction {
		in.Guard = trace.Guard{Present: true, Register: trace.Register{File: trace.FilePredicate, Number: predicate, Words: 1}}
		return in
	}
	load := trace.Instruction{
		Opcode: "ld", Class: trace.ClassLoad, Space: trace.SpaceParam, LaneBytes: 8, Destinations: 1,
		Operands: []trace.Operand{wide(8), {Kind: trace.OperandAddress, Symbol: "parameter"}},
	}
	type step struct {
		in      trace.Instruction
		lanes   uint32
		want    counts
		onUnits bool
	}
	steps := []step{
		{arithmetic("mov", "u32", registerOperand(0), threadIndex()), all, counts{affine: 1, writes: 1}, true},
		{arithmetic("mov", "u32", registerOperand(1), immediate(3)), all, counts{scalar: 1, writes: 1}, true},
		{arithmetic("add", "u32", registerOperand(2), registerOperand(0), registerOperand(1)), all, counts{affine: 1, reads: 2, writes: 1}, true},
		{arithmetic("mov", "u64", wide(4), immediate(3)), all, counts{scalar: 1, writes: 2}, true},
		{arithmetic("add", "u64", wide(6), wide(4), wide(4)), all, counts{scalar: 1, reads: 4, writes: 2}, true},
		{arithmetic("setp", "u32", predicateOperand(0), registerOperand(1), immediate(0)), all, counts{scalar: 1, reads: 1, writes: 1}, true},
		// A scalar guard that fails in all lanes: read, and nothing written.
		{guarded(0, arithmetic("add", "u32", registerOperand(2), registerOperand(1), registerOperand(1))), no, counts{scalar: 1, reads: 2}, true},
		// A mask is no scalar and no affine value: it goes to the lanes' predicates.
		{arithmetic("setp", "u32", predicateOperand(1), registerOperand(0), registerOperand(1)), all, counts{affine: 1, reads: 2}, true},
		// By a vector predicate, so on lanes, where all take part and no tag is left.
		{arithmetic("selp", "u32", registerOperand(3), registerOperand(0), registerOperand(1), predicateOperand(1)), all, counts{}, false},
		// A load of a parameter is the load-store unit's, and leaves a scalar.
		{load, all, counts{writes: 2}, false},
		// In half of the lanes: the affine source is expanded, and the two scalar words that are written.
		{arithmetic("add", "u64", wide(6), registerOperand(0), wide(4)), half, counts{divergent: 1, expansions: 3}, false},
		// In no lane, but the guard might differ from lane to lane: nothing happens.
		{guarded(1, arithmetic("add", "u32", registerOperand(2), registerOperand(1), registerOperand(1))), no, counts{}, false},
		// An affine value of two words, which half of the lanes read: both are vectors then.
		{arithmetic("mov", "u64", wide(4), threadIndex()), all, counts{affine: 1, writes: 2}, true},
		{arithmetic("mov", "u64", wide(6), wide(4)), half, counts{divergent: 1, expansions: 1}, false},
		{arithmetic("mov", "u32", registerOperand(2), registerOperand(5)), all, counts{}, false},
		// All are vectors: no affine unit would have taken it.
		{arithmetic("add", "u64", wide(6), registerOperand(0), wide(6)), half, counts{}, false},
	}
	var k trace.Kernel
	for _, s := range steps {
		k.Instructions = append(k.Instructions, s.in)
	}
	tr := &tracker{set: testSet(), rules: newRules(&k), warps: make([]tracked, 1)}
	if tr.rules.general != 10 || tr.rules.registers != 12 {
		t.Errorf("%d general registers of %d, want 10, and two predicates", tr.rules.general, tr.rules.registers)
	}
	p := &tr.warps[0]
	p.shape, p.tags = shapeOf(64, 1, 1, 1), make([]tag, tr.rules.registers)
	for i, s := range steps {
		clear(tr.set[:])
		p.instruction, p.lanes = uint32(i), s.lanes
		onUnits, expansions := tr.look(p), 0
		if onUnits {
			tr.toAffineUnit(0)
		} else {
			expansions = tr.onLanes(0)
		}
		got := counts{
			of(tr.set, countScalar), of(tr.set, countAffine), of(tr.set, countDivergent), of(tr.set, countExpansion),
			of(tr.set, countRegisterRead), of(tr.set, countRegisterWrite),
		}
		if got != s.want || onUnits != s.onUnits || uint64(expansions) != s.want.expansions {
			t.Errorf("step %d, %s on lanes %#x: an affine unit executes it %v, it counts %+v and expands %d; want %v, %+v",
				i, s.in.Opcode, s.lanes, onUnits, got, expansions, s.onUnits, s.want)
		}
	}
}

// TestAnAffineUnitTakesWhatItsTwoALUsCompute: a base and an offset. What the operands are,
// scalar (s), affine (a) or vector (v), decides whether the unit executes an instruction
// and what the result is. Sums of affine values are affine; a product or a shift has one
// scalar factor; others take scalars alone. A comparison with a scalar gives a mask, which
// is a vector; a choice is by a scalar.
func TestAnAffineUnitTakesWhatItsTwoALUsCompute(t *testing.T) {
	tags := map[rune]tag{'s': scalar, 'a': affine, 'v': vector}
	for _, c := range []struct {
		opcode string
		table  map[string]string // of operands: the result, upper case when a unit executes it
	}{
		{"mov", map[string]string{"s": "S", "a": "A", "v": "v"}},
		{"add", map[string]string{"ss": "S", "sa": "A", "as": "A", "aa": "A", "sv": "v", "va": "v", "vv": "v"}},
		{"sub", map[string]string{"ss": "S", "sa": "A", "as": "A", "aa": "A", "av": "v"}},
		{"mul", map[string]string{"ss": "S", "sa": "A", "as": "A", "aa": "v", "sv": "v", "vs": "v"}},
		{"mad", map[string]string{"sss": "S", "sas": "A", "asa": "A", "ssa": "A", "aas": "v", "ssv": "v", "svs": "v"}},
		{"shl", map[string]string{"ss": "S", "as": "A", "sa": "v", "aa": "v", "vs": "v", "sv": "v"}},
		{"and", map[string]string{"ss": "S", "sa": "v", "as": "v", "vs": "v"}},
		{"min", map[string]string{"ss": "S", "sa": "v", "as": "v"}},
		{"setp", map[string]string{"ss": "S", "sa": "V", "as": "V", "aa": "v", "sv": "v", "va": "v", "sss": "S", "sas": "V", "saa": "v", "sav": "v", "ssv": "v"}},
		{"selp", map[string]string{"sss": "S", "sas": "A", "aas": "A", "ssa": "v", "ssv": "v", "avs": "v"}},
	} {
		for operands, want := range c.table {
			in := trace.Instruction{Opcode: c.opcode, Types: []string{"u32"}, Class: trace.ClassIntAdd, Destinations: 1, Operands: []trace.Operand{registerOperand(9)}}
			for n := range operands {
				in.Operands = append(in.Operands, registerOperand(n))
			}
			k := trace.Kernel{Instructions: []trace.Instruction{in}}
			tr := &tracker{set: testSet(), rules: newRules(&k), warps: make([]tracked, 1)}
			p := &tr.warps[0]
			p.shape, p.tags = shapeOf(32, 1, 1, 0), make([]tag, tr.rules.registers)
			p.lanes = p.shape.lanes
			for n, x := range operands {
				p.tags[n] = tags[x]
			}
			able := tr.look(p)
			got := string("vas"[p.result])
			if able {
				got = string("VAS"[p.result])
			}
			if got != want {
				t.Errorf("%s of %s gives %s, want %s (upper case: on an affine unit)", c.opcode, operands, got, want)
			}
		}
	}
}
