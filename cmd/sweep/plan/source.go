// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/warptape/warptape/cmd/results"
)

// Source says where traces of a sweep come from. They come from a file, or files by a
// pattern; from the local store; or from a workload of the catalogue, recorded when its
// trace is not there.
type Source struct {
	// One of these is set.
	File, Store, Workload string
	// The rest is for workloads: all combinations of sizes and parameters are traces.
	Sizes  []string
	Set    []results.Axis
	Seed   uint64
	Sample string // as for record --sample; empty: whole

	line, column int
}

// SizeAxis is the axis of the sizes of workloads.
const SizeAxis = "size"

// defaultSize is that of warptape record.
const defaultSize = "small"

// sourceKeys of an element of traces.
var sourceKeys = []string{"file", "store", "workload", "size", "set", "seed", "sample"}

// sources reads "traces": a list of names and mappings.
func (p *problems) sources(node ast.Node) []Source {
	if anchored(node) {
		p.add(node, "anchors and aliases are not read; write the value out")
		return nil
	}
	nodes := []ast.Node{node}
	if list, ok := node.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	if len(nodes) == 0 {
		p.add(node, "traces: the list is empty")
	}
	var sources []Source
	for _, n := range nodes {
		switch n.(type) {
		case *ast.MappingNode:
			sources = append(sources, p.source(n)...)
		default:
			if text, ok := p.text(n, "traces"); ok {
				sources = append(sources, place(Source{File: text}, n))
			}
		}
	}
	return sources
}

// source reads one mapping; a list of workloads gives a source for each.
func (p *problems) source(node ast.Node) []Source {
	var kinds, workloads []string
	s := place(Source{Seed: 1}, node)
	recorded := ast.Node(nil) // a key that only workloads have
	for _, m := range p.members(node, "traces") {
		switch m.key {
		case "file":
			s.File, _ = p.text(m.value, m.key)
			kinds = append(kinds, m.key)
		case "store":
			s.Store, _ = p.text(m.value, m.key)
			kinds = append(kinds, m.key)
		case "workload":
			workloads = p.once(m.value, m.key)
			kinds = append(kinds, m.key)
		case "size":
			s.Sizes, recorded = p.once(m.value, m.key), m.at
		case "set":
			recorded = m.at
			for _, axis := range p.members(m.value, "set") {
				s.Set = append(s.Set, results.Axis{Name: axis.key, Values: p.once(axis.value, axis.key)})
			}
		case "seed":
			s.Seed, recorded = p.unsigned(m.value, m.key), m.at
		case "sample":
			recorded = m.at
			s.Sample, _ = p.text(m.value, m.key)
		default:
			p.add(m.at, "unknown key %q%s", m.key, didYouMean(m.key, sourceKeys))
		}
	}
	if len(kinds) != 1 {
		p.add(node, "traces: an element has one of file, store and workload; this has %d", len(kinds))
		return nil
	}
	if kinds[0] != "workload" {
		if recorded != nil {
			p.add(recorded, "%s is for workloads that are recorded; a trace that is there has its own", scalarText(recorded))
		}
		return []Source{s}
	}
	if len(s.Sizes) == 0 {
		s.Sizes = []string{defaultSize}
	}
	var list []Source
	for _, w := range workloads {
		one := s
		one.Workload = w
		list = append(list, one)
	}
	return list
}

func place(s Source, at ast.Node) Source {
	if t := at.GetToken(); t != nil && t.Position != nil {
		s.line, s.column = t.Position.Line, t.Position.Column
	}
	return s
}
