// SPDX-License-Identifier: Apache-2.0

package ptx

import "slices"

// MatrixShape gives m, n and k of wmma and mma: a is m x k, b is k x n, c and d
// are m x n elements (9.7.14.1). All are zero for other instructions.
func (in *Instruction) MatrixShape() (m, n, k int) {
	for _, s := range matrixShapes {
		if in.Mods.Has(s.mod) {
			return s.m, s.n, s.k
		}
	}
	return 0, 0, 0
}

var matrixShapes = []struct {
	mod     Mod
	m, n, k int
}{
	{ModM16n16k16, 16, 16, 16}, {ModM8n32k16, 8, 32, 16}, {ModM32n8k16, 32, 8, 16},
	{ModM16n8k16, 16, 8, 16}, {ModM16n8k8, 16, 8, 8},
	{ModM16n16k8, 16, 16, 8}, {ModM16n8k4, 16, 8, 4}, {ModM16n8k32, 16, 8, 32}, {ModM8n8k4, 8, 8, 4}, {ModM8n8k16, 8, 8, 16},
	{ModM8n8k32, 8, 8, 32}, {ModM16n8k64, 16, 8, 64},
	{ModM8n8k128, 8, 8, 128}, {ModM16n8k128, 16, 8, 128}, {ModM16n8k256, 16, 8, 256},
}

// Fragment says how wmma.load and wmma.store distribute a matrix over the
// lanes. PTX leaves that to the machine (9.7.14.4.1). Here the matrix is read in
// the order of memory, line by line (rows of a .row matrix, columns of a .col
// one). Every lane moves one piece of a line: lane i moves piece i modulo their
// number. A piece is as much as a lane's registers hold, or a whole shorter
// line; the registers then hold several copies of it.
type Fragment struct {
	Lines, Length int // of the matrix in memory; Length in elements
	Piece         int // elements that a lane moves
	ElementBits   int
}

// Pieces is the number of pieces that the matrix has, at most 32.
func (f *Fragment) Pieces() int { return f.Lines * f.Length / f.Piece }

// Place gives the line of lane i's piece and where in the line it begins, in
// elements.
func (f *Fragment) Place(lane int) (line, start int) {
	element := lane % f.Pieces() * f.Piece
	return element / f.Length, element % f.Length
}

// ByteOffset is the offset of an element, counted with strides, from the matrix's address. One
// that does not begin with a byte, as strides of 4-bit integers and single bits can have it, gets
// an odd address, which is misaligned.
func (f *Fragment) ByteOffset(element uint64) uint64 {
	bits := element * uint64(f.ElementBits)
	if bits%8 != 0 {
		return bits/8 | 1
	}
	return bits / 8
}

// Offset is that of lane i's piece, with a stride of elements from line to line.
func (f *Fragment) Offset(lane int, stride uint32) uint64 {
	line, start := f.Place(lane)
	return f.ByteOffset(uint64(line)*uint64(stride) + uint64(start))
}

// Fragment describes what wmma.load or wmma.store moves; nil for other
// instructions.
func (in *Instruction) Fragment() *Fragment {
	vector := slices.IndexFunc(in.Operands, func(o Operand) bool { return o.Kind == OperandVector })
	if in.Op != OpWmma || in.Mods.Has(ModMma) || vector < 0 {
		return nil
	}
	rows, columns := in.matrixSize()
	f := NewFragment(rows, columns, len(in.Operands[vector].Elements), in.Types[0])
	if in.Mods.Has(ModCol) {
		f = NewFragment(columns, rows, len(in.Operands[vector].Elements), in.Types[0])
	}
	return &f
}

// NewFragment distributes a matrix of lines that a lane holds in the given
// number of registers, of 64 bits for .f64 and of 32 for all others.
func NewFragment(lines, length, registers int, t Type) Fragment {
	return Fragment{Lines: lines, Length: length, Piece: min(length, registers*max(32, t.Bits())/t.Bits()), ElementBits: t.Bits()}
}

// matrixSize gives the size of the matrix that wmma.load or wmma.store names.
func (in *Instruction) matrixSize() (rows, columns int) {
	m, n, k := in.MatrixShape()
	switch {
	case in.Mods.Has(ModA):
		return m, k
	case in.Mods.Has(ModB):
		return k, n
	}
	return m, n
}

// LaneBytes is what one lane of a memory instruction moves: an element or a
// vector; a piece of a matrix (see Fragment), a row of one for ldmatrix and
// stmatrix. Of a texture it is one word, since the size of a texel is known
// only when a texture is bound.
func (in *Instruction) LaneBytes() int {
	switch in.Op {
	case OpTex, OpTld4:
		return 4
	case OpCp:
		if in.Bulk() {
			return 0 // as many as it says
		}
		if len(in.Operands) > 2 {
			return int(in.Operands[2].Value)
		}
	case OpLdmatrix, OpStmatrix:
		return 16 // a row of a matrix
	}
	if f := in.Fragment(); f != nil {
		return f.Piece * f.ElementBits / 8
	}
	return in.Vector * in.Types[0].Bytes()
}
