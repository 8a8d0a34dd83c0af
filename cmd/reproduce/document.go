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

// introduction of docs/reproduction.md.
const introduction = `Ours beside what the papers' text says, figure by figure; a value in brackets is the published one. The same, with a CSV file and a
plot for each figure, comes from

    warptape reproduce tinycache --size small

At size paper most studies replay workloads of more than 30 million warp instructions from samples (see [sampling.md](sampling.md)), where the list
of workloads says so: their figures are estimates, and the interval beside a workload is that of its cycles on the first architecture.

    warptape reproduce tinycache --size paper --sample fraction=0.05,launches,waves=6

The measurements behind this page are ` + "`cmd/reproduce/results`" + `, made by ` + "`make reproduction`" + `; figures and verdicts are computed from their counters
whenever it is written. What is known about the deviations stands below each study, with the choices that were made after a result was seen.
` + judgement + `
`

// judgement says how claims are read.
const judgement = `
## How claims are judged

A claim is quoted with the place where it stands, and read as numbers ("read as"). The same words have the same numbers everywhere:

| words | read as |
| --- | --- |
| improves, fewer, benefits, suffers more | beyond the dead band from what has no effect |
| significantly, obviously, quite high | by at least 5 % |
| greatly, immensely | by at least 10 % |
| slightly, a minor improvement | by at most 5 % |
| modest gains | by at most 19 %, the mean of all programs of the same section |
| little, not able to improve, not much, not affected, negligible, similar, the same | between -5 and +5 %; of DAC, whose mean is 40 %, between -5 and +10 % |
| cut in half, about half | half, to a tenth of it |
| a poor portion | something, and at most half of the mean |
| the best, the highest, the lowest | the rows that come first, each apart from the rest |
| "compared to" another, "prefers" | in percent of that other, not of the baseline |
| over, less than, at least, between | the limits that are named |
| high and less amounts of offloading | over and under half of the chains |

The numbers of words are ours. They were set when our results were known, by how the papers use the words: 8.7 % is a "significant" loss
(Buddy SM section 6.5), 0.6 % a "slight" one (section 6.6 with 6.5).

**Dead band.** A difference of at most 0.5 % from what has no effect is "no effect". It is a part of the value that ours is compared with (100 %,
1 x), of the whole where that is zero (of 100 % for what is saved, of 1 for differences of speed-ups). Replays repeat to the bit, so that
equal runs differ by the rounding of a quotient only. The band is wider since the papers state no smaller effect of a mechanism
than 1.5 %, and give three digits.

**Estimates.** Where a row is estimated from a sample, what lies beyond the dead band but within the 95 % interval of the cycles is "within the
interval of the estimate". Both sides of a ratio replay the same sample, so that this is a bound. The mean of n rows has the root
of the sum of the squares over n.

| verdict | means |
| --- | --- |
| effect x 1.10 | our effect is 1.10 times the published one |
| 1.10 of it | the same of a value that is no effect |
| same direction, other direction | of a claim that has no degree |
| as said, not as said | of one that has numbers |
| same direction, less (more) than said | the direction, and not the degree |
| at the limit | within the band of a limit that is named |
| input, not result | ours was made from this very number, or chosen by it: it confirms nothing |
| cannot be shown | the programs or the figure have nothing to show it with; the reason follows |
| no value | one of the places has none here |
`

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

// WriteDocument writes docs/reproduction.md from the committed results; it fails
// when they are stale.
func WriteDocument(b *bytes.Buffer) error {
	b.WriteString(introduction)
	all, err := CommittedResults()
	if err != nil {
		return err
	}
	for _, s := range Studies() {
		of := slices.DeleteFunc(slices.Clone(all), func(r *Results) bool { return r.Study != s.Name })
		if err := s.write(b, of); err != nil {
			return err
		}
	}
	return nil
}

// write writes a study's chapter; the last of the results, the largest size,
// also says how the headline depends on what is assumed.
func (s *Study) write(b *bytes.Buffer, results []*Results) error {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", s.Title, s.Source)
	for i, r := range results {
		if err := r.Stale(); err != nil {
			return err
		}
		fmt.Fprintf(b, "\n### %s, size %s\n\n%s\n", s.Title, r.Size, s.inputs(r))
		tables, err := NewData(s, r).Tables()
		if err != nil {
			return err
		}
		for k := range tables {
			tables[k].writeMarkdown(b)
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

// inputs names what was run, with the digests of the traces.
func (s *Study) inputs(r *Results) string {
	var parts []string
	for i := range s.Workloads {
		w := &s.Workloads[i]
		at := slices.IndexFunc(r.Measurements, func(m Measurement) bool { return m.Workload == w.Label })
		switch {
		case at < 0:
		case w.Name == "":
			parts = append(parts, w.Label+" (programs of the cores alone)")
		default:
			m := &r.Measurements[at]
			parts = append(parts, fmt.Sprintf("%s (`%s`, size %s, trace %.12s%s)", w.Label, w.Name, m.Input, m.TraceDigest, m.Sampled))
		}
	}
	return "Workloads: " + strings.Join(parts, ", ") + "."
}

// String is how much of a workload was replayed; empty for nil.
func (s *Sampled) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("; sampled: %.1f %% of its warp instructions, cycles ± %.1f %%", s.InstructionsPercent, s.PlusMinusPercent)
}

func (t *Table) writeMarkdown(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n**Figure %s: %s** [%s]\n\n| |", t.ID, t.Title, t.Unit)
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
	if len(t.Published) == 0 {
		return
	}
	b.WriteString("\n| place | the paper says | read as | ours | verdict |\n| --- | --- | --- | ---: | --- |\n")
	for i := range t.Published {
		c := &t.Published[i]
		fmt.Fprintf(b, "| %s, %s | \"%s\" (%s) | %s | %s | %s |\n", c.Row, c.Series, c.Quote, c.Where, c.Reading(), number(t.Ours(c)), t.Verdict(c))
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
