// SPDX-License-Identifier: Apache-2.0

package median

import (
	"slices"
	"testing"
)

func TestTheMedianIsInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{[]float64{7}, 7}, {[]float64{4, 1, 3, 2}, 2.5}, {[]float64{9, -1, 5}, 5}} {
		before := slices.Clone(c.values)
		if got := Of(c.values); got != c.want || !slices.Equal(c.values, before) {
			t.Errorf("the median of %v is %g, want %g; the values are now %v", before, got, c.want, c.values)
		}
	}
}
