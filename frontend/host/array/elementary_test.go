// SPDX-License-Identifier: Apache-2.0

package array

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"go.starlark.net/starlark"
)

func TestElementaryFunctionsHaveKnownValues(t *testing.T) {
	for _, c := range []struct {
		expression string
		want       float64
	}{
		{"f64([1.0]).exp()", math.E},
		{"f64([10.0]).log()", math.Ln10},
		{"f64([1.5707963267948966]).sin()", 1},
		{"f64([3.141592653589793]).cos()", -1},
		{"f64([0.5235987755982989]).sin()", 0.5},
		{"f32([1.0]).exp()", float64(float32(math.E))},
	} {
		v, err := eval(t, nil, c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
			continue
		}
		if got := v.(*Array).Float(0); math.Abs(got-c.want) > 1e-15*math.Abs(c.want) {
			t.Errorf("%s = %v, want %v", c.expression, got, c.want)
		}
	}
}

func TestIntegersHaveNoElementaryFunctions(t *testing.T) {
	if _, err := eval(t, nil, "i32([1]).exp()"); err == nil || !strings.Contains(err.Error(), "i32 has no exp") {
		t.Errorf("got %v", err)
	}
}

// TestTransformsEqualTheirDefinition compares with the sum that defines the
// transform.
func TestTransformsEqualTheirDefinition(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 4, 32, 128} {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = g.Float64()-0.5, g.Float64()-0.5
		}
		gotX, gotY := append([]float64{}, x...), append([]float64{}, y...)
		cosines, sines := roots(n)
		transform(gotX, gotY, cosines, sines)
		for k := range n {
			want := complex(0, 0)
			for j := range n {
				want += complex(x[j], y[j]) * cmplx.Rect(1, -2*math.Pi*float64(j*k%n)/float64(n))
			}
			if cmplx.Abs(complex(gotX[k], gotY[k])-want) > 1e-13*float64(n) {
				t.Errorf("n %d: element %d is %v, want %v", n, k, complex(gotX[k], gotY[k]), want)
			}
		}
	}
}

func TestEveryRowIsTransformed(t *testing.T) {
	v, err := eval(t, nil, "array.fft(f32([1, 1, 1, 1, 0, 1, 0, -1]).reshape(2, 4), f32([0, 0, 0, 0, 1, 0, -1, 0]).reshape(2, 4))")
	if err != nil {
		t.Fatal(err)
	}
	// The second row is i * exp(-2 pi i j / 4): all of it is at frequency 3.
	want := [2][]float64{{4, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 4}}
	for part, values := range want {
		got := v.(starlark.Tuple)[part].(*Array)
		for i, w := range values {
			if math.Abs(got.Float(i)-w) > 1e-14 {
				t.Errorf("part %d, element %d: %v, want %v", part, i, got.Float(i), w)
			}
		}
	}
}

func TestTransformsOfOtherLengthsAreRefused(t *testing.T) {
	for _, expression := range []string{
		"array.fft(f32([1, 2, 3]), f32([1, 2, 3]))",
		"array.fft(f32([1, 2]), f64([1, 2]))",
		"array.fft(f32([1, 2]), f32([1, 2, 3, 4]))",
		"array.fft(f32(1), f32(1))",
		"array.fft(f32([]), f32([]))",
		"array.fft(i32([1, 2]), i32([1, 2]))",
	} {
		if _, err := eval(t, nil, expression); err == nil || !strings.Contains(err.Error(), "array.fft: ") {
			t.Errorf("%s: %v", expression, err)
		}
	}
}
