// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"slices"
	"strings"

	"github.com/warptape/warptape/traces"
)

// A rule chooses the programs that are measured on every machine. It takes programs
// whose number of warp instructions lies between two bounds, some longer programs by
// name, and some programs in a larger size than the catalogue has.
const (
	leastMeasured = 2_000_000
	mostMeasured  = 4_500_000
)

var longerMeasured = []string{"backprop", "btree", "convolution-separable", "fft", "pathfinder", "saxpy", "srad-v2", "transpose"}

// largerMeasured are large enough for samples to save most of the time.
var largerMeasured = []struct{ workload, set string }{
	{"copy-aligned", "n=16777216"},
	{"texture-rotate", "height=2048 width=2560"},
}

// samplingSubject is a program that is measured.
type samplingSubject struct {
	traces.Workload
	// set has the parameters that are not those of samplingSize, NAME=VALUE with spaces
	// between.
	set string
}

// name of the subject, and of its files.
func (s *samplingSubject) name() string { return subjectName(s.Name, s.set) }

func subjectName(workload, set string) string { return strings.TrimSpace(workload + " " + set) }

// parameters are those of set.
func (s *samplingSubject) parameters() map[string]string {
	list := map[string]string{}
	for _, p := range strings.Fields(s.set) {
		name, value, _ := strings.Cut(p, "=")
		list[name] = value
	}
	return list
}

// samplingSubjects lists the programs to measure. Those are the named ones, or without
// names those of the rule, or the rule's and all workloads. The shortest program comes
// first, and programs in a larger size come last.
func samplingSubjects(only []string, all bool) ([]samplingSubject, error) {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return nil, err
	}
	instructions := func(name string) uint64 {
		if entry := catalogue.Find(name); entry != nil {
			if size := entry.Size(samplingSize); size != nil && size.Figures != nil {
				return size.Figures.WarpInstructions
			}
		}
		return 0
	}
	var list []samplingSubject
	for _, w := range traces.List() {
		n := instructions(w.Name)
		switch {
		case len(only) > 0 && slices.Contains(only, w.Name),
			len(only) == 0 && (all || n >= leastMeasured && n <= mostMeasured || slices.Contains(longerMeasured, w.Name)):
			list = append(list, samplingSubject{Workload: w})
		}
	}
	slices.SortStableFunc(list, func(a, b samplingSubject) int { return int(instructions(a.Name)) - int(instructions(b.Name)) })
	for _, l := range largerMeasured {
		if len(only) > 0 && !slices.Contains(only, subjectName(l.workload, l.set)) {
			continue
		}
		w, err := traces.Find(l.workload)
		if err != nil {
			return nil, err
		}
		list = append(list, samplingSubject{w, l.set})
	}
	return list, nil
}
