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
		factors, i := a[row*k:(row+1)*k], 0
		for ; i+4 <= k; i += 4 {
			addFourLines(sums, factors[i:], b[i*n:])
		}
		for ; i < k; i++ {
			addLine(sums, factors[i], b[i*n:])
		}
	}
	return nil
}

// addLine adds a factor's products with numbers to sums. The conversion forbids a fused
// multiply-add, which some hosts have and others do not.
func addLine(sums []float64, factor float64, line []float64) {
	line = line[:len(sums)]
	for c := range sums {
		sums[c] += float64(factor * line[c])
	}
}

// addFourLines is addLine four times, in the same order, with one pass over the sums.
func addFourLines(sums, factors, lines []float64) {
	n := len(sums)
	f0, f1, f2, f3 := factors[0], factors[1], factors[2], factors[3]
	l0, l1, l2, l3 := lines[:n], lines[n:][:n], lines[2*n:][:n], lines[3*n:][:n]
	for c, sum := range sums {
		sum += float64(f0 * l0[c])
		sum += float64(f1 * l1[c])
		sum += float64(f2 * l2[c])
		sums[c] = sum + float64(f3*l3[c])
	}
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
