// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"
	"math/bits"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// warpgroupRows is the number of rows of d that each warp has.
const warpgroupRows = 16

// warpgroupColumns is the most columns of a, or the most elements of a row that a sparse a has.
const warpgroupColumns = 32

// maxWarpgroupSums is the most sums of a warp.
const maxWarpgroupSums = warpgroupRows * 256

// runWarpgroupProduct multiplies floating-point matrices as runHalfProduct does.
// Products are exact (those of 8-bit numbers, too, fit .f32) and added in ascending
// k. Each step rounds to nearest even in .f32, and .f16 results are rounded once
// more.
func runWarpgroupProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*warpgroupProduct)
	if mask == 0 {
		return nil
	}
	s, err := c.join(k, op, mask)
	if err != nil {
		return err
	}
	kept, err := c.kept(k)
	if err != nil {
		return err
	}
	c.sums = resized(c.sums, warpgroupRows*k.n)
	sums := c.sums
	if kept {
		c.unpackSums(&k.d, sums) // all of them: a fragment has each element
	} else {
		clear(sums)
	}
	member := c.identity.Warp % coexecution.WarpgroupWarps
	if c.product == nil {
		c.product = new(productMatrices)
	}
	a := c.product.rows[:warpgroupRows*k.packed()]
	clear(a)
	if len(k.a.registers) > 0 {
		c.unpackRows(k, a)
	} else {
		copy(a, s.A[member*len(a):])
	}
	if k.negate {
		for i := range a {
			a[i] = -a[i]
		}
	}
	if err := c.multiplyRows(k, sums, a, s.B); err != nil {
		return err
	}
	c.packSums(&k.d, sums)
	c.identity.Block.Warpgroups[c.identity.Warp/coexecution.WarpgroupWarps].Leave()
	return nil
}

// multiplyRows adds the products of the warp's rows of a with all columns of b.
func (c *warpContext) multiplyRows(k *warpgroupProduct, sums, a, b []float32) error {
	row := k.packed()
	if k.sparse == nil {
		lanes.AddProducts(sums, a, b, row, k.n)
		return nil
	}
	var rows sparseRows
	if err := c.places(k.sparse, &rows); err != nil {
		return err
	}
	for i := range warpgroupRows {
		addSparseRow(sums[i*k.n:][:k.n], a[i*row:][:row], &rows[i], b)
	}
	return nil
}

// unpackRows reads the warp's rows of a from its registers.
func (c *warpContext) unpackRows(k *warpgroupProduct, a []float32) {
	var line [4]byte
	f := &k.a
	for r, slot := range f.registers {
		for i, v := range lanes.Of[uint32](c.at(slot)) {
			binary.LittleEndian.PutUint32(line[:], v)
			for p := range f.parts {
				a[f.index[(r*trace.WarpSize+i)*f.parts+p]] = elementOf(k.factorA.typ, line[:], p)
			}
		}
	}
}

// runWholeWarpgroupProduct multiplies matrices of 8-bit integers or single bits.
// Sums are exact; they wrap around, or with .satfinite end at the limits of .s32.
func runWholeWarpgroupProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*warpgroupProduct)
	if mask == 0 {
		return nil
	}
	s, err := c.join(k, op, mask)
	if err != nil {
		return err
	}
	kept, err := c.kept(k)
	if err != nil {
		return err
	}
	var sums [maxWarpgroupSums]int64
	var rows [warpgroupRows * factorBytes / 4]uint32
	if kept {
		c.unpackIntegers(&k.d, sums[:])
	}
	if len(k.a.registers) > 0 {
		c.unpackRowWords(k, &rows)
	} else {
		copy(rows[:], s.WholeA[c.identity.Warp%coexecution.WarpgroupWarps*len(rows):])
	}
	var places *sparseRows
	if k.sparse != nil {
		places = &sparseRows{}
		if err := c.places(k.sparse, places); err != nil {
			return err
		}
	}
	for i := range warpgroupRows {
		k.addWholeRow(places, i, (*[factorBytes / 4]uint32)(rows[i*factorBytes/4:]), s, sums[i*k.n:][:k.n])
	}
	c.packIntegers(&k.d, k.saturate, sums[:])
	c.identity.Block.Warpgroups[c.identity.Warp/coexecution.WarpgroupWarps].Leave()
	return nil
}

// unpackRowWords reads the warp's rows of a from its registers, as words in memory.
func (c *warpContext) unpackRowWords(k *warpgroupProduct, rows *[warpgroupRows * factorBytes / 4]uint32) {
	f := &k.a
	for r, slot := range f.registers {
		for i, v := range lanes.Of[uint32](c.at(slot)) {
			rows[int(f.index[(r*trace.WarpSize+i)*f.parts])/f.parts] = v
		}
	}
}

// addWholeRow adds the products of row number i of a with all columns of b; places has
// where the elements of a sparse row stand.
func (k *warpgroupProduct) addWholeRow(places *sparseRows, i int, row *[factorBytes / 4]uint32, s *coexecution.WarpgroupStep, sums []int64) {
	if k.bits {
		for j := range sums {
			for w, v := range row {
				sums[j] += int64(bits.OnesCount32(v & s.WholeB[j*len(row)+w]))
			}
		}
		return
	}
	for p := range factorBytes {
		x := int64(byteOf(k.factorA.typ, byte(row[p/4]>>(8*(p%4)))))
		at := p
		if places != nil {
			at = int(places[i][p])
		}
		for j, y := range s.ColumnsBytes[at*k.n:][:k.n] {
			sums[j] += x * int64(y)
		}
	}
}
