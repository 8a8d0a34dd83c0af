// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Manifest is a sweep with all of its points, whether they have results or not: what
// status, exports and reports need to know in addition to the points.
type Manifest struct {
	Schema int    `json:"schema"` // SchemaVersion
	Name   string `json:"name"`   // of the sweep; a folder under sweeps/
	// Plan is the text of the plan; for sweeps of a command line what that comes to.
	Plan    string `json:"plan"`
	Version string `json:"version"` // of the program that expanded the plan
	Model   string `json:"model"`   // release.Model
	Options `json:"options"`
	Traces  []PlannedTrace `json:"traces"`
	// Axes are what differs between points, other than trace, machine and overlays, in the
	// plan's order: parameters of the architecture, and those of recorded workloads.
	Axes    []Axis         `json:"axes"`
	Metrics []Metric       `json:"metrics"`
	Points  []PlannedPoint `json:"points"`
}

// PlannedTrace is a trace of a sweep.
type PlannedTrace struct {
	// Label tells the traces of a sweep apart: a file's name, or a workload with its
	// size and parameters.
	Label  string `json:"label"`
	Digest string `json:"digest"`
	// Source is where the plan has it from: file:PATH, store:NAME or workload:NAME.
	Source string `json:"source"`
	// Path is that of the file, relative to the results where it is inside them.
	Path    string       `json:"path"`
	Summary TraceSummary `json:"summary"`
}

// Axis is a parameter of a sweep with its values in the plan's order.
type Axis struct {
	Name string `json:"name"` // a key of the architecture, or a workload's parameter
	// Values are as written; a point that has none of them says "".
	Values []string `json:"values"`
}

// Metric is an expression over the statistics of a point and of its reference; see
// docs/sweeps.md.
type Metric struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
	Unit       string `json:"unit,omitempty"`
	// Better is "lower", "higher" or "" where neither is.
	Better string `json:"better,omitempty"`
}

// PlannedPoint is a point of a sweep.
type PlannedPoint struct {
	Key   string `json:"key"`   // Identity.Key; empty when no machine could be built
	Trace int    `json:"trace"` // in Manifest.Traces
	// Architecture is the whole specification, Machine its first part, and Overlays
	// what stands between that and the values of the axes.
	Architecture string   `json:"architecture"`
	Machine      string   `json:"machine"`
	Overlays     string   `json:"overlays"`
	Values       []string `json:"values"` // one per axis
	// Reference is the point that metrics compare with; -1: none.
	Reference int `json:"reference"`
	// Impossible says why there is no such machine; empty when there is.
	Impossible string `json:"impossible,omitempty"`
}

// Relative is the path of a trace for PlannedTrace. A path inside the folder of
// results is relative to that folder, so that the folder can be moved and be seen
// from other nodes.
func (s *Store) Relative(path string) (string, error) {
	root, err := filepath.Abs(s.root)
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if inside, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(inside) {
		return filepath.ToSlash(inside), nil
	}
	return path, nil
}

// TracePath is where the file of a planned trace is.
func (s *Store) TracePath(t *PlannedTrace) string {
	if filepath.IsAbs(t.Path) {
		return t.Path
	}
	return filepath.Join(s.root, filepath.FromSlash(t.Path))
}

const (
	sweeps       = "sweeps"
	manifestFile = "manifest.json"
)

// PutManifest stores a manifest, over that of an earlier expansion of the same name.
func (s *Store) PutManifest(m *Manifest) error {
	if err := CheckName(m.Name); err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.write(filepath.Join(sweeps, m.Name, manifestFile), append(text, '\n'))
}

// Manifest reads that of a sweep.
func (s *Store) Manifest(name string) (*Manifest, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	path := filepath.Join(s.root, sweeps, name, manifestFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: has no sweep %s; %s", s.root, name, s.sweepsThere())
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: is damaged: %w; repeat the sweep, which replaces it", path, err)
	}
	if m.Schema != SchemaVersion {
		return nil, fmt.Errorf("%s: has schema %d, and this version reads %d; repeat the sweep", path, m.Schema, SchemaVersion)
	}
	return &m, m.check(path)
}

// check keeps what reads a manifest from going out of its lists.
func (m *Manifest) check(path string) error {
	for i := range m.Points {
		p := &m.Points[i]
		if p.Trace < 0 || p.Trace >= len(m.Traces) || p.Reference < -1 || p.Reference >= len(m.Points) ||
			len(p.Values) != len(m.Axes) || p.Key != "" && !isKey(p.Key) || p.Key == "" && p.Impossible == "" {
			return fmt.Errorf("%s: is damaged: point %d goes out of its lists; repeat the sweep, which replaces it", path, i)
		}
	}
	return nil
}

// Sweeps lists the names of the sweeps.
func (s *Store) Sweeps() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.root, sweeps))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		switch _, err := os.Stat(filepath.Join(s.root, sweeps, e.Name(), manifestFile)); {
		case err == nil:
			names = append(names, e.Name())
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err // it may name points
		}
	}
	slices.Sort(names)
	return names, err
}

func (s *Store) sweepsThere() string {
	names, err := s.Sweeps()
	if err != nil || len(names) == 0 {
		return "it has none"
	}
	return fmt.Sprintf("it has %q", names)
}

// CheckName says what is wrong with the name of a sweep, which is that of a folder.
func CheckName(name string) error {
	ok := name != "" && len(name) <= 100 && name[0] != '.' && name[0] != '-'
	for _, c := range name {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.')
	}
	if !ok {
		return fmt.Errorf("%q cannot name a sweep: use up to 100 letters, digits, dots, - and _, and begin with a letter or a digit", name)
	}
	return nil
}

// isKey reports whether the text can be the key of a point.
func isKey(text string) bool {
	if len(text) != keyLength {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
