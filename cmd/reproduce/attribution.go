// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"errors"
	"fmt"
	"slices"
)

// assessment is a claim of a paper at a size of its study, judged.
type assessment struct {
	claim   *Claim
	size    string
	ours    string
	verdict Verdict
	// older says that ours was measured before the model changed: its cause, if any, is
	// that of another model, and it may have none.
	older bool
	cause *Cause // of a miss, else nil
}

// assessed is what a study's tables at a size say of the paper.
type assessed struct {
	results *Results
	tables  []assessedTable
}

// assessedTable is a table with an assessment of each claim of it.
type assessedTable struct {
	*Table
	claims []assessment
}

// assess judges all that the paper says, at each size that is committed. It gives each
// miss its cause, and fails when results are stale.
func (s *Study) assess(results []*Results) ([]assessed, error) {
	var list []assessed
	var all []*assessment
	for _, r := range results {
		if err := r.Stale(); err != nil {
			return nil, err
		}
		tables, err := NewData(s, r).Tables()
		if err != nil {
			return nil, err
		}
		a := assessed{results: r}
		for k := range tables {
			t := assessedTable{Table: &tables[k], claims: tables[k].assess(r.Size)}
			for i := range t.claims {
				all = append(all, &t.claims[i])
			}
			a.tables = append(a.tables, t)
		}
		list = append(list, a)
	}
	causes, err := causesOf(s.Name)
	if err != nil {
		return nil, err
	}
	if err := attribute(all, causes); err != nil {
		return nil, fmt.Errorf("causes/%s.yaml:\n%w", s.Name, err)
	}
	return list, nil
}

// assess judges the claims of a table.
func (t *Table) assess(size string) []assessment {
	var list []assessment
	for i := range t.Published {
		c := &t.Published[i]
		list = append(list, assessment{claim: c, size: size, ours: number(t.Ours(c)) + t.dagger(), verdict: t.Verdict(c), older: t.Older})
	}
	return list
}

// missed reports whether a claim was judged, and ours is neither as said nor, where it
// has no number, goes the published way.
func (a *assessment) missed() bool {
	switch a.verdict.Outcome {
	case NoValue, InputOnly, NotShown:
		return false
	}
	if _, number := a.claim.reading.(Number); number {
		return !a.verdict.near()
	}
	return !a.verdict.Outcome.goesThere()
}

// String is the place and the words of the claim, with what became of it.
func (a *assessment) String() string {
	c := a.claim
	return fmt.Sprintf("size %s, figure %s, row %s, series %s: %q is missed (%s)", a.size, c.Figure, c.Row, c.Series, c.Quote, a.verdict)
}

// causeCell is the cause of a miss as tables have it.
func (a *assessment) causeCell() string {
	switch {
	case !a.missed():
		return ""
	case a.cause == nil:
		return "not sought: measured before the model changed"
	}
	return a.cause.String()
}

// attribute gives each miss its cause: the first entry that covers it. A miss without an
// entry is an error, unless it is of an older model, and so is an entry, or a word of its
// lists, that covers none.
func attribute(all []*assessment, causes []Cause) error {
	var errs []error
	misses := make([][]*assessment, len(causes))
	for _, a := range all {
		if !a.missed() {
			continue
		}
		at := slices.IndexFunc(causes, func(c Cause) bool { return c.covers(a.size, a.claim) })
		if at >= 0 {
			misses[at], a.cause = append(misses[at], a), &causes[at]
		} else if !a.older {
			errs = append(errs, fmt.Errorf("%s, and has no entry: add one with a cause, or not_known", a))
		}
	}
	for i := range causes {
		errs = append(errs, causes[i].unused(i+1, misses[i])...)
	}
	return errors.Join(errs...)
}

// unused are the errors of an entry, the one of that number, that covers no miss, or
// names what covers none.
func (c *Cause) unused(number int, misses []*assessment) []error {
	if len(misses) == 0 {
		return []error{fmt.Errorf("entry %d (figures %v, rows %v, series %v, sizes %v) is the cause of no miss: remove it", number, c.Figures, c.Rows, c.Series, c.Sizes)}
	}
	var errs []error
	check := func(list []string, what string, of func(*assessment) string) {
		for _, word := range list {
			if !slices.ContainsFunc(misses, func(a *assessment) bool { return of(a) == word }) {
				errs = append(errs, fmt.Errorf("entry %d (figures %v) covers no miss of %s %s: remove that name", number, c.Figures, what, word))
			}
		}
	}
	check(c.Figures, "figure", func(a *assessment) string { return a.claim.Figure })
	check(c.Rows, "row", func(a *assessment) string { return a.claim.Row })
	check(c.Series, "series", func(a *assessment) string { return a.claim.Series })
	check(c.Sizes, "size", func(a *assessment) string { return a.size })
	return errs
}
