// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/bits"
	"sort"
	"strings"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// suspend parks the running path at an instruction that waits for other lanes.
func (s *scheduler) suspend(w *warp) error {
	top, r := w.stack.top(), w.record
	top.suspended = r
	w.record = w.spareRecord()
	top.state = pathMeets
	if r.Meeting.Members&w.live&top.mask&^r.Meeting.Mask != 0 {
		return s.absent(w, top) // a predicate keeps members of the path from it
	}
	return s.unblock(w)
}

func (w *warp) spareRecord() *coexecution.Record {
	if n := len(w.spare); n > 0 {
		r := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return r
	}
	return new(coexecution.Record)
}

// resume goes on with the run of a path that was suspended.
func (w *warp) resume(p *path) error {
	w.spare = append(w.spare, w.record)
	w.record, p.suspended = p.suspended, nil
	w.record.Live = w.live
	return w.context.Resume(w.record)
}

// dropSuspended forgets the runs that a fault or the end of a launch left suspended.
func (w *warp) dropSuspended() {
	for i := range w.stack.paths {
		if r := w.stack.paths[i].suspended; r != nil {
			w.spare = append(w.spare, r)
		}
	}
}

// unblock looks for a path of a warp that can run when the one that ran cannot. What
// waits at a barrier of the block waits for other warps.
func (s *scheduler) unblock(w *warp) error {
	if err := s.meet(w); err != nil {
		return err
	}
	if w.stack.promote() {
		return nil
	}
	if w.parked != 0 && w.parked == w.live {
		return s.gather(w)
	}
	meets := w.stack.find(pathMeets)
	if (meets != nil || w.parked != 0) && w.stack.breakJoin(meets == nil || !s.independent) {
		return nil
	}
	switch {
	case w.stack.find(pathAtBarrier) != nil:
		s.waiting |= 1 << w.identity.Warp
		return nil
	case meets != nil:
		return s.absent(w, meets)
	}
	w.record.Barrier.ID = w.meeting.ID
	return s.misaligned(w, w.barrierSegment, w.parked)
}

// meet lets lanes execute the instructions at which all lanes are that they wait for.
func (s *scheduler) meet(w *warp) error {
	for i := range w.stack.paths {
		p := &w.stack.paths[i]
		if p.state != pathMeets {
			continue
		}
		m := &p.suspended.Meeting
		var runs []*coexecution.Record
		present := uint32(0)
		for j := range w.stack.paths {
			if q := &w.stack.paths[j]; q.state == pathMeets && m.Fits(&q.suspended.Meeting) {
				runs = append(runs, q.suspended)
				present |= q.suspended.Meeting.Mask
			}
		}
		if m.Members&w.live&^present != 0 || len(runs) > 1 && !s.independent {
			continue
		}
		if err := w.context.Meet(runs); err != nil {
			return err
		}
		for j := range w.stack.paths {
			if q := &w.stack.paths[j]; q.state == pathMeets && m.Fits(&q.suspended.Meeting) {
				q.state = pathRuns
			}
		}
	}
	return nil
}

// absent is the fault of lanes that wait for others which cannot come.
func (s *scheduler) absent(w *warp, p *path) error {
	m := &p.suspended.Meeting
	present := uint32(0)
	for i := range w.stack.paths {
		if q := &w.stack.paths[i]; q.state == pathMeets && m.Fits(&q.suspended.Meeting) {
			present |= q.suspended.Meeting.Mask
		}
	}
	missing := m.Members & w.live &^ present
	f := &coexecution.Fault{Kind: coexecution.FaultMemberMask, Detail: fmt.Sprintf("%s with member mask 0x%08x is executed by %s and waits for %s", m.Name, m.Members, laneList(present), s.places(w, missing))}
	if m.Whole {
		f.Kind, f.Detail = coexecution.FaultPartialWarp, fmt.Sprintf("%s takes all lanes of the warp; it is executed by %s and waits for %s", m.Name, laneList(present), s.places(w, missing))
	}
	if !s.independent {
		f.Detail += "; before sm_70 all members must come to it on the same path"
	}
	f.Locate(s.kernel.contaminated.PTX, m.Instruction, &w.identity, bits.TrailingZeros32(m.Mask))
	return f
}

// places says where lanes are, each in the innermost path that it is in.
func (s *scheduler) places(w *warp, lanes uint32) string {
	var list []string
	for i := len(w.stack.paths) - 1; i >= 0 && lanes != 0; i-- {
		p := &w.stack.paths[i]
		if here := p.mask & lanes; here != 0 {
			lanes &^= here
			list = append(list, fmt.Sprintf("%s %s", laneList(here), s.place(p, here)))
		}
	}
	return strings.Join(list, ", ")
}

// laneList names lanes: "lanes 0-3, 9".
func laneList(lanes uint32) string {
	var list []string
	for lanes != 0 {
		first := bits.TrailingZeros32(lanes)
		n := bits.TrailingZeros32(^(lanes >> first))
		lanes &^= uint32(1<<n-1) << first
		if n == 1 {
			list = append(list, fmt.Sprint(first))
		} else {
			list = append(list, fmt.Sprintf("%d-%d", first, first+n-1))
		}
	}
	if len(list) == 1 && !strings.Contains(list[0], "-") {
		return "lane " + list[0]
	}
	return "lanes " + strings.Join(list, ", ")
}

func (s *scheduler) place(p *path, lanes uint32) string {
	body := s.kernel.contaminated.PTX.Body
	at := func(instruction int) string {
		in := &body[instruction]
		return fmt.Sprintf("at line %d (%s, basic block %d)", in.Line, in.Op, s.segmentOf(instruction))
	}
	last := func(segment int) int { return s.segments[segment].First + s.segments[segment].Count - 1 }
	switch {
	case p.state == pathMeets && lanes&^p.suspended.Meeting.Mask != 0:
		return "whose guard does not hold " + at(p.suspended.Meeting.Instruction)
	case p.state == pathMeets:
		return at(p.suspended.Meeting.Instruction)
	case p.state != pathRuns:
		return "at the barrier " + at(last(p.barrier.segment))
	}
	return at(s.segments[p.segment].First)
}

// segmentOf is the segment that an instruction belongs to.
func (s *scheduler) segmentOf(instruction int) int {
	return sort.Search(len(s.segments), func(i int) bool { return s.segments[i].First > instruction }) - 1
}
