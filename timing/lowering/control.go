// SPDX-License-Identifier: Apache-2.0

package lowering

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
)

// Barriers are the dependency barriers that a warp has from Maxwell on (Z. Jia et al., arXiv
// 1804.06826, section 2: six, with a wait mask of six bits in each instruction).
const Barriers = 6

// maxStall is the longest stall count of an instruction: four bits (the same section).
const maxStall = 15

// Control is what the assembler tells the hardware of an instruction in place of a
// scoreboard. It has the cycles up to the next one, the barriers that it sets, and those
// for which it waits.
type Control struct {
	Stall uint8
	// Write is the barrier that falls when the results are there, Read when the sources have
	// been read; -1: none.
	Write, Read int8
	Wait        uint8 // a bit a barrier
}

// String is empty apart from the stall count where no barrier is used.
func (c Control) String() string {
	text := fmt.Sprintf("%2d", c.Stall)
	if c.Write >= 0 {
		text += fmt.Sprintf(" W%d", c.Write)
	}
	if c.Read >= 0 {
		text += fmt.Sprintf(" R%d", c.Read)
	}
	if c.Wait != 0 {
		var list []string
		for w := c.Wait; w != 0; w &= w - 1 {
			list = append(list, fmt.Sprint(bits.TrailingZeros8(w)))
		}
		text += " wait " + strings.Join(list, ",")
	}
	return text
}

// Controls gives the control of each operation on generations whose hardware has it, nil on
// others. At the end of a block no barrier stands but those of its last operation, for which
// the first operation of each block behind it waits. A replay has a
// scoreboard, which lets instructions go when these do: stall counts are their latencies.
func (l *Lowered) Controls() []Control {
	if l.Generation == nil || !l.Generation.Controlled {
		return nil
	}
	out := make([]Control, len(l.Kernel.Instructions))
	behind := overwrittenBehind(l.Kernel)
	for i := range l.Kernel.Blocks {
		b := &l.Kernel.Blocks[i]
		if b.Count > 0 {
			w := controlWriter{g: l.Generation, code: l.Kernel.Instructions[b.First : b.First+b.Count], out: out[b.First : b.First+b.Count], behind: behind[i]}
			w.block()
		}
	}
	for i := range l.Kernel.Blocks {
		if b := &l.Kernel.Blocks[i]; b.Count > 0 {
			last := &out[b.First+b.Count-1]
			if mask := last.sets(); mask != 0 {
				last.Stall = max(last.Stall, 2)
				l.awaited(i, mask, out, map[uint32]bool{})
			}
		}
	}
	return out
}

// sets are the barriers that an operation sets.
func (c *Control) sets() (mask uint8) {
	for _, b := range [...]int8{c.Write, c.Read} {
		if b >= 0 {
			mask |= 1 << b
		}
	}
	return mask
}

// awaited lets the first operations behind a block wait for barriers; seen are the blocks
// without operations on the way.
func (l *Lowered) awaited(block int, mask uint8, out []Control, seen map[uint32]bool) {
	for _, s := range l.Kernel.Blocks[block].Successors {
		if int(s) >= len(l.Kernel.Blocks) || seen[s] {
			continue
		}
		if b := &l.Kernel.Blocks[s]; b.Count > 0 {
			out[b.First].Wait |= mask
			continue
		}
		seen[s] = true
		l.awaited(int(s), mask, out, seen)
	}
}

// place is a word of a register file.
type place struct {
	file   trace.RegisterFile
	number uint16
}

// placesOf lists the words of registers.
func placesOf(list []trace.Register) []place {
	var out []place
	for _, r := range list {
		for w := range max(r.Words, 1) {
			out = append(out, place{r.File, r.Number + uint16(w)})
		}
	}
	return out
}

// late reports whether an operation answers after a time that the assembler does not know.
// Double precision has a pipe of its own in each sub-core of Volta, and one that is shared
// later.
func (g *Generation) late(in *trace.Instruction) bool {
	switch in.Class {
	case trace.ClassLoad, trace.ClassStore, trace.ClassAtomic, trace.ClassTexture, trace.ClassBulk, trace.ClassSpecial, trace.ClassConvert, trace.ClassShuffle, trace.ClassTensor:
		return true
	case trace.ClassF64Add, trace.ClassF64Mul, trace.ClassF64Fma, trace.ClassF64MinMax, trace.ClassF64Div:
		return g.Name != "volta"
	}
	return in.Opcode == "S2R"
}

// controlWriter works on one block.
type controlWriter struct {
	g    *Generation
	code []trace.Instruction
	out  []Control

	ready map[place]int // when what takes a known time is there
	// written and read are the barriers on which registers depend that are yet to be written,
	// or to be read, a bit each: several operations may be about to read one.
	written, read map[place]uint8
	since         [Barriers]int  // the operation that took a barrier last; -1: it is free
	results       [Barriers]bool // whether it falls when results are there, or when sources have been read
	last          map[place]int  // by place: the last operation of the block that writes it
	behind        places         // what blocks behind this one may write
}

func (w *controlWriter) block() {
	w.ready, w.written, w.read, w.last = map[place]int{}, map[place]uint8{}, map[place]uint8{}, map[place]int{}
	for b := range w.since {
		w.since[b] = -1
	}
	reads, writes := make([][]place, len(w.code)), make([][]place, len(w.code))
	var list []trace.Register
	for i := range w.code {
		list = w.code[i].Reads(list[:0])
		reads[i] = placesOf(list)
		list = w.code[i].Writes(list[:0])
		writes[i] = placesOf(list)
		for _, p := range writes[i] {
			w.last[p] = i
		}
	}
	now := -1
	for i := range w.code {
		c := Control{Stall: 1, Write: -1, Read: -1}
		at := now + 1
		for _, p := range reads[i] {
			c.Wait |= w.written[p]
			at = max(at, w.ready[p])
		}
		for _, p := range writes[i] {
			c.Wait |= w.written[p] | w.read[p]
		}
		if i == len(w.code)-1 {
			for b, since := range w.since {
				if since >= 0 {
					c.Wait |= 1 << b
				}
			}
		}
		if i > 0 && c.Wait&w.taken(i-1) != 0 { // a barrier stands from the second cycle on
			at = max(at, now+2)
		}
		if i > 0 {
			w.out[i-1].Stall = uint8(min(at-now, maxStall))
		}
		w.release(c.Wait)
		if w.g.late(&w.code[i]) {
			if len(writes[i]) > 0 {
				c.Write = w.take(i, true, w.written, writes[i])
			}
			if over := slices.DeleteFunc(slices.Clone(reads[i]), func(p place) bool {
				return w.last[p] <= i && !w.behind.has(p) || slices.Contains(writes[i], p)
			}); len(over) > 0 {
				c.Read = w.take(i, false, w.read, over)
			}
		} else {
			for _, p := range writes[i] {
				w.ready[p] = at + w.g.Latency
			}
		}
		w.out[i], now = c, at
	}
	w.end(now)
}

// end lets what comes behind the block find all results, and no barrier.
func (w *controlWriter) end(now int) {
	last := &w.out[len(w.out)-1]
	stall := 1
	for _, at := range w.ready {
		stall = max(stall, at-now)
	}
	last.Stall = uint8(min(stall, maxStall))
}

// taken is the barriers that operation i has set.
func (w *controlWriter) taken(i int) uint8 {
	mask := uint8(0)
	for b, since := range w.since {
		if since == i {
			mask |= 1 << b
		}
	}
	return mask
}

// release frees barriers that have been waited for.
func (w *controlWriter) release(mask uint8) {
	for b := range int8(Barriers) {
		if mask>>b&1 == 0 {
			continue
		}
		w.since[b] = -1
	}
	for _, of := range []map[place]uint8{w.written, w.read} {
		for p := range of {
			if of[p] &^= mask; of[p] == 0 {
				delete(of, p)
			}
		}
	}
}

// take sets a barrier for places. It falls with the last of its operations. Sources are read
// long before results are there, so that what waits for sources should not wait for results. So
// each kind leaves the other one a barrier: with five in use it sets again the one that it has set last.
func (w *controlWriter) take(i int, results bool, of map[place]uint8, places []place) int8 {
	chosen, last, used := -1, -1, 0
	for b, since := range w.since {
		if since >= 0 && w.results[b] == results {
			used++
			if since > last {
				chosen, last = b, since
			}
		}
	}
	if free := slices.Index(w.since[:], -1); free >= 0 && used < Barriers-1 {
		chosen = free
	}
	w.since[chosen], w.results[chosen] = i, results
	for _, p := range places {
		of[p] |= 1 << chosen
	}
	return int8(chosen)
}
