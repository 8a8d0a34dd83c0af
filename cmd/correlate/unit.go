// SPDX-License-Identifier: Apache-2.0

package correlate

import "strings"

// scales are the units that a figure may be measured in, with what a value is multiplied
// by to have the unit of the figure. The first is the figure's, and ends its name.
var scales = [][]struct {
	unit  string
	scale float64
}{
	{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}},
	{{"j", 1}, {"mj", 1e-3}, {"uj", 1e-6}, {"µj", 1e-6}, {"nj", 1e-9}},
	{{"w", 1}, {"mw", 1e-3}, {"kw", 1e3}},
	{{"percent", 1}, {"%", 1}, {"fraction", 100}},
	{{"mm2", 1}, {"mm²", 1}, {"cm2", 100}},
}

// named splits a header into the figure and its unit: "time_us", "time [us]", "time (us)".
func named(header string) (stem, unit string) {
	for _, brackets := range []string{"[]", "()"} {
		if before, rest, ok := strings.Cut(header, brackets[:1]); ok && strings.HasSuffix(rest, brackets[1:]) {
			return strings.TrimSpace(before), strings.ToLower(strings.TrimSuffix(rest, brackets[1:]))
		}
	}
	if i := strings.LastIndex(header, "_"); i > 0 {
		return header[:i], strings.ToLower(header[i+1:])
	}
	return header, ""
}

// converted finds the figure that a header means in another unit than its own.
func converted(header string, figures map[string]bool) (figure string, scale float64, ok bool) {
	stem, unit := named(header)
	for _, family := range scales {
		for _, u := range family {
			if u.unit != unit {
				continue
			}
			for _, name := range []string{stem + "_" + family[0].unit, stem} {
				if figures[name] && strings.HasSuffix(name, "_"+family[0].unit) {
					return name, u.scale, true
				}
			}
		}
	}
	return "", 0, false
}
