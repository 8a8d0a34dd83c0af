// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/warptape/warptape/cmd/internal/suggestion"
)

// Reading says how a file of measurements is read.
type Reading struct {
	// Rename gives columns of the file the names that results have, with a unit if need be.
	Rename map[string]string
	// Ignore are columns of the file, by their own names.
	Ignore []string
	// Repeats says what becomes of several measurements of the same: "mean", "median" or
	// "min". Empty: they are an error.
	Repeats string
}

// RepeatChoices are those of Reading.Repeats.
var RepeatChoices = []string{"mean", "median", "min"}

// Measurements are the rows of a file.
type Measurements struct {
	File    string
	Keys    []string // columns that say of what a row is
	Figures []string // columns of what was measured
	Rows    []Measurement
}

// Measurement is a row of the file.
type Measurement struct {
	Line   int
	Keys   []string // as Measurements.Keys
	Values []float64
	// of Measurements.Figures; NaN: not measured
}

// workloadAlias is another name for the column of the traced program.
const workloadAlias, programColumn = "workload", "program"

const (
	mostProblems = 10
	mostRows     = 1_000_000
)

// Problems are all that is wrong with a file.
type Problems struct {
	File string
	List []string
}

func (p *Problems) Error() string {
	lines := make([]string, 0, mostProblems+1)
	for i, text := range p.List {
		if i == mostProblems {
			lines = append(lines, fmt.Sprintf("%s: and %d more complaints", p.File, len(p.List)-mostProblems))
			break
		}
		lines = append(lines, p.File+text)
	}
	return strings.Join(lines, "\n")
}

func (p *Problems) add(line int, format string, args ...any) {
	place := ": "
	if line > 0 {
		place = fmt.Sprintf(":%d: ", line)
	}
	p.List = append(p.List, place+fmt.Sprintf(format, args...))
}

// column is one of the file, by what it means.
type column struct {
	key, figure int // in Keys or Figures; -1: it is none
	scale       float64
}

// reader reads a file.
type reader struct {
	*Problems
	reading Reading
	out     *Measurements
	columns []column
	header  []string
}

// Read reads a CSV file with a header. keys and figures are the names that results have.
func Read(file string, in io.Reader, keys, figures []string, o Reading) (*Measurements, error) {
	r := &reader{Problems: &Problems{File: file}, reading: o, out: &Measurements{File: file}}
	c := csv.NewReader(withoutMark(in))
	c.ReuseRecord = true
	header, err := c.Read()
	if err != nil {
		return nil, r.broken(err)
	}
	r.header = slices.Clone(header)
	r.heads(keys, figures)
	if len(r.List) > 0 {
		return nil, r.Problems
	}
	for {
		record, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, r.broken(err)
		}
		line, _ := c.FieldPos(0)
		if len(r.out.Rows) == mostRows {
			return nil, fmt.Errorf("%s:%d: has more than %d rows; split it", file, line, mostRows)
		}
		r.row(line, record)
	}
	if len(r.out.Rows) == 0 && len(r.List) == 0 {
		r.add(0, "has no rows")
	}
	if len(r.List) == 0 {
		r.repeats()
	}
	if len(r.List) > 0 {
		return nil, r.Problems
	}
	return r.out, nil
}

// withoutMark drops the byte order mark that spreadsheets write.
func withoutMark(in io.Reader) io.Reader {
	b := bufio.NewReader(in)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		// What was peeked at is there.
		_, _ = b.Discard(3)
	}
	return b
}

func (r *reader) broken(err error) error {
	var parse *csv.ParseError
	switch {
	case err == io.EOF:
		return fmt.Errorf("%s: is empty; its first line names the columns", r.File)
	case errors.As(err, &parse):
		return fmt.Errorf("%s:%d:%d: %w", r.File, parse.Line, parse.Column, parse.Err)
	}
	return fmt.Errorf("%s: %w", r.File, err)
}

// heads finds out what the columns mean.
func (r *reader) heads(keys, figures []string) {
	if len(r.header) == 1 && strings.ContainsAny(r.header[0], ";\t") {
		r.add(1, "has one column, %q; part the fields with commas", r.header[0])
		return
	}
	known := map[string]bool{}
	for _, f := range figures {
		known[f] = true
	}
	all := slices.Concat(keys, []string{workloadAlias}, figures)
	for theirs := range r.reading.Rename {
		r.mustHave("renamed", theirs)
	}
	for _, theirs := range r.reading.Ignore {
		r.mustHave("ignored", theirs)
	}
	for i := range r.header {
		name := strings.TrimSpace(r.header[i])
		c := column{key: -1, figure: -1, scale: 1}
		if slices.Contains(r.reading.Ignore, name) {
			r.columns = append(r.columns, c)
			continue
		}
		if ours, ok := r.reading.Rename[name]; ok {
			name = ours
		}
		if name == workloadAlias && !slices.Contains(keys, workloadAlias) {
			name = programColumn
		}
		switch {
		case slices.Contains(keys, name):
			c.key = r.place(&r.out.Keys, name)
		case known[name]:
			c.figure = r.place(&r.out.Figures, name)
		default:
			figure, scale, ok := converted(name, known)
			if !ok {
				r.add(1, "column %q: results have no such column, to be renamed with --rename or left out with --ignore%s", name, suggestion.For(name, all))
				break
			}
			c.figure, c.scale = r.place(&r.out.Figures, figure), scale
		}
		r.columns = append(r.columns, c)
	}
	if len(r.List) > 0 {
		return
	}
	if len(r.out.Figures) == 0 {
		r.add(1, "no column has a figure, such as cycles or time_us")
	}
	if !slices.ContainsFunc(r.out.Keys, func(k string) bool { return slices.Contains([]string{"trace", programColumn, "trace_digest"}, k) }) {
		r.add(1, "no column says which trace a row is of: trace, workload or trace_digest")
	}
}

func (r *reader) mustHave(what, column string) {
	if !slices.ContainsFunc(r.header, func(h string) bool { return strings.TrimSpace(h) == column }) {
		r.add(1, "no column %q, which is to be %s%s", column, what, suggestion.For(column, r.header))
	}
}

// place adds a name to a list in which it may stand once.
func (r *reader) place(list *[]string, name string) int {
	if slices.Contains(*list, name) {
		r.add(1, "two columns are %s", name)
	}
	*list = append(*list, name)
	return len(*list) - 1
}

func (r *reader) row(line int, record []string) {
	m := Measurement{Line: line, Keys: make([]string, len(r.out.Keys)), Values: make([]float64, len(r.out.Figures))}
	measured := false
	for i, text := range record {
		text = strings.TrimSpace(text)
		c := &r.columns[i]
		if c.key >= 0 {
			m.Keys[c.key] = text
		}
		if c.figure < 0 {
			continue
		}
		m.Values[c.figure] = math.NaN()
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		v *= c.scale
		switch {
		case err != nil && strings.ContainsAny(text, ",' "):
			r.add(line, "column %s: %q is not a number; write it without separators", r.header[i], text)
		case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
			r.add(line, "column %s: %q is not a number; leave the field empty if nothing was measured", r.header[i], text)
		case v < 0:
			r.add(line, "column %s: %s is negative", r.header[i], text)
		default:
			m.Values[c.figure], measured = v, true
		}
	}
	if !measured && len(r.List) == 0 {
		r.add(line, "nothing was measured; leave the row out")
	}
	r.out.Rows = append(r.out.Rows, m)
}

// repeats joins rows of the same, or complains about them.
func (r *reader) repeats() {
	var list []Measurement
	index, times := map[string]int{}, map[int][]Measurement{}
	for _, m := range r.out.Rows {
		key := strings.Join(m.Keys, "\x00")
		at, ok := index[key]
		if !ok {
			index[key] = len(list)
			list = append(list, m)
			continue
		}
		if r.reading.Repeats == "" {
			r.add(m.Line, "is of the same as line %d: %s; add the column in which they differ, or join them with --repeats mean", list[at].Line, describe(r.out.Keys, m.Keys))
		}
		times[at] = append(times[at], m)
	}
	for at, more := range times {
		for f := range r.out.Figures {
			var values []float64
			for _, m := range append([]Measurement{list[at]}, more...) {
				if v := m.Values[f]; !math.IsNaN(v) {
					values = append(values, v)
				}
			}
			if len(values) > 0 {
				list[at].Values[f] = r.joined(values)
			}
		}
	}
	r.out.Rows = list
}

func (r *reader) joined(values []float64) float64 {
	slices.Sort(values)
	switch n := len(values); {
	case r.reading.Repeats == "min":
		return values[0]
	case r.reading.Repeats == "median" && n%2 == 1:
		return values[n/2]
	case r.reading.Repeats == "median":
		return (values[n/2-1] + values[n/2]) / 2
	}
	return mean(values)
}

// describe says of what a row is.
func describe(names, values []string) string {
	var parts []string
	for i, name := range names {
		if values[i] != "" {
			parts = append(parts, name+" "+values[i])
		}
	}
	return strings.Join(parts, ", ")
}
