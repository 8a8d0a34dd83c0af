// SPDX-License-Identifier: Apache-2.0

// Package numbers writes and compares the numbers that commands and documents print.
package numbers

import (
	"fmt"
)

// Grouped writes n with thousands separated: 1,048,576.
func Grouped(n uint64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Ratio is a over b; zero where b is.
func Ratio(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Share is a part in percent; a dash of nothing.
func Share(part, whole uint64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// ErrorPercent is the relative error of an estimate, zero where both are zero.
func ErrorPercent(estimate, truth float64) float64 {
	if estimate == truth {
		return 0
	}
	return 100 * (estimate/truth - 1)
}

// Short writes a count: exactly up to 9999, then with three digits and a decimal
// prefix: 1.05M, 16.8M.
func Short(n uint64) string {
	if n < 10_000 {
		return fmt.Sprint(n)
	}
	x := float64(n)
	for _, prefix := range "kMGT" {
		x /= 1000
		switch {
		case x < 9.995:
			return fmt.Sprintf("%.2f%c", x, prefix)
		case x < 99.95:
			return fmt.Sprintf("%.1f%c", x, prefix)
		case x < 999.5 || prefix == 'T':
			return fmt.Sprintf("%.0f%c", x, prefix)
		}
	}
	panic("BUG: the last prefix holds everything")
}
