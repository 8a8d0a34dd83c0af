// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"math"
	"strconv"
)

// scale maps values from low to high to pixels from a to b; high is above low.
type scale struct {
	low, high float64
	a, b      float64
	log       bool
}

// newScale makes a scale for values from low to high, which may be equal.
func newScale(low, high, a, b float64, log bool) scale {
	if !(high > low) {
		if log {
			low, high = low/2, high*2
		} else {
			span := max(math.Abs(low)/2, 0.5)
			low, high = low-span, high+span
		}
	}
	return scale{low, high, a, b, log}
}

func (s *scale) at(v float64) float64 {
	part := (v - s.low) / (s.high - s.low)
	if s.log {
		part = math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return s.a + float64(part*(s.b-s.a))
}

// ticks are round values inside the scale, at least tickSpace pixels apart where there
// are more than a few.
func (s *scale) ticks() []float64 {
	most := max(math.Floor(math.Abs(s.b-s.a)/tickSpace), 2)
	if s.log {
		return s.logTicks(most)
	}
	step := roundStep((s.high - s.low) / most)
	var list []float64
	for k := math.Ceil(s.low/step - 1e-9); float64(k*step) <= s.high+float64(1e-9*step); k++ {
		list = append(list, float64(k*step))
	}
	return list
}

// roundStep is the least of 1, 2 and 5 times a power of ten that is not below least.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if float64(m*power) >= float64(least*(1-1e-9)) {
			return float64(m * power)
		}
	}
	return float64(10 * power)
}

// logTicks are powers of ten, or 1, 2 and 5 times them where there are few.
func (s *scale) logTicks(most float64) []float64 {
	decades := math.Log10(s.high / s.low)
	factors := []float64{1}
	if float64(decades*3) <= most {
		factors = []float64{1, 2, 5}
	}
	every := max(1, int(math.Ceil(decades/most)))
	var list []float64
	for e := int(math.Floor(math.Log10(s.low))); e <= int(math.Ceil(math.Log10(s.high))); e++ {
		if e%every != 0 {
			continue
		}
		for _, f := range factors {
			if v := float64(f * math.Pow(10, float64(e))); v >= float64(s.low*(1-1e-9)) && v <= float64(s.high*(1+1e-9)) {
				list = append(list, v)
			}
		}
	}
	return list
}

// tickText writes a tick's value as short as it can be.
func tickText(v float64) string {
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// frame is where a chart's axes stand, in pixels.
type frame struct{ left, top, right, bottom float64 }

// axisY draws the axis of y with its ticks and its label, and a pale line at each.
func (c *canvas) axisY(f *frame, s *scale, label string) {
	for _, v := range s.ticks() {
		y := s.at(v)
		c.line(f.left, y, f.right, y, "#dddddd")
		c.text(f.left-6, y+4, "end", 0, tickText(v))
	}
	c.line(f.left, f.top, f.left, f.bottom, "#000000")
	c.text(14, (f.top+f.bottom)/2, "middle", -90, label)
}

// axisX draws the axis of x with its ticks and its label.
func (c *canvas) axisX(f *frame, s *scale, label string) {
	for _, v := range s.ticks() {
		x := s.at(v)
		c.line(x, f.bottom, x, f.bottom+4, "#000000")
		c.text(x, f.bottom+18, "middle", 0, tickText(v))
	}
	c.line(f.left, f.bottom, f.right, f.bottom, "#000000")
	c.text((f.left+f.right)/2, f.bottom+36, "middle", 0, label)
}
