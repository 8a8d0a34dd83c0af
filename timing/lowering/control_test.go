// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// controlled are the generations whose hardware has no scoreboard.
var controlled = []string{"volta", "turing", "ampere", "hopper"}

// walks lowers a kernel for a generation and a number of registers, and lets hardware
// without a scoreboard go ways through it. It gives how many operations wait.
func walks(t *testing.T, k *trace.Kernel, generation string, registers, ways int) (waits int) {
	t.Helper()
	target := lowering.Target{Generation: lowering.Generations[generation], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
	l, err := lowering.Lower(k, target, lowering.Budget{Registers: registers})
	if err != nil {
		t.Fatal(err)
	}
	controls := l.Controls()
	for seed := range uint64(ways) {
		newHardware(t, k.Name+" "+generation, generation, seed).walk(l, controls, 3000)
	}
	for _, c := range controls {
		if c.Wait != 0 {
			waits++
		}
	}
	return waits
}

func TestStallsAndBarriersHoldWithoutAScoreboard(t *testing.T) {
	waits := 0
	for _, name := range []string{"hotspot", "lbm", "merge-sort", "needle", "sgemm", "transformer-block", "transpose"} {
		r := replaytest.Recorded(t, name)
		for i := range r.Kernels() {
			for generation, registers := range map[string]int{"volta": 255, "turing": 32, "hopper": 64} {
				waits += walks(t, &r.Kernels()[i], generation, registers, 5)
			}
		}
	}
	if waits == 0 {
		t.Error("nothing waits")
	}
	fermi := lowering.Target{Generation: lowering.Generations["fermi"], File: 32768, Threads: 1536, Unit: 64}
	if l, err := lowering.Lower(shapes["sums"](100), fermi, lowering.Budget{}); err != nil || l.Controls() != nil {
		t.Errorf("Fermi has a scoreboard: %v", err)
	}
}

// Whatever way a warp takes through the blocks of a program, what one of them has begun to
// read or to write is waited for where another needs it.
func TestStallsAndBarriersHoldOverBlocks(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 40, 60) {
		draw := rand.New(rand.NewPCG(seed, 26))
		walks(t, drawnBlocks(draw), controlled[draw.IntN(len(controlled))], []int{16, 20, 32, 255}[draw.IntN(4)], 6)
	}
}

// A store reads its data late. The block behind it, which writes that register anew, waits.
func TestABlockWaitsForWhatTheOneInFrontOfItIsAboutToRead(t *testing.T) {
	p := new(program)
	p.access("st", 1, 0, 0)
	p.add("IADD3", "", trace.ClassIntAdd, general(2), general(3)) // the last one of a block sets nothing
	p.close()
	p.add("IADD3", "", trace.ClassIntAdd, general(1), general(2))
	l := lowering.Lowered{Generation: lowering.Generations["turing"]}
	l.Kernel = p.kernel()
	controls := l.Controls()
	if controls[0].Read < 0 {
		t.Error("the store has no barrier for its sources")
	}
	for seed := range uint64(20) {
		newHardware(t, "two blocks", "turing", seed).walk(&l, controls, 10)
	}
}

// Two operations that answer late read a register, each at its time. What overwrites it waits
// for both.
func TestWhatOverwritesARegisterWaitsForAllThatReadIt(t *testing.T) {
	special := func(to, from int) trace.Instruction {
		return trace.Instruction{Opcode: "MUFU", Class: trace.ClassSpecial, Operands: []trace.Operand{general(to), general(from)}, Destinations: 1}
	}
	code := []trace.Instruction{special(2, 1), special(3, 1), {Opcode: "IADD3", Class: trace.ClassIntAdd, Operands: []trace.Operand{general(1), general(4)}, Destinations: 1}}
	code = append(code, code[2]) // the last one of a block waits for all in any case
	l := lowering.Lowered{Generation: lowering.Generations["turing"]}
	l.Kernel = &trace.Kernel{Instructions: code, Blocks: []trace.BasicBlock{{Count: uint32(len(code))}}}
	controls := l.Controls()
	for i := range 2 {
		if r := controls[i].Read; r < 0 || controls[2].Wait>>r&1 == 0 {
			t.Errorf("operation %d reads by barrier %d, and the one that overwrites waits for %#x", i, r, controls[2].Wait)
		}
	}
}
