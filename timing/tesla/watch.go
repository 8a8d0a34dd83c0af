// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
)

// Watcher is a seam.Watcher that also hears what the machine does with warps, cycle by
// cycle.
type Watcher interface {
	seam.Watcher
	// Dispatched tells that a multiprocessor has got a thread block.
	Dispatched(now clock.Cycle, multiprocessor int, block uint64)
	// Initialised tells that a warp has been made.
	Initialised(now clock.Cycle, multiprocessor, slot, blockSlot int, mask uint64, base int)
	// Entered tells that a warp enters the pipeline with the lanes of a mask.
	Entered(now clock.Cycle, multiprocessor, slot, blockSlot int, instruction uint32, mask uint64)
}

// watch is what a multiprocessor keeps for a watcher; nil without one.
type watch struct {
	to    seam.Watcher
	fully Watcher // nil: to hears of warps' states alone
	sm    int
	enter int // the slot that has issued in the present cycle, -1 for none
	shown []seam.WarpSlot
}

func newWatch(sm, slots int, to seam.Watcher) *watch {
	if to == nil || !to.Watches(sm) {
		return nil
	}
	v := &watch{to: to, sm: sm, enter: -1}
	v.fully, _ = to.(Watcher)
	for slot := range slots {
		v.shown = append(v.shown, seam.WarpSlot{SM: sm, Warp: slot, Instruction: seam.NoInstruction})
	}
	return v
}

func (v *watch) dispatched(now clock.Cycle, sm, place int, block uint64) {
	if v == nil {
		return
	}
	v.to.Block(now, sm, place, block, true)
	if v.fully != nil {
		v.fully.Dispatched(now, sm, block)
	}
}

func (v *watch) left(now clock.Cycle, sm, place int, block uint64) {
	if v != nil {
		v.to.Block(now, sm, place, block, false)
	}
}

func (v *watch) warpInit(now clock.Cycle, p *multiprocessor, slot, base int) {
	if v != nil && v.fully != nil {
		w := &p.warps[slot]
		v.fully.Initialised(now, p.id, slot, w.of.place, uint64(w.all), base)
	}
}

func (v *watch) issued(now clock.Cycle, p *multiprocessor, slot int) {
	if v == nil {
		return
	}
	v.enter = slot
	if w := &p.warps[slot]; v.fully != nil {
		v.fully.Entered(now, p.id, slot, w.of.place, w.index, uint64(w.serves))
	}
}

// Watched implements core.Core.
func (p *multiprocessor) Watched(now clock.Cycle) {
	v := p.watch
	if v == nil {
		return
	}
	for slot := range p.warps {
		if is := p.warpSlot(now, slot); is != v.shown[slot] {
			v.shown[slot] = is
			v.to.Warp(now, is)
		}
	}
	v.enter = -1
}

// warpSlot is what a warp does in the cycle now.
func (p *multiprocessor) warpSlot(now clock.Cycle, slot int) seam.WarpSlot {
	w := &p.warps[slot]
	is := seam.WarpSlot{SM: p.id, Warp: slot, Instruction: w.index}
	switch {
	case p.watch.enter == slot:
		is.State, is.Instruction = seam.WarpIssues, seam.NoInstruction
	case !w.valid:
		is.Instruction = seam.NoInstruction
	case w.ends:
		is.State, is.Instruction = seam.WarpDrains, seam.NoInstruction
	case w.asleep:
		is.State = seam.WarpBarrier
	case w.ready <= now:
		is.State = seam.WarpReady
	case w.replay:
		is.State = seam.WarpMemory
	default:
		is.State = seam.WarpCompute
	}
	return is
}
