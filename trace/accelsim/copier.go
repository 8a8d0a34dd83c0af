// SPDX-License-Identifier: Apache-2.0

package accelsim

import (
	"errors"
	"math/bits"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// copier is the second pass: it records what the survey has a table for.
type copier struct {
	survey *survey
	w      *wtape.Writer
	ids    []uint64 // of the thread blocks, nil for 0, 1, 2 ...
	known  int      // instructions when the survey ended
	n      int      // thread blocks so far
	open   bool
	follow follower
}

var errChanged = errors.New("the file changed while it was read: import it again")

func (c *copier) block(_, _, _ uint32) error {
	if c.open {
		return errors.New("a second thread block before #END_TB")
	}
	if c.n == len(c.survey.blocks) {
		return errChanged
	}
	id := uint64(c.n)
	if c.ids != nil {
		id = c.ids[c.n]
	}
	c.n++
	c.open = true
	c.follow = follower{}
	c.w.BeginBlock(id)
	return nil
}

func (c *copier) warp(n int) error {
	if !c.open {
		return errors.New("a warp before its thread block")
	}
	return c.follow.warp(n, c.survey.file.block)
}

func (c *copier) execute(e *execution) error {
	i, err := c.survey.number(e)
	if err != nil {
		return err
	}
	mask, err := c.follow.visit(e.mask)
	if err != nil {
		return err
	}
	if i >= c.known {
		return errChanged
	}
	in := &c.survey.kernel.Instructions[i]
	c.w.Visit(c.follow.number, uint32(i), mask)
	if in.Guarded() {
		c.w.Guard(c.follow.number, e.mask)
		mask = e.mask
	}
	if in.Class.IsMemory() {
		if in.Space == trace.SpaceGeneric {
			c.toWindows(mask, &e.lanes)
		}
		c.w.Access(c.follow.number, mask, &e.lanes)
	}
	return nil
}

// toWindows moves generic addresses from the windows of the traced device to those
// of the trace format.
func (c *copier) toWindows(mask uint32, lanes *[trace.WarpSize]uint64) {
	h := c.survey.file
	for m := mask; m != 0; m &= m - 1 {
		a := &lanes[bits.TrailingZeros32(m)]
		switch {
		case *a >= h.sharedBase && *a-h.sharedBase < trace.WindowBytes && *a < h.localBase:
			*a += trace.SharedWindowBase - h.sharedBase
		case *a >= h.localBase && *a-h.localBase < trace.WindowBytes:
			*a += trace.LocalWindowBase - h.localBase
		}
	}
}

func (c *copier) endBlock() error {
	if !c.open {
		return errors.New("#END_TB before its thread block")
	}
	c.open = false
	return c.w.EndBlock()
}
