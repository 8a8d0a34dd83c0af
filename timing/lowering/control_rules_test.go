// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/trace"
)

// controlsOf gives the controls of basic blocks. Block i takes the next counts[i] operations of code,
// and leads to block i+1.
func controlsOf(generation string, code []trace.Instruction, counts ...uint32) (*lowering.Lowered, []lowering.Control) {
	l := &lowering.Lowered{Generation: lowering.Generations[generation]}
	l.Kernel = &trace.Kernel{Instructions: code}
	first := uint32(0)
	for i, n := range counts {
		b := trace.BasicBlock{First: first, Count: n}
		if i < len(counts)-1 {
			b.Successors = []uint32{uint32(i + 1)}
		}
		l.Kernel.Blocks = append(l.Kernel.Blocks, b)
		first += n
	}
	return l, l.Controls()
}

func writes(opcode string, class trace.OpClass, to, from int) trace.Instruction {
	return trace.Instruction{Opcode: opcode, Class: class, Operands: []trace.Operand{general(to), general(from)}, Destinations: 1}
}

// A barrier stands from the second cycle on, so what waits for it comes two cycles behind what sets it,
// in one block and over its end. Other operations follow in the next cycle.
func TestABarrierStandsFromTheSecondCycleOn(t *testing.T) {
	special, next := writes("MUFU", trace.ClassSpecial, 2, 1), writes("IADD3", trace.ClassIntAdd, 3, 2)
	for _, counts := range [][]uint32{{3}, {1, 2}} {
		_, controls := controlsOf("turing", []trace.Instruction{special, next, writes("IADD3", trace.ClassIntAdd, 5, 4)}, counts...)
		if c := controls[0]; c.Write < 0 || controls[1].Wait != 1<<c.Write || c.Stall != 2 {
			t.Errorf("%v: the barrier is set with %q, and waited for with %q", counts, c, controls[1])
		}
	}
	_, controls := controlsOf("turing", []trace.Instruction{special, writes("IADD3", trace.ClassIntAdd, 5, 4), next}, 3)
	if c := controls; c[0].Stall != 1 || c[2].Wait != 1<<c[0].Write {
		t.Errorf("with an operation between: %q", c)
	}
}

// An operation that ends a block may set two barriers. The block behind waits for both.
func TestBothBarriersOfABlocksLastOperationAreWaitedFor(t *testing.T) {
	_, controls := controlsOf("turing", []trace.Instruction{writes("MUFU", trace.ClassSpecial, 2, 1), writes("IADD3", trace.ClassIntAdd, 1, 3), writes("IADD3", trace.ClassIntAdd, 5, 4)}, 1, 2)
	if c := controls[0]; c.Write < 0 || c.Read < 0 || c.Write == c.Read || controls[1].Wait != 1<<c.Write|1<<c.Read {
		t.Errorf("%q", controls)
	}
}

// Sources that nothing overwrites need no barrier, and what has been waited for needs no second wait.
func TestNothingWaitsWithoutNeed(t *testing.T) {
	add := writes("IADD3", trace.ClassIntAdd, 5, 4)
	_, controls := controlsOf("turing", []trace.Instruction{writes("MUFU", trace.ClassSpecial, 2, 1), writes("IADD3", trace.ClassIntAdd, 3, 2), add, add}, 4)
	if c := controls; c[0].Write < 0 || c[0].Read >= 0 || c[1].Wait != 1<<c[0].Write || c[2].Wait != 0 || c[3].Wait != 0 {
		t.Errorf("%q", controls)
	}
}

// Loads whose results overwrite the address of the one before wait for the reading of that address.
// None waits for a result, as many as there are: six barriers do for all of them.
func TestLoadsWaitForAddressesAndNotForResults(t *testing.T) {
	for _, loads := range []int{2, 3, 4, 5, 8, 20} {
		var code []trace.Instruction
		for n := range loads {
			code = append(code, writes("LDG", trace.ClassLoad, n+1, n+2))
		}
		for n := range loads { // the last address is overwritten, too
			code = append(code, writes("IADD3", trace.ClassIntAdd, loads+1+n, n+1))
		}
		l, controls := controlsOf("hopper", code, uint32(len(code)))
		results := uint8(0)
		for n, c := range controls[:loads] {
			if c.Wait&results != 0 || n > 0 && c.Wait == 0 {
				t.Errorf("%d loads: %d waits for %06b, results come with %06b", loads, n, c.Wait, results)
			}
			results |= 1 << c.Write
		}
		for seed := range uint64(10) {
			newHardware(t, "loads", "hopper", seed).walk(l, controls, 10)
		}
	}
}

// A block without operations hands on what the block in front of it has begun.
func TestBarriersAreWaitedForBehindEmptyBlocks(t *testing.T) {
	l, controls := controlsOf("turing", []trace.Instruction{writes("MUFU", trace.ClassSpecial, 2, 1), writes("IADD3", trace.ClassIntAdd, 3, 2)}, 1, 0, 0, 1)
	if c := controls[0]; c.Write < 0 || controls[1].Wait>>c.Write&1 == 0 {
		t.Errorf("%q", controls)
	}
	l.Kernel.Blocks[2].Successors = []uint32{1, 3} // empty blocks in a circle
	if again := l.Controls(); again[1] != controls[1] {
		t.Errorf("in a circle %q, and %q without", again, controls)
	}
}

// Volta has a pipe for double precision in each sub-core, whose time the assembler knows. Turing's
// sub-cores share one, and results come when they come.
func TestDoublePrecisionAnswersLateWhereSubCoresShareItsPipe(t *testing.T) {
	code := []trace.Instruction{writes("DADD", trace.ClassF64Add, 2, 1), writes("IADD3", trace.ClassIntAdd, 3, 2), writes("IADD3", trace.ClassIntAdd, 5, 4)}
	l, shared := controlsOf("turing", code, 3)
	if c := shared[0]; c.Write < 0 || shared[1].Wait>>c.Write&1 == 0 {
		t.Errorf("Turing: %q", shared)
	}
	for seed := range uint64(10) {
		newHardware(t, "double precision", "turing", seed).walk(l, shared, 10)
	}
	if _, own := controlsOf("volta", code, 3); own[0].Write >= 0 || own[1].Wait != 0 || int(own[0].Stall) != l.Generation.Latency {
		t.Errorf("Volta: %q", own)
	}
}

func TestControlsAreWrittenWithTheBarriersThatTheyUse(t *testing.T) {
	for want, c := range map[string]lowering.Control{
		" 1":                  {Stall: 1, Write: -1, Read: -1},
		"15 W0":               {Stall: 15, Write: 0, Read: -1},
		" 2 R0":               {Stall: 2, Write: -1, Read: 0},
		" 4 W1 R5 wait 0,3,5": {Stall: 4, Write: 1, Read: 5, Wait: 0b101001},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
