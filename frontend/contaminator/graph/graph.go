// SPDX-License-Identifier: Apache-2.0

// Package graph draws the control-flow graph of a contaminated kernel, with
// immediate post-dominators, as DOT for Graphviz or as SVG by a layout of its
// own.
package graph

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
)

// edgeKind says how control goes along an edge.
type edgeKind uint8

const (
	fallThrough edgeKind = iota
	taken
	// reconverges leads from a branch that can diverge to its immediate
	// post-dominator.
	reconverges
)

// edge leads from one node to another; the node behind the last segment is the
// kernel's exit.
type edge struct {
	from, to int
	kind     edgeKind
}

// graph is what both drawings show.
type graph struct {
	kernel *contaminator.Kernel
	nodes  [][]string // lines of text, by segment; the exit last
	edges  []edge
}

// maxLines is the number of instructions of a segment that its node shows; of
// longer ones the middle is left out.
const maxLines = 12

func build(k *contaminator.Kernel) *graph {
	g := &graph{kernel: k}
	exit := len(k.Segments)
	text := strings.Split(string(k.PTX.Module.Text), "\n")
	for i := range k.Segments {
		s := &k.Segments[i]
		g.nodes = append(g.nodes, nodeText(k, i, text))
		for _, next := range s.Successors {
			kind := taken
			if next == s.FallThrough {
				kind = fallThrough
			}
			g.edges = append(g.edges, edge{i, next, kind})
		}
		if leavesKernel(k, s) {
			g.edges = append(g.edges, edge{i, exit, taken})
		}
		if s.Divergent {
			joins := s.Joins
			if len(joins) == 0 {
				joins = []int{exit}
			}
			for _, to := range joins {
				g.edges = append(g.edges, edge{i, to, reconverges})
			}
		}
	}
	g.nodes = append(g.nodes, []string{"exit"})
	return g
}

// leavesKernel reports whether a path ends behind a segment.
func leavesKernel(k *contaminator.Kernel, s *contaminator.Segment) bool {
	op := k.PTX.Body[s.First+s.Count-1].Op.String()
	return len(s.Successors) == 0 || op == "exit" || op == "ret"
}

// nodeText is the head of a segment and its instructions as they are written.
func nodeText(k *contaminator.Kernel, segment int, text []string) []string {
	s := &k.Segments[segment]
	head := fmt.Sprintf("block %d, line %d", segment, k.PTX.Body[s.First].Line)
	if s.PostDominator == contaminator.Exit {
		head += ", post-dominated by exit"
	} else {
		head += fmt.Sprintf(", post-dominated by %d", s.PostDominator)
	}
	if s.Divergent {
		head += ", divergent"
	}
	lines := []string{head}
	for i := range s.Count {
		if s.Count > maxLines && i == maxLines/2 {
			lines = append(lines, fmt.Sprintf("… %d more", s.Count-maxLines))
		}
		if s.Count > maxLines && i >= maxLines/2 && i < s.Count-maxLines/2 {
			continue
		}
		lines = append(lines, instructionText(text, k.PTX.Body[s.First+i].Line))
	}
	return lines
}

// maxColumns is where long lines are cut.
const maxColumns = 64

func instructionText(text []string, line int) string {
	if line < 1 || line > len(text) {
		return ""
	}
	s := strings.Join(strings.Fields(text[line-1]), " ")
	if r := []rune(s); len(r) > maxColumns {
		s = string(r[:maxColumns-1]) + "…"
	}
	return s
}
