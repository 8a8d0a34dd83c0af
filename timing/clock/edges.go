// SPDX-License-Identifier: Apache-2.0

package clock

// Edges tells of the edges around points in time that hardly ever lie far from the
// one asked for before, without dividing.
type Edges struct {
	period Time
	cycle  Cycle
	at     Time // of edge number cycle, which is the last one not after the time asked for
}

// Edges begins at time zero.
func (d Domain) Edges() Edges { return Edges{period: d.Period} }

// seek goes to the last edge that is not after t.
func (e *Edges) seek(t Time) {
	switch since := uint64(t - e.at); {
	case since < uint64(e.period):
	case since < 2*uint64(e.period):
		e.cycle++
		e.at += e.period
	default:
		e.cycle = Cycle(t / e.period)
		e.at = Time(e.cycle) * e.period
	}
}

// Cycle is the number of the last edge that is not after t.
func (e *Edges) Cycle(t Time) Cycle {
	e.seek(t)
	return e.cycle
}

// After is the first edge later than t.
func (e *Edges) After(t Time) Time {
	e.seek(t)
	return e.at + e.period
}

// Next is the number of the first edge later than t, and its time.
func (e *Edges) Next(t Time) (Cycle, Time) {
	e.seek(t)
	return e.cycle + 1, e.at + e.period
}

// CyclesUntil is the number of the first edge that is not before t, as that of
// Domain.
func (e *Edges) CyclesUntil(t Time) Cycle {
	e.seek(t)
	if e.at == t {
		return e.cycle
	}
	return e.cycle + 1
}
