// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
)

// Replayed is one replay of a report of a single trace.
type Replayed struct {
	// Machine is nil where Err says why it cannot be built.
	Machine *arch.Machine
	// Base is the specification that the user has named, Spec that which was replayed.
	Base, Spec string
	// WhatIf is the title of the change; empty for the base.
	WhatIf string
	Result *replay.Result
	Err    error // why there is no result
	// Energy is the dynamic energy of the profiles' instructions, in picojoules; nil: it
	// is not known.
	Energy *replay.LineValues
	// Timeline is a file of package timeline, which may end early; empty: there is none.
	Timeline []byte
	// TimelineEnd is the cycle at which it has ended early; zero: it has not.
	TimelineEnd int64
}

// Trace is what a report of a single trace is of.
type Trace struct {
	results.PlannedTrace
	Options results.Options
	Model   string
	// Replays with each base before its changes.
	Replays []Replayed
	// Same are changes that change nothing of a base.
	Same []string
	// Sources finds the text of a source file that a PTX file names; false: it does not.
	Sources func(file string) (string, bool)
	Command string // that makes the report
}

// asItIs is the machine without a change.
const asItIs = "as it is"

// OfTrace makes the document of a trace: why it is slow on the machines.
func OfTrace(t *Trace, o Options) (*Document, error) {
	m, memory, err := t.manifest(o.Version)
	if err != nil {
		return nil, err
	}
	s, err := newStudy(m, memory, ReferenceDetails)
	if err != nil {
		return nil, err
	}
	s.overlays, s.detailed = "what if", "The machines are shown as they are, without changes."
	all := newPoints(s)
	sections, err := s.build([]collector{
		all, newVerdicts(all, t.Same), stalls{all}, newLines(s, memory.energy, t.Sources), newKernels(s), newRoofline(s), newEnergyParts(s),
		newTimelines(s), &pictures{memory: memory}, &links{study: s}, newAbsent(all), newProvenance(s, "  "+t.Command),
	})
	if err != nil {
		return nil, err
	}
	var bases []string
	for i := range t.Replays {
		if r := &t.Replays[i]; r.WhatIf == "" {
			bases = append(bases, r.Base)
		}
	}
	return &Document{
		Title: t.Label + " on " + strings.Join(bases, ", "), Version: o.Version, Sections: sections,
		Summary: fmt.Sprintf("Where the time of a trace goes, and what would change it: %d replays.", len(t.Replays)),
	}, nil
}

// memory holds the points of a single trace.
type memory struct {
	points   map[string]*results.Point
	failures map[string]*results.Failure
	replays  map[string]*Replayed // with results, by key
	path     string
}

// Get implements Source.
func (m *memory) Get(key string) (*results.Point, error) {
	if p := m.points[key]; p != nil {
		return p, nil
	}
	return nil, &results.NotFoundError{Key: key}
}

// Failure implements Source.
func (m *memory) Failure(key string) (*results.Failure, error) { return m.failures[key], nil }

// TracePath implements Source.
func (m *memory) TracePath(*results.PlannedTrace) string { return m.path }

// energy gives the energy by line of a point; nil: it is not known.
func (m *memory) energy(p *point) *replay.LineValues {
	if r := m.replays[p.planned.Key]; r != nil {
		return r.Energy
	}
	return nil
}

// manifest puts replays in the place of a sweep's points.
func (t *Trace) manifest(version string) (*results.Manifest, *memory, error) {
	m := &results.Manifest{
		Schema: results.SchemaVersion, Name: t.Label, Version: version, Model: t.Model, Options: t.Options, Traces: []results.PlannedTrace{t.PlannedTrace},
		Metrics: []results.Metric{{Name: "speed-up", Expression: "reference.time_ns / time_ns", Better: "higher"}},
	}
	held := &memory{map[string]*results.Point{}, map[string]*results.Failure{}, map[string]*Replayed{}, t.Path}
	base := -1
	for i := range t.Replays {
		r := &t.Replays[i]
		if r.WhatIf == "" {
			base = i
		}
		p := results.PlannedPoint{Architecture: r.Spec, Machine: r.Base, Overlays: cmp.Or(r.WhatIf, asItIs), Reference: base}
		if err := t.hold(held, r, &p); err != nil {
			return nil, nil, err
		}
		m.Points = append(m.Points, p)
	}
	return m, held, nil
}

// hold keeps the result of a replay, or why there is none.
func (t *Trace) hold(held *memory, r *Replayed, p *results.PlannedPoint) error {
	if r.Machine == nil {
		p.Impossible = firstLine(r.Err)
		return nil
	}
	id := results.Identity{TraceDigest: t.Digest, ArchitectureDigest: r.Machine.Digest(), Model: t.Model, Options: t.Options}
	p.Key = id.Key()
	if r.Err != nil {
		var refused *replay.RefusedError
		held.failures[p.Key] = &results.Failure{Key: p.Key, Identity: id, Refused: errors.As(r.Err, &refused), Reason: firstLine(r.Err)}
		return nil
	}
	point, err := results.NewPoint(id, t.Summary, r.Machine, r.Result)
	if err != nil {
		return err
	}
	held.points[p.Key] = point
	held.replays[p.Key] = r
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// verdicts says what limits the trace on each machine, and what would help.
type verdicts struct {
	*points
	same  []string
	parts []Part
}

func newVerdicts(c *points, same []string) *verdicts { return &verdicts{points: c, same: same} }

func (c *verdicts) add(p *point) error {
	if p.result == nil || p.planned.Reference != p.number {
		return nil
	}
	t := &p.statistics.Total
	c.parts = append(c.parts, Part{Facts: []Fact{
		{Name: "machine", Value: p.planned.Machine},
		{Name: "time in kernels", Value: engineering(t.Nanoseconds*1e-9, "s"), Note: fmt.Sprintf("%d core cycles; %d with launches on their way, copies and the host", t.Cycles, t.End)},
		{Name: "bottleneck", Value: t.TopDown.Bottleneck, Note: t.TopDown.Evidence},
		{Name: "instructions", Value: fmt.Sprintf("%.3g a cycle", number(t.Metrics["ipc_warp"])), Note: fmt.Sprintf("warp instructions; %.1f %% of issue slots issue", t.TopDown.Retiring)},
		{Name: "energy", Value: engineering(p.figures["energy_j"], "J"), Note: fmt.Sprintf("%.3g W", p.figures["power_w"])},
	}})
	return nil
}

func (c *verdicts) section() *Section {
	s := &Section{ID: "why", Title: "Why it takes its time", Parts: c.parts}
	if len(c.data.Column(columnOverlays).words) < 2 {
		return s
	}
	s.Text = []string{"Each change below makes another machine, on which the trace was replayed: a bar says how many times as fast that one is. What hardly changes the time is not what the program waits for."}
	s.Text = append(s.Text, c.words()...)
	s.Parts = append(s.Parts,
		Part{Chart: &Chart{Kind: Bars, Title: "Speed-up of each change, over the machine as it is", Dataset: c.data, Series: []string{metricPrefix + "speed-up"}, Label: []string{columnMachine, columnOverlays}, One: []string{columnMachine}, Reason: columnReason, Sort: true, Rule: 1}},
		Part{Table: &Table{Title: "Changes", Dataset: c.data, Columns: concat([]string{columnMachine, columnOverlays, metricPrefix + "speed-up"}, c.measures()[1:6], []string{"occupancy_percent", "l1_read_hit_percent", "l2_hit_percent", columnReason}), Any: []string{columnMachine}}})
	if len(c.same) > 0 {
		s.Parts = append(s.Parts, Part{Notes: c.same})
	}
	return s
}

// helps is the speed-up from which on a change is said to help.
const helps = 1.02

// words says for each machine which changes help most.
func (c *verdicts) words() []string {
	machines, changes, speedup := c.data.Column(columnMachine), c.data.Column(columnOverlays), c.metrics[0]
	var list []string
	for i, name := range machines.words {
		var rows []int
		for row, v := range speedup.numbers {
			if machines.index[row] == i && v >= helps {
				rows = append(rows, row)
			}
		}
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(speedup.numbers[b], speedup.numbers[a]) })
		if len(rows) == 0 {
			list = append(list, fmt.Sprintf("On %s no change makes it more than %.0f %% faster.", name, 100*(helps-1)))
			continue
		}
		var best []string
		for _, row := range rows[:min(3, len(rows))] {
			best = append(best, fmt.Sprintf("%s (%.2f times as fast)", changes.words[changes.index[row]], speedup.numbers[row]))
		}
		list = append(list, fmt.Sprintf("On %s these help most: %s.", name, strings.Join(best, "; ")))
	}
	return list
}
