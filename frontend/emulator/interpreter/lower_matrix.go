// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// matrix lowers wmma and mma (9.7.14): a warp multiplies matrices, and every lane
// holds a fragment of each.
func (l *lowering) matrix(in *ptx.Instruction, traced bool) (operation, error) {
	switch {
	case in.Op == ptx.OpMma || in.Mods.Has(ptx.ModMma):
		return l.matrixProduct(in)
	case in.Mods.Has(ptx.ModStore):
		return l.matrixMove(in, &in.Operands[0], &in.Operands[1], traced)
	}
	return l.matrixMove(in, &in.Operands[1], &in.Operands[0], traced)
}

// matrixMove lowers wmma.load and wmma.store.
func (l *lowering) matrixMove(in *ptx.Instruction, place, vector *ptx.Operand, traced bool) (operation, error) {
	access, err := l.access(in, place, traced)
	if err != nil {
		return operation{}, err
	}
	k := &matrixMove{access: *access, fragment: *in.Fragment()}
	k.access.write, k.access.verb = in.Mods.Has(ptx.ModStore), "matrix load"
	if k.access.write {
		k.access.verb = "matrix store"
	}
	k.words = in.LaneBytes() / 4
	for i := range trace.WarpSize {
		line, start := k.fragment.Place(i)
		k.line[i], k.start[i] = uint64(line), uint64(start)
	}
	k.access.bytes = uint64(min(in.LaneBytes(), maxMatrixAccess))
	if (in.Mods.Has(ptx.ModC) || in.Mods.Has(ptx.ModD)) && in.Mods.Has(ptx.ModCol) {
		k.permute = transposition(in)
	}
	k.wide = in.Types[0].Bits() == 64
	if k.registers, err = l.fragmentSlots(vector, k.access.write, in.Types[0].Bits()); err != nil {
		return operation{}, err
	}
	// Without a stride the matrix lies without gaps.
	k.stride = l.layout.constant(uint64(k.fragment.Length), false)
	if len(in.Operands) == 3 {
		k.stride, err = l.source(&in.Operands[2], 32)
	}
	return operation{kind: kindRun, run: runMatrixMove, always: traced, extra: k}, err
}

// fragmentSlots gives the slots of a fragment's registers, which hold elements
// of the given bits.
func (l *lowering) fragmentSlots(vector *ptx.Operand, read bool, bits int) ([]uint32, error) {
	slots := make([]uint32, len(vector.Elements))
	for i := range vector.Elements {
		var err error
		if slots[i], err = l.elementSlot(&vector.Elements[i], max(bits, 32), read); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// transposition maps the elements of an accumulator in the order of a .col
// matrix in memory to their order in registers, which is that of rows. A
// fragment of c or d does not know the layout that it came from.
func transposition(in *ptx.Instruction) []uint8 {
	m, n, _ := in.MatrixShape()
	permute := make([]uint8, m*n)
	for column := range n {
		for row := range m {
			permute[column*m+row] = uint8(row*n + column)
		}
	}
	return permute
}

// matrixProduct lowers wmma.mma and mma.sync.
func (l *lowering) matrixProduct(in *ptx.Instruction) (operation, error) {
	k := &matrixProduct{products: 1}
	k.m, k.n, k.k = in.MatrixShape()
	factor, other, accumulator, result := ptx.F16, ptx.F16, in.Types[1], in.Types[0]
	if in.Types[2] != ptx.TypeNone {
		factor, other, accumulator = in.Types[1], in.Types[2], in.Types[3]
	}
	k.signed, k.signedB, k.saturate = factor == ptx.S8 || factor == ptx.S4, other == ptx.S8 || other == ptx.S4, in.Mods.Has(ptx.ModSatfinite)
	k.rounding = lanes.RoundingOf(in)
	if in.Sparse() {
		var err error
		if k.sparse, err = l.sparsityOf(in, in.Named("e"), in.Named("f"), factor); err != nil {
			return operation{}, err
		}
	}
	var run runFunc
	switch factor {
	case ptx.F16, ptx.BF16, ptx.TF32, ptx.E4M3, ptx.E5M2:
		run, k.factor, k.factorB = runHalfProduct, factor, other
	case ptx.F64:
		run = runDoubleProduct
	case ptx.S4, ptx.U4, ptx.B1:
		// Their elements lie along k, so that matrices of words do.
		run, k.dot = runWordProduct, dotOf(in)
		k.k = k.k * factor.Bits() / 32
		factor, other = ptx.B32, ptx.B32
	default:
		run = runByteProduct
	}
	columnsA := k.k
	if k.sparse != nil {
		columnsA /= 2
		run = map[ptx.Type]runFunc{ptx.S4: runSparseWordProduct, ptx.U4: runSparseWordProduct, ptx.S8: runSparseByteProduct, ptx.U8: runSparseByteProduct}[k.sparse.typ]
		if run == nil {
			run = runSparseHalfProduct
		}
	}
	quads := in.Op == ptx.OpMma && factor == ptx.F16 && k.k == 4
	parts := []fragmentPart{
		{&k.d, k.m, k.n, result, false}, {&k.a, k.m, columnsA, factor, in.Mods.Has(ptx.ModCol)},
		{&k.b, k.k, k.n, other, in.Mods.Has(ptx.ModColB)}, {&k.c, k.m, k.n, accumulator, false},
	}
	for i, p := range parts {
		slots, err := l.fragmentSlots(&in.Operands[i], i > 0, p.typ.Bits())
		if err != nil {
			return operation{}, err
		}
		switch {
		case in.Op != ptx.OpMma:
			*p.into = wmmaMap(slots, p.rows, p.columns, p.typ, p.columnMajor)
		case quads:
			*p.into = quadMap(slots, p.rows*p.columns, p.columns, p.typ, p.quadPlace(i))
		case i == 1 || i == 2:
			*p.into = mmaMap(slots, p.columns, p.typ, i == 2)
		default:
			*p.into = accumulatorMap(slots, p.columns, p.typ)
		}
	}
	if quads {
		k.products = quadProducts
	}
	return operation{kind: kindRun, run: run, extra: k}, nil
}

// fragmentPart is one of the four matrices of a product.
type fragmentPart struct {
	into          *fragmentMap
	rows, columns int
	typ           ptx.Type
	columnMajor   bool
}

// quadPlace gives the places of elements in operand i of mma.m8n8k4.
func (p *fragmentPart) quadPlace(i int) func(lane, high, n int) (row, column int) {
	switch {
	case i == 1 && p.columnMajor:
		return quadCross
	case i == 2 && p.columnMajor:
		return transposed(quadLine)
	case i == 2:
		return transposed(quadCross)
	case p.typ == ptx.F32:
		return quadSums
	}
	return quadLine
}

// dotOf gives the sum of the products of two words' elements: of 4-bit integers
// with or without sign, or the ones of what .xor or .and leaves of single bits.
func dotOf(in *ptx.Instruction) func(x, y uint32) int64 {
	a, b := in.Types[1] == ptx.S4, in.Types[2] == ptx.S4
	switch {
	case in.Mods.Has(ptx.ModXor):
		return func(x, y uint32) int64 { return int64(bits.OnesCount32(x ^ y)) }
	case in.Mods.Has(ptx.ModAnd):
		return func(x, y uint32) int64 { return int64(bits.OnesCount32(x & y)) }
	}
	return func(x, y uint32) int64 {
		sum := int64(0)
		for at := 0; at < 32; at += 4 {
			sum += nibble(x>>at, a) * nibble(y>>at, b)
		}
		return sum
	}
}

// nibble is the value of the lowest four bits.
func nibble(v uint32, signed bool) int64 {
	if signed {
		return int64(int32(v<<28) >> 28)
	}
	return int64(v & 0xf)
}
