// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
)

// timelines show when the launches and copies of points ran.
type timelines struct {
	study *study
	data  *Dataset

	trace, architecture, track, name *Column
	start, end                       *Column
	notes                            []string
}

// mostSpans bounds the launches and copies of one point that are drawn.
const mostSpans = 2000

func newTimelines(s *study) *timelines {
	c := &timelines{study: s, data: NewDataset("launches and copies")}
	d := c.data
	c.trace, c.architecture = d.Words(columnTrace, "trace"), d.Words(columnArchitecture, "architecture")
	c.track, c.name = d.Words("track", "track"), d.Words("name", "what")
	c.start, c.end = d.Numbers("start", "start", "ns"), d.Numbers("end", "end", "ns")
	return c
}

func (c *timelines) add(p *point) error {
	if !p.detailed {
		return nil
	}
	t := &p.statistics.Total
	if t.Cycles == 0 {
		return nil
	}
	perCycle := t.Nanoseconds / float64(t.Cycles)
	n := 0
	row := func(track, name string, start, end int64) {
		if n++; n > mostSpans {
			return
		}
		c.trace.Add(p.trace.Label)
		c.architecture.Add(p.planned.Architecture)
		c.track.Add(track)
		c.name.Add(name)
		c.start.AddNumber(float64(start) * perCycle)
		c.end.AddNumber(float64(end) * perCycle)
	}
	for i := range p.statistics.Copies {
		l := &p.statistics.Copies[i]
		row(fmt.Sprintf("copies %s", l.Direction), "copy "+l.Direction, int64(l.Start), int64(l.End))
	}
	for i := range p.statistics.Launches {
		l := &p.statistics.Launches[i]
		row("kernel "+l.Kernel, l.Kernel, l.Start, l.End)
	}
	if n > mostSpans {
		c.notes = append(c.notes, p.trace.Label+" on "+p.planned.Architecture+": "+leftOut(n-mostSpans, fmt.Sprintf("a picture has room for %d launches and copies", mostSpans)))
	}
	return nil
}

func (c *timelines) section() *Section {
	if c.data.Len() == 0 {
		return nil
	}
	s := &Section{ID: "timeline", Title: "Timeline", Text: []string{
		"When launches and copies ran. " + c.study.detailed,
	}, Parts: []Part{{Chart: &Chart{
		Kind: Spans, Title: "Launches and copies", Dataset: c.data, X: Role{"start"}, Y: Role{"end"}, Track: "track", Colour: Role{"name"},
		Label: []string{"name"}, One: []string{columnTrace, columnArchitecture},
	}}}}
	if len(c.notes) > 0 {
		s.Parts = append(s.Parts, Part{Notes: c.notes})
	}
	return s
}
