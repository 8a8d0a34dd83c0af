// SPDX-License-Identifier: Apache-2.0

package ptx

import "testing"

// The lanes' pieces of every wmma fragment cover the matrix, each element as
// often as the others, and leave no register empty.
func TestFragmentsCoverTheMatrix(t *testing.T) {
	text, _ := exampleKernel()
	m, err := Parse("examples.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	body := m.Kernels[0].Body
	fragments := 0
	for i := range body {
		in := &body[i]
		f := in.Fragment()
		if f == nil {
			continue
		}
		fragments++
		covered := make([]int, f.Lines*f.Length)
		for lane := range 32 {
			line, start := f.Place(lane)
			for e := range f.Piece {
				covered[line*f.Length+start+e]++
			}
		}
		for e, n := range covered {
			if n == 0 || n != covered[0] {
				t.Fatalf("%s: element %d of %v is moved by %d lanes, the first by %d", Format(in), e, *f, n, covered[0])
			}
		}
		vector := len(in.Operands[1-in.Destinations].Elements) // behind a store's address
		held := 32 * vector * max(32, in.Types[0].Bits()) / in.Types[0].Bits()
		if held%len(covered) != 0 || 8*in.LaneBytes() != f.Piece*in.Types[0].Bits() || in.LaneBytes()%4 != 0 || in.LaneBytes() > 32 {
			t.Errorf("%s: lanes hold %d of %d elements, move %d bytes each", Format(in), held, len(covered), in.LaneBytes())
		}
		if rows, columns := in.matrixSize(); rows*columns != len(covered) {
			t.Errorf("%s moves a matrix of %d x %d as %d elements", Format(in), rows, columns, len(covered))
		}
	}
	if fragments < 100 {
		t.Errorf("only %d matrix moves seen", fragments)
	}
}

// Elements lie one behind the other, so many bits each. One that begins within a byte has an odd address.
func TestOffsetsOfElements(t *testing.T) {
	for _, c := range []struct {
		bits              int
		element, expected uint64
	}{
		{16, 0, 0}, {16, 3, 6}, {8, 5, 5}, {32, 5, 20}, {64, 5, 40}, {4, 6, 3}, {4, 8, 4}, {4, 5, 3}, {4, 7, 3}, {4, 9, 5},
		{1, 64, 8}, {1, 128, 16}, {1, 1, 1}, {1, 17, 3}, {1, 23, 3}, {1, 25, 3},
	} {
		f := Fragment{ElementBits: c.bits}
		if got := f.ByteOffset(c.element); got != c.expected {
			t.Errorf("element %d of %d bits lies at byte %d, want %d", c.element, c.bits, got, c.expected)
		}
	}
}

// With a stride longer than a line, lanes' pieces are those of a matrix in memory that is read line by line.
func TestOffsetsOfPieces(t *testing.T) {
	for _, f := range []Fragment{NewFragment(16, 16, 8, F16), NewFragment(8, 32, 1, S4), NewFragment(16, 8, 4, F64)} {
		const stride = 64
		var offsets []uint64 // of the elements of the matrix, in its order
		for line := range f.Lines {
			for e := range f.Length {
				offsets = append(offsets, uint64((line*stride+e)*f.ElementBits/8))
			}
		}
		for lane := range 32 {
			if got, want := f.Offset(lane, stride), offsets[lane*f.Piece%len(offsets)]; got != want {
				t.Errorf("%+v: lane %d moves the piece at byte %d, want %d", f, lane, got, want)
			}
		}
	}
}
