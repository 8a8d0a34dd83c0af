// SPDX-License-Identifier: Apache-2.0

package lanecode

import (
	"github.com/warptape/warptape/trace/internal/columns"
	"github.com/warptape/warptape/trace/internal/lanevector"
)

// Encoder chooses how the explicit lanes of a stream are stored, and stores
// them. Every model is tried on a sample, the best ones on more of it.
type Encoder struct {
	Model     Model
	Units     []uint64 // of all explicit lanes
	Codes     []uint64 // of the choice that was written last
	Classes   []byte   // of codes
	Written   Choice
	Counted   ClassCounts // of codes
	Packed    columns.BitWriter
	Watch     Watch
	Addresses [WarpLanes]uint64
	Entropy   EntropyEncoder
	Symbols   symbolWriter
	patterns  patternTable
	Column    []byte // under construction

	Contexts [WarpLanes]uint8 // of the execution at hand
}

// Choice is a model with what it needs to know.
type Choice struct {
	Model     int
	Companion int  // place in plan.memory
	Unit      uint // bits that a companion's addresses are shifted by
	Step      uint
}

// OpenBits packs the open bits of the codes.
func (z *Encoder) OpenBits() []byte {
	z.Packed.Reset()
	lanevector.PackOpen(&z.Packed, z.Codes, z.Classes)
	return z.Packed.Bytes()
}

// Classify keeps the codes of an execution from a place on, and counts their classes.
func (z *Encoder) Classify(at int, mask uint32, codes *[WarpLanes]uint64) (lanes int) {
	t := &z.Counted
	if mask == AllWarpLanes {
		*(*[WarpLanes]uint64)(z.Codes[at:]) = *codes
		t.addClasses((*[WarpLanes]byte)(z.Classes[at:]), codes, WarpLanes)
		return WarpLanes
	}
	if n, ok := Prefix(mask); ok {
		var classes [WarpLanes]byte
		t.addClasses(&classes, codes, n)
		copy(z.Codes[at:], codes[:n])
		copy(z.Classes[at:], classes[:n])
		return n
	}
	start, all := at, t.All
	for ; mask != 0; mask &= mask - 1 {
		code := codes[Lane(mask)]
		class := classOf(code)
		z.Codes[at], z.Classes[at] = code, class
		t.counts[class]++
		all |= code
		at++
	}
	t.All = all
	return at - start
}
