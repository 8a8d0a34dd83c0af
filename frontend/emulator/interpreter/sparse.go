// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"fmt"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// sparsity says where the elements of a sparse factor a stand in its rows (9.7.14.6.1).
// Of every four elements of a row (of .tf32 every two, of 4-bit integers every four pairs)
// half are there; metadata have their places. Figures of the ISA show the bits and
// lanes of each row: those of a row are one for each element (of .tf32 two,
// of 4-bit integers half). Rows g and g+8 are those of the lanes 4g to 4g+3. Where elements have 16 or 32
// bits, a lane has 16 bits of row g, then as many of row g+8, and the next lane goes on
// with both. Where they have 8 or 4 bits a lane has 32 bits of row g, and the next one
// those of row g+8. The two behind them go on with both.
type sparsity struct {
	metadata uint32 // slot
	lanes    int    // of every four that have metadata
	first    int    // of them
	typ      ptx.Type
	ordered  bool // the places must ascend
}

// sparsityOf is what a sparse product has beyond a dense one; nil for dense ones.
func (l *lowering) sparsityOf(in *ptx.Instruction, metadata, selector *ptx.Operand, typ ptx.Type) (*sparsity, error) {
	if !in.Sparse() {
		return nil, nil
	}
	slot, err := l.source(metadata, 32)
	n := in.MetadataLanes()
	return &sparsity{metadata: slot, lanes: n, first: int(selector.Value) * n, typ: typ, ordered: in.Mods.Has(ptx.ModSpOrdered)}, err
}

// nibble gives the four bits with the given number of a row's metadata, and the lane that
// has them.
func (s *sparsity) nibble(words *[trace.WarpSize]uint32, row, number int) (bits uint32, lane int) {
	bit := 4 * number
	group, low := row%8, row < 8
	if s.typ.Bits() >= 16 {
		lane = 4*group + s.first + bit/16
		bit %= 16
		if !low {
			bit += 16
		}
	} else {
		lane = 4*group + s.first + 2*(bit/32)
		bit %= 32
		if !low {
			lane++
		}
	}
	return words[lane] >> bit & 15, lane
}

// maxSparseRow is the most elements of a packed row: 4-bit integers with a k of 128.
const maxSparseRow = 64

// sparseRows has, for each row and element of the packed factor a, the element's k.
type sparseRows [16][maxSparseRow]uint8

// places reads the metadata of factor a.
func (c *warpContext) places(s *sparsity, rows *sparseRows) error {
	words := lanes.Of[uint32](c.at(s.metadata))
	for row := range rows {
		for n := range 4 * s.lanes { // 16 bits of a row for each lane
			bits, lane := s.nibble(words, row, n)
			if !s.entry(&rows[row], n, bits) {
				return &laneFault{lane: lane, fault: coexecution.Fault{Kind: coexecution.FaultMetadata, Detail: fmt.Sprintf(
					"the sparsity metadata 0x%08x have 0b%04b for elements of row %d: %s (PTX ISA 9.7.14.6.1)", words[lane], bits, row, s.legal())}}
			}
		}
	}
	return nil
}

// entry enters what four bits of metadata say; false where the ISA gives them no meaning.
func (s *sparsity) entry(row *[maxSparseRow]uint8, number int, bits uint32) bool {
	if s.typ == ptx.TF32 { // of halves of the elements: which of two elements it is
		row[number] = uint8(2*number) + uint8(bits>>3)
		return bits == 0b0100 || bits == 0b1110
	}
	for i := range 2 {
		place := uint8(bits >> (2 * i) & 3)
		if s.typ.Bits() == 4 { // pairs of elements: two of every four
			row[4*number+2*i], row[4*number+2*i+1] = uint8(8*number)+2*place, uint8(8*number)+2*place+1
		} else {
			row[2*number+i] = uint8(4*number) + place
		}
	}
	first, second := bits&3, bits>>2
	return first < second || !s.ordered && first != second
}

func (s *sparsity) legal() string {
	switch {
	case s.typ == ptx.TF32:
		return "of .tf32 elements only 0b0100 and 0b1110 have a meaning"
	case s.ordered:
		return "the two places must be different and ascend"
	}
	return "the two places must be different"
}

// runSparseHalfProduct is runHalfProduct with a sparse factor a: the sum goes over the
// elements that are there, in the order in which they are packed.
func runSparseHalfProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixProduct)
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	var a, b [maxFactor]float32
	var sums [maxAccumulator]float32
	var rows sparseRows
	if err := c.places(k.sparse, &rows); err != nil {
		return err
	}
	c.unpackFactor(k.factor, &k.a, &a)
	c.unpackFactor(k.factorB, &k.b, &b)
	c.unpackSums(&k.c, sums[:])
	for i := range k.m {
		addSparseRow(sums[i*k.n:][:k.n], a[i*k.k/2:][:k.k/2], &rows[i], b[:])
	}
	c.packSums(&k.d, sums[:])
	return nil
}

// addSparseRow adds the products of a packed row of a with all columns of b.
func addSparseRow(sums, a []float32, places *[maxSparseRow]uint8, b []float32) {
	for p, x := range a {
		for j, y := range b[int(places[p])*len(sums):][:len(sums)] {
			sums[j] += float32(x * y)
		}
	}
}

// runSparseByteProduct is runByteProduct with a sparse factor a.
func runSparseByteProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixProduct)
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	var a, b [maxFactor]int32
	var sums [maxAccumulator]int64
	var rows sparseRows
	if err := c.places(k.sparse, &rows); err != nil {
		return err
	}
	c.unpackBytes(&k.a, k.signed, &a)
	c.unpackBytes(&k.b, k.signedB, &b)
	c.unpackIntegers(&k.c, sums[:])
	for i := range k.m {
		for p := range k.k / 2 {
			x := a[i*k.k/2+p]
			for j, y := range b[int(rows[i][p])*k.n:][:k.n] {
				sums[i*k.n+j] += int64(x * y)
			}
		}
	}
	c.packIntegers(&k.d, k.saturate, sums[:])
	return nil
}

// runSparseWordProduct multiplies 4-bit integers; k counts words of eight.
func runSparseWordProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixProduct)
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	var a, b [maxWords]uint32
	var sums [maxAccumulator]int64
	var rows sparseRows
	const elements = 8 // of a word
	if err := c.places(k.sparse, &rows); err != nil {
		return err
	}
	c.unpackWords(&k.a, &a)
	c.unpackWords(&k.b, &b)
	c.unpackIntegers(&k.c, sums[:])
	for i := range k.m {
		for p := range k.k * elements / 2 {
			x := nibble(a[i*k.k/2+p/elements]>>(4*(p%elements)), k.signed)
			at := int(rows[i][p])
			for j := range k.n {
				sums[i*k.n+j] += x * nibble(b[at/elements*k.n+j]>>(4*(at%elements)), k.signedB)
			}
		}
	}
	c.packIntegers(&k.d, k.saturate, sums[:])
	return nil
}
