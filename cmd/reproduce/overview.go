// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"bytes"
	"fmt"
	"math"
)

// quarter is how far an effect may be from the published one to be near it.
const quarter = 0.25

// tally counts what became of claims.
type tally struct {
	// judged claims have a direction and a value here that is not made from them;
	// inDirection counts those that are as said or go the published way.
	judged, inDirection int
	// numbers are claims that state a number; near counts those within a quarter of the
	// published effect, or of the value where there is no effect.
	numbers, near int
	// known, notKnown and older are misses, claims that ours does not meet: those whose cause
	// an experiment showed, those whose cause is not known, and those of an older model.
	known, notKnown, older int
}

func (n *tally) add(a *assessment) {
	n.addMiss(a)
	v := a.verdict
	switch v.Outcome {
	case NoValue, InputOnly, NotShown:
		return
	}
	stated, number := a.claim.reading.(Number)
	if !number || stated.Neutral != nil {
		n.judged++
		if v.Outcome.goesThere() {
			n.inDirection++
		}
	}
	if !number {
		return
	}
	n.numbers++
	if v.near() {
		n.near++
	}
}

// near reports whether an effect, or a value, is within a quarter of the published one.
func (v Verdict) near() bool { return math.Abs(v.Ratio-1) <= quarter+rounding }

// addMiss counts a miss by what is known of its cause.
func (n *tally) addMiss(a *assessment) {
	switch {
	case !a.missed():
	case a.cause == nil:
		n.older++
	case a.cause.NotKnown:
		n.notKnown++
	default:
		n.known++
	}
}

// goesThere reports whether an outcome has the direction of its claim.
func (o Outcome) goesThere() bool {
	switch o {
	case SameDirection, AsSaid, LessThanSaid, MoreThanSaid, AtTheLimit, OfEffect:
		return true
	}
	return false
}

// String is the tally in words.
func (n *tally) String() string {
	text := fmt.Sprintf("%d of %d claims with a direction are as said or go the published way (%.0f %%)", n.inDirection, n.judged, Percent(float64(n.inDirection), float64(n.judged)))
	if n.numbers > 0 {
		text += fmt.Sprintf("; %d of %d stated numbers are within a quarter (%.0f %%)", n.near, n.numbers, Percent(float64(n.near), float64(n.numbers)))
	}
	if misses := n.known + n.notKnown + n.older; misses > 0 {
		text += fmt.Sprintf(". Of its %d misses %s a known cause, of %d none is known", misses, plural(n.known, "has", "have"), n.notKnown)
	}
	if n.older > 0 {
		text += fmt.Sprintf(", %s of an older model alone", plural(n.older, "is", "are"))
	}
	return text
}

// plural is a number with the verb that goes with it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// stated is a number of the paper with ours at each size.
type stated struct {
	assessment          // at the largest size that has the figure
	bySize     []string // ours; empty where there is no such figure
}

// WriteOverview writes docs/reproduction.md from the committed results: one table a
// paper. It fails when they are stale.
func WriteOverview(b *bytes.Buffer) error {
	b.WriteString(introduction)
	all, err := CommittedResults()
	if err != nil {
		return err
	}
	for _, s := range Studies() {
		var of []*Results
		for _, r := range all {
			if r.Study == s.Name {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			continue
		}
		if err := s.overview(b, of); err != nil {
			return err
		}
	}
	return nil
}

// overview writes a study's table of stated numbers.
func (s *Study) overview(b *bytes.Buffer, results []*Results) error {
	fmt.Fprintf(b, "\n## %s\n\n%s. [All figures, claims and notes](%s); [plots](reproduction/%s.html).\n\n", s.Title, s.Source, s.Page(), s.Name)
	list, err := s.assess(results)
	if err != nil {
		return err
	}
	var rows []stated
	for i := range list {
		r := list[i].results
		var n tally
		for k := range list[i].tables {
			rows = list[i].tables[k].state(rows, i, len(results), &n)
		}
		fmt.Fprintf(b, "- Size %s: %s.", r.Size, &n)
		if r.Older != "" {
			fmt.Fprintf(b, " %s", r.Older)
		}
		b.WriteString("\n")
	}
	if len(rows) == 0 {
		return nil
	}
	s.writeStated(b, results, rows)
	return nil
}

// writeStated writes the table of stated numbers.
func (s *Study) writeStated(b *bytes.Buffer, results []*Results, rows []stated) {
	b.WriteString("\n| figure | place | the paper says | published |")
	for _, r := range results {
		fmt.Fprintf(b, " ours, %s |", r.Size)
	}
	b.WriteString(" verdict | cause of a miss |\n| --- | --- | --- | ---: |")
	for range results {
		b.WriteString(" ---: |")
	}
	b.WriteString(" --- | --- |\n")
	for _, row := range rows {
		c := row.claim
		fmt.Fprintf(b, "| %s | %s, %s | \"%s\" (%s) | %s |", c.Figure, c.Row, c.Series, c.Quote, c.Where, c)
		for _, ours := range row.bySize {
			fmt.Fprintf(b, " %s |", ours)
		}
		fmt.Fprintf(b, " %s |%s |\n", row.verdict, padded(row.causeCell()))
	}
}

// padded is the text of a cell behind a space, nothing for none.
func padded(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}

// state adds the numbers that the paper states of a table, which is of the size with a
// number among sizes, and counts all its claims.
func (t *assessedTable) state(rows []stated, size, sizes int, n *tally) []stated {
	for i := range t.claims {
		a := &t.claims[i]
		n.add(a)
		if _, number := a.claim.value(); !number {
			continue
		}
		at := findStated(rows, a.claim)
		if at < 0 {
			at, rows = len(rows), append(rows, stated{bySize: make([]string, sizes)})
		}
		rows[at].assessment, rows[at].bySize[size] = *a, a.ours
	}
	return rows
}

// findStated finds the row of a claim, -1 without one.
func findStated(rows []stated, c *Claim) int {
	for i := range rows {
		if o := rows[i].claim; o.Figure == c.Figure && o.Place == c.Place && o.Quote == c.Quote && o.Where == c.Where {
			return i
		}
	}
	return -1
}

// Page is the file with all of a study, below docs/.
func (s *Study) Page() string { return "reproduction/" + s.Name + ".md" }
