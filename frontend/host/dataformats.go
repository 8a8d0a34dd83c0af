// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/host/datafile"
)

// dataFormat is a format of data files.
type dataFormat struct {
	name string
	// ending is that of files which have the format unless a call says another one; "-" of no
	// file, empty of all others.
	ending  string
	options []string
	read    func(f *dataFile, q *dataRequest) (starlark.Value, error)
}

// dataFormats are the formats, the one of all other files last.
var dataFormats = []dataFormat{
	{"npy", ".npy", []string{"dtype"}, readNPY},
	{"csv", ".csv", []string{"dtype", "skip", "columns"}, func(f *dataFile, q *dataRequest) (starlark.Value, error) { return readTable(f, q, ',') }},
	{"tsv", ".tsv", []string{"dtype", "skip", "columns"}, func(f *dataFile, q *dataRequest) (starlark.Value, error) { return readTable(f, q, '\t') }},
	{"numbers", ".txt", []string{"dtype", "skip", "count", "shape"}, readNumbers},
	{"mtx", ".mtx", []string{"dtype"}, readMatrix},
	{"dense", "-", []string{"dtype"}, readDense},
	{"raw", "", []string{"dtype", "skip", "count", "shape"}, readRaw},
}

// or is the type that a call names, or else another one.
func (q *dataRequest) or(t array.Type) array.Type {
	if q.typed {
		return q.typ
	}
	return t
}

// shaped gives an array of one dimension the shape that the call asks for.
func (q *dataRequest) shaped(a *array.Array, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	if q.shape != nil {
		err = a.SetShape(q.shape...)
	}
	return a, err
}

func readNPY(f *dataFile, q *dataRequest) (starlark.Value, error) {
	a, err := datafile.NPY(f.space, f, f.size)
	if err != nil {
		return nil, err
	}
	if t := a.ElementType(); q.typed && q.typ != t {
		return nil, fmt.Errorf("it holds %s, not %s: leave out dtype, and convert the array with %s(...)", t, q.typ, q.typ)
	}
	return a, nil
}

func readTable(f *dataFile, q *dataRequest, separator rune) (starlark.Value, error) {
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	return noNil(datafile.Table(f.space, text, separator, q.or(array.F64), q.skip, q.columns))
}

func readNumbers(f *dataFile, q *dataRequest) (starlark.Value, error) {
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	return q.shaped(datafile.Numbers(f.space, text, q.or(array.F64), q.skip, q.count))
}

func readRaw(f *dataFile, q *dataRequest) (starlark.Value, error) {
	return q.shaped(datafile.Raw(f.space, f, f.size, q.or(array.U8), int64(q.skip), q.count))
}

func readDense(f *dataFile, q *dataRequest) (starlark.Value, error) {
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	return noNil(datafile.DenseMatrix(f.space, text, q.or(array.F64)))
}

// readMatrix gives shape, offsets, columns and values, as random.graph_uniform names them.
func readMatrix(f *dataFile, q *dataRequest) (starlark.Value, error) {
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	m, err := datafile.MatrixMarket(f.space, text, q.or(array.F64))
	if err != nil {
		return nil, err
	}
	return starlarkstruct.FromStringDict(starlarkstruct.Default, starlark.StringDict{
		"shape":   starlark.Tuple{starlark.MakeInt(m.Rows), starlark.MakeInt(m.Columns)},
		"offsets": m.Offsets, "columns": m.Indices, "values": m.Values,
	}), nil
}

// noNil keeps a nil array from becoming a value.
func noNil(a *array.Array, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return a, nil
}
