// SPDX-License-Identifier: Apache-2.0

package datafile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/warptape/warptape/frontend/host/array"
)

// Table reads rows of numbers that a separator divides, as RFC 4180 has it for commas: the
// array has a row for each. The first skip rows, a heading for instance, are left out; of the
// others it takes the columns (from 0 on), all if there are none named.
func Table(space *array.Space, text []byte, separator rune, t array.Type, skip int, columns []int) (*array.Array, error) {
	rows, width := 0, 0
	err := eachRow(text, separator, skip, func(line int, fields []string) error {
		if rows == 0 {
			width = len(fields)
			if len(columns) == 0 {
				for i := range fields {
					columns = append(columns, i)
				}
			}
			for _, c := range columns {
				if c < 0 || c >= width {
					return fmt.Errorf("column %d: the file has %d, from 0 on", c, width)
				}
			}
		}
		rows++
		if len(fields) != width {
			return fmt.Errorf("line %d: %d fields, and the rows before have %d", line, len(fields), width)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a, err := array.New(space, t, rows, len(columns))
	if err != nil {
		return nil, err
	}
	i := 0
	return a, eachRow(text, separator, skip, func(line int, fields []string) error {
		for _, c := range columns {
			if err := a.SetText(i, strings.TrimSpace(fields[c])); err != nil {
				return fmt.Errorf("line %d, column %d: %w%s", line, c, err, heading(i < len(columns)))
			}
			i++
		}
		return nil
	})
}

// heading is a hint for the first row.
func heading(first bool) string {
	if first {
		return ": skip=1 leaves out a heading, columns=[...] chooses among the columns"
	}
	return ""
}

// eachRow calls f for each row behind the first skip, until an error.
func eachRow(text []byte, separator rune, skip int, f func(line int, fields []string) error) error {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = separator, -1, true
	for row := 0; ; row++ {
		fields, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			return fmt.Errorf("line %d: %w", bad.Line, bad.Err)
		case err != nil:
			return err
		case row < skip:
			continue
		}
		line, _ := r.FieldPos(0)
		if err := f(line, fields); err != nil {
			return err
		}
	}
}

// Numbers reads numbers with white space between: an array of one dimension. The first skip
// lines are left out; count is how many numbers it takes, all if it is negative.
func Numbers(space *array.Space, text []byte, t array.Type, skip, count int) (*array.Array, error) {
	found := 0
	if err := eachField(text, skip, func(int, []byte) error { found++; return nil }); err != nil {
		return nil, err
	}
	if count < 0 {
		count = found
	}
	if count > found {
		return nil, fmt.Errorf("%d numbers: the file has %d behind its first %d lines", count, found, skip)
	}
	a, err := array.New(space, t, count)
	if err != nil {
		return nil, err
	}
	i := 0
	err = eachField(text, skip, func(line int, field []byte) error {
		if i == count {
			return io.EOF
		}
		if err := a.SetText(i, string(field)); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		i++
		return nil
	})
	if err != nil && err != io.EOF {
		return nil, err
	}
	return a, nil
}

// eachField calls f for what white space divides, with the number of its line, until an
// error.
func eachField(text []byte, skip int, f func(line int, field []byte) error) error {
	for line := 1; len(text) > 0; line++ {
		row, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if line <= skip {
			continue
		}
		for field := range bytes.FieldsSeq(row) {
			if err := f(line, field); err != nil {
				return err
			}
		}
	}
	return nil
}
