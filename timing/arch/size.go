// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizeUnits are the suffixes that a size may carry. KB and MB are refused:
// papers use them for 1024 and for 1000.
var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// parseSize reads "48KiB", "128B" or a plain number of bytes.
func parseSize(s string) (int64, error) {
	factor := int64(1)
	digits := s
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			factor, digits = u.bytes, strings.TrimSpace(rest)
			break
		}
	}
	v, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || v < 0 || v > math.MaxInt64/factor {
		return 0, fmt.Errorf("%q is not a size: write a whole number with B, KiB, MiB or GiB, such as 48KiB", s)
	}
	return v * factor, nil
}

// formatSize writes a size with the largest unit that divides it.
func formatSize(v int64) string {
	for _, u := range sizeUnits {
		if v >= u.bytes && v%u.bytes == 0 {
			return strconv.FormatInt(v/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(v, 10) + "B"
}
