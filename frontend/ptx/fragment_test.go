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
