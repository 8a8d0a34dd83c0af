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

	"github.com/goccy/go-yaml"
)

//go:embed causes/*.yaml
var causeFiles embed.FS

// Cause says why numbers of ours are not within a quarter of the published ones.
type Cause struct {
	// Figures, Rows and Series are the places that it is about; without rows or series
	// all of the figures.
	Figures []string `yaml:"figures"`
	Rows    []string `yaml:"rows"`
	Series  []string `yaml:"series"`
	// Cause is what an experiment showed: one thing was changed, and the miss with it.
	Cause string `yaml:"cause"`
	// NotKnown says that no experiment showed a cause. Tried is what was tried, or why
	// nothing could be.
	NotKnown bool   `yaml:"not_known"`
	Tried    string `yaml:"tried"`
	// Shown are the figures of the study with the experiment; the notes have those
	// without a figure.
	Shown []string `yaml:"shown"`
}

// covers reports whether the cause is about a claim.
func (c *Cause) covers(claim *Claim) bool {
	has := func(list []string, word string) bool { return len(list) == 0 || slices.Contains(list, word) }
	return slices.Contains(c.Figures, claim.Figure) && has(c.Rows, claim.Row) && has(c.Series, claim.Series)
}

// String is the cause as the table of a study has it.
func (c *Cause) String() string {
	text := c.Cause
	if c.NotKnown {
		text = "not known"
		if c.Tried != "" {
			text += ". Tried: " + c.Tried
		}
	}
	if len(c.Shown) > 0 {
		text += " (figure " + strings.Join(c.Shown, ", ") + ")"
	}
	return text
}

// check says what is wrong with an entry.
func (c *Cause) check() error {
	switch {
	case len(c.Figures) == 0:
		return errors.New("names no figures")
	case c.NotKnown == (c.Cause != ""):
		return errors.New("needs a cause or not_known, and not both")
	case c.Tried != "" && !c.NotKnown:
		return errors.New("tried goes with not_known alone")
	}
	return nil
}

// causesOf reads the causes of a study's misses, none where it has no file.
func causesOf(study string) ([]Cause, error) {
	path := "causes/" + study + ".yaml"
	text, err := causeFiles.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Cause
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, fmt.Errorf("%s: entry %d %w", path, i+1, err)
		}
	}
	return list, nil
}

// attribute gives each number that missed its cause: the first entry that covers it. A
// miss without an entry is an error, and so is an entry that gives none its cause.
func attribute(rows []stated, causes []Cause) error {
	used := make([]bool, len(causes))
	for i := range rows {
		row := &rows[i]
		if !missed(row.claim, row.verdict) {
			continue
		}
		at := slices.IndexFunc(causes, func(c Cause) bool { return c.covers(row.claim) })
		if at < 0 {
			return fmt.Errorf("figure %s, %s, %s is not within a quarter (%s), and has neither a cause nor not_known", row.claim.Figure, row.claim.Row, row.claim.Series, row.verdict)
		}
		used[at], row.cause = true, &causes[at]
	}
	if at := slices.Index(used, false); at >= 0 {
		return fmt.Errorf("entry %d (figures %v, rows %v, series %v) is the cause of no miss", at+1, causes[at].Figures, causes[at].Rows, causes[at].Series)
	}
	return nil
}
