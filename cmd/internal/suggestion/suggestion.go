// SPDX-License-Identifier: Apache-2.0

// Package suggestion suggests known words for one that is not.
package suggestion

import (
	"strings"

	"github.com/xrash/smetrics"
)

// mostListed words are named when none is near.
const mostListed = 30

// For is the tail of a message about an unknown word: the known word that is nearest, or
// all known words when none is near and they are few.
func For(word string, known []string) string {
	best, distance := "", len(word)/3+2
	for _, k := range known {
		if len(word) > 3 && strings.HasPrefix(k, word) {
			return "; did you mean " + k + "?"
		}
		if d := smetrics.WagnerFischer(strings.ToLower(word), strings.ToLower(k), 1, 1, 1); d < distance {
			best, distance = k, d
		}
	}
	switch {
	case best != "":
		return "; did you mean " + best + "?"
	case len(known) > mostListed:
		return ""
	}
	return "; known: " + strings.Join(known, ", ")
}
