// SPDX-License-Identifier: Apache-2.0

package table

import "strconv"

// Kind is what the cells of a column hold.
type Kind uint8

// The kinds of columns. Counts are whole and at least 0.
const (
	Text Kind = iota
	Number
	Count
)

// Column describes the cells below one name.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"-"`
	// Unit is empty for texts and for numbers without one.
	Unit    string `json:"unit,omitempty"`
	Meaning string `json:"meaning"`

	role role
	// axes and metrics are places in the manifests of the sweeps, by sweep; -1: none.
	places []int
}

// role says where the cells of a column come from.
type role uint8

const (
	fixedColumn role = iota
	axisColumn
	metricColumn
	figureColumn
)

// Cell is a value, or none.
type Cell struct {
	Present bool
	Text    string  // of Text columns
	Number  float64 // of Number and Count columns
}

func text(s string) Cell { return Cell{Present: s != "", Text: s} }

func number(v float64) Cell { return Cell{Present: true, Number: v} }

// String is the cell as CSV has it; empty without a value.
func (c Cell) String() string {
	switch {
	case !c.Present:
		return ""
	case c.Text != "":
		return c.Text
	}
	return strconv.FormatFloat(c.Number, 'f', -1, 64)
}

// Names are those of the fixed columns, which other programs look for.
const (
	SweepName        = "sweep"
	TraceName        = "trace"
	ProgramName      = "program"
	MachineName      = "machine"
	OverlaysName     = "overlays"
	ArchitectureName = "architecture"
	StateName        = "state"
	ReasonName       = "reason"
	LaunchName       = "launch"
	KernelName       = "kernel"
	KeyName          = "key"
)

// States of a point.
const (
	Done       = "done"
	Refused    = "refused"    // the machine cannot run the trace
	Failed     = "failed"     // the replay; a sweep tries it again
	Impossible = "impossible" // there is no such machine
	Missing    = "missing"    // not replayed yet
	Damaged    = "damaged"    // its file is; a sweep makes it again
)

// leading columns stand before parameters, launching ones behind them in tables of
// launches, and trailing ones at the end.
var (
	leading = []Column{
		{Name: SweepName, Meaning: "sweep that has the point; empty where none has"},
		{Name: TraceName, Meaning: "label of the trace in the sweep"},
		{Name: ProgramName, Meaning: "traced host program"},
		{Name: MachineName, Meaning: "machine of the plan"},
		{Name: OverlaysName, Meaning: "overlays of the plan"},
		{Name: ArchitectureName, Meaning: "whole specification of the architecture"},
	}
	outcome = []Column{
		{Name: StateName, Meaning: "done, refused, failed, impossible, missing or damaged"},
		{Name: ReasonName, Meaning: "why the point is not done, or a metric has no value"},
	}
	launching = []Column{
		{Name: LaunchName, Kind: Count, Meaning: "number of the launch in the trace, from 0"},
		{Name: KernelName, Meaning: "kernel of the launch"},
		{Name: "grid_thread_blocks", Kind: Count, Unit: "thread blocks", Meaning: "of the launch"},
		{Name: "block_threads", Kind: Count, Unit: "threads", Meaning: "of a thread block"},
		{Name: "start_cycle", Kind: Number, Unit: "core cycles", Meaning: "since the start of the run"},
		{Name: "end_cycle", Kind: Number, Unit: "core cycles", Meaning: "since the start of the run"},
	}
	trailing = []Column{
		{Name: "sampling", Meaning: "policy of a sample; empty for whole traces"},
		{Name: "trace_digest", Meaning: "digest of the trace"},
		{Name: "architecture_digest", Meaning: "digest of the resolved architecture"},
		{Name: "model", Meaning: "release, revision or digest of the program that replayed"},
		{Name: KeyName, Meaning: "key of the point in the folder of results"},
	}
)

// Identifies reports whether the column says of what a row is, and not what came of it.
func (c *Column) Identifies() bool {
	switch c.role {
	case axisColumn:
		return true
	case fixedColumn:
		switch c.Name {
		case StateName, ReasonName, "start_cycle", "end_cycle", "sampling":
			return false
		}
		return true
	}
	return false
}

// Parameter reports whether the column is one of a sweep's parameters.
func (c *Column) Parameter() bool { return c.role == axisColumn }
