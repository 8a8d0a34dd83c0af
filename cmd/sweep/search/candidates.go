// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"

	"github.com/warptape/warptape/cmd/results"
)

// candidates are the machines of a sweep that can be compared: those with a point on
// every trace.
type candidates struct {
	machines   []string // architectures in the plan's order
	references []string // those that points are compared with
	leftOut    []results.Reason
}

// compared says that the goal needs references.
func candidatesOf(m *results.Manifest, compared bool) (*candidates, error) {
	c := &candidates{leftOut: []results.Reason{}}
	points, impossible, reference := map[string]int{}, map[string]string{}, map[string]bool{}
	var order []string
	for i := range m.Points {
		p := &m.Points[i]
		if points[p.Architecture] == 0 && impossible[p.Architecture] == "" {
			order = append(order, p.Architecture)
		}
		if p.Key == "" {
			impossible[p.Architecture] = p.Impossible
			continue
		}
		points[p.Architecture]++
		if p.Reference >= 0 && compared {
			r := &m.Points[p.Reference]
			if r.Key == "" {
				return nil, fmt.Errorf("sweep %s: the reference %s of %s has no machine: %s", m.Name, r.Architecture, p.Architecture, r.Impossible)
			}
			reference[r.Architecture] = true
		}
	}
	for _, a := range order {
		switch n := points[a]; {
		case impossible[a] != "":
			c.leftOut = append(c.leftOut, results.Reason{Architecture: a, Reason: impossible[a]})
		case n < len(m.Traces):
			c.leftOut = append(c.leftOut, results.Reason{Architecture: a, Reason: fmt.Sprintf("the plan excludes it on %d of %d traces, so that it cannot be compared", len(m.Traces)-n, len(m.Traces))})
		default:
			c.machines = append(c.machines, a)
			if reference[a] {
				c.references = append(c.references, a)
			}
		}
	}
	if len(c.machines) == 0 {
		return nil, fmt.Errorf("sweep %s: has no machine with a point on every trace", m.Name)
	}
	return c, nil
}
