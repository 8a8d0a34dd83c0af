// SPDX-License-Identifier: Apache-2.0

package array

import "testing"

func TestOrderIsStableAndSorts(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"u32([3, 1, 3, 2, 1]).order()", "i64[5](1, 4, 3, 0, 2)"},
		{"i8([-1, 5, -128]).order()", "i64[3](2, 0, 1)"},
		{"u64([18446744073709551615, 0]).order()", "i64[2](1, 0)"},
		{"f32([2.0, float('nan'), -1.0]).order()", "i64[3](1, 2, 0)"},
		{"i32([4, 3, 2, 1]).reshape(2, 2).order()", "i64[4](3, 2, 1, 0)"},
		{"i32([]).order()", "i64[0]()"},
		{"f64([0.0, 1.0]).erfc()", "f64[2](1.0, 0.15729920705028513)"},
	} {
		v, err := eval(t, nil, c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
		} else if v.String() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.expression, v, c.want)
		}
	}
}
