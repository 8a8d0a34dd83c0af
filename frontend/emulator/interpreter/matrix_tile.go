// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// Accumulators of .f32 of mma.sync and wgmma have 16 rows, and lie in tiles of eight rows and eight
// columns (9.7.14.5, 9.7.15.5). A tile takes two registers. Four neighbouring lanes have a row of
// it: the first register its even columns, the second its odd ones. The tile eight rows further
// down follows, and then the tiles of the next eight columns.

// tiles reports whether a map is of such a matrix.
func (f *fragmentMap) tiles() bool {
	if f.parts != 1 || f.lanes != trace.WarpSize || len(f.registers) == 0 || len(f.registers)%4 != 0 {
		return false
	}
	for at, element := range f.index {
		r, lane := at/trace.WarpSize, at%trace.WarpSize
		row, column := lane/4+8*(r/2%2), r/4*8+lane%4*2+r%2
		if int(element) != row*f.tiledColumns()+column {
			return false
		}
	}
	return true
}

// tiledColumns is the number of columns of a matrix that lies in tiles.
func (f *fragmentMap) tiledColumns() int { return 2 * len(f.registers) }

// tile is the part of a matrix where the tile of two registers begins, from register r on.
func (f *fragmentMap) tile(r int, matrix []float32) []float32 {
	return matrix[r/2%2*8*f.tiledColumns()+r/4*8:]
}

// unpackTiles is unpackSums of a matrix that lies in tiles.
func (c *warpContext) unpackTiles(f *fragmentMap, matrix []float32) {
	columns := f.tiledColumns()
	for r := 0; r < len(f.registers); r += 2 {
		x, y := lanes.Of[float32](c.at(f.registers[r])), lanes.Of[float32](c.at(f.registers[r+1]))
		tile := f.tile(r, matrix)
		for i := range 8 {
			row := (*[8]float32)(tile[i*columns:])
			even, odd := (*[4]float32)(x[4*i:]), (*[4]float32)(y[4*i:])
			row[0], row[1], row[2], row[3] = even[0], odd[0], even[1], odd[1]
			row[4], row[5], row[6], row[7] = even[2], odd[2], even[3], odd[3]
		}
	}
}

// packTiles is packSums of a matrix that lies in tiles.
func (c *warpContext) packTiles(f *fragmentMap, matrix []float32) {
	columns := f.tiledColumns()
	for r := 0; r < len(f.registers); r += 2 {
		x, y := lanes.Of[uint32](c.at(f.registers[r])), lanes.Of[uint32](c.at(f.registers[r+1]))
		tile, nans := f.tile(r, matrix), uint32(0)
		for i := range 8 {
			row := (*[8]float32)(tile[i*columns:])
			even, odd := (*[4]uint32)(x[4*i:]), (*[4]uint32)(y[4*i:])
			for q := range even {
				a, b := math.Float32bits(row[2*q]), math.Float32bits(row[2*q+1])
				even[q], odd[q] = a, b
				nans |= notNumber(a) | notNumber(b)
			}
		}
		if nans>>31 != 0 {
			canonicalLanes(x)
			canonicalLanes(y)
		}
	}
}

// notNumber has the highest bit set if the bits of a number are those of a NaN.
func notNumber(bits uint32) uint32 {
	const infinity = 0x7f800000
	return infinity - bits&(1<<31-1)
}

// canonicalLanes makes every NaN of a register the canonical one.
func canonicalLanes(register *[trace.WarpSize]uint32) {
	for i, v := range register {
		register[i] = canonicalBits(math.Float32frombits(v))
	}
}

// canonicalBits gives the bits of a number; every NaN has those of the canonical one.
func canonicalBits(v float32) uint32 {
	if v != v {
		v = lanes.Canonical32
	}
	return math.Float32bits(v)
}
