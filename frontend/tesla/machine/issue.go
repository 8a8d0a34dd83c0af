// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"github.com/warptape/warptape/frontend/tesla/language"
)

// update is what the end of an instruction does to its warp, once, when its last row is
// written back (3.1).
type update struct {
	cycle  uint64
	pc     int
	mask   Lanes
	whole  Lanes // the lanes that a replay is for; zero: none
	ends   bool
	sleeps bool
}

// writeBack is how many cycles after its issue, in addition to its rows, a warp is updated.
const writeBack = 3

// issue lets a warp enter the pipeline. Its rows execute one after the other, and those
// of two warps never side by side: all that they do may be done at once.
func (p *multiprocessor) issue(slot int) error {
	w, m := &p.warps[slot], p.m
	if w.pc >= len(m.kernel.Instructions) {
		return m.fault(p, w, w.pc, "the warp runs on behind the program's last instruction; end all paths with EXIT")
	}
	m.result.Issues++
	if l := m.result.Log; l != nil {
		l.Issues = append(l.Issues, Issue{m.cycle, p.id, slot, w.place, w.pc, w.mask})
	}
	if w.whole == 0 {
		w.visit(m.leader)
	} else {
		m.result.Replays++
	}
	u, err := p.execute(w, m.kernel.Instructions[w.pc])
	if err != nil {
		return err
	}
	u.cycle = m.cycle + writeBack + uint64(m.rows())
	w.update, w.inPipeline = u, true
	return nil
}

// visit records that a run of instructions begins, where one does.
func (w *warp) visit(leader []bool) {
	if leader[w.pc] {
		w.path.Visits = append(w.path.Visits, Visit{w.pc, w.mask})
	}
}

// apply is the update of a warp.
func (p *multiprocessor) apply(w *warp) {
	u := &w.update
	w.inPipeline = false
	w.pc, w.mask, w.whole = u.pc, u.mask, u.whole
	if u.sleeps {
		w.asleep = true
		p.arrived[w.place]++
	}
	if u.ends {
		w.valid = false
		p.live--
	}
}

// execute does an instruction for all rows of a warp.
func (p *multiprocessor) execute(w *warp, in language.Instruction) (update, error) {
	u := update{pc: w.pc + 1, mask: w.mask}
	p.m.watch.reads(p, w, in)
	switch in.Opcode {
	case language.NOP:
	case language.EXIT:
		u.ends = true
	case language.BAR:
		u.sleeps = true
		return u, p.checkBarrier(w)
	case language.SSY:
		return u, p.push(w, int(in.Immediate))
	case language.BEQ, language.BNE:
		return p.branch(w, in, u)
	case language.LD, language.ST:
		return p.access(w, in, u)
	case language.LDC:
		p.loadConstant(w, in)
	case language.LDS:
		return u, p.loadSpecial(w, in)
	default:
		p.compute(w, in)
	}
	return u, nil
}

// checkBarrier refuses a barrier of a block whose slot another block shares: a barrier
// that opens wakes the warps of the slot.
func (p *multiprocessor) checkBarrier(w *warp) error {
	p.m.watch.barrier(w)
	if w.robbed {
		return p.m.fault(p, w, w.pc, "another thread block has taken the block slot %d, and the barrier would be that of both; use fewer thread blocks", w.place)
	}
	for slot := range p.warps {
		other := &p.warps[slot]
		if other.valid && other.place == w.place && other.block != w.block {
			return p.m.fault(p, w, w.pc, "thread block %d has the same block slot, %d, and the barrier would be that of both; use fewer thread blocks", other.block, w.place)
		}
	}
	return nil
}

// branch compares with zero.
func (p *multiprocessor) branch(w *warp, in language.Instruction, u update) (update, error) {
	var takers Lanes
	for lane := range p.m.WarpWidth {
		if w.mask>>lane&1 != 0 && (p.get(w, lane, in.A) == 0) == (in.Opcode == language.BEQ) {
			takers |= 1 << lane
		}
	}
	if int(in.Immediate) == w.pc+1 {
		w.path.Taken = append(w.path.Taken, Taken{w.mask, takers})
	}
	switch takers {
	case w.mask:
		u.pc = int(in.Immediate)
	case 0:
	default:
		return p.part(w, in, takers)
	}
	return u, nil
}
