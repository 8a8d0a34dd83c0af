// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// byteUnits are the units of sizes on the command line.
var byteUnits = map[string]float64{
	"": 1, "B": 1,
	"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

// parseBytes reads a size such as 20GB or 1.5GiB.
func parseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "kKMGTiB")
	unit, ok := byteUnits[text[len(digits):]]
	value, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !ok || err != nil || !(value >= 0) || value*unit >= math.MaxInt64 {
		return 0, fmt.Errorf("%q: want a size such as 20GB or 512MiB", text)
	}
	return int64(value * unit), nil
}

// parseAge reads an age such as 30d, 2w or 12h30m.
func parseAge(text string) (time.Duration, error) {
	bad := fmt.Errorf("%q: want an age such as 30d, 2w or 12h", text)
	const day = 24 * time.Hour
	for suffix, unit := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			n, err := strconv.ParseUint(number, 10, 31)
			if err != nil || n > uint64(math.MaxInt64/unit) {
				return 0, bad
			}
			return time.Duration(n) * unit, nil
		}
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return 0, bad
	}
	return age, nil
}
