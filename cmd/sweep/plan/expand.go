// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/arch"
)

// mostPoints bounds a sweep.
const mostPoints = 1_000_000

// Trace is one of a plan's traces, found or recorded.
type Trace struct {
	results.PlannedTrace
	// Values are those of the workload's axes by name; empty for other traces.
	Values map[string]string
	// Workload is the name in the catalogue; empty for other traces.
	Workload string
}

// Expansion is all that a plan comes to.
type Expansion struct {
	Manifest *results.Manifest
	// Machines are those of the points, by specification; a point whose machine cannot be
	// built has none.
	Machines map[string]*arch.Machine
	// Excluded points by expression of the plan, in its order.
	Excluded []int
}

// Expand multiplies traces, machines, overlays and parameters. Machines that cannot be
// built are points with a reason, not errors. A machine that cannot be built with any
// overlay or value is an error, as it is a mistake of the plan.
func (plan *Plan) Expand(traces []Trace, model, version string) (*Expansion, error) {
	e := &expander{plan: plan, axes: plan.axes, machines: map[string]*arch.Machine{}, reasons: map[string]error{}}
	e.out = &Expansion{Machines: e.machines, Excluded: make([]int, len(plan.Exclude))}
	e.out.Manifest = &results.Manifest{
		Schema: results.SchemaVersion, Name: plan.Name, Plan: plan.Text, Version: version, Model: model, Options: plan.Options,
		Axes: e.axes.list, Metrics: plan.Metrics, Points: []results.PlannedPoint{}, Traces: []results.PlannedTrace{},
	}
	if err := e.checkSize(traces); err != nil {
		return nil, err
	}
	for i := range traces {
		e.out.Manifest.Traces = append(e.out.Manifest.Traces, traces[i].PlannedTrace)
		for _, machine := range plan.Machines {
			for _, overlays := range plan.Overlays {
				if err := e.product(&traces[i], i, machine, overlays); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(e.out.Manifest.Points) == 0 {
		return nil, fmt.Errorf("%s: has no points: every one is excluded", plan.File)
	}
	if err := e.someMachine(); err != nil {
		return nil, err
	}
	e.references()
	return e.out, nil
}

type expander struct {
	plan     *Plan
	axes     *axes
	machines map[string]*arch.Machine
	reasons  map[string]error // of machines that cannot be built
	out      *Expansion
}

func (e *expander) checkSize(traces []Trace) error {
	n := float64(len(traces)) * float64(len(e.plan.Machines)) * float64(len(e.plan.Overlays))
	for _, g := range e.plan.Groups {
		n *= float64(len(g[0].Values))
	}
	if n > mostPoints {
		return fmt.Errorf("%s: comes to %.0f points, more than the %d allowed; split it into several plans", e.plan.File, n, mostPoints)
	}
	return nil
}

// product adds the points of a trace on a machine with overlays.
func (e *expander) product(t *Trace, index int, machine, overlays string) error {
	choice := make([]int, len(e.plan.Groups)) // the last group changes fastest
	for {
		values := maps.Clone(t.Values)
		if values == nil {
			values = map[string]string{}
		}
		var settings []string
		for g, group := range e.plan.Groups {
			for _, axis := range group {
				values[axis.Name] = axis.Values[choice[g]]
				settings = append(settings, axis.Name+"="+axis.Values[choice[g]])
			}
		}
		if err := e.add(t, index, machine, overlays, values, settings); err != nil {
			return err
		}
		g := len(choice) - 1
		for ; g >= 0; g-- {
			if choice[g]++; choice[g] < len(e.plan.Groups[g][0].Values) {
				break
			}
			choice[g] = 0
		}
		if g < 0 {
			return nil
		}
	}
}

// add adds a point unless it is excluded.
func (e *expander) add(t *Trace, index int, machine, overlays string, values map[string]string, settings []string) error {
	p := results.PlannedPoint{Trace: index, Machine: machine, Overlays: overlays, Reference: -1, Architecture: specification(machine, overlays, settings)}
	for _, axis := range e.axes.list {
		p.Values = append(p.Values, values[axis.Name])
	}
	env := map[string]any{"machine": machine, "overlays": overlays, "trace": t.Label, "workload": t.Workload}
	e.axes.put(env, p.Values)
	for i := range e.plan.Exclude {
		condition := &e.plan.Exclude[i]
		excluded, err := condition.holds(env)
		if err != nil {
			return &Error{e.plan.File, []Problem{{condition.Line, condition.Column, err.Error()}}}
		}
		if excluded {
			e.out.Excluded[i]++
			return nil
		}
	}
	if m, err := e.load(p.Architecture); err != nil {
		p.Impossible = firstLine(err)
	} else {
		id := results.Identity{TraceDigest: t.Digest, ArchitectureDigest: m.Digest(), Model: e.out.Manifest.Model, Options: e.plan.Options}
		p.Key = id.Key()
	}
	e.out.Manifest.Points = append(e.out.Manifest.Points, p)
	return nil
}

// specification is the architecture of a point, as warptape replay --arch takes it.
func specification(machine, overlays string, settings []string) string {
	if overlays != NoOverlay {
		machine += "+" + strings.TrimPrefix(overlays, "+")
	}
	return arch.WithSettings(machine, settings)
}

// load builds a machine once.
func (e *expander) load(spec string) (*arch.Machine, error) {
	if m, ok := e.machines[spec]; ok {
		return m, nil
	}
	if err, ok := e.reasons[spec]; ok {
		return nil, err
	}
	m, err := arch.Load(spec)
	if err == nil {
		err = e.plan.Options.Energy.Check(m)
	}
	if err != nil {
		e.reasons[spec] = err
		return nil, err
	}
	e.machines[spec] = m
	return m, nil
}

// someMachine refuses plans when none of their machines, or none with one of the
// overlays, can be built. A misspelt name would otherwise leave a part of the sweep out.
func (e *expander) someMachine() error {
	points := e.out.Manifest.Points
	check := func(what string, words []string, of func(p *results.PlannedPoint) string) error {
		for _, word := range words {
			var reason string
			built := false
			for i := range points {
				if p := &points[i]; of(p) == word {
					reason, built = p.Impossible, built || p.Impossible == ""
				}
			}
			if !built && reason != "" {
				return fmt.Errorf("%s: no point with %s %s is possible: %s", e.plan.File, what, word, reason)
			}
		}
		return nil
	}
	if err := check("machine", e.plan.Machines, func(p *results.PlannedPoint) string { return p.Machine }); err != nil {
		return err
	}
	return check("overlays", e.plan.Overlays, func(p *results.PlannedPoint) string { return p.Overlays })
}

// references finds for each point that with which it is compared.
func (e *expander) references() {
	if len(e.plan.Reference) == 0 {
		return
	}
	m := e.out.Manifest
	at := make(map[string]int, len(m.Points))
	coordinates := func(trace int, machine, overlays string, values []string) string {
		// A workload with other parameters has another trace, but the same source.
		return strings.Join(append([]string{m.Traces[trace].Source, machine, overlays}, values...), "\x00")
	}
	for i := range m.Points {
		p := &m.Points[i]
		at[coordinates(p.Trace, p.Machine, p.Overlays, p.Values)] = i
	}
	for i := range m.Points {
		p := &m.Points[i]
		machine, overlays, values := p.Machine, p.Overlays, slices.Clone(p.Values)
		for key, v := range e.plan.Reference {
			switch key {
			case "machine":
				machine = v
			case "overlays":
				overlays = v
			default:
				values[e.axes.index[key]] = v
			}
		}
		if r, ok := at[coordinates(p.Trace, machine, overlays, values)]; ok {
			p.Reference = r
		}
	}
}
