// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"slices"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// entry is an entry of a warp's divergence stack (3.4).
type entry struct {
	state side
	armed bool // SSY has set sync, and no branch has parted lanes since
	sync  int
	pc    int
	mask  Lanes
}

// side says which lanes run.
type side uint8

const (
	neither  side = iota // the entry is empty
	taken                // the taken lanes run
	notTaken             // those that did not take the branch run, or none are left
)

func (w *warp) top() *entry { return &w.stack[len(w.stack)-1] }

// meet is the step of the stack in every cycle: at the sync point the other side goes on,
// or both meet. Nested sync points are different, so one step is all.
func (p *multiprocessor) meet(w *warp) error {
	e := w.top()
	switch {
	case e.state == neither || w.pc != e.sync:
		return p.checkHidden(w)
	case e.state == taken:
		w.mask, e.mask = e.mask, w.mask
		w.pc, e.state = e.pc, notTaken
	default:
		w.mask |= e.mask
		*e = entry{sync: e.sync}
		if len(w.stack) > 1 {
			w.stack = w.stack[:len(w.stack)-1]
		}
	}
	return nil
}

// checkHidden refuses lanes that are lost. An SSY with a branch that has not parted
// lanes has left an empty entry. It lies on top of the entry with the sync point that
// the warp comes to.
func (p *multiprocessor) checkHidden(w *warp) error {
	if w.top().state != neither {
		return nil
	}
	for _, e := range w.stack[:len(w.stack)-1] {
		if e.state != neither && e.sync == w.pc {
			return p.m.fault(p, w, w.pc, "unsafe stack: lanes %s wait to meet here, but an SSY inside, whose branch did not part lanes, hides them; let the branch behind every SSY in a divergent region really diverge", p.m.hex(e.mask))
		}
	}
	return nil
}

// push is SSY.
func (p *multiprocessor) push(w *warp, label int) error {
	if slices.ContainsFunc(w.stack, func(e entry) bool { return e.state != neither && e.sync == label }) {
		return p.m.fault(p, w, w.pc, "unsafe stack: lanes wait to meet at address %d already; give nested branches sync points at different instructions, and let no loop diverge", label)
	}
	if w.top().state != neither {
		w.stack = append(w.stack, entry{})
	}
	*w.top() = entry{armed: true, sync: label}
	return nil
}

// part is a branch whose lanes do not agree: those that take it go on first.
func (p *multiprocessor) part(w *warp, in language.Instruction, takers Lanes) (u update, err error) {
	e := w.top()
	if !e.armed {
		return u, p.m.fault(p, w, w.pc, "unsafe stack: lanes %s take the branch and lanes %s do not, and no SSY says where they meet; put one before the branch, and let no loop diverge", p.m.hex(takers), p.m.hex(w.mask&^takers))
	}
	p.m.result.Divergences++
	p.m.noteJoin(w.pc, e.sync)
	*e = entry{state: taken, sync: e.sync, pc: w.pc + 1, mask: w.mask &^ takers}
	if e.pc == e.sync {
		e.state = notTaken
	}
	return update{pc: int(in.Immediate), mask: takers}, nil
}

// noteJoin keeps where the lanes of a branch met.
func (m *machine) noteJoin(branch, label int) {
	list := m.result.Joins[branch]
	if at, ok := slices.BinarySearch(list, label); !ok {
		m.result.Joins[branch] = slices.Insert(list, at, label)
	}
}
