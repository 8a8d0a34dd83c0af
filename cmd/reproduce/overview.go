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
}

func (n *tally) add(c *Claim, v Verdict) {
	switch v.Outcome {
	case NoValue, InputOnly, NotShown:
		return
	}
	stated, number := c.reading.(Number)
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

// missed reports whether a claim states a number, and ours was judged and is not near it.
func missed(c *Claim, v Verdict) bool {
	switch v.Outcome {
	case NoValue, InputOnly, NotShown:
		return false
	}
	_, number := c.value()
	return number && !v.near()
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
	return text
}

// stated is a number of the paper with ours at each size.
type stated struct {
	claim   *Claim
	ours    []string // by size; empty where there is no such figure
	verdict Verdict  // at the largest size that has the figure
	cause   *Cause   // of a miss at that size, else nil
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
	var rows []stated
	for i, r := range results {
		if err := r.Stale(); err != nil {
			return err
		}
		tables, err := NewData(s, r).Tables()
		if err != nil {
			return err
		}
		var n tally
		for k := range tables {
			rows = tables[k].state(rows, i, len(results), &n)
		}
		fmt.Fprintf(b, "- Size %s: %s.", r.Size, &n)
		if r.Older != "" {
			fmt.Fprintf(b, " %s", r.Older)
		}
		b.WriteString("\n")
	}
	causes, err := causesOf(s.Name)
	if err != nil {
		return err
	}
	if err := attribute(rows, causes); err != nil {
		return fmt.Errorf("causes/%s.yaml: %w", s.Name, err)
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
		for _, ours := range row.ours {
			fmt.Fprintf(b, " %s |", ours)
		}
		cause := ""
		if row.cause != nil {
			cause = " " + row.cause.String()
		}
		fmt.Fprintf(b, " %s |%s |\n", row.verdict, cause)
	}
}

// state adds the numbers that the paper states of a table, which is of the size with a
// number among sizes, and counts all its claims.
func (t *Table) state(rows []stated, size, sizes int, n *tally) []stated {
	for i := range t.Published {
		c := &t.Published[i]
		v := t.Verdict(c)
		n.add(c, v)
		if _, number := c.value(); !number {
			continue
		}
		at := findStated(rows, c)
		if at < 0 {
			at, rows = len(rows), append(rows, stated{claim: c, ours: make([]string, sizes)})
		}
		rows[at].ours[size], rows[at].verdict = number(t.Ours(c))+t.dagger(), v
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
