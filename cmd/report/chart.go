// SPDX-License-Identifier: Apache-2.0

package report

// The kinds of charts.
const (
	// Bars are horizontal: the numbers of Series side by side, a bar for each row.
	Bars = "bars"
	// Scatter has a dot for each row.
	Scatter = "scatter"
	// Lines join the rows that differ in X alone.
	Lines = "lines"
	// Heat has a cell for each row, at words X and Y, coloured by Value.
	Heat = "heat"
	// Spans are bars from X to Y on a track for each word of Track.
	Spans = "spans"
)

// Role is the column that has a part in a chart. Where there are several, the reader
// chooses, and the first one is shown.
type Role []string

// Chart is drawn by the page. Columns are named; unused roles are empty. Rows without a
// value in a role that is drawn are listed below the chart.
type Chart struct {
	Kind  string `json:"kind"`
	Title string `json:"title"`
	// Dataset is what is drawn.
	Dataset *Dataset `json:"-"`
	Data    int      `json:"data"` // its number in the page
	X       Role     `json:"x,omitempty"`
	Y       Role     `json:"y,omitempty"`
	Value   Role     `json:"value,omitempty"` // of Heat
	Colour  Role     `json:"colour,omitempty"`
	Track   string   `json:"track,omitempty"` // of Spans
	// Series are the columns that Bars put side by side.
	Series []string `json:"series,omitempty"`
	// Label are the columns whose words name a row; those of the filters that select one
	// value are left out.
	Label []string `json:"label,omitempty"`
	// Filter are columns of words by which the reader selects rows: One of them at a
	// time, or Any of them or all.
	One []string `json:"one,omitempty"`
	Any []string `json:"any,omitempty"`
	// Reason is the column that says why a row has no values.
	Reason string `json:"reason,omitempty"`
	// Share draws Bars also as shares of their sums, when the reader asks for it.
	Share bool `json:"share,omitempty"`
	// Sort puts Bars in the order of their lengths, the longest first.
	Sort bool `json:"sort,omitempty"`
	// Rule is where a line crosses Bars; zero: nowhere.
	Rule float64 `json:"rule,omitempty"`
	// Few is how many Bars are drawn; zero: all.
	Few int `json:"few,omitempty"`
	// Partial says that rows without values are none that the reader misses.
	Partial bool `json:"partial,omitempty"`
	// Log makes both axes of a Scatter logarithmic, unless the reader undoes it.
	Log bool `json:"log,omitempty"`
	// Front draws the rows of a Scatter that no other one betters in both X and Y.
	Front bool `json:"front,omitempty"`
	// Diagonal draws where X and Y are equal.
	Diagonal bool `json:"diagonal,omitempty"`
	// Roofs limit Y of a Scatter: see Roofs.
	Roofs *Roofs `json:"roofs,omitempty"`
}

// Roofs are the limits of a roofline: Y is at most the smaller of a peak and of X times a
// slope.
type Roofs struct {
	Dataset *Dataset `json:"-"`
	Data    int      `json:"data"`
	// Group is the column of words that the chart's dataset has, too: a roof is drawn
	// when one of its rows is, with the word of Name. Peak is in units of Y; Slopes are in units of Y per X.
	Group  string   `json:"group"`
	Name   string   `json:"name"`
	Peak   string   `json:"peak"`
	Slopes []string `json:"slopes"`
}

// Table shows columns of a dataset.
type Table struct {
	Title   string   `json:"title"`
	Dataset *Dataset `json:"-"`
	Data    int      `json:"data"`
	Columns []string `json:"columns"`
	One     []string `json:"one,omitempty"`
	Any     []string `json:"any,omitempty"`
	// Code are columns whose text keeps its blanks.
	Code []string `json:"code,omitempty"`
	// Stack are columns of numbers that are drawn as one bar, the longest in the table
	// filling its cell or, with StackShare, each one; StackTitle is the title of that column.
	Stack      []string `json:"stack,omitempty"`
	StackTitle string   `json:"stack_title,omitempty"`
	StackShare bool     `json:"stack_share,omitempty"`
	// Few is how many rows are shown until the reader asks for all; zero: 40.
	Few int `json:"few,omitempty"`
}
