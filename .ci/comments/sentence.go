// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"strings"
)

// ends part the sentences of a paragraph. Clauses behind a colon or a semicolon count by
// themselves: a comment may list what a word means. So do the columns of a line of output.
var ends = regexp.MustCompile(`(?:[.?!:;]["')]*|\s\|)\s+`)

// problems says what in a text breaks a rule.
func (r *rules) problems(text string) []string {
	var list []string
	for _, s := range sentences(text) {
		if n := len(r.word.FindAllString(s, -1)); n > r.most {
			list = append(list, fmt.Sprintf("%d words in a sentence, %d are the most: %s", n, r.most, s))
		}
		if w := r.odd.FindString(s); w != "" {
			list = append(list, fmt.Sprintf("%q: say it plainly, with the part's name (warp, request, reader): %s", w, s))
		}
	}
	return list
}

// sentences parts a text at blank lines, list items, code and the ends of sentences.
func sentences(text string) []string {
	var list []string
	var paragraph []string
	flush := func() {
		list = append(list, ends.Split(strings.Join(paragraph, " "), -1)...)
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    "):
			flush()
		case strings.HasPrefix(trimmed, "- "):
			flush()
			paragraph = append(paragraph, trimmed)
		default:
			paragraph = append(paragraph, trimmed)
		}
	}
	flush()
	return list
}
