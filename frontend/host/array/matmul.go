// SPDX-License-Identifier: Apache-2.0

package array

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/warptape/warptape/frontend/internal/lanes"
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

// productLines is how many lines of b are multiplied with all rows of a before the next ones: of 640
// numbers each, they take half of a second cache of 1 MiB.
const productLines = 96

// multiply adds the products of rows of b to rows of dst. Each element of dst takes its products in
// the order of the rows.
func multiply(ctx context.Context, dst, a, b []float64, k, n int) error {
	if n == 0 {
		return nil
	}
	rows := len(dst) / n
	for from := 0; from < k; from += productLines {
		count := min(productLines, k-from)
		for row := 0; row < rows; row += 4 {
			if ctx != nil && ctx.Err() != nil {
				return ctx.Err()
			}
			together := min(4, rows-row)
			addProducts(dst[row*n:][:together*n], a[row*k+from:], b[from*n:], count, k, n)
		}
	}
	return nil
}

// addProducts adds the products of count lines to the sums of up to four rows. Factors of
// successive rows are k elements apart.
func addProducts(sums, factors, lines []float64, count, k, n int) {
	columns := 0
	if len(sums) == 4*n {
		columns = lanes.AddDoubleProducts(sums, factors, lines, count, k, n)
	}
	if columns == n {
		return
	}
	for row := range len(sums) / n {
		addRow(sums[row*n:][columns:n], factors[row*k:][:count], lines[columns:], n)
	}
}

// addRow adds the products of a row's factors and lines to sums. The lines lie n apart.
func addRow(sums, factors, lines []float64, n int) {
	if n == 1 {
		sums[0] = product(sums[0], factors, lines)
		return
	}
	for ; len(factors) >= 4; factors, lines = factors[4:], lines[min(4*n, len(lines)):] {
		addFourLines(sums, factors, lines, n)
	}
	for i, factor := range factors {
		addLine(sums, factor, lines[i*n:])
	}
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
func addFourLines(sums, factors, lines []float64, n int) {
	f0, f1, f2, f3 := factors[0], factors[1], factors[2], factors[3]
	l0, l1, l2, l3 := lines[:len(sums)], lines[n:][:len(sums)], lines[2*n:][:len(sums)], lines[3*n:][:len(sums)]
	for c, sum := range sums {
		sum += float64(f0 * l0[c])
		sum += float64(f1 * l1[c])
		sum += float64(f2 * l2[c])
		sums[c] = sum + float64(f3*l3[c])
	}
}

// product adds the products of a row and a column to a sum, in order.
func product(sum float64, a, b []float64) float64 {
	b = b[:len(a)]
	for i, factor := range a {
		sum += float64(factor * b[i])
	}
	return sum
}
