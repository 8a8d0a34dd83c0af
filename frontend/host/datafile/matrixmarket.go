// SPDX-License-Identifier: Apache-2.0

package datafile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/warptape/warptape/frontend/host/array"
)

// Matrix is a matrix in compressed sparse rows: the entries of row i are those from
// Offsets[i] on, to before Offsets[i+1], ascending by column.
type Matrix struct {
	Rows, Columns int
	// Offsets has an i32 for each row and one more, Indices the column of each entry as an
	// i32, Values its value.
	Offsets, Indices, Values *array.Array
}

// banner is the first line of a file.
type banner struct {
	sparse           bool
	field, symmetry  string
	line             int // of what follows
	rows, columns, n int
}

// entry is an entry of a sparse matrix, by place from 0 on.
type entry struct {
	row, column int32
	value       string
	negated     bool
}

// entryBytes is what the entry, its order and its text take of memory while a file is read.
const entryBytes = 64

// MatrixMarket reads a matrix of a Matrix Market file (Boisvert, Pozo and Remington, NISTIR
// 5935). The matrix is real, integer or pattern, with entries of 1, and general, symmetric
// or skew-symmetric. MatrixMarket adds the other half of the last two. The values have
// type t.
func MatrixMarket(space *array.Space, text []byte, t array.Type) (*Matrix, error) {
	b, rest, err := readBanner(text)
	if err != nil {
		return nil, err
	}
	if !b.sparse {
		return nil, errors.New(`it has a dense matrix ("array"): give format="dense" for an array of its elements`)
	}
	booked := uint64(b.n) * 2 * entryBytes
	if err := space.Take(booked); err != nil {
		return nil, err
	}
	defer space.Release(booked)
	entries, err := b.entries(rest)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(entries, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.row, y.row), cmp.Compare(x.column, y.column))
	})
	for i := range entries[:max(1, len(entries))-1] {
		if x, y := &entries[i], &entries[i+1]; x.row == y.row && x.column == y.column {
			return nil, fmt.Errorf("row %d, column %d has two entries", x.row+1, x.column+1)
		}
	}
	return compress(space, b, entries, t)
}

// compress makes the arrays of sorted entries.
func compress(space *array.Space, b *banner, entries []entry, t array.Type) (*Matrix, error) {
	m := &Matrix{Rows: b.rows, Columns: b.columns}
	var errs [3]error
	m.Offsets, errs[0] = array.New(space, array.I32, b.rows+1)
	m.Indices, errs[1] = array.New(space, array.I32, len(entries))
	m.Values, errs[2] = array.New(space, t, len(entries))
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	row := 0
	for i := range entries {
		e := &entries[i]
		for ; row <= int(e.row); row++ {
			m.Offsets.SetInt(row, int64(i))
		}
		m.Indices.SetInt(i, int64(e.column))
		value := e.value
		if e.negated {
			value = negate(value)
		}
		if err := m.Values.SetText(i, value); err != nil {
			return nil, fmt.Errorf("row %d, column %d: %w", e.row+1, e.column+1, err)
		}
	}
	for ; row <= b.rows; row++ {
		m.Offsets.SetInt(row, int64(len(entries)))
	}
	return m, nil
}

// negate changes the sign of a number's text.
func negate(text string) string {
	switch {
	case text[0] == '-':
		return text[1:]
	case text[0] == '+':
		return "-" + text[1:]
	}
	return "-" + text
}

// DenseMatrix reads the dense matrix ("array") of a Matrix Market file as an array of rows.
func DenseMatrix(space *array.Space, text []byte, t array.Type) (*array.Array, error) {
	b, rest, err := readBanner(text)
	if err != nil {
		return nil, err
	}
	if b.sparse || b.symmetry != "general" {
		return nil, fmt.Errorf("it has no dense general matrix: leave out format=%q", "dense")
	}
	a, err := array.New(space, t, b.rows, b.columns)
	if err != nil {
		return nil, err
	}
	i := 0
	err = eachField(rest, 0, func(line int, field []byte) error {
		if i == a.Len() {
			return fmt.Errorf("line %d: more than %d elements", line+b.line, a.Len())
		}
		if err := a.SetText(i%b.rows*b.columns+i/b.rows, string(field)); err != nil { // column by column
			return fmt.Errorf("line %d: %w", line+b.line, err)
		}
		i++
		return nil
	})
	if err == nil && i < a.Len() {
		err = fmt.Errorf("%d elements of %d: the file is cut off", i, a.Len())
	}
	return a, err
}

// readBanner reads the banner, the comments and the line of sizes.
func readBanner(text []byte) (*banner, []byte, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	words := bytes.Fields(bytes.ToLower(first))
	if len(words) != 5 || string(words[0]) != "%%matrixmarket" || string(words[1]) != "matrix" {
		return nil, nil, errors.New("line 1 is not %%MatrixMarket matrix FORMAT FIELD SYMMETRY")
	}
	b := &banner{sparse: string(words[2]) == "coordinate", field: string(words[3]), symmetry: string(words[4]), line: 1}
	switch {
	case !b.sparse && string(words[2]) != "array":
		return nil, nil, fmt.Errorf("line 1: the format %q is neither coordinate nor array", words[2])
	case b.field != "real" && b.field != "integer" && b.field != "double" && !(b.sparse && b.field == "pattern"):
		return nil, nil, fmt.Errorf("line 1: the field %q is not supported: real, integer and pattern are", words[3])
	case b.symmetry != "general" && b.symmetry != "symmetric" && b.symmetry != "skew-symmetric":
		return nil, nil, fmt.Errorf("line 1: the symmetry %q is not supported: general, symmetric and skew-symmetric are", words[4])
	}
	for len(rest) > 0 {
		var row []byte
		row, rest, _ = bytes.Cut(rest, []byte("\n"))
		b.line++
		if row = bytes.TrimSpace(row); len(row) == 0 || row[0] == '%' {
			continue
		}
		return b, rest, b.sizes(row, len(rest))
	}
	return nil, nil, errors.New("the file ends before the line of sizes")
}

// sizes reads the line of sizes. The bytes that follow bound what there can be.
func (b *banner) sizes(row []byte, follow int) error {
	fields, want := bytes.Fields(row), 2
	if b.sparse {
		want = 3
	}
	if len(fields) != want {
		return fmt.Errorf("line %d: %d sizes, want %d", b.line, len(fields), want)
	}
	for i, to := range []*int{&b.rows, &b.columns, &b.n}[:want] {
		n, err := strconv.ParseInt(string(fields[i]), 10, 32)
		if err != nil || n < 0 || n == math.MaxInt32 {
			return fmt.Errorf("line %d: %q is no size", b.line, fields[i])
		}
		*to = int(n)
	}
	switch {
	case b.symmetry != "general" && b.rows != b.columns:
		return fmt.Errorf("line %d: a symmetric matrix of %d rows and %d columns", b.line, b.rows, b.columns)
	case b.n > follow/3: // "1 1" and the end of the line
		return fmt.Errorf("line %d: %d entries do not lie in the %d bytes that follow: the file is cut off", b.line, b.n, follow)
	}
	return nil
}

// entries reads the entries, and adds the other half of a symmetric matrix.
func (b *banner) entries(rest []byte) ([]entry, error) {
	var list []entry
	found := 0
	want := 3
	if b.field == "pattern" {
		want = 2
	}
	for line := b.line + 1; len(rest) > 0; line++ {
		var row []byte
		row, rest, _ = bytes.Cut(rest, []byte("\n"))
		fields := bytes.Fields(row)
		if len(fields) == 0 || fields[0][0] == '%' {
			continue
		}
		if len(fields) != want {
			return nil, fmt.Errorf("line %d: %d numbers, want %d", line, len(fields), want)
		}
		if found++; found > b.n {
			return nil, fmt.Errorf("line %d: more than the %d entries that the sizes say", line, b.n)
		}
		e := entry{value: "1"}
		var errs [2]error
		e.row, errs[0] = index(fields[0], b.rows)
		e.column, errs[1] = index(fields[1], b.columns)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if want == 3 {
			e.value = string(fields[2])
		}
		list = append(list, e)
		if b.symmetry != "general" && e.row != e.column {
			list = append(list, entry{row: e.column, column: e.row, value: e.value, negated: b.symmetry == "skew-symmetric"})
		}
	}
	if found < b.n {
		return nil, fmt.Errorf("%d entries of %d: the file is cut off", found, b.n)
	}
	return list, nil
}

// index reads a row or column, which files count from 1 on.
func index(text []byte, size int) (int32, error) {
	n, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || n < 1 || n > int64(size) {
		return 0, fmt.Errorf("%q is no row or column of 1 to %d", text, size)
	}
	return int32(n - 1), nil
}
