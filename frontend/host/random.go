// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"
	"math/bits"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/warptape/warptape/frontend/host/array"
	"github.com/warptape/warptape/frontend/host/pcg"
)

// randomStreams gives every call of the random module its own sequence, so
// that a longer one does not change those after it.
type randomStreams struct{ seed, calls uint64 }

// next is PCG-DXSM, as math/rand/v2 fixes it: the same numbers for ever.
func (s *randomStreams) next() pcg.Source {
	s.calls++
	return pcg.New(s.seed, s.calls)
}

// unitBits are the bits of numbers in [0, 1), which an f32 holds exactly.
const unitBits = 24

// below is uniform in 0 ... n-1, but for a bias of n/2^64.
func below(g pcg.Source, n uint64) uint64 {
	high, _ := bits.Mul64(g.Number(), n)
	return high
}

func (r *run) randomModule() *starlarkstruct.Module {
	return r.members("random", map[string]function{
		"uniform": r.randomUniform, "integers": r.randomIntegers,
		"graph_uniform": r.randomGraphUniform, "graph_rmat": r.randomGraphRMAT,
	})
}

// random.uniform(dtype, shape, low=0.0, high=1.0) has floats in [low, high).
func (r *run) randomUniform(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var t array.Type
	var shape starlark.Value
	low, high := 0.0, 1.0
	if err := unpack(args, kwargs, "dtype", &t, "shape", &shape, "low?", &low, "high?", &high); err != nil {
		return nil, err
	}
	if !t.Float() {
		return nil, fmt.Errorf("%s is no float type: use random.integers", t)
	}
	if !(low <= high) {
		return nil, errors.New("low must not be above high")
	}
	g := r.random.next()
	return r.fillRandom(t, shape, func(a *array.Array) { a.DrawFloats(g, low, high, unitBits) })
}

// random.integers(dtype, shape, low, high) has integers in [low, high).
func (r *run) randomIntegers(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var t array.Type
	var shape starlark.Value
	var low, high int64
	if err := unpack(args, kwargs, "dtype", &t, "shape", &shape, "low", &low, "high", &high); err != nil {
		return nil, err
	}
	if t.Float() {
		return nil, fmt.Errorf("%s is no integer type: use random.uniform", t)
	}
	if low >= high {
		return nil, errors.New("low must be below high")
	}
	if !t.Holds(low) || !t.Holds(high-1) {
		return nil, fmt.Errorf("%d ... %d does not fit into %s", low, high-1, t)
	}
	g, span := r.random.next(), uint64(high)-uint64(low)
	return r.fillRandom(t, shape, func(a *array.Array) {
		a.DrawInts(g, low, span) // as below draws one
	})
}

func (r *run) fillRandom(t array.Type, shape starlark.Value, fill func(a *array.Array)) (starlark.Value, error) {
	dims, err := array.Dimensions(shape)
	if err != nil {
		return nil, err
	}
	a, err := array.New(r.space, t, dims...)
	if err != nil {
		return nil, err
	}
	fill(a)
	return a, nil
}
