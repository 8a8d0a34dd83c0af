// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"bytes"
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/warptape/warptape/timing/arch"
)

//go:embed published/*.yaml
var publishedFiles embed.FS

// Claim is what a paper's text says of a place in a figure, and how it is read.
type Claim struct {
	Figure string
	Place
	// Against is the place that the text compares with, nil where there is none: what
	// is judged is then ours in percent of it.
	Against *Place
	// Overlay is the one that the place is about: without it, it does not exist.
	Overlay string
	// Where is the section, table or caption; Quote are its words.
	Where, Quote string
	// Kind is the key of the reading.
	Kind    string
	reading reading
}

// Place is a cell of a figure. The rows leastRow and greatestRow are the extremes
// of the rows that are no means.
type Place struct {
	Row    string `yaml:"row"`
	Series string `yaml:"series"`
}

const (
	leastRow    = "(least)"
	greatestRow = "(greatest)"
)

// claimEntry is an entry of published/STUDY.yaml: a claim for each row and series.
type claimEntry struct {
	Figure  string   `yaml:"figure"`
	Rows    []string `yaml:"rows"`
	Series  []string `yaml:"series"`
	Against *Place   `yaml:"against"` // an empty row or series is the claim's own
	Overlay string   `yaml:"overlay"`
	Where   string   `yaml:"where"`
	Quote   string   `yaml:"quote"`

	Number      *Number      `yaml:"number"`
	More        *Change      `yaml:"more"`
	Less        *Change      `yaml:"less"`
	Half        *Half        `yaml:"half"`
	Little      *Little      `yaml:"little"`
	About       *About       `yaml:"about"`
	Between     *Between     `yaml:"between"`
	Over        *Limit       `yaml:"over"`
	Under       *Limit       `yaml:"under"`
	NotLess     *Limit       `yaml:"not_less"`
	NotMore     *Limit       `yaml:"not_more"`
	PoorPortion *PoorPortion `yaml:"poor_portion"`
	Highest     *Rank        `yaml:"highest"`
	Lowest      *Rank        `yaml:"lowest"`
	Input       *Input       `yaml:"input"`
	Unable      *Unable      `yaml:"unable"`
}

// readings are those that an entry has, by kind.
func (e *claimEntry) readings() map[string]reading {
	m := map[string]reading{}
	if e.Number != nil {
		m["number"] = *e.Number
	}
	if e.More != nil {
		m["more"] = More{*e.More}
	}
	if e.Less != nil {
		m["less"] = Less{*e.Less}
	}
	if e.Half != nil {
		m["half"] = *e.Half
	}
	if e.Little != nil {
		m["little"] = *e.Little
	}
	if e.About != nil {
		m["about"] = *e.About
	}
	if e.Between != nil {
		m["between"] = *e.Between
	}
	if e.PoorPortion != nil {
		m["poor_portion"] = *e.PoorPortion
	}
	if e.Input != nil {
		m["input"] = *e.Input
	}
	if e.Unable != nil {
		m["unable"] = *e.Unable
	}
	e.addLimits(m)
	return m
}

// addLimits adds those that are one number.
func (e *claimEntry) addLimits(m map[string]reading) {
	if e.Over != nil {
		m["over"] = Over{*e.Over}
	}
	if e.Under != nil {
		m["under"] = Under{*e.Under}
	}
	if e.NotLess != nil {
		m["not_less"] = NotLess{*e.NotLess}
	}
	if e.NotMore != nil {
		m["not_more"] = NotMore{*e.NotMore}
	}
	if e.Highest != nil {
		m["highest"] = Highest{*e.Highest}
	}
	if e.Lowest != nil {
		m["lowest"] = Lowest{*e.Lowest}
	}
}

// claims are those of an entry, a reading that is none is an error.
func (e *claimEntry) claims() ([]Claim, error) {
	fail := func(format string, args ...any) ([]Claim, error) {
		return nil, fmt.Errorf("figure %s, %s: "+format, append([]any{e.Figure, strings.Join(e.Rows, ", ")}, args...)...)
	}
	readings := e.readings()
	if len(readings) != 1 {
		return fail("has %d readings, needs one", len(readings))
	}
	if len(e.Rows) == 0 || len(e.Series) == 0 || e.Where == "" || e.Quote == "" {
		return fail("needs rows, series, where it stands and the quotation")
	}
	var list []Claim
	for kind, r := range readings {
		if err := r.check(); err != nil {
			return fail("%s: %w", kind, err)
		}
		for _, row := range e.Rows {
			for _, series := range e.Series {
				c := Claim{Figure: e.Figure, Place: Place{row, series}, Overlay: e.Overlay, Where: e.Where, Quote: e.Quote, Kind: kind, reading: r}
				if e.Against != nil {
					c.Against = e.Against.or(c.Place)
				}
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// or is the place with what it lacks of another.
func (p Place) or(other Place) *Place {
	if p.Row == "" {
		p.Row = other.Row
	}
	if p.Series == "" {
		p.Series = other.Series
	}
	return &p
}

// publishedOf reads what a study's paper says of places that there are.
func publishedOf(study string) ([]Claim, error) {
	list, err := allPublished(study)
	return slices.DeleteFunc(list, func(c Claim) bool { return c.Overlay != "" && !hasOverlay(c.Overlay) }), err
}

// readClaims keeps what has been read of the studies: figures ask for it again and again.
var readClaims sync.Map

// allPublished is all that it says, also of overlays that do not exist.
func allPublished(study string) ([]Claim, error) {
	read, _ := readClaims.LoadOrStore(study, sync.OnceValues(func() ([]Claim, error) { return readPublished(study) }))
	list, err := read.(func() ([]Claim, error))()
	return slices.Clone(list), err
}

// readPublished reads the file of a study.
func readPublished(study string) ([]Claim, error) {
	path := "published/" + study + ".yaml"
	text, err := publishedFiles.ReadFile(path)
	if err != nil {
		return nil, err
	}
	list, err := parseClaims(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

func parseClaims(text []byte) ([]Claim, error) {
	var entries []claimEntry
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&entries); err != nil {
		return nil, err
	}
	var list []Claim
	for i := range entries {
		claims, err := entries[i].claims()
		if err != nil {
			return nil, err
		}
		list = append(list, claims...)
	}
	return list, nil
}

// overlays are the names of the built-in ones.
var overlays = sync.OnceValue(func() []string {
	entries, err := arch.List()
	if err != nil {
		panic(err) // a built-in file that does not load
	}
	var names []string
	for _, e := range entries {
		if e.Overlay {
			names = append(names, e.Name)
		}
	}
	return names
})

// hasOverlay reports whether there is a built-in overlay of that name, which may
// have arguments.
func hasOverlay(name string) bool {
	name, _, _ = strings.Cut(name, "(")
	return slices.Contains(overlays(), name)
}

// String is the claim as a table has it in brackets.
func (c *Claim) String() string { return c.reading.Short() }

// Reading is the claim in numbers.
func (c *Claim) Reading() string {
	if c.Against == nil {
		return c.reading.String()
	}
	of := c.Against.Series
	if of == c.Series {
		of = c.Against.Row
	} else if c.Against.Row != c.Row {
		of = c.Against.Row + ", " + of
	}
	return "in % of " + of + ": " + c.reading.String()
}

// value is the number that the text states, and whether it does.
func (c *Claim) value() (float64, bool) {
	if n, ok := c.reading.(Number); ok && c.Against == nil {
		return *n.Value, true
	}
	return 0, false
}

// Ours is what the claim is about: our value, or what it is in percent of the place
// that the claim compares with. Of a place with less than nothing, what is more than it is
// over 100 % all the same: the difference counts in parts of its size.
func (t *Table) Ours(c *Claim) float64 {
	ours := t.cell(c.Place)
	if c.Against == nil {
		return ours
	}
	other := t.cell(*c.Against)
	if other < 0 {
		return 100 + Percent(ours-other, -other)
	}
	return Percent(ours, other)
}

// Verdict compares ours with the claim. What an estimate's interval leaves open, though
// it lies beyond the dead band, is said to be so.
func (t *Table) Verdict(c *Claim) Verdict {
	interval := t.interval(c.Row)
	v := t.verdict(c, DeadBand.with(interval))
	if interval <= DeadBand || v.Outcome != NoEffect && v.Outcome != AtTheLimit {
		return v
	}
	if t.verdict(c, DeadBand) != v {
		return Verdict{Outcome: Unsure, Detail: fmt.Sprintf("± %.1f %%", 100*interval)}
	}
	return v
}

func (t *Table) verdict(c *Claim, band Band) Verdict {
	x := subject{ours: t.Ours(c), band: band, mean: t.cell(Place{"mean", c.Series})}
	switch c.reading.(type) {
	case Unable, Input:
		return c.reading.judge(&x)
	}
	if math.IsNaN(x.ours) || math.IsInf(x.ours, 0) {
		return Verdict{Outcome: NoValue}
	}
	for _, r := range t.Values {
		if v := t.cell(Place{r.Label, c.Series}); len(r.Of) == 0 && r.Label != c.Row && !math.IsNaN(v) {
			x.others = append(x.others, v)
		}
	}
	return c.reading.judge(&x)
}
