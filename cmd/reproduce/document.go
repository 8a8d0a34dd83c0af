// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed notes/*.md
var notes embed.FS

//go:embed results
var committed embed.FS

// introduction of docs/reproduction.md; its last chapter says how claims are read.
//
//go:embed introduction.md
var introduction string

// CommittedResults are the measurements that are part of the program, of every
// study, its sizes in their order.
func CommittedResults() ([]*Results, error) {
	var all []*Results
	for _, s := range Studies() {
		for _, size := range s.Sizes {
			path := "results/" + s.Name + "-" + size + ".json"
			text, err := committed.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			r, err := parseResults(path, text)
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// WriteStudy writes the page of a study from the committed results; it fails when they
// are stale.
func WriteStudy(b *bytes.Buffer, s *Study) error {
	all, err := CommittedResults()
	if err != nil {
		return err
	}
	return s.write(b, slices.DeleteFunc(all, func(r *Results) bool { return r.Study != s.Name }))
}

// write writes a study's page; the last of the results, the largest size,
// also says how the headline depends on what is assumed.
func (s *Study) write(b *bytes.Buffer, results []*Results) error {
	fmt.Fprintf(b, "%s. What the verdicts mean is in [reproduction.md](../reproduction.md).\n", s.Source)
	list, err := s.assess(results)
	if err != nil {
		return err
	}
	for i, r := range results {
		fmt.Fprintf(b, "\n## %s, size %s\n\n%s", s.Title, r.Size, s.inputs(r))
		if r.Older != "" {
			fmt.Fprintf(b, "\n%s\n", r.Older)
		}
		for k := range list[i].tables {
			list[i].tables[k].writeMarkdown(b)
		}
		if i == len(results)-1 && s.Headline != nil {
			if err := s.writeSensitivities(b, r); err != nil {
				return err
			}
		}
	}
	text, err := notes.ReadFile("notes/" + s.Name + ".md")
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n%s", text)
	return nil
}

// olderMark marks figures that were measured before the model changed (Results.Older).
const olderMark = "†"

// dagger is olderMark, behind the figure's number, where it is due.
func (t *Table) dagger() string {
	if t.Older {
		return " " + olderMark
	}
	return ""
}

// inputs is the table of what was run, with the digests of the traces.
func (s *Study) inputs(r *Results) string {
	var b strings.Builder
	b.WriteString("| workload | program | size | trace | sampled |\n| --- | --- | --- | --- | --- |\n")
	for i := range s.Workloads {
		w := &s.Workloads[i]
		at := slices.IndexFunc(r.Measurements, func(m Measurement) bool { return m.Workload == w.Label })
		switch {
		case at < 0:
		case w.program() == "":
			fmt.Fprintf(&b, "| %s | programs of the cores alone | | | |\n", w.Label)
		default:
			m := &r.Measurements[at]
			fmt.Fprintf(&b, "| %s | `%s` | %s | `%.12s` | %s |\n", w.Label, w.program(), m.Input, m.TraceDigest, m.Sampled)
		}
	}
	return b.String()
}

// String is how much of a workload was replayed; empty for nil.
func (s *Sampled) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%.1f %% of its warp instructions, cycles ± %.1f %%", s.InstructionsPercent, s.PlusMinusPercent)
}

func (t *assessedTable) writeMarkdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n**Figure %s%s: %s** [%s]\n\n| |", t.ID, t.dagger(), t.Title, t.Unit)
	for _, name := range t.Series {
		fmt.Fprintf(b, " %s |", name)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(t.Series)) + "\n")
	for _, r := range t.Values {
		fmt.Fprintf(b, "| %s |", r.Label)
		for k, v := range r.Values {
			fmt.Fprintf(b, " %s", number(v))
			if p := t.published(r.Label, t.Series[k]); p != nil {
				fmt.Fprintf(b, " [%s]", p)
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	t.writeClaims(b)
}

// writeClaims writes the table of what the paper says; its last column has the causes,
// where a claim of it is missed.
func (t *assessedTable) writeClaims(b *bytes.Buffer) {
	if len(t.claims) == 0 {
		return
	}
	missed := slices.ContainsFunc(t.claims, func(a assessment) bool { return a.missed() })
	b.WriteString("\n| place | the paper says | read as | ours | verdict |")
	if missed {
		b.WriteString(" cause of a miss |")
	}
	b.WriteString("\n| --- | --- | --- | ---: | --- |")
	if missed {
		b.WriteString(" --- |")
	}
	b.WriteString("\n")
	for i := range t.claims {
		a := &t.claims[i]
		c := a.claim
		fmt.Fprintf(b, "| %s, %s | \"%s\" (%s) | %s | %s | %s |", c.Row, c.Series, c.Quote, c.Where, c.Reading(), number(t.Ours(c)), a.verdict)
		if missed {
			fmt.Fprintf(b, "%s |", padded(a.causeCell()))
		}
		b.WriteString("\n")
	}
}

func (s *Study) writeSensitivities(b *bytes.Buffer, r *Results) error {
	headline, list, err := Sensitivities(s, r)
	if err != nil {
		return err
	}
	h := s.Headline
	fmt.Fprintf(b, "\n**Assumed energies, varied by 50 %%:** %s, %.1f %s with all as they are. Those not listed change it by less than %g.\n\n", h.Title, headline, h.Unit, leastChange)
	b.WriteString("| coefficient | x 0.5 | x 1.5 | what it is |\n| --- | ---: | ---: | --- |\n")
	for _, v := range list {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", v.Key, number(v.Less), number(v.More), v.Source)
	}
	return nil
}
