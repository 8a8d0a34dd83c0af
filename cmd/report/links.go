// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"

	"github.com/warptape/warptape/timing/linkmap"
	"github.com/warptape/warptape/timing/replay"
)

// links draw how busy the links of networks were.
type links struct {
	study    *study
	pictures []Part
	notes    []string
	more     int
}

// mostPictures bounds the pictures of a page.
const mostPictures = 24

func (c *links) add(p *point) error {
	if !p.detailed || len(p.statistics.Links) == 0 {
		return nil
	}
	if len(c.pictures) == mostPictures {
		c.more++
		return nil
	}
	m, err := c.study.machines.of(p)
	if err != nil {
		c.notes = append(c.notes, "no picture: "+err.Error())
		return nil
	}
	result, err := replay.Restore(p.result.Statistics, m)
	if err != nil {
		c.notes = append(c.notes, fmt.Sprintf("no picture: %s on %s: %v", p.trace.Label, p.planned.Architecture, err))
		return nil
	}
	var b bytes.Buffer
	if err := linkmap.Write(&b, []replay.Result{*result}); err != nil {
		return err
	}
	title := p.trace.Label + " on " + p.planned.Architecture
	busiest := 0.0
	for i := range result.Links {
		busiest = max(busiest, result.Links[i].Busy)
	}
	c.pictures = append(c.pictures, Part{Picture: &Picture{
		Title: title, SVG: b.String(),
		Alternative: fmt.Sprintf("Map of the %d links between routers of %s; the busiest one carries a flit in %.1f %% of cycles", len(result.Links), title, 100*busiest),
	}})
	return nil
}

func (c *links) section() *Section {
	if len(c.pictures) == 0 && len(c.notes) == 0 {
		return nil
	}
	if c.more > 0 {
		c.notes = append(c.notes, leftOut(c.more, fmt.Sprintf("a page has room for %d pictures", mostPictures)))
	}
	s := &Section{ID: "links", Title: "Links of the networks", Text: []string{
		"How busy the links between routers were. Machines with a crossbar have none. " + c.study.detailed,
	}, Parts: c.pictures}
	if len(c.notes) > 0 {
		s.Parts = append(s.Parts, Part{Notes: c.notes})
	}
	return s
}
