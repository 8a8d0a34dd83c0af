// SPDX-License-Identifier: Apache-2.0

package array

import "math"

// The conversions between types, a loop for each pair. They give what
// scalar.convertTo gives for each element.

// toFloat converts to floats.
func toFloat[D float](dst, src storage) {
	d := dst.([]D)
	switch s := src.(type) {
	case []float32:
		floats(d, s)
	case []float64:
		floats(d, s)
	case []int8:
		floats(d, s)
	case []int16:
		floats(d, s)
	case []int32:
		floats(d, s)
	case []int64:
		floats(d, s)
	case []uint8:
		floats(d, s)
	case []uint16:
		floats(d, s)
	case []uint32:
		floats(d, s)
	case []uint64:
		floats(d, s)
	}
}

func floats[D float, S number](d []D, s []S) {
	n := convertVector(d, s)
	floatsInGo(d[n:], s[n:])
}

func floatsInGo[D float, S number](d []D, s []S) {
	for i, v := range s {
		d[i] = D(float64(v))
	}
}

// toInteger converts to integers of so many bytes.
func toInteger[D integer](bytes int, signed bool) func(dst, src storage) {
	return func(dst, src storage) {
		d := dst.([]D)
		switch s := src.(type) {
		case []float32:
			truncated(d, s, bytes, signed)
		case []float64:
			truncated(d, s, bytes, signed)
		case []int8:
			chopped(d, s)
		case []int16:
			chopped(d, s)
		case []int32:
			chopped(d, s)
		case []int64:
			chopped(d, s)
		case []uint8:
			chopped(d, s)
		case []uint16:
			chopped(d, s)
		case []uint32:
			chopped(d, s)
		case []uint64:
			chopped(d, s)
		}
	}
}

func chopped[D, S integer](d []D, s []S) {
	n := convertVector(d, s)
	choppedInGo(d[n:], s[n:])
}

func choppedInGo[D, S integer](d []D, s []S) {
	for i, v := range s {
		d[i] = D(v)
	}
}

func truncated[D integer, S float](d []D, s []S, bytes int, signed bool) {
	if !signed {
		limit := math.Ldexp(1, 8*bytes)
		for i, v := range s {
			if f := float64(v); f >= 0 && f < limit {
				d[i] = D(uint64(f))
			} else {
				d[i] = D(clampUnsigned(f, bytes))
			}
		}
		return
	}
	limit := math.Ldexp(1, 8*bytes-1)
	for i, v := range s {
		if f := float64(v); f > -limit && f < limit {
			d[i] = D(int64(f))
		} else {
			d[i] = D(clampSigned(f, bytes))
		}
	}
}

// positionsIn appends integers that are all positions among n elements; it stops at
// the first that is none.
func positionsIn(dst []int, src storage, n int) []int {
	switch s := src.(type) {
	case []int8:
		return positionsOf(dst, s, n)
	case []int16:
		return positionsOf(dst, s, n)
	case []int32:
		return positionsOf(dst, s, n)
	case []int64:
		return positionsOf(dst, s, n)
	case []uint8:
		return positionsOf(dst, s, n)
	case []uint16:
		return positionsOf(dst, s, n)
	case []uint32:
		return positionsOf(dst, s, n)
	case []uint64:
		return positionsOf(dst, s, n)
	}
	return dst
}

func positionsOf[T integer](dst []int, s []T, n int) []int {
	for _, v := range s {
		if uint64(v) >= uint64(n) { // negative ones too
			break
		}
		dst = append(dst, int(v))
	}
	return dst
}
