// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor

import (
	"fmt"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
)

// By segments, lanes on several paths that come to instructions which wait for all of them stop
// there (see contamination.StopBefore).

// stopsIn says whether lanes of a visit stop at instructions that wait for others: only where
// some are elsewhere.
func (c *context) stopsIn(segment int, mask uint32, r *coexecution.Record) uint32 {
	if r.Live&^mask == 0 {
		return contamination.StopNever
	}
	s := &c.program.kernel.Segments[segment]
	for i := s.First; i < s.First+s.Count; i++ {
		if c.program.sites[i].Meets() {
			return contamination.StopBefore
		}
	}
	return contamination.StopNever
}

// Meet executes an instruction for the lanes of several paths. Straight through, and before
// sm_70, the device's lanes have met.
func (c *context) Meet(runs []*coexecution.Record) error {
	p := c.program
	lanes := uint32(0)
	for _, r := range runs {
		if at := r.Meeting.Instruction; p.sites[at].Address != nil {
			in := &p.kernel.PTX.Body[at]
			return deviceError(p.kernel, fmt.Errorf("%s: %s was executed by lanes on several paths", in.Position, in.Op))
		}
		lanes |= r.Resume.Mask
	}
	if p.mode == contamination.Straight {
		return nil
	}
	return c.runTurn(turn{lanes: lanes, products: noProducts, stops: contamination.StopBehind})
}

// Resume goes on behind the instruction at which a run was suspended.
func (c *context) Resume(r *coexecution.Record) error {
	r.Meeting.Waits = false
	if c.program.mode == contamination.Segments {
		t := turn{lanes: r.Resume.Mask, products: noProducts, stops: c.stopsIn(r.Resume.Segment, r.Resume.Mask, r)}
		if err := c.runTurn(t); err != nil {
			return err
		}
	}
	return c.walk(r.Resume.Segment, r.Resume.At, true, r.Resume.Mask, r)
}

// passOn lets lanes of a visit go on that have stopped at an instruction, and need not wait there.
func (c *context) passOn(site *contamination.Site, mask uint32) error {
	if c.program.mode == contamination.Straight || !site.Meets() || c.stops != contamination.StopBefore {
		return nil
	}
	return c.runTurn(turn{lanes: mask, products: noProducts, stops: contamination.StopBefore})
}
