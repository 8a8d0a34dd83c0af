// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/results"
)

// Details say which points have lines, timelines and links.
type Details string

// The choices of details.
const (
	// ReferenceDetails are of the points that others are compared with or, in a plan
	// without a reference, of the first point with a result of each trace and machine.
	ReferenceDetails Details = "reference"
	AllDetails       Details = "all"
	NoDetails        Details = "none"
)

// ParseDetails reads a choice.
func ParseDetails(text string) (Details, error) {
	for _, d := range []Details{ReferenceDetails, AllDetails, NoDetails} {
		if string(d) == text {
			return d, nil
		}
	}
	return "", fmt.Errorf("%q: there are %s, %s and %s", text, ReferenceDetails, AllDetails, NoDetails)
}

// detailing chooses points while they go by.
type detailing struct {
	all, none bool
	// references are the numbers of points; nil: the first of trace and machine.
	references map[int]bool
	seen       map[string]bool
}

func (d Details) chosen(m *results.Manifest) *detailing {
	c := &detailing{all: d == AllDetails, none: d == NoDetails, seen: map[string]bool{}}
	for i := range m.Points {
		if r := m.Points[i].Reference; r >= 0 {
			if c.references == nil {
				c.references = map[int]bool{}
			}
			c.references[r] = true
		}
	}
	return c
}

func (c *detailing) take(p *point) bool {
	if p.result == nil || c.none {
		return false
	}
	if c.references != nil && !c.all && !c.references[p.number] {
		return false
	}
	key := p.planned.Key
	if c.references == nil && !c.all {
		key = strings.Join([]string{p.trace.Label, p.planned.Machine}, "\x00")
	}
	if c.seen[key] {
		return false // the same result under another name
	}
	c.seen[key] = true
	return true
}

// say describes the choice for readers.
func (d Details) say() string {
	switch d {
	case AllDetails:
		return "Every point is here."
	default:
		return "Of each trace and machine the reference point is here, or the first one where the plan has no reference; warptape report --details all shows every point."
	}
}
