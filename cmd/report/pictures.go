// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/timing/timeline"
)

// pictures draw a stretch of the timelines of an SM.
type pictures struct {
	memory *memory
	parts  []Part
}

const (
	pictureCycles = 1000 // of the run that are drawn
	pictureTracks = 8    // of a kind
)

func (c *pictures) add(p *point) error {
	if !p.detailed {
		return nil
	}
	r := c.memory.replays[p.planned.Key]
	if r == nil || len(r.Timeline) == 0 {
		return nil
	}
	from, to, launch := stretch(p.statistics, r.TimelineEnd)
	if to <= from {
		return nil
	}
	drawing, err := timeline.Read(bytes.NewReader(r.Timeline), uint64(from), uint64(to))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := drawing.Draw(&b, timeline.Picture{From: uint64(from), To: uint64(to), Tracks: pictureTracks}); err != nil {
		c.parts = append(c.parts, Part{Notes: []string{p.planned.Architecture + ": " + err.Error()}})
		return nil
	}
	title := fmt.Sprintf("%s, cycles %d to %d, in the middle of launch %d (%s)", p.planned.Architecture, from, to, launch.Launch, launch.Kernel)
	c.parts = append(c.parts, Part{Picture: &Picture{
		Title: title, SVG: b.String(), Alternative: "Tracks of SM 0: " + title + ". The causes of issue slots above have the same content as figures.",
	}})
	return nil
}

// stretch chooses the cycles that are drawn: the middle of the longest launch, of what the
// timeline has of it. End zero: it has all.
func stretch(s *results.Statistics, end int64) (from, to int64, of *results.Section) {
	for i := range s.Launches {
		l := &s.Launches[i]
		first, last := l.Start, l.End
		if end > 0 {
			last = min(last, end)
		}
		if last-first <= 0 || of != nil && last-first <= to-from {
			continue
		}
		from, to, of = first, last, l
	}
	if to-from > pictureCycles {
		from += (to - from - pictureCycles) / 2
		to = from + pictureCycles
	}
	return from, to, of
}

func (c *pictures) section() *Section {
	if len(c.parts) == 0 {
		return nil
	}
	return &Section{ID: "cycles", Title: "Cycle by cycle", Text: []string{strings.Join([]string{
		"What became of each issue slot of SM 0, and what its warps waited for, in a short stretch of the run.",
		"warptape replay --timeline writes the whole of it for Perfetto.",
	}, " ")}, Parts: c.parts}
}
