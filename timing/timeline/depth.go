// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// depths are the counter tracks of queues.
type depths struct {
	gauges []seam.Gauge
	read   func([]int)
	now    []int
	shown  []int
	tracks []uint64
	due    clock.Cycle
	last   clock.Cycle // time of the last look
	every  clock.Cycle
}

// Measure implements seam.DepthWatcher.
func (r *Recorder) Measure(gauges []seam.Gauge, read func(into []int)) {
	every := r.options.DepthCycles
	if every <= 0 {
		every = max(DefaultDepthCycles, r.options.SampleCycles)
	}
	r.depths = depths{
		gauges: gauges, read: read, every: clock.Cycle(every),
		now: make([]int, len(gauges)), shown: make([]int, len(gauges)), tracks: make([]uint64, len(gauges)),
	}
}

// DepthDue implements seam.DepthWatcher.
func (r *Recorder) DepthDue() clock.Cycle {
	if r.full {
		return clock.Never
	}
	return r.depths.due
}

// Depth implements seam.DepthWatcher.
func (r *Recorder) Depth(now clock.Cycle) {
	d := &r.depths
	d.due = now/d.every*d.every + d.every
	if !r.anyOn() {
		return
	}
	d.read(d.now)
	d.last = now + r.clockOffset
	for i, v := range d.now {
		g := &d.gauges[i]
		if v == d.shown[i] || g.SM >= 0 && r.of(g.SM) == nil {
			continue
		}
		if d.tracks[i] == 0 {
			r.declareDepths(g.SM)
		}
		r.w.count(d.tracks[i], now+r.clockOffset, v)
		d.shown[i] = v
	}
	r.checkLimit(now + r.clockOffset)
}

// declareDepths declares the counter tracks of an SM, or of what all share, in the
// order of the gauges.
func (r *Recorder) declareDepths(sm int) {
	group := r.gpu
	if sm >= 0 {
		group = r.sms[sm].group
	}
	for i := range r.depths.gauges {
		if g := &r.depths.gauges[i]; g.SM == sm {
			r.depths.tracks[i] = r.w.track(group, g.Name, true)
		}
	}
}

// emptyDepths shows all queues as empty, as they are at the end of a run.
func (r *Recorder) emptyDepths(at clock.Cycle) {
	d := &r.depths
	for i, v := range d.shown {
		if v != 0 {
			r.w.count(d.tracks[i], at, 0)
		}
	}
}

// anyOn reports whether an SM is shown at present.
func (r *Recorder) anyOn() bool {
	for _, t := range r.sms {
		if t != nil && t.on {
			return true
		}
	}
	return false
}

var _ seam.DepthWatcher = (*Recorder)(nil)
