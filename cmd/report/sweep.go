// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"github.com/warptape/warptape/cmd/results"
)

// Options of a report.
type Options struct {
	// Version is that of the program that makes the report.
	Version string
	Details Details
	// Further sections stand before those of what is missing and of provenance.
	Further []*Section
}

// OfSweep makes the document of a sweep in a folder of results.
func OfSweep(store *results.Store, name string, o Options) (*Document, error) {
	m, err := store.Manifest(name)
	if err != nil {
		return nil, err
	}
	s, err := newStudy(m, store, o.Details)
	if err != nil {
		return nil, err
	}
	all := newPoints(s)
	sections, err := s.build([]collector{
		all, newOverview(all), stalls{all}, newRoofline(s), scaling{all}, &sensitivity{points: all}, pareto{all}, newEnergyParts(s),
		newKernels(s), newLines(s, nil, nil), newTimelines(s), &links{study: s}, newAbsent(all), newProvenance(s, repeatSweep(m.Name)),
	})
	if err != nil {
		return nil, err
	}
	last := len(sections) - 2 // what is missing, and provenance
	sections = append(append(append([]*Section(nil), sections[:last]...), o.Further...), sections[last:]...)
	return &Document{
		Title: "Sweep " + m.Name, Version: o.Version, Sections: sections,
		Summary: fmt.Sprintf("%d traces on %d points of machines and parameters, replayed by model %s.", len(m.Traces), len(m.Points), shortDigest(m.Model)),
	}, nil
}

// section of the points is nil: others show them.
func (c *points) section() *Section { return nil }

func repeatSweep(name string) string {
	return "Save the plan below as " + name + ".yaml, with the traces where it says, and build the program of the model above:\n\n" +
		"  warptape sweep " + name + ".yaml --results results\n" +
		"  warptape report results -o " + name + ".html\n\n" +
		"Points whose digests are those of the tables below get the same results."
}
