// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/warptape/warptape/cmd/results"
)

// Plan is a sweep as a file or a command line describes it.
type Plan struct {
	// File names the plan in messages; Text is what the file holds.
	File, Text string
	// Name is that of the sweep in the folder of results.
	Name   string
	Traces []Source
	// Machines and Overlays are alternatives; overlays are "none" or what stands behind
	// the machine's name, without the first "+".
	Machines, Overlays []string
	// Groups are parameters of the architecture: the values of a group's axes go
	// together, and the points are the product of all groups.
	Groups []Group
	// Exclude leaves out the points for which one of these is true.
	Exclude []Expression
	// Reference selects for each point that with which metrics compare it: the one that
	// has these values and else the point's own. Keys are machine, overlays and axes.
	// Empty: there is none.
	Reference map[string]string
	Metrics   []results.Metric
	Options   results.Options

	metrics []Expression // of Metrics
	axes    *axes
}

// Group are axes whose values go together.
type Group []results.Axis

// NoOverlay is the alternative without overlays.
const NoOverlay = "none"

// Expression is one of a plan, with its place.
type Expression struct {
	Text         string
	Line, Column int
	program      *program
}

// Read reads a plan file. Files of its traces are relative to its folder.
func Read(path string) (*Plan, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file; name a plan", path)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s: is not a file of at most %d bytes; name a plan", path, maxFileBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// keys of a plan.
var keys = []string{"name", "traces", "machines", "overlays", "parameters", "zip", "exclude", "reference", "metrics", "options"}

// Parse reads the text of a plan; file names it in messages.
func Parse(file string, text []byte) (*Plan, error) {
	root, err := parseYAML(file, text)
	if err != nil {
		return nil, err
	}
	p := &problems{file: file}
	plan := &Plan{File: file, Text: string(text), Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Overlays: []string{NoOverlay}}
	at := map[string]ast.Node{}
	for _, m := range p.members(root, "a plan") {
		at[m.key] = m.value
		plan.parseKey(p, m)
	}
	plan.checkWhole(p, at)
	if err := p.err(); err != nil {
		return nil, err
	}
	return plan, nil
}

func (plan *Plan) parseKey(p *problems, m member) {
	switch m.key {
	case "name":
		plan.Name, _ = p.text(m.value, "name")
	case "traces":
		plan.Traces = p.sources(m.value)
	case "machines":
		plan.Machines = p.once(m.value, "machines")
	case "overlays":
		plan.Overlays = p.once(m.value, "overlays")
	case "parameters":
		for _, axis := range p.members(m.value, "parameters") {
			plan.Groups = append(plan.Groups, Group{{Name: axis.key, Values: p.once(axis.value, axis.key)}})
		}
	case "zip":
		plan.Groups = append(plan.Groups, p.zipped(m.value)...)
	case "exclude":
		plan.Exclude = p.conditions(m.value)
	case "reference":
		plan.Reference = map[string]string{}
		for _, r := range p.members(m.value, "reference") {
			plan.Reference[r.key], _ = p.text(r.value, "reference."+r.key)
		}
	case "metrics":
		plan.parseMetrics(p, m.value)
	case "options":
		plan.Options = p.options(m.value)
	default:
		p.add(m.at, "unknown key %q%s", m.key, didYouMean(m.key, keys))
	}
}

// zipped reads groups of axes whose values go together.
func (p *problems) zipped(node ast.Node) []Group {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		p.add(node, "zip: expected a list of groups, each of parameters with lists of one length, found %s", describe(node))
		return nil
	}
	var groups []Group
	for _, v := range list.Values {
		var g Group
		for _, axis := range p.members(v, "zip") {
			g = append(g, results.Axis{Name: axis.key, Values: p.values(axis.value, axis.key)})
			if n, first := len(g[len(g)-1].Values), len(g[0].Values); n != first {
				p.add(axis.value, "zip: %s has %d values and %s has %d; a group goes in step", axis.key, n, g[0].Name, first)
			}
		}
		if len(g) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// checkWhole finds what is wrong between keys.
func (plan *Plan) checkWhole(p *problems, at map[string]ast.Node) {
	if len(plan.Traces) == 0 && at["traces"] == nil {
		p.add(nil, "has no traces; add \"traces: [saxpy.wtape]\"")
	}
	if len(plan.Machines) == 0 && at["machines"] == nil {
		p.add(nil, "has no machines; add \"machines: [gtx480]\", and see warptape arch list")
	}
	if err := results.CheckName(plan.Name); err != nil {
		p.add(at["name"], "name: %v", err)
	}
	seen := map[string]bool{}
	for _, g := range plan.Groups {
		for _, axis := range g {
			if seen[axis.Name] {
				p.add(at["zip"], "%s has values in two places", axis.Name)
			}
			seen[axis.Name] = true
		}
	}
	plan.axes = plan.collectAxes()
	known := append([]string{"machine", "overlays"}, plan.axisNames()...)
	for key := range plan.Reference {
		if !slices.Contains(known, key) {
			p.add(at["reference"], "reference: %q is not a parameter of the plan%s", key, didYouMean(key, known))
		} else if values := plan.valuesOf(key); !slices.Contains(values, plan.Reference[key]) {
			p.add(at["reference"], "reference: %s has no value %q in the plan%s", key, plan.Reference[key], didYouMean(plan.Reference[key], values))
		}
	}
	plan.compile(p)
}

// axisNames lists the axes.
func (plan *Plan) axisNames() []string {
	var names []string
	for _, axis := range plan.axes.list {
		names = append(names, axis.Name)
	}
	return names
}

// valuesOf lists the alternatives of a key of the reference.
func (plan *Plan) valuesOf(key string) []string {
	switch key {
	case "machine":
		return plan.Machines
	case "overlays":
		return plan.Overlays
	}
	return plan.axes.list[plan.axes.index[key]].Values
}

// Explain puts the place of a source before an error of its traces.
func (plan *Plan) Explain(s *Source, err error) error {
	return fmt.Errorf("%s:%d:%d: %w", plan.File, s.line, s.column, err)
}
