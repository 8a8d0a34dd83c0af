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
	// Halves of 32 bits cannot overflow 64 bits in 2^24 additions.
	total, low, high := new(big.Int), int64(0), int64(0)
	for i := range a.Len() {
		s := k.load(a.values(), i)
		low += int64(uint32(s.i)) + int64(uint32(s.u))
		high += s.i>>32 + int64(s.u>>32)
		if i&(1<<24-1) == 0 {
			fold(total, &low, &high)
		}
	}
	fold(total, &low, &high)
	return starlark.MakeBigInt(total), nil
}

func fold(total *big.Int, low, high *int64) {
	part := new(big.Int).Lsh(big.NewInt(*high), 32)
	total.Add(total, part.Add(part, big.NewInt(*low)))
	*low, *high = 0, 0
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
	for i := range a.Len() {
		if !kinds[a.typ].load(a.values(), i).zero() {
			return starlark.True, nil
		}
	}
	return starlark.False, nil
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
