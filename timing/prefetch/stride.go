// SPDX-License-Identifier: Apache-2.0

package prefetch

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
)

// stride is a reference prediction table (Chen and Baer, "Effective Hardware-Based Data
// Prefetching for High-Performance Processors", IEEE Transactions on Computers 1995).
// Strides by instruction are of Fu, Patel and Janssens, MICRO 1992. Both are recalled and
// not looked up. An entry has the last line of an instruction, the distance from the one
// before, and one of four states; lines are proposed in the steady one. The warps of an
// SM execute the same instructions, so that an entry is of one instruction and, with
// per_warp, of one warp.
type stride struct {
	lineBytes uint64
	degree    int
	perWarp   bool
	shift     uint // of the hash
	entries   []strideEntry
}

type strideEntry struct {
	key   uint64 // instruction and warp
	last  uint64 // line
	step  int64  // bytes
	state strideState
	valid bool
}

// strideState is a state of Chen and Baer's figure.
type strideState uint8

const (
	strideInitial strideState = iota
	strideTransient
	strideSteady
	strideNone // no prediction
)

var stridePolicy = Policy{
	Parameters: []arch.CallParameter{
		degree(2),
		{Name: "entries", Unit: "entries", Min: 1, Max: 4096, Default: 64, PowerOfTwo: true, About: "of the table, which is direct-mapped", Source: "assumed"},
		{Name: "per_warp", Unit: "(0 or 1)", Min: 0, Max: 1, Default: 1, About: "1: an entry is of an instruction of one warp; 0: of all warps", Source: "assumed"},
	},
	New: func(a Arguments, lineBytes int) Prefetcher {
		n := a["entries"]
		return &stride{lineBytes: uint64(lineBytes), degree: a["degree"], perWarp: a["per_warp"] == 1, entries: make([]strideEntry, n), shift: uint(64 - bits.TrailingZeros(uint(n)))}
	},
	// A tag of instruction and warp; a line's address of 40 bits, a stride of 32, two bits
	// of state.
	Table: func(a Arguments) Table {
		return Table{Entries: a["entries"], TagBits: 32 + 6*a["per_warp"], DataBits: 40 + 32 + 2}
	},
	Source: "Chen and Baer, IEEE Transactions on Computers 1995: reference prediction table (recalled and not looked up)",
}

// Access implements Prefetcher.
func (p *stride) Access(a *Access, lines []uint64) []uint64 {
	if a.Instruction == seam.NoInstruction || !a.Leading {
		return lines
	}
	e, known := p.entry(a)
	if !known {
		return lines
	}
	step := int64(a.Line - e.last)
	if step == 0 {
		return lines // the next elements of the same line
	}
	e.learn(step)
	e.last = a.Line
	if e.state != strideSteady {
		return lines
	}
	return p.ahead(a.Line, e.step, lines)
}

// entry finds the entry of an access; when it is not known, that of another makes room.
func (p *stride) entry(a *Access) (e *strideEntry, known bool) {
	key := uint64(a.Instruction) << 32
	if p.perWarp {
		key |= uint64(a.SM)<<16 | uint64(uint16(a.Warp))
	}
	e = &p.entries[key*0x9e3779b97f4a7c15>>p.shift] // Fibonacci hashing; a shift by 64 gives zero
	if e.valid && e.key == key {
		return e, true
	}
	*e = strideEntry{key: key, last: a.Line, valid: true}
	return e, false
}

// learn moves the entry to its next state.
func (e *strideEntry) learn(step int64) {
	same := step == e.step
	switch {
	case same && e.state == strideNone:
		e.state = strideTransient
	case same:
		e.state = strideSteady
	case e.state == strideSteady:
		e.state = strideInitial // the stride stays: one irregular access is forgiven
		return
	case e.state == strideInitial:
		e.state = strideTransient
	default:
		e.state = strideNone
	}
	e.step = step
}

// ahead proposes the lines that lie a number of strides ahead.
func (p *stride) ahead(line uint64, step int64, lines []uint64) []uint64 {
	for i := range p.degree {
		lines = append(lines, line+uint64(step*int64(i+1)))
	}
	return lines
}

// Filled implements Prefetcher: the table is of accesses.
func (p *stride) Filled(uint64, bool) {}

// Reset implements Prefetcher: instructions have other numbers.
func (p *stride) Reset() { clear(p.entries) }
