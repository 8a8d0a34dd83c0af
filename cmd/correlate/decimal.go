// SPDX-License-Identifier: Apache-2.0

package correlate

import (
	"math"
	"strconv"
)

// Decimal is a number that files hold with nine digits, which all processors agree on.
// NaN is null.
type Decimal float64

// MarshalJSON implements json.Marshaler.
func (d Decimal) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(d)) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(d), 'g', 9, 64), nil
}

// text has so many digits behind the point; a dash stands for no value.
func (d Decimal) text(digits int) string {
	if math.IsNaN(float64(d)) {
		return "-"
	}
	return strconv.FormatFloat(float64(d), 'f', digits, 64)
}

// Text is the value with its interval, with so many digits behind the points of each.
func (e Estimate) Text(digits, interval int) string {
	if math.IsNaN(float64(e.Low)) {
		return e.Value.text(digits)
	}
	return e.Value.text(digits) + " (" + e.Low.text(interval) + " to " + e.High.text(interval) + ")"
}
