// SPDX-License-Identifier: Apache-2.0

package development

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// claim is a sentence of a document with figures, and where a page has them.
type claim struct {
	document string
	sentence *regexp.Regexp // a group for each figure
	page     string         // of docs
	figures  func(page string) []string
}

// matched are the groups of the one place of a page that fits.
func matched(pattern string) func(string) []string {
	return func(page string) []string {
		all := regexp.MustCompile(pattern).FindAllStringSubmatch(page, -1)
		if len(all) != 1 {
			return []string{fmt.Sprintf("%d places fit %s", len(all), pattern)}
		}
		return all[0][1:]
	}
}

// following are figures of several places, in order.
func following(parts ...func(string) []string) func(string) []string {
	return func(page string) (list []string) {
		for _, part := range parts {
			list = append(list, part(page)...)
		}
		return list
	}
}

// lowered is the row of the default model in the first table of a card's kernels.
func lowered(card, kernel, columns string) func(string) []string {
	return matched("\\| `" + card + "` \\| " + kernel + " \\| `lowered` \\| " + columns + ` \|[^|]*\|[^|]*\|[^|]*\|[^|]*\|[^|]*\|\n`)
}

// meanOff is the mean error of the cycles of v100, and of how many kernels it is.
func meanOff(page string) []string {
	rows := regexp.MustCompile(`(?m)^\| \S+ \| \S+ \| \d+ \| (\d+) \| (\d+) \| [+-]\d+ % \| \d+ W`).FindAllStringSubmatch(page, -1)
	sum := 0.0
	for _, row := range rows {
		measured, _ := strconv.ParseFloat(row[1], 64)
		ours, _ := strconv.ParseFloat(row[2], 64)
		sum += math.Abs(ours/measured - 1)
	}
	words := map[int]string{3: "three", 4: "four", 5: "five", 8: "eight"}
	return []string{fmt.Sprintf("%.0f", sum/float64(len(rows))*100), words[len(rows)]}
}

var claims = []claim{
	{
		"README.md",
		regexp.MustCompile(`RTX 2080 Ti: (\S+) % mean error over (\d+) variants of a convolution, (\S+) % over (\d+) of point in polygon; RTX 3090: (\S+) and (\S+) %; V100: (\S+) % over (\S+) kernels`),
		"silicon.md",
		following(
			swapped(lowered("rtx2080ti", "convolution-variants", `(\d+) \| 0 \| (\S+) %`)),
			swapped(lowered("rtx2080ti", "point-in-polygon", `(\d+) \| 0 \| (\S+) %`)),
			lowered("rtx3090", "convolution-variants", `\d+ \| 0 \| (\S+) %`),
			lowered("rtx3090", "point-in-polygon", `\d+ \| 0 \| (\S+) %`),
			meanOff,
		),
	},
	{
		"README.md",
		regexp.MustCompile(`GTX480: (\S+) % mean error over (\d+) kernels, correlation (\S+); QV100: (\S+) % over (\d+), (\S+) \|`),
		"validation.md",
		following(reference("SM2_GTX480"), reference("SM7_QV100")),
	},
	{
		"README.md",
		regexp.MustCompile(`(\S+) byte per warp instruction \(geometric mean\)`),
		"trace-size.md",
		func(page string) []string {
			bytes, _ := strconv.ParseFloat(matched(`\| geometric mean of the files \| \S+ \| (\S+) \|`)(page)[0], 64)
			return []string{strconv.FormatFloat(bytes, 'g', 2, 64)}
		},
	},
	{
		"README.md",
		regexp.MustCompile(`(\d+) of (\d+) intervals hold the whole run's cycles`),
		"sampling.md",
		held("Both together"),
	},
	{
		"docs/rationale.md",
		regexp.MustCompile(`Over (\d+) machines (\d+) of (\d+)\s+intervals hold`),
		"sampling.md",
		following(machines("Both together"), held("Both together")),
	},
	{
		"docs/performance.md",
		regexp.MustCompile(`(\S+) % in the mean, (\S+) % at worst, (\d+) of (\d+) intervals hold, over (\d+) machines`),
		"sampling.md",
		following(meanAndWorst("By `auto,for=` the machine alone"), held("By `auto,for=` the machine alone"), machines("By `auto,for=` the machine alone")),
	},
	{
		"README.md",
		regexp.MustCompile(`(\d+) of (\d+) runs to the cycle`),
		"tesla.md",
		func(page string) []string {
			n := matched(`exact to the cycle. (\d+) runs`)(page)[0]
			return []string{n, n}
		},
	},
}

// swapped puts the second of two figures first.
func swapped(of func(string) []string) func(string) []string {
	return func(page string) []string {
		list := of(page)
		slices.Reverse(list)
		return list
	}
}

// reference is the mean error, the number of kernels and the correlation with a
// configuration of the reference simulator.
func reference(configuration string) func(string) []string {
	return func(page string) []string {
		g := matched(configuration + `: \d+ launches of (\d+) kernels\. The cycles differ by (\S+) % in the mean .* correlate with (\S+)\.\n`)(page)
		if len(g) != 3 {
			return g
		}
		return []string{g[1], g[0], g[2]}
	}
}

// part is a section's text.
func part(page, heading string) string {
	_, after, _ := strings.Cut(page, "\n### "+heading)
	text, _, _ := strings.Cut(after, "\n### ")
	return text
}

// halves are the columns of the two rows of a table of samples that are of all machines.
func halves(page, heading string) [][]string {
	var rows [][]string
	for _, m := range regexp.MustCompile(`(?m)^\| (all, .*) \|$`).FindAllStringSubmatch(part(page, heading), -1) {
		rows = append(rows, strings.Split(m[1], " | "))
	}
	return rows
}

// held are the intervals that hold, and all, by a policy.
func held(heading string) func(string) []string {
	return func(page string) []string {
		inside, all := 0, 0
		for _, row := range halves(page, heading) {
			var n, of int
			fmt.Sscanf(row[5], "%d of %d", &n, &of)
			inside, all = inside+n, all+of
		}
		return []string{strconv.Itoa(inside), strconv.Itoa(all)}
	}
}

// meanAndWorst are the mean error of the estimates by a policy, and the worst.
func meanAndWorst(heading string) func(string) []string {
	return func(page string) []string {
		sum, all, worst := 0.0, 0.0, 0.0
		for _, row := range halves(page, heading) {
			n, _ := strconv.ParseFloat(row[1], 64)
			mean, _ := strconv.ParseFloat(row[3], 64)
			most, _ := strconv.ParseFloat(row[4], 64)
			sum, all, worst = sum+n*mean, all+n, max(worst, most)
		}
		return []string{fmt.Sprintf("%.1f", sum/all), fmt.Sprintf("%.1f", worst)}
	}
}

// machines is how many machines a table of samples has.
func machines(heading string) func(string) []string {
	return func(page string) []string {
		rows := regexp.MustCompile(`(?m)^\| [a-z0-9-]+ \| \d`).FindAllString(part(page, heading), -1)
		return []string{strconv.Itoa(len(rows))}
	}
}

// TestDocumentsHaveThePagesFigures: README.md once had those of pages that had been made anew since.
func TestDocumentsHaveThePagesFigures(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, c := range claims {
		document, err := os.ReadFile(filepath.Join(root, c.document))
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(root, "docs", c.page))
		if err != nil {
			t.Fatal(err)
		}
		said := c.sentence.FindSubmatch(document)
		if said == nil {
			t.Errorf("%s has no sentence %s", c.document, c.sentence)
			continue
		}
		var figures []string
		for _, g := range said[1:] {
			figures = append(figures, string(g))
		}
		if want := c.figures(string(page)); !slices.Equal(figures, want) {
			t.Errorf("%s says %v where docs/%s has %v", c.document, figures, c.page, want)
		}
	}
}
