// SPDX-License-Identifier: Apache-2.0

package datafile

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/host/array"
)

func space() *array.Space { return array.NewSpace(1 << 24) }

// testdata reads a file that NumPy 1.24 or SciPy 1.10 wrote.
func testdata(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func floats(a *array.Array) []float64 {
	list := make([]float64, a.Len())
	for i := range list {
		list[i] = a.Float(i)
	}
	return list
}

func ints(a *array.Array) []int {
	list := make([]int, a.Len())
	for i := range list {
		list[i] = int(a.Int(i))
	}
	return list
}

func TestArraysThatNumPyWrote(t *testing.T) {
	counted := make([]float64, 24)
	for i := range counted {
		counted[i] = float64(i)
	}
	for _, x := range []struct {
		name  string
		typ   array.Type
		shape []int
		want  []float64
	}{
		{"f4.npy", array.F32, []int{2, 3}, []float64{0, 0.25, 0.5, 0.75, 1, 1.25}},
		{"f4-fortran.npy", array.F32, []int{2, 3}, []float64{0, 0.25, 0.5, 0.75, 1, 1.25}},
		{"i8-big-endian.npy", array.I64, []int{3}, []float64{1, -2, 3 << 40}},
		{"u2-3d-fortran.npy", array.U16, []int{2, 3, 4}, counted},
		{"bool.npy", array.U8, []int{3}, []float64{1, 0, 1}},
		{"scalar.npy", array.F64, []int{}, []float64{2.5}},
		{"empty.npy", array.I32, []int{0, 3}, []float64{}},
		{"version2.npy", array.U8, []int{2}, []float64{7, 8}},
		{"version3.npy", array.I8, []int{2}, []float64{7, 8}},
	} {
		text := testdata(t, x.name)
		a, err := NPY(space(), bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		if a.ElementType() != x.typ || !slices.Equal(a.Shape(), x.shape) || !slices.Equal(floats(a), x.want) {
			t.Errorf("%s: %v, want %s%v %v", x.name, a, x.typ, x.shape, x.want)
		}
		for cut := range text {
			if _, err := NPY(space(), bytes.NewReader(text[:cut]), int64(cut)); err == nil {
				t.Fatalf("%s cut to %d bytes is read", x.name, cut)
			}
		}
	}
}

func TestArraysThatAreRefused(t *testing.T) {
	npy := func(header string) []byte {
		return append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), 0})), header...)
	}
	for want, text := range map[string][]byte{
		"array.of_f16":                    testdata(t, "f2.npy"),
		"structured arrays":               testdata(t, "structured.npy"),
		"does not start with":             []byte("PK\x03\x04 a zip file"),
		"version 9.0":                     []byte("\x93NUMPY\x09\x00\x00\x00"),
		"lacks the key shape":             npy(`{'descr': '<f4', 'fortran_order': False}`),
		"no tuple of sizes":               npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}`),
		"too many elements":               npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999999)}`),
		"the file is cut off":             npy(`{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000)}`),
		"neither True nor False":          npy(`{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}`),
		"no Python dictionary":            npy(`__import__('os').system('true')`),
		"too many brackets":               npy(strings.Repeat("[", 200)),
		`the type "<c8" is not supported`: npy(`{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}`),
	} {
		if _, err := NPY(space(), bytes.NewReader(text), int64(len(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestMatricesAreThoseThatSciPyReads(t *testing.T) {
	want := map[string]struct {
		Shape            [2]int
		Offsets, Columns []int
		Values           []float64
	}{}
	if err := json.Unmarshal(testdata(t, "scipy.json"), &want); err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		m, err := MatrixMarket(space(), testdata(t, name), array.F64)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if [2]int{m.Rows, m.Columns} != w.Shape || !slices.Equal(ints(m.Offsets), w.Offsets) || !slices.Equal(ints(m.Indices), w.Columns) || !slices.Equal(floats(m.Values), w.Values) {
			t.Errorf("%s: %+v %v %v %v, want %+v", name, m, m.Offsets, m.Indices, m.Values, w)
		}
	}
	if len(want) != 4 {
		t.Errorf("%d matrices", len(want))
	}
	a, err := DenseMatrix(space(), testdata(t, "dense.mtx"), array.F32)
	if err != nil || !slices.Equal(a.Shape(), []int{2, 3}) || !slices.Equal(floats(a), []float64{0, 0.5, 1, 1.5, 2, 2.5}) {
		t.Error(a, err)
	}
}

func TestMatricesThatAreRefused(t *testing.T) {
	const banner = "%%MatrixMarket matrix coordinate real general\n"
	for text, want := range map[string]string{
		"":               "line 1",
		"1 1 1\n1 1 2\n": "line 1",
		"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n": `the field "complex"`,
		"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 2\n":    `the symmetry "hermitian"`,
		"%%MatrixMarket matrix array real general\n1 1\n2\n":                 `format="dense"`,
		"%%MatrixMarket matrix coordinate real symmetric\n1 2 1\n1 1 2\n":    "1 rows and 2 columns",
		banner:                              "before the line of sizes",
		banner + "2 2\n":                    "2 sizes, want 3",
		banner + "2 2 999999999\n1 1 1\n":   "the file is cut off",
		banner + "2 2 2\n1 1 1\n":           "1 entries of 2",
		banner + "2 2 1\n% note\n\n3 1 1\n": `line 5: "3" is no row or column of 1 to 2`,
		banner + "2 2 1\n1 0 1\n":           `line 3: "0" is no row or column`,
		banner + "2 2 1\n1 1 1\n2 2 1\n":    "line 4: more than the 1 entries",
		banner + "2 2 2\n1 1 1\n1 1 1\n":    "row 1, column 1 has two entries",
		banner + "2 2 1\n1 1 one\n":         `"one" is no number`,
		banner + "2 2 1\n1 1\n     \n":      "line 3: 2 numbers, want 3",
		banner + "9999999999 2 1\n1 1 1\n":  `"9999999999" is no size`,
		banner + "2147483646 2 1\n1 1 1\n":  "out of memory",
	} {
		if _, err := MatrixMarket(space(), []byte(text), array.F64); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := MatrixMarket(space(), []byte("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n"), array.I32); err == nil || !strings.Contains(err.Error(), "holds integers alone") {
		t.Error(err)
	}
}

func TestTables(t *testing.T) {
	a, err := Table(space(), []byte("name,x,y\r\n\"a, b\",1, 2.5\r\nc,-3,4e1\r\n"), ',', array.F64, 1, []int{2, 1})
	if err != nil || !slices.Equal(a.Shape(), []int{2, 2}) || !slices.Equal(floats(a), []float64{2.5, 1, 40, -3}) {
		t.Error(a, err)
	}
	if a, err = Table(space(), []byte("1\t2\n\n3\t4"), '\t', array.U8, 0, nil); err != nil || !slices.Equal(floats(a), []float64{1, 2, 3, 4}) {
		t.Error(a, err)
	}
	if a, err = Table(space(), nil, ',', array.U8, 0, nil); err != nil || a.Len() != 0 {
		t.Error(a, err)
	}
	for text, want := range map[string]string{
		"x,y\n1,2\n":   `line 1, column 0: "x" is no integer: u8 holds integers alone: skip=1 leaves out a heading`,
		"1,2\n3\n":     "line 2: 1 fields, and the rows before have 2",
		"1,2\n3,256":   `line 2, column 1: "256" does not fit into u8`,
		"1,2\n3,\"4":   "line 2",
		"1,2\n3,1_0\n": `"1_0" is no integer`,
	} {
		if _, err := Table(space(), []byte(text), ',', array.U8, 0, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Table(space(), []byte("1,2\n"), ',', array.U8, 0, []int{2}); err == nil || !strings.Contains(err.Error(), "column 2: the file has 2") {
		t.Error(err)
	}
}

func TestNumbers(t *testing.T) {
	text := []byte("3 nodes\n1 2\t-3\n\n4")
	if a, err := Numbers(space(), text, array.I32, 1, -1); err != nil || !slices.Equal(floats(a), []float64{1, 2, -3, 4}) {
		t.Error(a, err)
	}
	if a, err := Numbers(space(), text, array.F32, 1, 2); err != nil || !slices.Equal(floats(a), []float64{1, 2}) {
		t.Error(a, err)
	}
	for _, x := range []struct {
		skip, count int
		want        string
	}{{0, -1, `line 1: "nodes" is no integer`}, {1, 5, "5 numbers: the file has 4"}, {9, 1, "the file has 0"}} {
		if _, err := Numbers(space(), text, array.I32, x.skip, x.count); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}

func TestRawElements(t *testing.T) {
	text := []byte{1, 0, 2, 0, 3, 0, 4}
	read := func(typ array.Type, skip int64, count int) (*array.Array, error) {
		return Raw(space(), bytes.NewReader(text), int64(len(text)), typ, skip, count)
	}
	if a, err := read(array.U16, 1, -1); err != nil || !slices.Equal(floats(a), []float64{2 << 8, 3 << 8, 4 << 8}) {
		t.Error(a, err)
	}
	if a, err := read(array.U16, 2, 1); err != nil || !slices.Equal(floats(a), []float64{2}) {
		t.Error(a, err)
	}
	for _, x := range []struct {
		skip  int64
		count int
		want  string
	}{{0, -1, "no whole number of u16"}, {8, -1, "the file has 7 bytes"}, {0, 4, "enough for 3"}, {0, 1 << 62, "enough for 3"}} {
		if _, err := read(array.U16, x.skip, x.count); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	if _, err := Raw(space(), bytes.NewReader(text), 100, array.U8, 0, -1); err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Error(err)
	}
}

// A file that claims to be large takes no more memory than the space has.
func TestAFileTakesNoMoreThanTheSpaceHas(t *testing.T) {
	small := array.NewSpace(64)
	text := bytes.Repeat([]byte("1 "), 100)
	if _, err := Numbers(small, text, array.F64, 0, -1); err == nil || !strings.Contains(err.Error(), "limit of 64 bytes") {
		t.Error(err)
	}
	if _, err := Raw(small, bytes.NewReader(text), int64(len(text)), array.U8, 0, -1); err == nil || !strings.Contains(err.Error(), "limit of 64 bytes") {
		t.Error(err)
	}
}
