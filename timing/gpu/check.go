// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
)

// drain lets the memory system finish what no warp waits for (evicted lines on
// their way to DRAM). It takes no cycles of any launch.
func (g *GPU) drain() {
	for limit := g.now + g.options.WatchdogCycles; g.memory.InFlight() > 0 && g.now < limit; {
		next := g.callPorts()
		if next == clock.Never {
			next = g.now + 1
		}
		g.now = next
		g.memory.Advance(g.clocks.Core.Start(g.now))
	}
}

// callPorts does the present cycle of the memory ports of SMs without warps. It gives the next cycle
// in which they or the memory system have something to do. The memory system is asked behind
// the ports, because what they send may come before all that it had to do.
func (g *GPU) callPorts() clock.Cycle {
	next := clock.Never
	for _, s := range g.cores {
		if at := s.AdvancePort(g.now); at > g.now {
			next = min(next, at)
		}
	}
	if at := g.memory.NextEvent(); at != clock.NeverTime {
		next = min(next, max(g.clocks.Core.CyclesUntil(at), g.now+1))
	}
	return next
}

// checkLaunch checks what must hold at the end of every launch. What was recorded
// has issued. Every issue slot of the cycles in which an SM was bound to the
// launch has one cause.
func (g *GPU) checkLaunch(src Source, l *Launch, smCycles uint64) error {
	name := src.Kernels()[l.Kernel].Name
	fail := func(format string, arguments ...any) error {
		return fmt.Errorf("BUG: %s: launch %d (%s): %s", g.machine.Name, l.Index, name, fmt.Sprintf(format, arguments...))
	}
	c := &l.Counters
	var slots uint64
	for cause := range counters.Cause(counters.CauseCount) {
		slots += c[cause.Counter()]
	}
	if all := uint64(len(g.cores)) * uint64(l.Cycles); smCycles > all || smCycles < all && !l.Overlapped {
		return fail("it had SMs for %d cycles of %d", smCycles, all)
	}
	per := g.slotsPerCycle()
	if want := uint64(per) * smCycles; slots != want || c[counters.IssueSlots] != want {
		return fail("%d issue slots have a cause, %d were counted, %d existed", slots, c[counters.IssueSlots], want)
	}
	if c[counters.SlotIssued] != c[counters.IssuedWarp] {
		return fail("%d slots were used for %d instructions", c[counters.SlotIssued], c[counters.IssuedWarp])
	}
	if c[counters.BlocksDispatched] != c[counters.BlocksRetired] {
		return fail("%d thread blocks were dispatched, %d ended", c[counters.BlocksDispatched], c[counters.BlocksRetired])
	}
	first, end := src.LaunchChunks(l.Index)
	var recorded uint64
	for _, chunk := range src.Chunks()[first:end] {
		recorded += chunk.WarpInstructions
	}
	issued := c[counters.IssuedWarp]
	if of := g.ledgers[l.Kernel]; of != nil {
		of.recorded += recorded
		of.issued += issued
		if g.runs(l.Kernel) {
			return nil // the last of them has the sum
		}
		passed := g.lowered.Passed(of.lowering)
		passed.Recorded, passed.Operations = passed.Recorded-of.before.Recorded, passed.Operations-of.before.Operations
		if passed.Operations != of.issued {
			return fail("%d warp operations are in the place of the recorded instructions, %d were issued", passed.Operations, of.issued)
		}
		recorded, issued = of.recorded, passed.Recorded
	}
	if g.policy.KeepsInstructions && recorded != issued {
		return fail("%d warp instructions are recorded, %d were issued (or the trace is altered: verify it)", recorded, issued)
	}
	return nil
}

// slotsPerCycle is how many issue slots an SM has in a core cycle.
func (g *GPU) slotsPerCycle() int {
	if n := g.drivers[0].SlotsPerCycle; n > 0 {
		return n
	}
	return max(g.machine.SM.Schedulers, 1) * max(g.machine.SM.IssuePerScheduler, 1)
}

// checkEnd checks that nothing is left in the machine.
func (g *GPU) checkEnd() error {
	total := g.sum()
	if sent, answered := total[counters.RequestsSent], total[counters.RequestsAnswered]; sent != answered {
		return fmt.Errorf("BUG: %s: %d requests were sent into the memory system, %d were answered", g.machine.Name, sent, answered)
	}
	if n := g.memory.InFlight(); n != 0 {
		return fmt.Errorf("BUG: %s: %d requests are still in flight at the end", g.machine.Name, n)
	}
	for i, s := range g.cores {
		if s.Busy() {
			return fmt.Errorf("BUG: %s: SM %d is not empty at the end", g.machine.Name, i)
		}
	}
	return nil
}
