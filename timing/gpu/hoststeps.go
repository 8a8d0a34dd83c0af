// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
)

// noStep is no step of the timeline.
const noStep = -1

// executeSteps lets the memory system execute what it wants of the timeline.
func (r *player) executeSteps() {
	t := r.timeline
	t.executed = make([]bool, len(t.events))
	t.execute = func(n int32) bool { return r.memory.HostSteps.StartStep(r.now, int(n), &t.events[n]) }
}

// isOffered offers a step to the machine; false when the timeline has to time it.
func (t *timeline) isOffered(at clock.Cycle, n int32) bool {
	if t.execute == nil || !t.execute(n) {
		return false
	}
	t.executed[n] = true
	if e := &t.events[n]; e.Kind == trace.EventCopyToDevice || e.Kind == trace.EventCopyToHost {
		t.log = append(t.log, Copy{
			Event: int(n), ToDevice: e.Kind == trace.EventCopyToDevice, Bytes: e.Bytes, Stream: e.Stream, Start: at, End: at, Executed: true,
		})
	}
	return true
}

func (t *timeline) isExecuted(event int32) bool { return t.executed != nil && t.executed[event] }

// stepEnded ends an executed step.
func (t *timeline) stepEnded(step int, at clock.Cycle) {
	t.ended(step, at)
	for i, c := range slices.Backward(t.log) {
		if c.Event == step {
			t.log[i].End = max(at, c.Start)
			break
		}
	}
}

// lookForStep reports whether an executed step has ended.
func (r *player) lookForStep() bool {
	if r.memory.HostSteps != nil && r.ended == noStep {
		if step, ok := r.memory.HostSteps.EndedStep(); ok {
			r.ended = step
		}
	}
	return r.ended != noStep
}

// stepEndedIn goes on with the cycle after the one in which a step has ended. The machine
// had moved on to the next in which something else happens, and between the two nothing
// does.
func (r *player) stepEndedIn(cycle clock.Cycle) {
	if r.team == nil { // whose windows are longer than a cycle
		r.now = min(r.now, cycle+1)
	}
}

// collectSteps tells the timeline of the executed steps that have ended; false when
// none has.
func (r *player) collectSteps() (any bool) {
	for r.lookForStep() {
		r.timeline.stepEnded(r.ended, r.now+r.clockOffset)
		r.ended = noStep
		any = true
	}
	return any
}

// hostAlone runs the machine while no launch does, until a step of the host ends:
// an executed one, or at the time at those that the timeline times.
func (r *player) hostAlone(at clock.Cycle) error {
	until := at
	if at != clock.Never {
		until = at - r.clockOffset
	}
	for r.now < until {
		if err := r.ctx.Err(); r.visited%checkEvery == 0 && err != nil {
			return err
		}
		r.visited++
		r.memory.Advance(r.clocks.Core.Start(r.now))
		next := min(r.callPorts(), until)
		if r.lookForStep() {
			return nil
		}
		if next == clock.Never {
			return fmt.Errorf("BUG: %s: %w", r.machine.Name, r.stuck("the host's steps wait, and nothing will ever happen"))
		}
		if r.now = min(next, r.sampler.due); r.now >= r.sampler.due {
			if err := r.sample(); err != nil {
				return err
			}
		}
	}
	r.memory.Advance(r.clocks.Core.Start(r.now))
	return nil
}

// drainForHost empties the memory system after the last step of the host. What is
// counted then is the host's, and no launch runs; it takes no time.
func (r *player) drainForHost() error {
	r.result.Cycles = r.busy
	end := r.now
	if err := r.memory.HostSteps.EndHost(end); err != nil {
		return fmt.Errorf("%s: %w", r.machine.Name, err)
	}
	r.drain()
	r.clockOffset -= r.now - end
	r.chargeShared()
	host := &r.bindings.host
	for i := range r.sets {
		host.Add(r.sets[i])
		host.Sub(&r.bindings.before[i])
	}
	r.result.Host = *host
	return nil
}
