// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"math"
	"strconv"
)

// Dataset is a table by columns, all of one length. Parts may share one.
type Dataset struct {
	// Rows name what a row is, in the plural: "points", "kernels".
	Rows    string
	Columns []*Column
	byName  map[string]*Column
}

// Column is one column of a dataset: of words, or of numbers.
type Column struct {
	Name string // unique in the dataset
	// Title is for people; empty: the name.
	Title string
	Unit  string // of numbers; empty: none
	// Better is "lower", "higher", or empty where neither is.
	Better string
	// Like names a column whose colour this one has, paler; empty: none.
	Like string
	// words are the distinct ones in the order of their first appearance, index those
	// of the rows.
	words   []string
	at      map[string]int
	index   []int
	numbers []float64
	numeric bool
}

// NewDataset makes a dataset without columns.
func NewDataset(rows string) *Dataset { return &Dataset{Rows: rows, byName: map[string]*Column{}} }

// Words adds a column of words. Those of domain come first in charts and choices.
func (d *Dataset) Words(name, title string, domain ...string) *Column {
	c := &Column{Name: name, Title: title, at: map[string]int{}}
	for _, w := range domain {
		c.word(w)
	}
	return d.add(c)
}

// Numbers adds a column of numbers in a unit.
func (d *Dataset) Numbers(name, title, unit string) *Column {
	return d.add(&Column{Name: name, Title: title, Unit: unit, numeric: true})
}

func (d *Dataset) add(c *Column) *Column {
	if d.byName[c.Name] != nil {
		panic("BUG: two columns " + c.Name)
	}
	d.Columns = append(d.Columns, c)
	d.byName[c.Name] = c
	return c
}

// Column finds a column; nil: there is none.
func (d *Dataset) Column(name string) *Column { return d.byName[name] }

// Add adds the value of the next row; an empty word is a missing one.
func (c *Column) Add(word string) { c.index = append(c.index, c.word(word)) }

// AddNumber adds the value of the next row; NaN and infinities are missing ones.
func (c *Column) AddNumber(v float64) { c.numbers = append(c.numbers, v) }

// word numbers a word.
func (c *Column) word(w string) int {
	i, ok := c.at[w]
	if !ok {
		i = len(c.words)
		c.at[w] = i
		c.words = append(c.words, w)
	}
	return i
}

// Len is the number of rows.
func (d *Dataset) Len() int {
	if len(d.Columns) == 0 {
		return 0
	}
	return d.Columns[0].len()
}

func (c *Column) len() int { return len(c.index) + len(c.numbers) }

// numberDigits are the significant digits of numbers that are not whole.
const numberDigits = 6

// mostExact bounds the whole numbers that JavaScript's numbers hold exactly.
const mostExact = 1 << 53

// appendNumber writes a number as JSON: whole ones exactly, others with six digits.
func appendNumber(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return append(b, "null"...)
	case v == math.Trunc(v) && math.Abs(v) < mostExact:
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', numberDigits, 64)
}

// MarshalJSON implements json.Marshaler.
func (c *Column) MarshalJSON() ([]byte, error) {
	out := struct {
		Name    string          `json:"name"`
		Title   string          `json:"title"`
		Unit    string          `json:"unit,omitempty"`
		Better  string          `json:"better,omitempty"`
		Like    string          `json:"like,omitempty"`
		Words   []string        `json:"words,omitempty"`
		Index   []int           `json:"index,omitempty"`
		Numbers json.RawMessage `json:"numbers,omitempty"`
	}{Name: c.Name, Title: c.Title, Unit: c.Unit, Better: c.Better, Like: c.Like, Words: c.words, Index: c.index}
	if out.Title == "" {
		out.Title = c.Name
	}
	if c.numeric {
		list := []byte{'['}
		for i, v := range c.numbers {
			if i > 0 {
				list = append(list, ',')
			}
			list = appendNumber(list, v)
		}
		out.Numbers = append(list, ']')
	}
	return json.Marshal(out)
}

// MarshalJSON implements json.Marshaler.
func (d *Dataset) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Rows    string    `json:"rows"`
		Columns []*Column `json:"columns"`
	}{d.Rows, d.Columns})
}

// check finds columns of unequal lengths.
func (d *Dataset) check() error {
	for _, c := range d.Columns {
		if c.len() != d.Len() {
			return &shapeError{c.Name, c.len(), d.Len()}
		}
	}
	return nil
}

// shapeError is a dataset whose columns have not one length.
type shapeError struct {
	column    string
	got, want int
}

func (e *shapeError) Error() string {
	return "BUG: column " + e.column + " has " + strconv.Itoa(e.got) + " rows, and the dataset " + strconv.Itoa(e.want)
}
