// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"math"
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
)

// link is the way of the host's copies: arch.Link. Each direction carries one
// copy at a time, and each copy needs a copy engine; on the die both directions
// are the one memory. Without a link copies take no time.
type link struct {
	none    bool
	shared  bool
	latency clock.Cycle
	rate    rate // bytes
	engines int  // that are free
	// toDevice and toHost say that a copy is on its way.
	toDevice, toHost bool
}

func newLink(m *arch.Machine, coreKHz uint64) link {
	l := link{
		none: m.Link.Kind == "", shared: m.Link.Kind == "on_die", engines: m.Link.CopyEngines,
		latency: microseconds(m.Link.LatencyMicroseconds, coreKHz),
		rate:    newRate(m.Link.GigabytesPerSecond, coreKHz),
	}
	if l.shared {
		// Every byte is read from and written to the one memory.
		l.rate = newRate(m.DRAMGigabytesPerSecond()/2, coreKHz)
	}
	return l
}

// microseconds are a time in core cycles, rounded up.
func microseconds(us float64, coreKHz uint64) clock.Cycle {
	return clock.Cycle(math.Ceil(us * float64(coreKHz) / 1000))
}

// take gives the link to a copy; false when it has to wait.
func (l *link) take(k trace.EventKind) bool {
	if l.none {
		return true
	}
	lane := l.lane(k)
	if *lane || l.engines == 0 {
		return false
	}
	*lane = true
	l.engines--
	return true
}

// release ends a copy.
func (l *link) release(k trace.EventKind) {
	if !l.none {
		*l.lane(k) = false
		l.engines++
	}
}

func (l *link) lane(k trace.EventKind) *bool {
	if l.shared || k == trace.EventCopyToDevice {
		return &l.toDevice
	}
	return &l.toHost
}

// cycles is how long a copy takes once it has the link.
func (l *link) cycles(bytes uint64) clock.Cycle {
	if l.none {
		return 0
	}
	return later(l.latency, l.rate.cycles(bytes))
}

// hostRates time the steps that need no link.
type hostRates struct {
	fill    rate // bytes
	compute rate // operations
}

func newHostRates(m *arch.Machine, coreKHz uint64) hostRates {
	r := hostRates{compute: newRate(m.Host.GigaOperationsPerSecond, coreKHz)}
	if m.Link.Kind != "" {
		r.fill = newRate(m.DRAMGigabytesPerSecond(), coreKHz)
	}
	return r
}

// cycles is how long a fill or a host computation takes; other steps take none.
func (r *hostRates) cycles(e *trace.HostEvent) clock.Cycle {
	switch e.Kind {
	case trace.EventFill:
		return r.fill.cycles(e.Bytes)
	case trace.EventCompute:
		return r.compute.cycles(e.Operations)
	}
	return 0
}

// rate is so many things (bytes, operations) per second in core cycles; the zero
// rate takes no time.
type rate struct{ hertz, perSecond uint64 }

func newRate(giga float64, coreKHz uint64) rate {
	return rate{hertz: coreKHz * 1000, perSecond: uint64(math.Round(giga * 1e9))}
}

// maxStepCycles bounds a step of the host (2^53 core cycles are months), endOfTime
// the whole timeline.
const (
	maxStepCycles = 1 << 53
	endOfTime     = clock.Cycle(1) << 62
)

// later is the end of a step that starts at a time.
func later(at, cycles clock.Cycle) clock.Cycle { return min(at+cycles, endOfTime) }

// cycles is the time of n things, rounded up; a damaged trace's absurd sizes
// come to maxStepCycles.
func (r rate) cycles(n uint64) clock.Cycle {
	if r.perSecond == 0 {
		return 0
	}
	high, low := bits.Mul64(n, r.hertz)
	low, carry := bits.Add64(low, r.perSecond-1, 0)
	high += carry
	if high >= r.perSecond {
		return maxStepCycles
	}
	q, _ := bits.Div64(high, low, r.perSecond)
	return clock.Cycle(min(q, maxStepCycles))
}

// Copy is a copy of the host's, in core cycles since the start of the run.
type Copy struct {
	Event      int // in the trace's timeline
	ToDevice   bool
	Bytes      uint64
	Stream     uint32
	Start, End clock.Cycle // on the link
	// Executed says that the machine has executed it (seam.HostSteps): what it did
	// to memory is among the machine's counters. One that takes no time was elided.
	Executed bool
}
