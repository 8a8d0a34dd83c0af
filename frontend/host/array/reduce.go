// SPDX-License-Identifier: Apache-2.0

package array

import (
	"fmt"
	"math/big"

	"go.starlark.net/starlark"
)

// sum adds all elements: exactly for integers, in f64 in order for floats.
func (a *Array) sum() (starlark.Value, error) {
	k := &kinds[a.typ]
	if k.class == classFloat {
		return starlark.Float(k.sum(a.values())), nil
	}
	total := new(big.Int)
	for at := 0; at < a.Len(); at += addedAtOnce {
		low, high := k.halves(k.window(a.values(), at, min(at+addedAtOnce, a.Len())))
		part := new(big.Int).Lsh(big.NewInt(high), 32)
		total.Add(total, part.Add(part, big.NewInt(low)))
	}
	return starlark.MakeBigInt(total), nil
}

// addedAtOnce is how many elements halvesOf adds: halves of 32 bits cannot overflow 64 bits in 2^24
// additions.
const addedAtOnce = 1 << 24

// halvesOf adds the low 32 bits of elements, and what is above them.
func halvesOf[T integer](s storage) (low, high int64) {
	for _, v := range s.([]T) {
		low += int64(uint32(v))
		if ^T(0) < 0 {
			high += int64(v) >> 32
		} else {
			high += int64(uint64(v) >> 32)
		}
	}
	return low, high
}

func (a *Array) minimum() (starlark.Value, error) { return a.extreme(relLt) }
func (a *Array) maximum() (starlark.Value, error) { return a.extreme(relGt) }

func (a *Array) extreme(rel relation) (starlark.Value, error) {
	if a.Len() == 0 {
		return nil, fmt.Errorf("the array is empty")
	}
	k := &kinds[a.typ]
	return k.load(a.values(), k.first(rel, a.values())).starlark(), nil
}

func (a *Array) any() (starlark.Value, error) {
	return starlark.Bool(kinds[a.typ].other(a.values())), nil
}

func (a *Array) all() (starlark.Value, error) { return starlark.Bool(!a.hasZero()), nil }

func (a *Array) item() (starlark.Value, error) {
	if a.Len() != 1 {
		return nil, fmt.Errorf("the array has %d elements, not one", a.Len())
	}
	return a.Element(0), nil
}

func (a *Array) cumsum() (starlark.Value, error) {
	out, err := a.like(a.typ)
	if err != nil {
		return nil, err
	}
	kinds[a.typ].cumsum(out.data, a.values())
	return out, nil
}
