// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"slices"

	"github.com/warptape/warptape/timing/clock"
)

// entry is an entry of a warp's divergence stack (3.4). Places are basic blocks: they
// begin wherever lanes part or meet.
type entry struct {
	state side
	armed bool // SSY has set sync, and no branch has parted lanes since
	sync  uint32
	pc    uint32
	mask  lanes
}

// side says which lanes run.
type side uint8

const (
	neither  side = iota // the entry is empty
	taken                // the taken lanes run
	notTaken             // those that did not take the branch run, or none are left
)

func (w *warp) top() *entry { return &w.stack[len(w.stack)-1] }

// push is SSY.
func (p *multiprocessor) push(now clock.Cycle, w *warp, label uint32) {
	if slices.ContainsFunc(w.stack, func(e entry) bool { return e.state != neither && e.sync == label }) {
		p.fail(now, w, "unsafe stack: lanes of warps of %d wait to meet at its label already; give nested branches sync points at different instructions, and let no loop diverge", p.WarpWidth)
		return
	}
	if w.top().state != neither {
		w.stack = append(w.stack, entry{})
	}
	*w.top() = entry{armed: true, sync: label}
}

// branch goes on to the target of a branch with those that take it, or behind it.
func (p *multiprocessor) branch(now clock.Cycle, w *warp, s *step, takers lanes) {
	switch takers {
	case w.mask:
		w.block = s.target
	case 0:
		w.block = s.behind
	default:
		e := w.top()
		if !e.armed {
			p.fail(now, w, "unsafe stack: in warps of %d, lanes %x take the branch and lanes %x do not, and no SSY says where they meet; put one before the branch, and let no loop diverge", p.WarpWidth, takers, w.mask&^takers)
			return
		}
		p.count(w.index, firstCounter+countDivergence, 1)
		*e = entry{state: taken, sync: e.sync, pc: s.behind, mask: w.mask &^ takers}
		if e.pc == e.sync {
			e.state = notTaken
		}
		w.block, w.mask = s.target, takers
	}
}

// meet is the step of the stack behind an update: at the sync point the other side goes
// on, or both meet. Nested sync points are different, so one step is all.
func (p *multiprocessor) meet(now clock.Cycle, w *warp) {
	e := w.top()
	switch {
	case e.state == neither || w.block != e.sync:
		p.checkHidden(now, w)
	case e.state == taken:
		w.mask, e.mask = e.mask, w.mask
		w.block, e.state = e.pc, notTaken
	default:
		w.mask |= e.mask
		*e = entry{sync: e.sync}
		if len(w.stack) > 1 {
			w.stack = w.stack[:len(w.stack)-1]
		}
	}
}

// checkHidden ends a replay in which lanes are lost. An SSY whose branch has not parted
// lanes has left an empty entry on top of the one whose sync point the warp comes to.
func (p *multiprocessor) checkHidden(now clock.Cycle, w *warp) {
	if w.top().state != neither {
		return
	}
	for _, e := range w.stack[:len(w.stack)-1] {
		if e.state != neither && e.sync == w.block {
			p.fail(now, w, "unsafe stack: behind it, lanes %x of warps of %d wait to meet, but an SSY inside, whose branch did not part lanes, hides them; let the branch behind every SSY in a divergent region really diverge", e.mask, p.WarpWidth)
			return
		}
	}
}
