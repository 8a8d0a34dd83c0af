// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"encoding/binary"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// rowsOperation is ldmatrix or stmatrix (9.7.14.5.15, 9.7.14.5.16): matrices
// of 8 x 8 elements of 16 bits, whose rows lie at the addresses of eight lanes
// each.
type rowsOperation struct {
	access    accessOperation
	registers []uint32
	transpose bool
}

// The rows of a matrix, and their bytes.
const (
	rowsOfMatrix = 8
	rowBytes     = 16
)

// matrixRows lowers ldmatrix, stmatrix and movmatrix.
func (l *lowering) matrixRows(in *ptx.Instruction, traced bool) (operation, error) {
	if in.Op == ptx.OpMovmatrix {
		d, err := l.destination(&in.Operands[0], 32)
		if err != nil {
			return operation{}, err
		}
		a, err := l.source(&in.Operands[1], 32)
		return operation{kind: kindRun, run: runTransposition, d: d, a: a}, err
	}
	place, vector := &in.Operands[1], &in.Operands[0]
	if in.Op == ptx.OpStmatrix {
		place, vector = vector, place
	}
	access, err := l.access(in, place, traced)
	if err != nil {
		return operation{}, err
	}
	k := &rowsOperation{access: *access, transpose: in.Mods.Has(ptx.ModTrans)}
	k.access.bytes, k.access.write, k.access.verb = rowBytes, in.Op == ptx.OpStmatrix, in.Op.String()
	k.registers, err = l.fragmentSlots(vector, k.access.write, 32)
	return operation{kind: kindRun, run: runMatrixRows, always: traced, extra: k}, err
}

// runMatrixRows moves the matrices. Lanes whose addresses are not used appear
// in the trace with those of the lanes that give the same rows.
func runMatrixRows(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*rowsOperation)
	if mask != lanes.FullMask && mask != 0 {
		return partialWarp(k.access.verb, mask)
	}
	c.locate(&k.access, mask)
	s, rows := &c.access, len(k.registers)*rowsOfMatrix
	if mask != 0 && rows < trace.WarpSize {
		for i := range s.addresses {
			s.addresses[i] = s.address(i % rows)
		}
		s.strided = false
	}
	c.trace(&k.access, mask)
	if mask == 0 {
		return nil
	}
	for m, slot := range k.registers {
		var matrix [rowsOfMatrix][rowBytes / 2]uint16
		z := lanes.Of[uint32](c.at(slot))
		if k.access.write {
			for i, v := range z {
				k.place(&matrix, i, func(e *uint16, part int) { *e = uint16(v >> (16 * part)) })
			}
		}
		if err := c.moveRows(k, m, &matrix); err != nil {
			return err
		}
		if !k.access.write {
			for i := range z {
				var v uint32
				k.place(&matrix, i, func(e *uint16, part int) { v |= uint32(*e) << (16 * part) })
				z[i] = v
			}
		}
	}
	return nil
}

// place visits the two elements that lane i holds: neighbours in row i/4, or in
// the transposed matrix.
func (k *rowsOperation) place(matrix *[rowsOfMatrix][rowBytes / 2]uint16, i int, visit func(e *uint16, part int)) {
	for part := range 2 {
		row, column := i/4, i%4*2+part
		if k.transpose {
			row, column = column, row
		}
		visit(&matrix[row][column], part)
	}
}

// moveRows moves the rows of matrix m from or to memory.
func (c *warpContext) moveRows(k *rowsOperation, m int, matrix *[rowsOfMatrix][rowBytes / 2]uint16) error {
	for row := range matrix {
		b, err := c.resolve(&k.access, m*rowsOfMatrix+row)
		if err != nil {
			return err
		}
		for e := range matrix[row] {
			if k.access.write {
				binary.LittleEndian.PutUint16(b[2*e:], matrix[row][e])
			} else {
				matrix[row][e] = binary.LittleEndian.Uint16(b[2*e:])
			}
		}
	}
	return nil
}

// runTransposition is movmatrix (9.7.14.5.17).
func runTransposition(c *warpContext, op *operation, mask uint32) error {
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	var matrix [rowsOfMatrix][rowBytes / 2]uint16
	straight, turned := rowsOperation{}, rowsOperation{transpose: true}
	for i, v := range lanes.Of[uint32](c.at(op.a)) {
		straight.place(&matrix, i, func(e *uint16, part int) { *e = uint16(v >> (16 * part)) })
	}
	z := lanes.Of[uint32](c.at(op.d))
	for i := range z {
		var v uint32
		turned.place(&matrix, i, func(e *uint16, part int) { v |= uint32(*e) << (16 * part) })
		z[i] = v
	}
	return nil
}
