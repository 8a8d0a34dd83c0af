// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"
	"io"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Options say what a timeline holds. The zero value holds all of everything.
type Options struct {
	// SampleCycles is the distance in core cycles of the moments at which states
	// are looked at; 0 and 1 are every cycle, with which all lengths are exact.
	SampleCycles int
	// DepthCycles is the least distance in core cycles of two looks at the depths
	// of queues; 0 is DefaultDepthCycles, or SampleCycles when that is more.
	DepthCycles int
	// SM says which SMs have tracks; nil: all.
	SM func(sm int) bool
	// Launch says in which launches SMs are shown; nil: in all.
	Launch func(launch int) bool
	// LimitBytes bounds the file before compression; 0: DefaultLimitBytes. At
	// the limit the timeline ends, the replay does not.
	LimitBytes int64
}

// The defaults of Options.
const (
	DefaultDepthCycles = 64
	DefaultLimitBytes  = 256 << 20
)

// Recorder writes the timeline of one replay; it is its seam.Watcher.
type Recorder struct {
	w           *writer
	options     Options
	sample      clock.Cycle
	limit       int64
	clockOffset clock.Cycle
	sms         []*smTracks // nil for those that are not watched
	causes      [counters.CauseCount]name
	states      [seam.WarpStateCount]name
	depths      depths
	gpu         uint64 // the group of what belongs to no SM
	served      map[served]name
	stopped     clock.Cycle
	full        bool
}

// New starts a timeline of a replay on a machine with so many SMs.
func New(w io.Writer, machine string, sms int, o Options) *Recorder {
	r := &Recorder{w: newWriter(w), options: o, sample: clock.Cycle(max(o.SampleCycles, 1)), limit: o.LimitBytes, sms: make([]*smTracks, sms), served: map[served]name{}}
	if r.limit <= 0 {
		r.limit = DefaultLimitBytes
	}
	r.w.begin()
	for c := range r.causes {
		r.causes[c] = r.w.intern(counters.Cause(c).String())
	}
	for s := range r.states {
		r.states[s] = r.w.intern(seam.WarpState(s).String())
	}
	r.gpu = r.w.process(machine + ": 1 ns = 1 core cycle")
	return r
}

// Watches implements seam.Watcher.
func (r *Recorder) Watches(sm int) bool { return r.options.SM == nil || r.options.SM(sm) }

// ClockOffset implements seam.Watcher.
func (r *Recorder) ClockOffset(cycles clock.Cycle) { r.clockOffset = cycles }

// of gives the tracks of an SM, nil when nothing of it is written now.
func (r *Recorder) of(sm int) *smTracks {
	if r.full {
		return nil
	}
	t := r.sms[sm]
	if t == nil || !t.on {
		return nil
	}
	return t
}

// Bound implements seam.Watcher.
func (r *Recorder) Bound(now clock.Cycle, sm, launch int, kernel *trace.Kernel) {
	if !r.Watches(sm) || r.full {
		return
	}
	t := r.sms[sm]
	if t == nil {
		t = &smTracks{group: r.w.process(fmt.Sprintf("SM %d", sm))}
		r.sms[sm] = t
	}
	if t.on {
		r.close(t, now+r.clockOffset)
	}
	t.kernel = kernel
	t.on = kernel != nil && (r.options.Launch == nil || r.options.Launch(launch))
	r.checkLimit(now + r.clockOffset)
}

// checkLimit ends the timeline when it is as long as it may be.
func (r *Recorder) checkLimit(at clock.Cycle) {
	if r.full || r.w.written < r.limit {
		return
	}
	for _, t := range r.sms {
		if t != nil {
			r.close(t, at)
			t.on = false
		}
	}
	track := r.w.track(r.gpu, "limit", false)
	r.w.instant(track, at, name{text: fmt.Sprintf("the timeline ends here: it has %d bytes", r.limit)})
	r.full, r.stopped = true, at
}

// Slots implements seam.Watcher.
func (r *Recorder) Slots(now clock.Cycle, s seam.IssueSlots) {
	t := r.of(s.SM)
	if t == nil {
		return
	}
	at := now + r.clockOffset
	is := state{name: r.causes[s.Cause]}
	if s.Cause != counters.CauseIssued {
		is.note = t.line(s.Instruction)
	}
	for i := range s.Count {
		r.report(t.slot(r, s.Scheduler, s.First+i), at, is)
	}
	r.checkLimit(at)
}

// Warp implements seam.Watcher.
func (r *Recorder) Warp(now clock.Cycle, s seam.WarpSlot) {
	t := r.of(s.SM)
	if t == nil {
		return
	}
	at := now + r.clockOffset
	is := state{}
	if s.State != seam.WarpGone {
		is = state{name: r.states[s.State], note: t.line(s.Instruction)}
	}
	r.report(t.warp(r, s.Warp), at, is)
	r.checkLimit(at)
}

// Block implements seam.Watcher.
func (r *Recorder) Block(now clock.Cycle, sm, place int, block uint64, there bool) {
	t := r.of(sm)
	if t == nil {
		return
	}
	p := t.block(r, place)
	at := now + r.clockOffset
	if !there {
		r.end(p, at)
		return
	}
	p.shown, p.start = state{name: name{text: fmt.Sprintf("thread block %d", block)}}, at
	p.last, p.at = p.shown, at
}

// Stopped says at which cycle of the run the timeline has ended because the file
// has reached its limit; false when it has not.
func (r *Recorder) Stopped() (clock.Cycle, bool) { return r.stopped, r.full }

// Finish writes what is known at the end of the run and completes the file. The gaps are
// those in which launches were on their way.
func (r *Recorder) Finish(launches, gaps, copies []Slice) error {
	end := r.depths.last + 1
	for _, l := range launches {
		end = max(end, l.End)
	}
	if !r.full {
		r.emptyDepths(end)
	}
	r.lanes("kernels", launches)
	r.lanes("launches on their way", gaps)
	r.lanes("copies", copies)
	return r.w.finish()
}

var _ seam.Watcher = (*Recorder)(nil)
