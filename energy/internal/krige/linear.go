// SPDX-License-Identifier: Apache-2.0

package krige

import (
	"fmt"
	"math"
)

// solve solves a symmetric positive definite system by Cholesky factorisation.
// The matrix is given by its lower triangle, row by row, and is destroyed.
func solve(matrix, right []float64) []float64 {
	n := len(right)
	for i := range n {
		row := matrix[i*n : i*n+n]
		for j := range i + 1 {
			other := matrix[j*n : j*n+n]
			sum := row[j]
			for k := range j {
				sum -= float64(row[k] * other[k])
			}
			if i == j {
				row[i] = math.Sqrt(max(sum, ridge*ridge))
			} else {
				row[j] = sum / other[j]
			}
		}
	}
	x := make([]float64, n)
	for i := range n {
		sum := right[i]
		for k := range i {
			sum -= float64(matrix[i*n+k] * x[k])
		}
		x[i] = sum / matrix[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		sum := x[i]
		for k := i + 1; k < n; k++ {
			sum -= float64(matrix[k*n+i] * x[k])
		}
		x[i] = sum / matrix[i*n+i]
	}
	return x
}

// plane fits a constant and a slope per dimension by least squares. A slight
// penalty on slopes settles dimensions in which all points agree: slope zero.
func plane(points [][]float64, values []float64) ([]float64, error) {
	if len(points) != len(values) {
		return nil, fmt.Errorf("BUG: %d points have %d values", len(points), len(values))
	}
	n := len(points[0]) + 1
	matrix, right := make([]float64, n*n), make([]float64, n)
	row := make([]float64, n)
	for i, p := range points {
		row[0] = 1
		copy(row[1:], p)
		for a := range n {
			right[a] += float64(row[a] * values[i])
			for b := range a + 1 {
				matrix[a*n+b] += float64(row[a] * row[b])
			}
		}
	}
	for a := 1; a < n; a++ {
		matrix[a*n+a] += float64(1e-6 * float64(len(points)))
	}
	return solve(matrix, right), nil
}
