// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"math"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/timing/counters"
)

// Checkpoint is the state of a launch just before it places a thread block, or just
// before it would place one more than it has. The machine is full up to there.
type Checkpoint struct {
	Dispatched uint64      // thread blocks placed before
	Cycle      clock.Cycle // since the launch began
	// Counters holds what the whole machine has counted since the launch began.
	Counters counters.Set
}

// watch notes when the thread blocks of a launch are placed.
type watch struct {
	every       uint64 // zero: no checkpoints are wanted
	resident    uint64 // thread blocks that the machine holds at a time
	blocks      uint64 // of the launch
	drains      bool   // there has been room for one more than the launch has
	before      counters.Set
	dispatches  []clock.Cycle
	checkpoints []Checkpoint
}

// observe readies a launch's watch as it begins.
func (g *GPU) observe(l *launchState, blocksPerSM int) {
	if g.options.Checkpoints == nil {
		return
	}
	w := &l.watch
	resident := blocksPerSM * len(g.cores)
	if l.forming != nil {
		n := int(l.forming.launch.Cluster.Count())
		resident = n * cluster.Active(g.clusters.first, blocksPerSM, n)
	}
	if w.every = g.options.Checkpoints(l.index, resident); w.every > 0 {
		w.resident, w.blocks = uint64(resident), l.remaining
		w.before = g.sum()
		w.dispatches = make([]clock.Cycle, 0, l.remaining)
	}
}

// quiet is the number of thread blocks that can be placed before there is a checkpoint.
func (w *watch) quiet() uint64 {
	placed := uint64(len(w.dispatches))
	switch {
	case w.every == 0 || w.drains:
		return math.MaxUint64
	case placed%w.every == 0:
		return 0
	}
	return min(w.every-placed%w.every, w.blocks-placed)
}

// noteDispatch notes that the launch's next thread block is placed in the present
// cycle.
func (g *GPU) noteDispatch(l *launchState) {
	w := &l.watch
	at := g.now - l.start
	if uint64(len(w.dispatches))%w.every == 0 {
		g.noteCheckpoint(l)
	}
	w.dispatches = append(w.dispatches, at)
}

// noteDrains notes, for launches with all thread blocks placed, that there is room for
// another one.
func (g *GPU) noteDrains() {
	for _, l := range g.launches.active {
		w := &l.watch
		if w.every > 0 && !w.drains && !l.waiting() && l.remaining < w.resident {
			w.drains = true
			g.noteCheckpoint(l)
		}
	}
}

// noteCheckpoint notes the launch's state in the present cycle.
func (g *GPU) noteCheckpoint(l *launchState) {
	g.settle()
	w := &l.watch
	c := Checkpoint{Dispatched: uint64(len(w.dispatches)), Cycle: g.now - l.start, Counters: g.sum()}
	c.Counters.Sub(&w.before)
	w.checkpoints = append(w.checkpoints, c)
}
