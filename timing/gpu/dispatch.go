// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/seam"
)

// dispatch places as many thread blocks as may go in one cycle, unless some have
// gone too shortly before.
func (g *GPU) dispatch(ctx context.Context) error {
	if s := &g.launches; g.now < s.idleUntil {
		s.due = s.idleUntil
		return nil
	}
	perCycle := max(g.machine.GPU.BlocksPerCycle, 1)
	for room := perCycle; room > 0; {
		placed, err := g.dispatchNext(ctx)
		if err != nil {
			return err
		}
		if placed == 0 {
			break
		}
		room -= placed
		// A cluster is placed at once, and takes the dispatcher for as long as its thread blocks do.
		cycles := (placed + perCycle - 1) / perCycle * max(g.machine.GPU.DispatchCycles, 1)
		g.launches.idleUntil = g.now + clock.Cycle(cycles)
	}
	g.noteDrains()
	g.launches.due = g.launches.nextTry(g.now)
	return nil
}

// dispatchNext chooses a launch and the SM for its next thread block, or those for its next
// cluster, and gives how many it has placed: zero when no launch may place one.
func (g *GPU) dispatchNext(ctx context.Context) (placed int, err error) {
	for {
		l := g.nextLaunch()
		if l == nil {
			return 0, nil
		}
		g.launches.tried = l
		if l.forming != nil {
			c, err := g.roomForCluster(ctx, l)
			if err != nil {
				return 0, err
			}
			if c != nil {
				return g.placeCluster(l, c), nil
			}
		} else if to := g.dispatcher.Next(g.now, l.index, g.fits); to >= 0 {
			return 1, g.place(ctx, l, to)
		}
		l.roomChanged = false
	}
}

// nextLaunch chooses the launch that may try to place a thread block.
func (g *GPU) nextLaunch() *launchState {
	s := &g.launches
	s.list, s.places = s.list[:0], s.places[:0]
	for i, l := range s.active {
		if l.waiting() {
			s.list = append(s.list, seam.RunningLaunch{Launch: l.index, Able: l.roomChanged && g.now >= l.dispatchAt})
			s.places = append(s.places, i)
		}
	}
	if len(s.list) == 0 {
		return nil
	}
	if i := g.order.Next(s.list); i >= 0 {
		return s.active[s.places[i]]
	}
	return nil
}

// nextTry is the next cycle after now in which a thread block may be dispatched
// although nothing else happens.
func (s *launches) nextTry(now clock.Cycle) clock.Cycle {
	next := clock.Never
	for _, l := range s.active {
		if l.waiting() && l.roomChanged {
			next = min(next, max(l.dispatchAt, s.idleUntil, now+1))
		}
	}
	return next
}

// fitsTried reports whether SM i has room for a thread block of the launch that
// is being tried. The SM, with those that are driven together with it, must belong to that
// launch already, or have no thread blocks of another.
func (g *GPU) fitsTried(i int) bool {
	if g.team.isAhead(i, g.now) {
		return false // it had no room when it ran on
	}
	d := g.bindings.driverOf[i]
	return (g.bindings.owner[d] == g.launches.tried || g.vacant(d)) && g.cores[i].Fits(&g.launches.tried.need)
}

// place puts the next thread block of a launch on an SM.
func (g *GPU) place(ctx context.Context, l *launchState, to int) error {
	a, err := g.nextAssignment(ctx, l)
	if err != nil {
		return err
	}
	g.placeOn(l, to, a)
	return nil
}

// nextAssignment reads the next thread block of a launch.
func (g *GPU) nextAssignment(ctx context.Context, l *launchState) (core.Assignment, error) {
	if l.held == nil {
		var err error
		if l.held, err = g.launches.source.Acquire(ctx, l.chunk); err != nil {
			return core.Assignment{}, err
		}
	}
	blocks := l.held.Blocks()
	a := core.Assignment{Block: blocks[l.place], Chunk: l.held, ChunkIndex: l.chunk, Launch: &g.launches.source.Launches()[l.index], Need: l.need}
	if l.place++; l.place == len(blocks) {
		l.held, l.place = nil, 0
		l.chunk++
	}
	return a, nil
}

// placeOn puts a thread block of a launch on an SM.
func (g *GPU) placeOn(l *launchState, to int, a core.Assignment) {
	if d := g.bindings.driverOf[to]; g.bindings.owner[d] != l {
		g.unbind(d)
		g.bind(d, l)
	}
	if l.watch.every > 0 {
		g.noteDispatch(l)
	}
	g.cores[to].Place(g.now, a, g.divergence)
}
