// SPDX-License-Identifier: Apache-2.0

package commandline

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// Listed splits the values of a flag that takes several at commas, but not inside
// parentheses, where commas part the arguments of overlays.
func Listed(c *cli.Context, flag string) []string {
	var out []string
	for _, value := range c.StringSlice(flag) {
		out = append(out, CommaParts(value)...)
	}
	return out
}

// CommaParts splits a text at the commas that are not inside parentheses.
func CommaParts(value string) []string {
	var out []string
	depth, first := 0, 0
	for i, r := range value {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth <= 0:
			out, first = append(out, strings.TrimSpace(value[first:i])), i+1
		}
	}
	return append(out, strings.TrimSpace(value[first:]))
}
