// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/seam"
)

// initialiser makes the warps of a block (3.7).
type initialiser struct {
	busy  bool
	block *block
	warp  int         // that comes next
	at    clock.Cycle // of its init
}

// initCycles are those of the dispatch and of the block's own init.
const initCycles = 2

// Place implements core.Core. Warps follow the threads of the recording (path).
func (p *multiprocessor) Place(now clock.Cycle, a core.Assignment, _ seam.Divergence) {
	p.CountResidency(now)
	p.set[counters.BlocksDispatched]++
	b := p.newBlock()
	b.Assignment, b.place, b.left, b.arrived = a, p.nextBlock, a.Need.Warps, 0
	b.opens = 0
	p.nextBlock = (p.nextBlock + 1) % p.BlockSlots
	p.rob(now, b)
	p.blocks = append(p.blocks, b)
	p.init = initialiser{busy: true, block: b, at: now + initCycles + clock.Cycle(p.Parameters+p.threads(b, 0))}
	p.watch.dispatched(now, p.id, b.place, b.Block)
	p.Wake()
}

func (p *multiprocessor) newBlock() *block {
	if n := len(p.spare); n > 0 {
		b := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return b
	}
	return new(block)
}

// rob takes the block slot from a block that still runs: it loses what it reads there.
func (p *multiprocessor) rob(now clock.Cycle, b *block) {
	for slot := range p.warps {
		w := &p.warps[slot]
		if !w.valid || w.of.place != b.place {
			continue
		}
		w.robbed = true
		if w.of.arrived > 0 || now < w.of.opens {
			p.fail(now, w, "thread block %d takes the block slot %d while warps wait at a barrier, whose count it would lose; use fewer thread blocks", b.Block, b.place)
		}
	}
}

// threads is the number of threads of a warp of a block.
func (p *multiprocessor) threads(b *block, warp int) int {
	return min(int(b.Launch.Block.Count())-warp*p.WarpWidth, p.WarpWidth)
}

// initialise makes a warp in the cycle in which it is due. It is ready in the next.
func (p *multiprocessor) initialise(now clock.Cycle) {
	i := &p.init
	if !i.busy || now != i.at {
		return
	}
	p.CountResidency(now)
	p.addWarp(now, i.block, i.warp)
	if i.warp++; i.warp < i.block.Need.Warps {
		i.at += clock.Cycle(p.threads(i.block, i.warp)) + 1
		return
	}
	i.busy = false
	p.observer.RoomMade(now)
}

// addWarp fills the next warp slot.
func (p *multiprocessor) addWarp(now clock.Cycle, b *block, number int) {
	slot, base, span := p.nextWarp, p.nextBase, p.program.kernel.Tesla.RegistersPerThread*int(p.nr)
	all := 1 << p.RegisterAddressBits
	p.nextWarp = (slot + 1) % p.WarpSlots
	p.nextBase = (base + span) & (all - 1)
	for other := range p.warps {
		w := &p.warps[other]
		switch {
		case !w.valid:
		case other == slot:
			p.fail(now, w, "thread block %d takes its warp slot, %d, while it runs: use fewer thread blocks, or more multiprocessors", b.Block, slot)
		case (w.base-base+all)%all < span || (base-w.base+all)%all < w.span:
			p.fail(now, w, "thread block %d takes registers %d to %d, which the warp uses: use fewer registers per thread or thread blocks", b.Block, base, (base+span-1)%all)
		}
	}
	if p.fault != nil {
		return
	}
	w := &p.warps[slot]
	w.open(p, b, number)
	w.base, w.span, w.ready = base, span, now+1
	p.live++
	p.watch.warpInit(now, p, slot, base)
	if !p.enter(w) {
		p.fault = fmt.Errorf("%s: thread block %d, warp %d has no instruction; the trace is altered", p.program.kernel.Name, b.Block, number)
	}
}

// open makes a warp of a warp slot, which keeps its memory.
func (w *warp) open(p *multiprocessor, b *block, number int) {
	path, stack := w.path, append(w.stack[:0], entry{})
	all := below(p.threads(b, number))
	*w = warp{valid: true, of: b, number: number, path: path, stack: stack, mask: all, all: all}
	w.path.open(p.program, b.Chunk, b.Block, number, p.WarpWidth)
}

// enter begins the next visit of a warp; false when its lanes do not go there.
func (p *multiprocessor) enter(w *warp) bool {
	if w.block >= uint32(len(p.program.kernel.Blocks)) || !w.path.begin(w.block, w.mask) {
		return false
	}
	b := &p.program.kernel.Blocks[w.block]
	w.index, w.end, w.serves, w.guards, w.accesses = b.First, b.First+b.Count, w.mask, 0, 0
	return true
}
