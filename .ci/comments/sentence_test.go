// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

func read(t *testing.T) *rules {
	t.Helper()
	r, err := readRules("../prose/Warptape")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A sentence of thirty words passes, one of thirty-one does not, wherever its lines break.
func TestLengthOfASentence(t *testing.T) {
	for n, want := range map[int]int{30: 0, 31: 1} {
		for _, between := range []string{" ", "\n"} {
			s := "Before. " + strings.Repeat("word"+between, n-1) + "end. After.\n"
			if got := read(t).problems(s); len(got) != want {
				t.Errorf("%d words: %q", n, got)
			}
		}
	}
}

// Blank lines, list items and code end a sentence.
func TestWhatEndsASentence(t *testing.T) {
	twenty := strings.TrimSpace(strings.Repeat("word ", 20))
	for _, between := range []string{"\n\n", "\n- ", "\n\tcode\n", ".\n", ": ", "; "} {
		if got := read(t).problems(twenty + between + twenty); len(got) != 0 {
			t.Errorf("%q: %q", between, got)
		}
	}
}

// The words stand here in two parts, as this file is checked, too.
func TestOddWords(t *testing.T) {
	for text, want := range map[string]int{
		"An SM of " + "which nothing is known.": 1,
		"No" + "body reads it":                  1,
		"A reader of whichever kind":            0,
	} {
		if got := read(t).problems(text); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
