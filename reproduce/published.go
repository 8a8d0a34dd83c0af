package reproduce

import (
	"bytes"
	"embed"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/warptape/warptape/timing/arch"
)

//go:embed published/*.yaml
var publishedFiles embed.FS

// Published is what a paper's text says of a place in a figure.
type Published struct {
	Figure string `yaml:"figure"`
	Row    string `yaml:"row"`
	Series string `yaml:"series"`
	// Value in the figure's unit, or, where the text gives a direction only, that
	// it lies Above or Below a value.
	Value *float64 `yaml:"value"`
	Above *float64 `yaml:"above"`
	Below *float64 `yaml:"below"`
	// Neutral is the value without any effect, which the deviation of an effect is
	// measured from; nil: zero.
	Neutral *float64 `yaml:"neutral"`
	// Overlay is the one that the place is about: without it, it does not exist.
	Overlay string `yaml:"overlay"`
	// Place is the section or page; Says what the text says.
	Place string `yaml:"place"`
	Says  string `yaml:"says"`
}

// publishedOf reads what a study's paper says of places that there are.
func publishedOf(study string) ([]Published, error) {
	list, err := allPublished(study)
	return slices.DeleteFunc(list, func(p Published) bool { return p.Overlay != "" && !hasOverlay(p.Overlay) }), err
}

// allPublished reads all that it says, also of overlays that do not exist.
func allPublished(study string) ([]Published, error) {
	path := "published/" + study + ".yaml"
	text, err := publishedFiles.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []Published
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
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

// hasOverlay reports whether there is a built-in overlay of that name.
func hasOverlay(name string) bool { return slices.Contains(overlays(), name) }

// String is the value as a table shows it.
func (p *Published) String() string {
	switch {
	case p.Value != nil:
		return number(*p.Value)
	case p.Above != nil:
		return "> " + number(*p.Above)
	case p.Below != nil:
		return "< " + number(*p.Below)
	}
	return "-"
}

// Verdict compares ours with it: the effect's deviation in percent of the
// published effect, or whether the direction is the same.
func (p *Published) Verdict(ours float64) string {
	switch {
	case math.IsNaN(ours):
		return "no value"
	case p.Above != nil && ours > *p.Above, p.Below != nil && ours < *p.Below:
		return "same direction"
	case p.Value == nil:
		return "other direction"
	}
	neutral := 0.0
	if p.Neutral != nil {
		neutral = *p.Neutral
	}
	effect := *p.Value - neutral
	if effect == 0 {
		return fmt.Sprintf("%+.1f points", ours-*p.Value)
	}
	return fmt.Sprintf("effect x %.2f", (ours-neutral)/effect)
}

// number writes a value with three significant digits, or whole.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case a >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case a >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
