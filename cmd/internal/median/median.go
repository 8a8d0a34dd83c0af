// SPDX-License-Identifier: Apache-2.0

// Package median gives the median of measurements.
package median

import "slices"

// Of is the median of at least one value: of an even number the mean of the two in the
// middle. The values keep their order.
func Of(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
