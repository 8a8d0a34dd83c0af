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

// Cause says why claims are missed: numbers of ours that are not within a quarter, and
// what goes another way than the text says.
type Cause struct {
	// Figures, Rows and Series name places in the study's tables, and Sizes its input
	// sizes. A list that is left out stands for all.
	Figures []string `yaml:"figures"`
	Rows    []string `yaml:"rows"`
	Series  []string `yaml:"series"`
	Sizes   []string `yaml:"sizes"`
	// Quote, if not empty, is a part of the words of the claims that it is about: a place
	// may have several.
	Quote string `yaml:"quote"`
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

// covers reports whether the cause is about a claim at a size.
func (c *Cause) covers(size string, claim *Claim) bool {
	has := func(list []string, word string) bool { return len(list) == 0 || slices.Contains(list, word) }
	return slices.Contains(c.Figures, claim.Figure) && has(c.Rows, claim.Row) && has(c.Series, claim.Series) && has(c.Sizes, size) && strings.Contains(claim.Quote, c.Quote)
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

// check says what is wrong with an entry. A cause names its rows, so that a later miss,
// whose cause is still to be sought, does not get it.
func (c *Cause) check() error {
	switch {
	case len(c.Figures) == 0:
		return errors.New("names no figures")
	case c.NotKnown == (c.Cause != ""):
		return errors.New("needs a cause or not_known, and not both")
	case c.Tried != "" && !c.NotKnown:
		return errors.New("tried goes with not_known alone")
	case c.Cause != "" && len(c.Rows) == 0:
		return errors.New("has a cause, and does not name the rows that it is shown for")
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
