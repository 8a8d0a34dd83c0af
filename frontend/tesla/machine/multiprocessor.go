// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// multiprocessor is one MP.
type multiprocessor struct {
	m    *machine
	id   int
	init initialiser
	// The counters of slots and registers only count up (3.7).
	nextWarp, nextBlock, nextBase int

	warps   []warp
	live    int   // warps that are valid
	arrived []int // warps at the barrier, by block slot
	opening []bool

	gone    uint64 // warps that have had their turn (3.3)
	rowsDue int    // cycles until the next issue may be (3.2)

	shared    []uint32
	registers [][]uint32 // by processor
	// Of the row that loads: what its lanes have read, and which did.
	loaded    [language.MaxWarpWidth]uint32
	hasLoaded Lanes
}

// warp is a warp slot.
type warp struct {
	valid, fresh bool // fresh: made in the present cycle
	inPipeline   bool
	asleep       bool // at a barrier
	robbed       bool // another block has taken the block slot
	block        uint64
	number       int
	place        int // block slot
	base         int // of the registers
	pc           int
	mask, all    Lanes // that run; that there are
	whole        Lanes // the mask before replays; zero without one
	stack        []entry
	written      [language.MaxWarpWidth]uint32 // registers, by lane
	update       update
	path         *Warp
	epoch        int // barriers passed
}

func newMultiprocessor(m *machine, id int) *multiprocessor {
	p := &multiprocessor{
		m: m, id: id, warps: make([]warp, m.WarpSlots), arrived: make([]int, m.BlockSlots), opening: make([]bool, m.BlockSlots),
		shared: make([]uint32, 1<<m.SharedAddressBits),
	}
	copy(p.shared, m.kernel.Data)
	for range m.Processors {
		p.registers = append(p.registers, make([]uint32, 1<<m.RegisterAddressBits))
	}
	return p
}

// settle brings what the last cycle has written into the present one: updates of warps,
// and barriers that were seen to be full then.
func (p *multiprocessor) settle() {
	for place := range p.opening {
		if p.opening[place] {
			p.opening[place] = false
			p.wake(place)
		}
	}
	for slot := range p.warps {
		w := &p.warps[slot]
		w.fresh = false
		if w.inPipeline && w.update.cycle+1 == p.m.cycle {
			p.apply(w)
		}
	}
}

// wake ends the sleep of all warps of a block (3.6).
func (p *multiprocessor) wake(place int) {
	for slot := range p.warps {
		if w := &p.warps[slot]; w.valid && w.asleep && w.place == place {
			w.asleep = false
			w.epoch++
		}
	}
}

// step is one cycle.
func (p *multiprocessor) step() error {
	for place := range p.arrived {
		if p.arrived[place] == p.m.kernel.WarpsPerBlock { // 3.6: seen in the cycle after the update
			p.arrived[place], p.opening[place] = 0, true
		}
	}
	for slot := range p.warps {
		w := &p.warps[slot]
		if w.valid && !w.fresh && !w.inPipeline {
			if err := p.meet(w); err != nil {
				return err
			}
		}
	}
	if err := p.schedule(); err != nil {
		return err
	}
	return p.initialise()
}

// schedule is the warp scheduler (3.2, 3.3).
func (p *multiprocessor) schedule() error {
	var ready uint64
	for slot := range p.warps {
		if w := &p.warps[slot]; w.valid && !w.fresh && !w.inPipeline && !w.asleep {
			ready |= 1 << slot
		}
	}
	if ready&^p.gone == 0 {
		p.gone = 0
	}
	if p.rowsDue > 0 {
		p.rowsDue--
		return nil
	}
	if ready&^p.gone == 0 {
		return nil
	}
	slot := bits.TrailingZeros64(ready &^ p.gone)
	p.gone |= 1 << slot
	p.rowsDue = p.m.rows() - 1
	return p.issue(slot)
}

// stuck reports whether all warps that are there sleep, and no other warp will wake them.
func (p *multiprocessor) stuck() bool {
	for place := range p.opening {
		if p.opening[place] {
			return false
		}
	}
	for slot := range p.warps {
		if w := &p.warps[slot]; w.valid && (!w.asleep || w.fresh) {
			return false
		}
	}
	for place := range p.arrived {
		if p.arrived[place] == p.m.kernel.WarpsPerBlock {
			return false
		}
	}
	return p.live > 0 || p.m.next == p.m.blocks
}
