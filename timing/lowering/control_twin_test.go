// SPDX-License-Identifier: Apache-2.0

package lowering_test

import (
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/lowering"
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

// hardware issues operations without a scoreboard: each when the one before says so and its
// barriers have fallen. What takes as long as it takes reads its sources and writes its
// results at times that are drawn. Every source has to be there when an operation issues,
// and nothing may be written before it has been read.
type hardware struct {
	t                *testing.T
	name, generation string
	draw             *rand.Rand
	now              int
	falls            [lowering.Barriers]int
	there, readAt    map[word]int
}

func newHardware(t *testing.T, name, generation string, seed uint64) *hardware {
	return &hardware{t: t, name: name, generation: generation, draw: rand.New(rand.NewPCG(seed, 1)), there: map[word]int{}, readAt: map[word]int{}}
}

// walk draws a path of at most so many operations through a lowered kernel.
func (h *hardware) walk(l *lowering.Lowered, controls []lowering.Control, most int) {
	h.t.Helper()
	for b, done := uint32(0), 0; done < most && !h.t.Failed(); {
		at := &l.Kernel.Blocks[b]
		for i := at.First; i < at.First+at.Count; i++ {
			h.issue(int(i), &l.Kernel.Instructions[i], controls[i])
		}
		if done += int(at.Count) + 1; len(at.Successors) == 0 {
			break
		}
		b = at.Successors[h.draw.IntN(len(at.Successors))]
	}
}

// issue issues an operation.
func (h *hardware) issue(i int, in *trace.Instruction, c lowering.Control) {
	h.t.Helper()
	for b := range h.falls {
		if c.Wait>>b&1 != 0 {
			h.now = max(h.now, h.falls[b])
		}
	}
	reads, writes := wordsOf(in.Reads(nil)), wordsOf(in.Writes(nil))
	for _, w := range reads {
		if h.there[w] > h.now {
			h.t.Errorf("%s: operation %d (%s) reads register %d of file %d in cycle %d, which is there in %d", h.name, i, in.Opcode, w.number, w.file, h.now, h.there[w])
		}
	}
	read, result := h.now, h.now+4
	if unknown(h.generation, in) {
		read = h.now + 1 + h.draw.IntN(60)
		if h.draw.IntN(8) == 0 {
			read += 2000 // behind a queue
		}
		result = read + h.draw.IntN(400)
	}
	for _, w := range writes {
		if h.there[w] > result || h.readAt[w] > result {
			h.t.Errorf("%s: operation %d (%s) writes register %d of file %d in cycle %d, which is to be written in %d and read in %d", h.name, i, in.Opcode, w.number, w.file, result, h.there[w], h.readAt[w])
		}
		h.there[w] = result
	}
	for _, w := range reads {
		h.readAt[w] = max(h.readAt[w], read)
	}
	if c.Write >= 0 {
		h.falls[c.Write] = max(h.falls[c.Write], result)
	}
	if c.Read >= 0 {
		h.falls[c.Read] = max(h.falls[c.Read], read)
	}
	if c.Stall < 1 || c.Stall > 15 {
		h.t.Errorf("%s: operation %d stalls %d cycles", h.name, i, c.Stall)
	}
	h.now += int(c.Stall)
}
