// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// fragmentMap says which element of a matrix every part of a lane's registers
// holds: index has for register r, lane i and part p, at
// (r*trace.WarpSize+i)*parts+p, the element's row-major index. Where fragments hold
// several copies of the matrix, registers and lanes are those of the first.
type fragmentMap struct {
	registers []uint32
	lanes     int
	parts     int // elements in a register
	index     []uint16
	tiled     bool // see tiles
}

func newFragmentMap(slots []uint32, t ptx.Type) fragmentMap {
	parts := max(1, 32/t.Bits())
	return fragmentMap{registers: slots, lanes: trace.WarpSize, parts: parts, index: make([]uint16, len(slots)*trace.WarpSize*parts)}
}

// set enters one element; n counts the elements of a lane in its registers.
func (f *fragmentMap) set(lane, n, element int) {
	f.index[(n/f.parts*trace.WarpSize+lane)*f.parts+n%f.parts] = uint16(element)
}

// wmmaMap is the map of a wmma fragment as ptx.Fragment distributes it.
func wmmaMap(slots []uint32, rows, columns int, t ptx.Type, columnMajor bool) fragmentMap {
	lines, length := rows, columns
	if columnMajor {
		lines, length = columns, rows
	}
	g := ptx.NewFragment(lines, length, len(slots), t)
	f := newFragmentMap(slots[:g.Piece*t.Bits()/max(32, t.Bits())], t)
	f.lanes = g.Pieces()
	for lane := range f.lanes {
		line, start := g.Place(lane)
		for n := range g.Piece {
			position := start + n
			if columnMajor {
				f.set(lane, n, position*columns+line)
			} else {
				f.set(lane, n, line*columns+position)
			}
		}
	}
	return f
}

// mmaMap is the map of an mma.sync fragment of a or b, which PTX defines
// (9.7.14.5, "Matrix Fragments for mma..."). Lanes are in groups of four. The
// group counts the rows of a, or the columns of b; the place in the group
// counts registers' worths of the other index, k. The registers of a alternate
// between rows eight apart, then go on in k; those of b go on in k.
func mmaMap(slots []uint32, columns int, t ptx.Type, b bool) fragmentMap {
	f := newFragmentMap(slots, t)
	for lane := range trace.WarpSize {
		group, place := lane/4, lane%4
		for r := range slots {
			for p := range f.parts {
				at := place*f.parts + p
				if b {
					f.set(lane, r*f.parts+p, (at+4*f.parts*r)*columns+group)
				} else {
					f.set(lane, r*f.parts+p, (group+8*(r%2))*columns+at+4*f.parts*(r/2))
				}
			}
		}
	}
	return f
}

// accumulatorMap is the map of an mma.sync fragment of c or d: lanes in groups
// of four, which count rows; the place in the group counts pairs of columns.
// The second pair lies eight rows on.
func accumulatorMap(slots []uint32, columns int, t ptx.Type) fragmentMap {
	f := newFragmentMap(slots, t)
	for lane := range trace.WarpSize {
		for n := range len(slots) * f.parts {
			f.set(lane, n, (lane/4+8*(n/2))*columns+lane%4*2+n%2)
		}
	}
	f.tiled = f.tiles()
	return f
}

// quadProducts is the number of products that mma.m8n8k4 on .f16 matrices
// computes at once: lanes 4q to 4q+3 and 4q+16 to 4q+19 share product q
// (9.7.14.5.1).
const quadProducts = 4

// quadMap is the map of a fragment of mma.m8n8k4 on .f16 matrices. Every product
// has a matrix of the given size and columns; the matrices follow each other.
// Function place gives the row and column of element n of a lane, by the lane's
// number in its group of four. Argument high is zero in the lower half of the warp.
func quadMap(slots []uint32, size, columns int, t ptx.Type, place func(lane, high, n int) (row, column int)) fragmentMap {
	f := newFragmentMap(slots, t)
	for lane := range trace.WarpSize {
		for n := range len(slots) * f.parts {
			row, column := place(lane%4, lane/16*4, n)
			f.set(lane, n, lane%16/4*size+row*columns+column)
		}
	}
	return f
}

// The places of the elements of mma.m8n8k4: of a .row matrix a, which is 8 x 4,
// a lane has a row. Of a .col one it has a column of the upper or lower half.
// Those of b, 4 x 8, are the same the other way round.
func quadLine(lane, high, n int) (row, column int)  { return lane + high, n }
func quadCross(lane, high, n int) (row, column int) { return n + high, lane }

func transposed(place func(lane, high, n int) (int, int)) func(lane, high, n int) (int, int) {
	return func(lane, high, n int) (int, int) {
		column, row := place(lane, high, n)
		return row, column
	}
}

// quadSums are the places of .f32 accumulators; .f16 ones lie in lines.
func quadSums(lane, high, n int) (row, column int) {
	return lane&1 + n&2 + high, n&4 + lane&2 + n&1
}
