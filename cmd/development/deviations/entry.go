// SPDX-License-Identifier: Apache-2.0

// Package deviations writes docs/deviations.md: its entries are a table (deviations.yaml),
// and the source tree tells which files cite them.
package deviations

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"
)

// dataPath is the table's place in the source tree, for messages.
const dataPath = "cmd/development/deviations/deviations.yaml"

//go:embed deviations.yaml
var data []byte

// entry is a place where the model differs from hardware, a paper or a reference simulator.
type entry struct {
	Number  int    `yaml:"number"`
	Title   string `yaml:"title"`
	Subject string `yaml:"subject"`
	What    string `yaml:"what"`
	Why     string `yaml:"why"`
	Size    string `yaml:"size"`
	Status  string `yaml:"status"`
}

// subject is a section of the page.
type subject struct{ Word, Title string }

var subjects = []subject{
	{"recording", "Recording, PTX and samples"},
	{"tensor", "Tensor products, bulk copies and thread block clusters"},
	{"cores", "SMs, divergence and caches"},
	{"machines", "Machines"},
	{"affine", "Decoupled affine computation and its rivals"},
	{"mechanisms", "TinyCaches, Buddy SM and mechanisms together"},
	{"offload", "Near-data offloading and networks"},
	{"cpu", "CPU cores, and memory shared with the host"},
	{"lanes", "Lanes with their own fetch"},
	{"host", "Host programs, streams and copies"},
}

// retired is the status of an entry that holds for no part of the model: its number stays.
const retired = "retired"

// status is a word with its meaning.
type status struct{ Word, Meaning string }

var statuses = []status{
	{"assumed", "the source leaves it open, and Warptape chose"},
	{"by design", "Warptape could do as the source does, and does otherwise on purpose"},
	{"limit of the model", "the model lacks the part that would be needed"},
	{"not measured", "Warptape follows a source, but no measurement or tool confirms it"},
	{retired, "the model has no such difference; the number stays taken"},
}

// parse reads a table of entries in ascending order of their numbers.
func parse(text []byte) ([]entry, error) {
	var list []entry
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", dataPath, err)
	}
	seen := map[int]bool{}
	for i, e := range list {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("%s: entry %d (D%d): %w", dataPath, i+1, e.Number, err)
		}
		if seen[e.Number] {
			return nil, fmt.Errorf("%s: entry %d (D%d): the number is taken: give it the next free one", dataPath, i+1, e.Number)
		}
		seen[e.Number] = true
	}
	slices.SortFunc(list, func(a, b entry) int { return a.Number - b.Number })
	return list, nil
}

// check says what an entry lacks. A retired one needs no more than number and title.
func (e entry) check() error {
	if e.Number < 1 || e.Number > 999 {
		return fmt.Errorf("number: want 1 to 999")
	}
	if e.Title == "" {
		return fmt.Errorf("title: missing")
	}
	if !slices.ContainsFunc(statuses, func(s status) bool { return s.Word == e.Status }) {
		return fmt.Errorf("status %q: want one of %q", e.Status, words(statuses, func(s status) string { return s.Word }))
	}
	if e.Status == retired {
		return nil
	}
	if !slices.ContainsFunc(subjects, func(s subject) bool { return s.Word == e.Subject }) {
		return fmt.Errorf("subject %q: want one of %q", e.Subject, words(subjects, func(s subject) string { return s.Word }))
	}
	for _, field := range []struct{ name, text string }{{"what", e.What}, {"why", e.Why}, {"size", e.Size}} {
		if field.text == "" {
			return fmt.Errorf("%s: missing", field.name)
		}
	}
	return nil
}

func words[T any](list []T, word func(T) string) []string {
	var names []string
	for _, x := range list {
		names = append(names, word(x))
	}
	return names
}
