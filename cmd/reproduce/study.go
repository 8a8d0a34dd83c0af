// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/warptape/warptape/trace/wtape"
)

// Study is the evaluation of one paper.
type Study struct {
	Name  string // as in warptape reproduce NAME
	Title string
	// Source is the paper or chapter.
	Source string
	// Workloads are the rows of its figures; Sizes names those that there are.
	Workloads []Workload
	Sizes     []string
	// Architectures lists the specifications (arch.Load) that its figures need
	// unless they have a list of their own.
	Architectures []string
	// PerLaunch are those that keep the measurements of each launch.
	PerLaunch []string
	Figures   []Figure
	// Calibrated says that baseline arrays and networks are priced as GPUWattch
	// found a card to draw (energy.Model.Calibrated), for papers whose model of the
	// GPU is fitted to one. What mechanisms add is as CACTI gives it in any case.
	Calibrated bool
	// Program, when not nil, counts what of a workload no architecture changes; the
	// measurements on the first of Architectures have it.
	Program func(t *wtape.Reader) (map[string]uint64, error)
	// Uncalibrated are nodes of the chip that stay as CACTI and DSENT give them all
	// the same.
	Uncalibrated []string
	// Headline is the metric on which the effect of assumed energy coefficients is
	// shown: it is computed again with each of them changed. Nil: there is none.
	Headline *Headline
}

// Workload is a program of the catalogue under the name that the paper gives it.
type Workload struct {
	Label string // in the figures
	Name  string // in the catalogue; empty for what is none of it
	// CPU names programs (cputraces.Find) that run on CPU cores in parallel with it;
	// without a Name they run alone. Such a workload is no row of every figure, either.
	CPU string
	// Tesla names a kernel of the Tesla-like GPGPU (teslakernels.Find), which has one
	// input; it has neither a Name nor programs then.
	Tesla string
	// Architectures are those it runs on; nil: those of the figures that show it.
	Architectures []string
	// Inputs replaces, by the study's size, the catalogue's size of that name.
	Inputs map[string]string
	// Set replaces parameters of the host program.
	Set map[string]string
	// Kernel, when given, is the only one whose launches count.
	Kernel string
	// Apart says that only figures which name it show it.
	Apart bool
}

// input is the catalogue's size for a size of the study.
func (w *Workload) input(size string) string {
	if s, ok := w.Inputs[size]; ok {
		return s
	}
	return size
}

// settings is what Set replaces, in the order of names.
func (w *Workload) settings() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.Set)) {
		fmt.Fprintf(&b, " %s=%s", name, w.Set[name])
	}
	return b.String()
}

// ownRow reports whether the workload is a row of every figure.
func (w *Workload) ownRow() bool { return !w.Apart && w.CPU == "" }

// Figure is one figure of a paper, as a table.
type Figure struct {
	ID    string // as the paper numbers it: "5.4"
	Title string
	Unit  string
	// Series are the columns.
	Series []string
	// Architectures are the specifications that the rows need; nil: those of the
	// study.
	Architectures []string
	// Workloads are the labels of those that it shows; nil: all but those apart.
	Workloads []string
	// Sizes are those at which the figure is made; nil: all of the study.
	Sizes []string
	// Plane says that the rows are points of a plane: the first series is x, the second
	// is y, and less is better.
	Plane bool
	// Rows computes the table.
	Rows func(d *Data) ([]Row, error)
}

// Row is a row of a figure; a value that does not exist is NaN.
type Row struct {
	Label  string
	Values []float64 // one per series
	// Of are the labels of the rows that it is a mean of, if it is one.
	Of []string
}

// Headline is a metric of a whole study.
type Headline struct {
	Title, Unit string
	Value       func(d *Data) (float64, error)
}

// known are the studies by name. They are made when they are asked for: that reads
// architectures, which the other commands have no need of.
var known = map[string]entry{}

type entry struct {
	source string
	study  func() *Study
}

// register adds a study; a name that is taken is a programming error.
func register(name, source string, study func() *Study) {
	if known[name].study != nil {
		panic("BUG: study " + name + " is registered twice")
	}
	known[name] = entry{source, sync.OnceValue(func() *Study {
		s := study()
		s.Name, s.Source = name, source
		return s
	})}
}

// Names lists the studies in the order of docs/reproduction.md.
func Names() []string { return slices.Sorted(maps.Keys(known)) }

// SourceOf is the publication that the study of that name repeats.
func SourceOf(name string) string { return known[name].source }

// Studies lists all, by name.
func Studies() []*Study {
	var all []*Study
	for _, name := range Names() {
		all = append(all, known[name].study())
	}
	return all
}

// Find gives the study of that name.
func Find(name string) (*Study, error) {
	if known[name].study == nil {
		return nil, fmt.Errorf("there is no study %q: choose one of %s", name, strings.Join(Names(), ", "))
	}
	return known[name].study(), nil
}

// Only is the study with those figures alone, all of it without identifiers. A figure that
// is not made at the size is refused: it would be missing from the tables without a word.
func (s *Study) Only(size string, figures ...string) (*Study, error) {
	if err := s.checkSize(size); err != nil {
		return nil, err
	}
	if len(figures) == 0 {
		return s, nil
	}
	only := *s
	only.Figures = nil
	for k, id := range figures {
		f := s.figure(id)
		if f == nil {
			return nil, fmt.Errorf("%s has no figure %q: there are %s", s.Name, id, strings.Join(figureIDs(s.at(size)), ", "))
		}
		if !f.madeAt(size) {
			return nil, fmt.Errorf("%s makes figure %s at size %s only: ask for --size %[3]s, or at size %[4]s for one of %[5]s",
				s.Name, id, strings.Join(f.Sizes, " or "), size, strings.Join(figureIDs(s.at(size)), ", "))
		}
		if !slices.Contains(figures[:k], id) {
			only.Figures = append(only.Figures, *f)
		}
	}
	return &only, nil
}

// figure finds a figure by its identifier; nil without one.
func (s *Study) figure(id string) *Figure {
	if i := slices.IndexFunc(s.Figures, func(f Figure) bool { return f.ID == id }); i >= 0 {
		return &s.Figures[i]
	}
	return nil
}

// madeAt reports whether the figure is made at a size of its study.
func (f *Figure) madeAt(size string) bool { return f.Sizes == nil || slices.Contains(f.Sizes, size) }

// runs are the architectures that a workload is measured on at a size: its own, or
// those of the figures that show it.
func (s *Study) runs(w *Workload, size string) []string {
	if w.Architectures != nil {
		return w.Architectures
	}
	return s.neededBy(size, func(f *Figure) bool {
		if f.Workloads == nil {
			return !w.Apart
		}
		return slices.Contains(f.Workloads, w.Label)
	})
}

// at are the figures of a size.
func (s *Study) at(size string) []*Figure {
	var list []*Figure
	for i := range s.Figures {
		if f := &s.Figures[i]; f.madeAt(size) {
			list = append(list, f)
		}
	}
	return list
}

// needed are the architectures of the figures of a size, in their order.
func (s *Study) needed(size string) []string {
	return s.neededBy(size, func(*Figure) bool { return true })
}

// neededBy are those of the figures that are chosen.
func (s *Study) neededBy(size string, chosen func(*Figure) bool) []string {
	var specs []string
	for _, f := range s.at(size) {
		if !chosen(f) {
			continue
		}
		need := f.Architectures
		if need == nil {
			need = s.Architectures
		}
		for _, spec := range need {
			if !slices.Contains(specs, spec) {
				specs = append(specs, spec)
			}
		}
	}
	return specs
}

func figureIDs(figures []*Figure) []string {
	var ids []string
	for _, f := range figures {
		ids = append(ids, f.ID)
	}
	return ids
}

// checkSize refuses a size that the study does not have.
func (s *Study) checkSize(size string) error {
	if slices.Contains(s.Sizes, size) {
		return nil
	}
	return fmt.Errorf("%s has no size %q: there are %s", s.Name, size, strings.Join(s.Sizes, ", "))
}
