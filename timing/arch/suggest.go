// SPDX-License-Identifier: Apache-2.0

package arch

// nearest gives the candidate closest to word, "" when none is close enough to
// be what was meant (a third of its letters wrong at most).
func nearest(word string, candidates []string) string {
	best, distance := "", len(word)/3+1
	for _, c := range candidates {
		if d := editDistance(word, c); d <= distance && (best == "" || d < distance) {
			best, distance = c, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// didYouMean is the tail of a message about an unknown word.
func didYouMean(word string, candidates []string) string {
	if n := nearest(word, candidates); n != "" {
		return "; did you mean " + n + "?"
	}
	return "; known: " + commaList(candidates)
}

func commaList(words []string) string {
	out := ""
	for i, w := range words {
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}
