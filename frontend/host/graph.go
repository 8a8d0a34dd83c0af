// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"math/bits"
	"math/rand/v2"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/host/array"
)

// edge is a directed edge of a random graph.
type edge struct{ from, to uint64 }

// random.graph_uniform(vertices, degree) is a directed graph in which every
// vertex has degree edges to random vertices: struct(offsets, columns) of i32
// in compressed sparse rows.
func (r *run) randomGraphUniform(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var vertices, degree int
	if err := unpack(args, kwargs, "vertices", &vertices, "degree", &degree); err != nil {
		return nil, err
	}
	g := r.random.next()
	return r.graph(vertices, degree, func(i int) edge {
		return edge{from: uint64(i / degree), to: below(g, uint64(vertices))}
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
	g := r.random.next()
	levels := bits.Len(uint(vertices)) - 1
	return r.graph(vertices, degree, func(int) edge { return rmatEdge(g, levels, a, a+b, a+b+c) })
}

// rmatEdge chooses a quadrant of the adjacency matrix level by level.
func rmatEdge(g *rand.PCG, levels int, a, ab, abc float64) edge {
	var e edge
	for range levels {
		e.from, e.to = e.from<<1, e.to<<1
		switch u := unit(g); {
		case u < a:
		case u < ab:
			e.to |= 1
		case u < abc:
			e.from |= 1
		default:
			e.from |= 1
			e.to |= 1
		}
	}
	return e
}

// graph collects vertices*degree edges and sorts them by their first vertex,
// keeping the order in which they came.
func (r *run) graph(vertices, degree int, next func(i int) edge) (starlark.Value, error) {
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
	for i := range edges {
		e := next(i)
		from.SetInt(i, int64(e.from))
		to.SetInt(i, int64(e.to))
	}
	return r.compressRows(vertices, from, to)
}

func (r *run) compressRows(vertices int, from, to *array.Array) (starlark.Value, error) {
	offsets, err := array.New(r.space, array.I32, vertices+1)
	if err != nil {
		return nil, err
	}
	columns, err := array.New(r.space, array.I32, to.Len())
	if err != nil {
		return nil, err
	}
	starts := make([]int, vertices+1)
	for i := range from.Len() {
		starts[from.Int(i)+1]++
	}
	for v := range vertices {
		starts[v+1] += starts[v]
		offsets.SetInt(v+1, int64(starts[v+1]))
	}
	for i := range to.Len() {
		v := from.Int(i)
		columns.SetInt(starts[v], to.Int(i))
		starts[v]++
	}
	return starlarkstruct.FromStringDict(starlark.String("graph"), starlark.StringDict{"offsets": offsets, "columns": columns}), nil
}
