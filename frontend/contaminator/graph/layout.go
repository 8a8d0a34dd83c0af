// SPDX-License-Identifier: Apache-2.0

package graph

import "sort"

// Sizes in SVG's user units.
const (
	lineHeight = 14
	charWidth  = 6.65 // of a monospaced face at fontSize
	fontSize   = 11
	padding    = 8
	layerGap   = 42
	nodeGap    = 36
	margin     = 24
)

// place is where a node is drawn: its centre and top, and its size.
type place struct{ x, y, width, height float64 }

// layout puts nodes in layers from top to bottom, after Sugiyama, Tagawa and
// Toda, "Methods for visual understanding of hierarchical system structures"
// (1981). A node's layer is the longest way to it without the edges that go
// back. An edge passes the layers between its ends through bends, which are
// placed as nodes are. Inside a layer, nodes are ordered by the mean of their
// neighbours.
type layout struct {
	places []place // of the nodes, then of the bends
	layers []int
	back   []bool // by edge
	// bends has, for each edge, the numbers of its bends from top to bottom.
	bends [][]int
	// neighbours of nodes and bends by the edges that are not back.
	neighbours    [][]int
	width, height float64
}

func arrange(g *graph) *layout {
	l := &layout{back: backEdges(g)}
	l.layers = assignLayers(g, l.back)
	l.bend(g)
	l.places = make([]place, len(l.layers))
	rows := make([][]int, 0)
	for node, layer := range l.layers {
		for layer >= len(rows) {
			rows = append(rows, nil)
		}
		rows[layer] = append(rows[layer], node)
	}
	orderRows(l.neighbours, rows)
	l.position(g, rows)
	return l
}

// maxBends bounds the work for graphs with thousands of long edges; those beyond
// go straight.
const maxBends = 20000

// bend puts a bend into every layer between the ends of an edge.
func (l *layout) bend(g *graph) {
	l.bends = make([][]int, len(g.edges))
	l.neighbours = make([][]int, len(g.nodes))
	connect := func(a, b int) {
		l.neighbours[a] = append(l.neighbours[a], b)
		l.neighbours[b] = append(l.neighbours[b], a)
	}
	for i, e := range g.edges {
		if e.kind == reconverges || l.back[i] {
			continue
		}
		last := e.from
		for layer := l.layers[e.from] + 1; layer < l.layers[e.to] && len(l.layers) < len(g.nodes)+maxBends; layer++ {
			number := len(l.layers)
			l.layers = append(l.layers, layer)
			l.neighbours = append(l.neighbours, nil)
			l.bends[i] = append(l.bends[i], number)
			connect(last, number)
			last = number
		}
		connect(last, e.to)
	}
}

// backEdges finds the edges that lead to a node on the way from the entry, by a
// depth-first search with a stack of its own.
func backEdges(g *graph) []bool {
	out := make([][]int, len(g.nodes))
	for i, e := range g.edges {
		if e.kind != reconverges {
			out[e.from] = append(out[e.from], i)
		}
	}
	back := make([]bool, len(g.edges))
	state := make([]uint8, len(g.nodes)) // 0 new, 1 on the way, 2 done
	for root := range g.nodes {
		if state[root] != 0 {
			continue
		}
		state[root] = 1
		stack, next := []int{root}, []int{0}
		for len(stack) > 0 {
			top := len(stack) - 1
			node := stack[top]
			if next[top] == len(out[node]) {
				state[node] = 2
				stack, next = stack[:top], next[:top]
				continue
			}
			e := out[node][next[top]]
			next[top]++
			switch to := g.edges[e].to; state[to] {
			case 0:
				state[to] = 1
				stack, next = append(stack, to), append(next, 0)
			case 1:
				back[e] = true
			}
		}
	}
	return back
}

// assignLayers gives each node the length of the longest way to it.
func assignLayers(g *graph, back []bool) []int {
	waiting := make([]int, len(g.nodes))
	out := make([][]int, len(g.nodes))
	for i, e := range g.edges {
		if e.kind != reconverges && !back[i] {
			waiting[e.to]++
			out[e.from] = append(out[e.from], e.to)
		}
	}
	layers := make([]int, len(g.nodes))
	var ready []int
	for node, n := range waiting {
		if n == 0 {
			ready = append(ready, node)
		}
	}
	for len(ready) > 0 {
		node := ready[0]
		ready = ready[1:]
		for _, to := range out[node] {
			layers[to] = max(layers[to], layers[node]+1)
			if waiting[to]--; waiting[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return layers
}

// sweeps is the number of times that the rows are ordered, down and up in turn.
const sweeps = 8

// orderRows sorts the nodes of each row by the mean place of their neighbours in
// the other rows.
func orderRows(neighbours [][]int, rows [][]int) {
	at := make([]float64, len(neighbours))
	number := func(row []int) {
		for i, node := range row {
			at[node] = (float64(i) + 0.5) / float64(len(row))
		}
	}
	for _, row := range rows {
		number(row)
	}
	for sweep := range sweeps {
		for i := range rows {
			row := rows[i]
			if sweep%2 == 1 {
				row = rows[len(rows)-1-i]
			}
			mean := make(map[int]float64, len(row))
			for _, node := range row {
				sum := at[node]
				for _, other := range neighbours[node] {
					sum += at[other]
				}
				mean[node] = sum / float64(len(neighbours[node])+1)
			}
			sort.SliceStable(row, func(a, b int) bool { return mean[row[a]] < mean[row[b]] })
			number(row)
		}
	}
}

// position gives the nodes their coordinates; rows are centred.
func (l *layout) position(g *graph, rows [][]int) {
	for i, lines := range g.nodes {
		longest := 0
		for _, s := range lines {
			longest = max(longest, len([]rune(s)))
		}
		l.places[i].width = float64(float64(longest)*charWidth) + 2*padding
		l.places[i].height = float64(float64(len(lines))*lineHeight) + 2*padding
	}
	widths := make([]float64, len(rows))
	for i, row := range rows {
		for _, node := range row {
			widths[i] += l.places[node].width + nodeGap
		}
		l.width = max(l.width, widths[i])
	}
	y := float64(margin)
	for i, row := range rows {
		x, tallest := margin+float64((l.width-widths[i]+nodeGap)/2), 0.0
		for _, node := range row {
			p := &l.places[node]
			p.x, p.y = x+float64(p.width/2), y
			x += p.width + nodeGap
			tallest = max(tallest, p.height)
		}
		for _, node := range row {
			if node >= len(g.nodes) {
				l.places[node].height = tallest // the edge goes straight down
			}
		}
		y += tallest + layerGap
	}
	l.width += 2*margin + sideRoom
	l.height = y
}
