// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"math"
	"math/bits"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/host/pcg"
)

// random.graph_uniform(vertices, degree) is a directed graph in which every
// vertex has degree edges to random vertices: struct(offsets, columns) of i32
// in compressed sparse rows.
func (r *run) randomGraphUniform(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var vertices, degree int
	if err := unpack(args, kwargs, "vertices", &vertices, "degree", &degree); err != nil {
		return nil, err
	}
	g := r.random.next()
	return r.graph(vertices, degree, func(from, to []int32) {
		for i := range from {
			g = g.Next()
			from[i], to[i] = int32(i/degree), int32(below(g, uint64(vertices)))
		}
	})
}

// random.graph_rmat(vertices, degree, a=0.57, b=0.19, c=0.19) is a directed
// graph with a power-law distribution of degrees, made by recursive subdivision
// of the adjacency matrix (Chakrabarti, Zhan and Faloutsos, "R-MAT: A recursive
// model for graph mining", SDM 2004). The defaults are those of the Graph500
// benchmark. vertices must be a power of two, degree is the mean.
func (r *run) randomGraphRMAT(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var vertices, degree int
	a, b, c := 0.57, 0.19, 0.19
	if err := unpack(args, kwargs, "vertices", &vertices, "degree", &degree, "a?", &a, "b?", &b, "c?", &c); err != nil {
		return nil, err
	}
	if vertices < 1 || vertices&(vertices-1) != 0 {
		return nil, errors.New("vertices must be a power of two")
	}
	if !(a >= 0 && b >= 0 && c >= 0 && a+b+c <= 1) {
		return nil, errors.New("a, b and c are probabilities: they must not be negative, and a+b+c must be at most 1")
	}
	g, q := r.random.next(), newQuadrants(a, a+b, a+b+c)
	levels := bits.Len(uint(vertices)) - 1
	return r.graph(vertices, degree, func(from, to []int32) {
		for i := range from {
			g, from[i], to[i] = q.edge(g, levels)
		}
	})
}

// quadrants of the adjacency matrix end at these numbers of 24 bits: the upper left, the upper
// right and the lower left one.
type quadrants [3]uint64

// newQuadrants: a number is below an end if its part of 2^24 is below a probability.
func newQuadrants(a, ab, abc float64) quadrants {
	var q quadrants
	for i, p := range [...]float64{a, ab, abc} {
		q[i] = uint64(math.Ceil(p * (1 << unitBits)))
	}
	return q
}

// edge chooses a quadrant level by level. It has no branches, since half of them would be
// mispredicted: x-y has its highest bit set if x is less than y.
func (q *quadrants) edge(g pcg.Source, levels int) (rest pcg.Source, from, to int32) {
	for range levels {
		g = g.Next()
		u := g.Number() >> (64 - unitBits)
		right, down, both := ^(u-q[0])>>63, ^(u-q[1])>>63, ^(u-q[2])>>63
		from, to = from<<1|int32(down), to<<1|int32(right^down^both)
	}
	return g, from, to
}

// graph has vertices*degree edges, sorted by their first vertex in the order in which they are drawn.
func (r *run) graph(vertices, degree int, draw func(from, to []int32)) (starlark.Value, error) {
	if vertices < 1 || degree < 0 || degree > 1<<30/vertices {
		return nil, errors.New("a graph needs at least one vertex and at most 2^30 edges")
	}
	edges := vertices * degree
	from, err := array.New(r.space, array.I32, edges)
	if err != nil {
		return nil, err
	}
	to, err := array.New(r.space, array.I32, edges)
	if err != nil {
		return nil, err
	}
	draw(from.Int32s(), to.Int32s())
	return r.compressRows(vertices, from.Int32s(), to.Int32s())
}

func (r *run) compressRows(vertices int, from, to []int32) (starlark.Value, error) {
	offsets, err := array.New(r.space, array.I32, vertices+1)
	if err != nil {
		return nil, err
	}
	columns, err := array.New(r.space, array.I32, len(to))
	if err != nil {
		return nil, err
	}
	starts := make([]int32, vertices+1)
	for _, v := range from {
		starts[v+1]++
	}
	for v := range vertices {
		starts[v+1] += starts[v]
	}
	copy(offsets.Int32s(), starts)
	sorted := columns.Int32s()
	for i, v := range from {
		sorted[starts[v]] = to[i]
		starts[v]++
	}
	return starlarkstruct.FromStringDict(starlark.String("graph"), starlark.StringDict{"offsets": offsets, "columns": columns}), nil
}
