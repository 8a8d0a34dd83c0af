// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/host/array"
)

// readData is the function that goes through the gate by itself, since files may be large.
const readData = "host.file"

// dataRequest is what a call of host.file asks for.
type dataRequest struct {
	format  *dataFormat
	typ     array.Type
	typed   bool // the call names a type
	shape   []int
	skip    int
	count   int // -1: everything
	columns []int
}

// host.file(name, dtype=None, format=None, shape=None, skip=0, count=None, columns=None) reads
// an array, or a sparse matrix, from a file of the program's folder. The trace's header
// keeps the file's digest.
func (r *run) hostFile(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	name, q, err := unpackDataRequest(args, kwargs)
	if err != nil {
		return nil, err
	}
	f, err := r.openData(name)
	if err != nil {
		return nil, err
	}
	defer f.close()
	v, err := q.format.read(f, q)
	if err == nil {
		err = f.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, r.noteData(f)
}

func unpackDataRequest(args starlark.Tuple, kwargs []starlark.Tuple) (name string, q *dataRequest, err error) {
	q = &dataRequest{count: -1}
	var dtype, format, shape, skip, count starlark.Value
	var columns *starlark.List
	if err = unpack(args, kwargs, "name", &name, "dtype?", &dtype, "format?", &format, "shape?", &shape, "skip?", &skip, "count?", &count, "columns?", &columns); err != nil {
		return
	}
	given := func(v starlark.Value) bool { return v != nil && v != starlark.None }
	word := ""
	if given(format) {
		s, ok := starlark.AsString(format)
		if !ok {
			return name, q, fmt.Errorf("format: a %s is no name of a format", format.Type())
		}
		word = s
	}
	if q.format, err = formatOf(name, word); err != nil {
		return
	}
	var options []string
	var errs []error
	option := func(name string, v starlark.Value, read func() error) {
		if !given(v) {
			return
		}
		options = append(options, name)
		if err := read(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	option("dtype", dtype, func() error {
		t, ok := dtype.(array.Type)
		if q.typ, q.typed = t, true; !ok {
			return fmt.Errorf("a %s is no type of elements, such as f32", dtype.Type())
		}
		return nil
	})
	option("shape", shape, func() (err error) { q.shape, err = array.Dimensions(shape); return err })
	option("skip", skip, func() error { return natural(skip, &q.skip) })
	option("count", count, func() error { return natural(count, &q.count) })
	if columns != nil {
		option("columns", columns, func() error {
			q.columns = make([]int, columns.Len())
			for i := range q.columns {
				if err := natural(columns.Index(i), &q.columns[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, o := range options {
		if !slices.Contains(q.format.options, o) {
			errs = append(errs, fmt.Errorf("%s: %s does not go with the format %s", name, o, q.format.name))
		}
	}
	if len(errs) > 0 {
		err = errs[0]
	}
	return name, q, err
}

func natural(v starlark.Value, to *int) error {
	if err := starlark.AsInt(v, to); err != nil {
		return err
	}
	if *to < 0 {
		return errors.New("must not be negative")
	}
	return nil
}

// formatOf is the format that a word names or, without one, that the ending of a file's
// name means.
func formatOf(name, word string) (*dataFormat, error) {
	var names []string
	for i := range dataFormats {
		f := &dataFormats[i]
		if word == f.name || word == "" && (f.ending == "" || f.ending == strings.ToLower(path.Ext(name))) {
			return f, nil
		}
		names = append(names, f.name)
	}
	return nil, fmt.Errorf("format %q: there are %s", word, strings.Join(names, ", "))
}
