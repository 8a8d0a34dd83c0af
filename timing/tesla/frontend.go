// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/counters"
)

// frontEnd drives one multiprocessor; it implements seam.FrontEnd.
type frontEnd struct{ p *multiprocessor }

// Begin implements seam.FrontEnd.
func (f frontEnd) Begin(now clock.Cycle) {
	f.p.since = now
	f.p.slots.Begin(now, 1, 1)
}

// Settle implements seam.FrontEnd.
func (f frontEnd) Settle(now clock.Cycle) { f.p.slots.Settle(now) }

// Cycle implements seam.FrontEnd. It is called in every cycle in which a warp gets ready,
// and in the one behind an issue. The mask of the scheduler is then the same as with a
// call in every cycle.
func (f frontEnd) Cycle(now clock.Cycle) clock.Cycle {
	p := f.p
	p.slots.Awake(now)
	if p.fault != nil {
		p.slots.Stall(now, 0, 0, 1, core.NoWarp)
		return clock.Never
	}
	issues := p.schedule(now)
	p.initialise(now)
	p.retire(now)
	if issues {
		return now + 1
	}
	return p.next(now)
}

// schedule is the warp scheduler (3.2, 3.3): the lowest of the warps that have not had
// their turn; when none of those is ready, all have another one.
func (p *multiprocessor) schedule(now clock.Cycle) bool {
	var ready uint64
	for slot := range p.warps {
		if w := &p.warps[slot]; w.valid && !w.asleep && !w.ends && w.ready <= now {
			ready |= 1 << slot
		}
	}
	if ready&^p.gone == 0 {
		p.gone = 0
	}
	turn := ready &^ p.gone
	switch {
	case now < p.rowsEnd:
		p.slots.Stall(now, 0, 0, 1, p.last)
	case turn == 0:
		p.slots.Stall(now, 0, 0, 1, p.waits())
	default:
		slot := bits.TrailingZeros64(turn)
		p.gone |= 1 << slot
		p.rowsEnd = now + p.nr
		p.issue(now, slot)
		return true
	}
	return false
}

// waits says why no warp is ready: the next one that will be is in the pipeline, or all
// that are left are at barriers.
func (p *multiprocessor) waits() core.Blame {
	blame, first := core.NoWarp, clock.Never
	for slot := range p.warps {
		w := &p.warps[slot]
		switch {
		case !w.valid || w.ends:
		case w.asleep:
			if first == clock.Never {
				blame = core.Blame{Instruction: w.index, Cause: counters.CauseBarrier}
			}
		case w.ready < first:
			first, blame = w.ready, core.Blame{Instruction: w.index, Cause: counters.CauseCompute}
			if w.replay {
				blame.Cause = counters.CauseLSU
			}
		}
	}
	return blame
}

// next is the next cycle in which something happens.
func (p *multiprocessor) next(now clock.Cycle) clock.Cycle {
	next := clock.Never
	if p.init.busy {
		next = p.init.at
	}
	if p.rowsEnd > now {
		next = min(next, p.rowsEnd)
	}
	for slot := range p.warps {
		if w := &p.warps[slot]; w.valid && !w.asleep && w.ready > now {
			next = min(next, w.ready)
		}
	}
	return next
}

// retire ends the warps whose last update is at the end of this cycle (3.8).
func (p *multiprocessor) retire(now clock.Cycle) {
	for slot := range p.warps {
		w := &p.warps[slot]
		if !w.valid || !w.ends || w.ready != now {
			continue
		}
		p.CountResidency(now)
		w.valid = false
		p.live--
		w.path.close()
		if w.of.left--; w.of.left == 0 {
			p.leave(now, w.of)
		}
	}
}

// leave ends a thread block.
func (p *multiprocessor) leave(now clock.Cycle, b *block) {
	for i := range p.blocks {
		if p.blocks[i] == b {
			p.blocks = append(p.blocks[:i], p.blocks[i+1:]...)
			break
		}
	}
	p.set[counters.BlocksRetired]++
	p.watch.left(now, p.id, b.place, b.Block)
	p.spare = append(p.spare, b)
	id, chunk := b.Block, b.ChunkIndex
	b.Chunk, b.Launch = nil, nil
	p.observer.BlockRetired(now, p.id, id, chunk)
}
