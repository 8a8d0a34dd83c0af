// SPDX-License-Identifier: Apache-2.0

package datafile

import (
	"bytes"
	"slices"
	"testing"

	"github.com/warptape/warptape/frontend/host/array"
)

func FuzzNPY(f *testing.F) {
	for _, name := range []string{"f4.npy", "f4-fortran.npy", "i8-big-endian.npy", "scalar.npy", "structured.npy", "version3.npy"} {
		f.Add(testdata(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := NPY(space(), bytes.NewReader(text), int64(len(text)))
		if err == nil && a.ByteSize() > uint64(len(text)) {
			t.Errorf("%v of %d bytes", a, len(text))
		}
	})
}

func FuzzMatrixMarket(f *testing.F) {
	for _, name := range []string{"general.mtx", "symmetric.mtx", "skew.mtx", "pattern.mtx", "dense.mtx"} {
		f.Add(testdata(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := MatrixMarket(space(), text, array.F32)
		if err != nil {
			DenseMatrix(space(), text, array.F32)
			return
		}
		offsets := ints(m.Offsets)
		if len(offsets) != m.Rows+1 || !slices.IsSorted(offsets) || offsets[0] != 0 || offsets[m.Rows] != m.Indices.Len() {
			t.Fatalf("offsets %v of %d rows and %d entries", offsets, m.Rows, m.Indices.Len())
		}
		for i := range m.Rows {
			if row := ints(m.Indices)[offsets[i]:offsets[i+1]]; !slices.IsSorted(row) || len(row) > 0 && (row[0] < 0 || row[len(row)-1] >= m.Columns) {
				t.Fatalf("row %d: %v of %d columns", i, row, m.Columns)
			}
		}
	})
}

func FuzzTable(f *testing.F) {
	f.Add([]byte("x,y\n1,2\n"), 1, true)
	f.Add([]byte("1 2\n3 4\n"), 0, false)
	f.Fuzz(func(t *testing.T, text []byte, skip int, table bool) {
		if table {
			Table(space(), text, ',', array.F64, skip, nil)
			return
		}
		Numbers(space(), text, array.I16, skip, -1)
	})
}
