// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/tlb"
	"github.com/warptape/warptape/trace"
)

// never is later than every cycle.
const never = Cycle(1<<63 - 1)

// core is one core with its TLBs and private caches. It sleeps while nothing can
// happen in it without an answer of the chip.
//
// A cycle retires, performs stores, begins the accesses that had to wait, issues and
// dispatches, in this order. What is dispatched in a cycle issues in the next at the
// earliest; a result of one cycle serves an instruction that issues in the next.
// Every instruction but a load takes one cycle, as a record says nothing of what it
// computes.
type core struct {
	number  int
	section *Section
	chip    Chip
	period  clock.Time
	counts  *counters.Set // where it counts now
	own     *counters.Set
	spare   counters.Set                       // for what is not counted: relaunches
	watch   func(core int, a Act, line uint64) // nil without a watcher

	now Cycle
	due Cycle // the next cycle in which something happens

	job      Job
	busy     bool // it has a job
	ended    bool // the stream has
	stopped  bool // Stop
	err      error
	input    input
	fetch    fetch
	branches *predictor
	sync     synchronisation

	rob   reorder
	wheel wheel
	ready bitmap // of instructions that may issue

	dataPages, codePages   *tlb.TLB
	pageShift              uint
	translations           [maxTranslations]translation
	dataLines, codeLines   *lines // L1
	lines                  *lines // L2
	lineMask               uint64
	misses                 []miss // the last one more than Section.Misses, for the handler
	missesUsed             int
	waitNext               []int32 // per access: the next one in its list
	again, blocked, paging list    // accesses: to begin again, without a miss register, without a translation
	out                    ring.Ring[outgoing]
	outWaits               bool // for Room

	stores  ring.Ring[store]
	ahead   int // stores of the ring whose line has been asked for, from the head on
	drainAt Cycle

	exceptions ring.Ring[Exception]
	handler    handler

	since Cycle       // what follows has not been counted
	stall counters.ID // what held up the cycles since then
}

// Act is what a core does with a line, for a watcher of coherence.
type Act uint8

// The acts.
const (
	ActLoad  Act = iota // a load reads the line
	ActStore            // a store writes it
	ActFill             // the data L1 gets a copy of what the L2 or the chip has
)

func newCore(number int, s *Section, chip Chip, period clock.Time, counts *counters.Set) (*core, error) {
	c := &core{
		number: number, section: s, chip: chip, period: period, counts: counts, own: counts, due: never, drainAt: never,
		branches: newPredictor(s), rob: newReorder(s.ROBEntries), ready: newBitmap(s.ROBEntries),
		dataLines: newLines(s.L1, s.LineBytes), codeLines: newLines(s.codeL1(), s.LineBytes), lines: newLines(s.L2, s.LineBytes),
		lineMask: ^uint64(s.LineBytes - 1), misses: make([]miss, s.Misses+1), waitNext: make([]int32, specialAccesses(s.ROBEntries)+2),
		again: emptyList, blocked: emptyList, paging: emptyList, out: ring.New[outgoing](4 * s.Misses),
		stores: ring.New[store](s.StoreBuffer + trace.CPUOperands), exceptions: ring.New[Exception](16),
		stall: noStall,
	}
	for i := range c.translations {
		c.translations[i].waiting = emptyList
	}
	for 1<<c.pageShift < s.PageBytes {
		c.pageShift++
	}
	var err error
	if c.dataPages, err = tlb.New(s.TLBEntries, s.TLBEntries); err != nil {
		return nil, err
	}
	c.codePages, err = tlb.New(s.TLBEntries, s.TLBEntries)
	return c, err
}

// noStall stands for cycles that nothing holds up.
const noStall = ^counters.ID(0)

func (c *core) count(which counters.ID) { c.counts[firstCounter+which]++ }

// time is when a cycle begins.
func (c *core) time(at Cycle) clock.Time { return clock.Time(at) * c.period }

// after is the first cycle after a time.
func (c *core) after(t clock.Time) Cycle { return Cycle(t/c.period) + 1 }

// wake makes sure that the core's cycle is called.
func (c *core) wake(at Cycle) { c.due = min(c.due, at) }

// cycle does one cycle and finds the next.
func (c *core) cycle(now Cycle) {
	c.settle(now)
	c.now, c.due, c.stall = now, never, noStall
	halted := c.handle()
	if !halted {
		c.retire()
	}
	c.perform()
	c.beginAgain()
	if !halted {
		c.wheel.collect(now, &c.ready, c.rob.next)
		c.issue()
		dispatched := c.rob.count
		c.dispatch()
		if c.rob.count == dispatched && c.stalls() != noStall {
			c.count(c.stalls())
		}
		c.stall = c.stalls()
	}
	c.send()
	c.finishJob()
	c.due = min(c.due, c.nextCycle(halted))
}

// stalls is what keeps the core from dispatching. Nothing changes while it sleeps.
func (c *core) stalls() counters.ID {
	switch {
	case !c.busy || c.ended:
	case c.sync.holds:
		return countSyncStall
	case c.rob.full():
		return countROBFull
	case c.rob.count == 0 && c.fetch.readyAt > c.now:
		return countFetchStall
	}
	return noStall
}

// settle counts the cycles since the last one; stall is of those between.
func (c *core) settle(now Cycle) {
	passed := now - c.since
	c.since = now
	if !c.busy && !c.handler.active {
		return
	}
	c.counts[firstCounter+countCycles] += uint64(passed)
	if c.handler.active {
		c.counts[firstCounter+countExceptionCycles] += uint64(passed)
	} else if c.stall != noStall && passed > 0 {
		c.counts[firstCounter+c.stall] += uint64(passed - 1)
	}
}

// nextCycle is the next cycle in which something can happen by itself.
func (c *core) nextCycle(halted bool) Cycle {
	next := c.drainAt
	if !c.again.empty() || c.mayMiss() && !c.blocked.empty() {
		return c.now + 1
	}
	if c.out.Len() > 0 && !c.outWaits {
		next = min(next, max(c.out.Head().at, c.now+1))
	}
	if halted || c.handler.pending(c) {
		return min(next, c.handler.next(c.now))
	}
	if !c.busy {
		return next
	}
	next = min(next, c.dispatchAt(), c.retireAt())
	if c.mayIssue() {
		return c.now + 1
	}
	return min(next, c.wheel.next(c.now))
}

// finishJob ends a job when all of it is over.
func (c *core) finishJob() {
	if !c.busy || !c.ended || c.fetch.pending || c.rob.count > 0 || c.stores.Len() > 0 {
		return
	}
	job := c.job
	c.settle(c.now)
	if job.Repeat && !c.stopped && c.err == nil {
		c.counts = &c.spare
		if err := job.Stream.Rewind(); err != nil {
			c.fail(err)
		}
		c.beginRun()
		if c.err != nil {
			c.busy = false
		}
	} else {
		c.busy = false
	}
	c.chip.Done(c.time(c.now), c.number, job)
}

// begin takes a job.
func (c *core) begin(now Cycle, job Job) {
	c.settle(now)
	c.job, c.busy, c.stopped, c.counts = job, true, false, c.own
	if job.Uncounted {
		c.counts = &c.spare
	}
	c.now = now
	c.beginRun()
}

// beginRun starts the stream; branch predictor, TLBs and caches keep what they know.
func (c *core) beginRun() {
	c.ended = false
	c.input.reset()
	c.sync.begin(&c.job)
	c.fetch = fetch{line: noLine, readyAt: c.now + 1}
	c.rob.forget()
	c.wake(c.now + 1)
}

// fail stops the core's job for an error of its stream.
func (c *core) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.ended = true
}
