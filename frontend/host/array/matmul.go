// SPDX-License-Identifier: Apache-2.0

package array

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"
)

// contextKey is where a thread keeps the context that ends long operations.
const contextKey = "warptape.array.context"

// AttachContext makes operations that take long end when ctx does.
func AttachContext(ctx context.Context, thread *starlark.Thread) { thread.SetLocal(contextKey, ctx) }

// maxProducts bounds a multiplication of matrices to a minute or so.
const maxProducts = 1 << 36

// matmul(a, b) is the product of two float matrices, as f64.
func matmul(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, y *Array
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &y); err != nil {
		return nil, err
	}
	if len(x.shape) != 2 || len(y.shape) != 2 || x.shape[1] != y.shape[0] || !x.typ.Float() || !y.typ.Float() {
		return nil, fmt.Errorf("%s: needs float matrices of m x k and k x n elements, got %s and %s", b.Name(), x.describe(), y.describe())
	}
	if work := uint64(x.Len()) * uint64(y.shape[1]); work > maxProducts {
		return nil, fmt.Errorf("%s: %d multiplications are too many for a reference: check a part of the result", b.Name(), work)
	}
	left, err := x.convert(F64)
	if err != nil {
		return nil, err
	}
	right, err := y.convert(F64)
	if err != nil {
		return nil, err
	}
	out, err := newArray(x.space, F64, []int{x.shape[0], y.shape[1]})
	if err != nil {
		return nil, err
	}
	x.space.Work(uint64(x.Len()) * uint64(y.shape[1]))
	ctx, _ := thread.Local(contextKey).(context.Context)
	return out, multiply(ctx, out.data.([]float64), left.values().([]float64), right.values().([]float64), x.shape[1], y.shape[1])
}

// multiply adds the products of rows of b to rows of dst, one row of a at a
// time, so that all three are read along their rows.
func multiply(ctx context.Context, dst, a, b []float64, k, n int) error {
	if n == 0 {
		return nil
	}
	for row := range len(dst) / n {
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if n == 1 {
			dst[row] = product(a[row*k:(row+1)*k], b)
			continue
		}
		sums := dst[row*n : (row+1)*n]
		for i, factor := range a[row*k : (row+1)*k] {
			line := b[i*n : (i+1)*n]
			for c := range sums {
				// The conversion forbids a fused multiply-add, which some hosts
				// have and others do not.
				sums[c] += float64(factor * line[c])
			}
		}
	}
	return nil
}

// product adds the products of a row and a column to 0, in order.
func product(a, b []float64) float64 {
	sum := 0.0
	b = b[:len(a)]
	for i, factor := range a {
		sum += float64(factor * b[i])
	}
	return sum
}
