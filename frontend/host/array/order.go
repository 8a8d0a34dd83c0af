// SPDX-License-Identifier: Apache-2.0

package array

import (
	"slices"

	"go.starlark.net/starlark"
)

// order gives the indexes that sort the elements, as an i64 array of one
// dimension: a.take(a.order()) is a.sort(). It is stable: of equal elements the
// one that comes first stays first, so values go with their keys in one way.
// NaNs come before all other floats.
func (a *Array) order() (starlark.Value, error) {
	out, err := newArray(a.space, I64, []int{a.Len()})
	if err != nil {
		return nil, err
	}
	index := out.data.([]int64)
	for i := range index {
		index[i] = int64(i)
	}
	kinds[a.typ].order(index, a.values())
	return out, nil
}

func orderAll[T number](index []int64, s storage) {
	v := s.([]T)
	slices.SortStableFunc(index, func(i, j int64) int { return compareNumbers(v[i], v[j]) })
}

func compareNumbers[T number](a, b T) int {
	switch {
	case a < b || a != a && b == b:
		return -1
	case a > b || b != b && a == a:
		return 1
	}
	return 0
}
