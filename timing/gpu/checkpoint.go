package gpu

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// Checkpoint is the state of a launch just before it places a thread block.
type Checkpoint struct {
	Dispatched uint64      // thread blocks placed before
	Cycle      clock.Cycle // since the launch began
	// Counters holds what the whole machine has counted since the launch began.
	Counters counters.Set
}

// watch notes when the thread blocks of a launch are placed.
type watch struct {
	every       uint64 // zero: nobody wants to know
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
	if w.every = g.options.Checkpoints(l.index, blocksPerSM*len(g.sms)); w.every > 0 {
		w.before = g.sum()
		w.dispatches = make([]clock.Cycle, 0, l.remaining)
	}
}

// noteDispatch notes that the launch's next thread block is placed in the present
// cycle.
func (g *GPU) noteDispatch(l *launchState) {
	w := &l.watch
	at := g.now - l.start
	if n := uint64(len(w.dispatches)); n%w.every == 0 {
		g.settle()
		c := Checkpoint{Dispatched: n, Cycle: at, Counters: g.sum()}
		c.Counters.Sub(&w.before)
		w.checkpoints = append(w.checkpoints, c)
	}
	w.dispatches = append(w.dispatches, at)
}
