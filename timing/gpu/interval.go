// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// Interval is a stretch of a replay.
type Interval struct {
	Start, End clock.Cycle // core cycles since the replay began; End is not part of it
	// Counters holds what was counted in the interval. What the memory system
	// still does after the last launch belongs to the last one.
	Counters counters.Set
}

// maxIntervals bounds the memory for intervals to about 100 MB.
const maxIntervals = 100_000

// sampler cuts a replay into intervals.
type sampler struct {
	every  clock.Cycle // zero: no intervals
	due    clock.Cycle // the cycle in which the present interval ends
	origin clock.Cycle // cycle in which the replay began
	start  clock.Cycle // of the present interval
	before counters.Set
	list   []Interval
}

func newSampler(every, now clock.Cycle, before *counters.Set) sampler {
	if every <= 0 {
		return sampler{due: clock.Never}
	}
	return sampler{every: every, due: now + every, origin: now, start: now, before: *before}
}

// sample ends an interval before the present cycle.
func (g *GPU) sample() error {
	if len(g.sampler.list) >= maxIntervals {
		return fmt.Errorf("more than %d intervals of %d cycles; use longer ones", maxIntervals, g.sampler.every)
	}
	g.settle()
	counts := g.sum()
	g.sampler.cut(g.now, &counts)
	g.sampler.due += g.sampler.every
	return nil
}

// cut closes the present interval at the cycle now.
func (s *sampler) cut(now clock.Cycle, counts *counters.Set) {
	i := Interval{Start: s.start - s.origin, End: now - s.origin, Counters: *counts}
	i.Counters.Sub(&s.before)
	s.list = append(s.list, i)
	s.start, s.before = now, *counts
}

// end closes the last interval and gives all.
func (s *sampler) end(now clock.Cycle, counts *counters.Set) []Interval {
	if s.every > 0 && now > s.start {
		s.cut(now, counts)
	}
	return s.list
}
