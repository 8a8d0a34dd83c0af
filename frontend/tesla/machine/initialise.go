// SPDX-License-Identifier: Apache-2.0

package machine

import "github.com/warptape/warptape/frontend/tesla/language"

// initialiser is the state machine that makes the warps of a block (3.7).
type initialiser struct {
	busy  bool
	block uint64
	place int    // block slot
	warp  int    // of the block, that comes next
	at    uint64 // cycle of its init
}

func (i *initialiser) idle() bool { return !i.busy }

// initCycles are the cycle of the block's init itself and the one of the dispatch.
const initCycles = 2

// take begins a block that is dispatched in the present cycle.
func (p *multiprocessor) take(block uint64) error {
	place := p.nextBlock
	p.nextBlock = (p.nextBlock + 1) % p.m.BlockSlots
	for slot := range p.warps {
		w := &p.warps[slot]
		if w.valid && w.place == place {
			w.robbed = true
			if w.asleep || w.inPipeline && w.update.sleeps {
				return p.m.fault(p, w, w.pc-1, "thread block %d takes the block slot %d while the warp waits at a barrier, whose count it would lose; use fewer thread blocks", block, place)
			}
		}
	}
	p.arrived[place] = 0
	p.init = initialiser{busy: true, block: block, place: place}
	p.init.at = p.m.cycle + initCycles + uint64(p.m.Parameters) + uint64(p.threads(0))
	return nil
}

// threads is the number of threads of a warp of a block.
func (p *multiprocessor) threads(warp int) int {
	return min(int(p.m.kernel.Block.Count())-warp*p.m.WarpWidth, p.m.WarpWidth)
}

// initialise makes a warp in the cycle in which it is due. It is ready in the next.
func (p *multiprocessor) initialise() error {
	i := &p.init
	if !i.busy || p.m.cycle != i.at {
		return nil
	}
	if err := p.addWarp(i); err != nil {
		return err
	}
	if i.warp++; i.warp == p.m.kernel.WarpsPerBlock {
		i.busy = false
		return nil
	}
	i.at += uint64(p.threads(i.warp)) + 1
	return nil
}

// addWarp fills the next warp slot.
func (p *multiprocessor) addWarp(i *initialiser) error {
	slot, base, k := p.nextWarp, p.nextBase, p.m.kernel
	span := k.RegistersPerThread * p.m.rows()
	p.nextWarp = (slot + 1) % p.m.WarpSlots
	p.nextBase = (base + span) & (1<<p.m.RegisterAddressBits - 1)
	w := &p.warps[slot]
	whole := language.Place{File: k.File}
	if w.valid {
		return language.Errorf(whole, "thread block %d takes warp slot %d of multiprocessor %d in cycle %d, in which warp %d of thread block %d still runs: use fewer thread blocks, or more multiprocessors",
			i.block, slot, p.id, p.m.cycle, w.number, w.block)
	}
	if err := p.checkRegisters(i, base, span); err != nil {
		return err
	}
	*w = warp{
		valid: true, fresh: true, block: i.block, number: i.warp, place: i.place, base: base,
		mask: first(p.threads(i.warp)), all: first(p.threads(i.warp)), stack: append(w.stack[:0], entry{}),
		path: &p.m.result.Warps[i.block*uint64(k.WarpsPerBlock)+uint64(i.warp)],
	}
	if l := p.m.result.Log; l != nil {
		l.Inits = append(l.Inits, Init{p.m.cycle, p.id, slot, i.place, w.mask, base})
	}
	p.live++
	return nil
}

// checkRegisters refuses registers that another warp has (3.7: the base only counts up).
func (p *multiprocessor) checkRegisters(i *initialiser, base, span int) error {
	all := 1 << p.m.RegisterAddressBits
	whole := language.Place{File: p.m.kernel.File}
	if span > all {
		return language.Errorf(whole, "%d registers per thread are %d rows of a processor's registers, which has %d (R_ADDR_WIDTH)", p.m.kernel.RegistersPerThread, span, all)
	}
	for slot := range p.warps {
		w := &p.warps[slot]
		if !w.valid {
			continue
		}
		if (w.base-base+all)%all < span || (base-w.base+all)%all < span {
			return language.Errorf(whole, "thread block %d takes registers %d to %d of multiprocessor %d in cycle %d, which warp %d of thread block %d still uses: use fewer registers per thread or thread blocks",
				i.block, base, (base+span-1)%all, p.id, p.m.cycle, w.number, w.block)
		}
	}
	return nil
}
