// SPDX-License-Identifier: Apache-2.0

package timeline

import "github.com/warptape/warptape/timing/clock"

// state is what a track shows; the zero state is nothing.
type state struct {
	name name
	note note
}

// span is a track that is in one state at a time. Of the states that are reported it
// shows those at multiples of the sampling interval. A state that has come and gone
// between two of them is not in the file.
type span struct {
	track uint64
	// shown is what the file shows since start, last what was reported for the
	// time since at.
	shown, last state
	start, at   clock.Cycle
}

// report says that the state changes in the cycle now.
func (r *Recorder) report(s *span, now clock.Cycle, to state) {
	if to == s.last {
		return
	}
	r.settle(s, now)
	s.last, s.at = to, now
}

// look is the first moment from a cycle on at which states are looked at.
func (r *Recorder) look(from clock.Cycle) clock.Cycle {
	return (from + r.sample - 1) / r.sample * r.sample
}

// settle takes the last reported state, which has held until now, into what is
// shown.
func (r *Recorder) settle(s *span, now clock.Cycle) {
	first := r.look(s.at)
	if s.last == s.shown || first >= now {
		return
	}
	r.show(s, first)
	s.shown, s.start = s.last, first
}

// end closes the track's last slice in the cycle now.
func (r *Recorder) end(s *span, now clock.Cycle) {
	r.settle(s, now)
	r.show(s, now)
	s.shown, s.last, s.start, s.at = state{}, state{}, now, now
}

// show writes what was shown until a cycle.
func (r *Recorder) show(s *span, until clock.Cycle) {
	if s.shown != (state{}) && until > s.start {
		r.w.slice(s.track, s.start, until, s.shown.name, s.shown.note)
	}
}
