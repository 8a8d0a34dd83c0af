// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
	"github.com/warptape/warptape/timing/replay/replaytest"
	"github.com/warptape/warptape/trace"
)

// word is a word of a register file.
type word struct {
	file   trace.RegisterFile
	number uint16
}

func wordsOf(list []trace.Register) (out []word) {
	for _, r := range list {
		for w := range max(r.Words, 1) {
			out = append(out, word{r.File, r.Number + uint16(w)})
		}
	}
	return out
}

// unknown reports whether an operation takes as long as it takes.
func unknown(generation string, in *trace.Instruction) bool {
	switch in.Class {
	case trace.ClassLoad, trace.ClassStore, trace.ClassAtomic, trace.ClassTexture, trace.ClassBulk, trace.ClassSpecial, trace.ClassConvert, trace.ClassShuffle, trace.ClassTensor:
		return true
	case trace.ClassF64Add, trace.ClassF64Mul, trace.ClassF64Fma, trace.ClassF64MinMax, trace.ClassF64Div:
		return generation != "volta"
	}
	return in.Opcode == "S2R"
}

// issue issues a block on hardware without a scoreboard: each operation when the one before
// says so and its barriers have fallen. What takes as long as it takes reads its sources and
// writes its results at times that are drawn. Every source has to be there then, and nothing
// may be written before it has been read.
func issue(t *testing.T, name, generation string, code []trace.Instruction, controls []lowering.Control, draw *rand.Rand) {
	t.Helper()
	var falls [lowering.Barriers]int
	there, readAt := map[word]int{}, map[word]int{}
	now := 0
	var list []trace.Register
	for i := range code {
		c := controls[i]
		for b := range falls {
			if c.Wait>>b&1 != 0 {
				now = max(now, falls[b])
			}
		}
		list = code[i].Reads(list[:0])
		reads := wordsOf(list)
		list = code[i].Writes(list[:0])
		writes := wordsOf(list)
		for _, w := range reads {
			if there[w] > now {
				t.Fatalf("%s: operation %d (%s) reads register %d of file %d in cycle %d, which is there in %d", name, i, code[i].Opcode, w.number, w.file, now, there[w])
			}
		}
		read, result := now, now+4
		if unknown(generation, &code[i]) {
			read = now + 1 + draw.IntN(60)
			result = read + draw.IntN(400)
		}
		for _, w := range writes {
			if there[w] > result || readAt[w] > result {
				t.Fatalf("%s: operation %d (%s) writes register %d of file %d in cycle %d, which is to be written in %d and read in %d", name, i, code[i].Opcode, w.number, w.file, result, there[w], readAt[w])
			}
			there[w] = result
		}
		for _, w := range reads {
			readAt[w] = max(readAt[w], read)
		}
		if c.Write >= 0 {
			falls[c.Write] = max(falls[c.Write], result)
		}
		if c.Read >= 0 {
			falls[c.Read] = max(falls[c.Read], read)
		}
		if c.Stall < 1 || c.Stall > 15 {
			t.Fatalf("%s: operation %d stalls %d cycles", name, i, c.Stall)
		}
		now += int(c.Stall)
	}
	last := len(code) - 1
	list = code[last].Writes(list[:0])
	standing := wordsOf(list)
	for w, at := range there {
		if at > now && !(controls[last].Write >= 0 && slices.Contains(standing, w)) {
			t.Fatalf("%s: register %d of file %d is not there at the block's end", name, w.number, w.file)
		}
	}
}

func TestStallsAndBarriersHoldWithoutAScoreboard(t *testing.T) {
	barriers := 0
	for _, name := range []string{"hotspot", "lbm", "merge-sort", "needle", "sgemm", "transformer-block", "transpose"} {
		r := replaytest.Recorded(t, name)
		for i := range r.Kernels() {
			k := &r.Kernels()[i]
			for generation, registers := range map[string]int{"volta": 255, "turing": 32, "hopper": 64} {
				target := lowering.Target{Generation: lowering.Generations[generation], File: 65536, Threads: 1024, Unit: 256, Predicate: true}
				l, err := lowering.Lower(k, target, lowering.Budget{Registers: registers})
				if err != nil {
					t.Fatal(err)
				}
				controls := l.Controls()
				for n := range l.Kernel.Blocks {
					b := &l.Kernel.Blocks[n]
					if b.Count == 0 {
						continue
					}
					for seed := range uint64(5) {
						issue(t, name+" "+k.Name+" "+generation, generation, l.Kernel.Instructions[b.First:b.First+b.Count], controls[b.First:b.First+b.Count], rand.New(rand.NewPCG(seed, 1)))
					}
				}
				for n := range l.Kernel.Blocks {
					b := &l.Kernel.Blocks[n]
					if b.Count == 0 || controls[b.First+b.Count-1].Write < 0 {
						continue
					}
					for _, s := range b.Successors { // what the last operation sets, the next one waits for
						if next := &l.Kernel.Blocks[s]; next.Count > 0 && controls[next.First].Wait>>controls[b.First+b.Count-1].Write&1 == 0 {
							t.Errorf("%s %s: block %d does not wait for the last load of block %d", name, k.Name, s, n)
						}
					}
				}
				for _, c := range controls {
					if c.Wait != 0 {
						barriers++
					}
				}
			}
		}
	}
	if barriers == 0 {
		t.Error("nothing waits")
	}
	fermi := lowering.Target{Generation: lowering.Generations["fermi"], File: 32768, Threads: 1536, Unit: 64}
	if l, err := lowering.Lower(shapes["sums"](100), fermi, lowering.Budget{}); err != nil || l.Controls() != nil {
		t.Errorf("Fermi has a scoreboard: %v", err)
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
