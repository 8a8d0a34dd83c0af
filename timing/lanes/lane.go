// SPDX-License-Identifier: Apache-2.0

package lanes

import (
	"errors"

	"github.com/warptape/warptape/timing/consistency"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/cpu"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/trace"
)

// Cycle counts cycles of the lanes' clock.
type Cycle int64

// never is later than every cycle.
const never = Cycle(1<<63 - 1)

// batch is how many instructions are taken from a stream at a time.
const batch = 64

// lane is an in-order core with one thread. It issues one instruction a cycle at most.
type lane struct {
	chip   *Chip
	number int
	group  *group
	counts *counters.Set

	stream  cpu.Stream
	events  cpu.Synchronised
	process *process.Process
	thread  int
	busy    bool
	err     error

	items   [batch]cpu.Instruction
	at, end int

	due     Cycle // the next cycle in which something happens by itself
	fetchAt Cycle // from when what is next is decoded; never while its line is on the way
	line    uint64
	// fetchedLeft is how many instructions of the last fetch have not issued.
	fetchedLeft int

	ready   [256]Cycle // from when a register is there; never while a load is on its way
	inOrder order
	code    cache // the tiny instruction cache
	data    cache // the tinyCache
	loads   []load
	loading int
	writing int  // write-backs that have not been performed
	atOnce  bool // an atomic access is on its way
}

// load is an instruction whose data are on their way.
type load struct {
	active       bool
	left         int8 // lines
	destinations [trace.CPUOperands]uint8
	accesses     [trace.CPUOperands]access
	n            int8
}

// access is one address, and what it must see.
type access struct {
	address uint64
	want    consistency.Version
	ordered bool
	older   bool // than what the lane has written back of the line
}

// next makes sure that the next instruction is there; false at the end.
func (l *lane) next() bool {
	if l.at < l.end {
		return true
	}
	n, err := l.stream.Next(l.items[:])
	if err != nil {
		l.fail(err)
		return false
	}
	l.at, l.end = 0, n
	return n > 0
}

func (l *lane) fail(err error) {
	if l.err == nil {
		l.err = err
	}
	l.busy = false
}

// start gives a lane a program.
func (l *lane) start(stream cpu.Stream, p *process.Process, thread int) {
	l.stream, l.process, l.thread, l.busy = stream, p, thread, true
	l.events, _ = stream.(cpu.Synchronised)
	l.due, l.fetchAt, l.line = 1, 1, noLine
}

// wake makes sure that the lane's cycle is called.
func (l *lane) wake(at Cycle) { l.due = min(l.due, at) }

// cycle does one cycle.
func (l *lane) cycle(now Cycle) {
	l.due = never
	if !l.busy || l.atOnce {
		return
	}
	if !l.next() {
		l.finish(now)
		return
	}
	in := &l.items[l.at]
	if in.Syncs > 0 && !l.synchronise(now, in) {
		return
	}
	if !l.fetched(now, in) {
		return
	}
	if at := l.operands(in); at > now {
		if at != never {
			l.wake(at)
		}
		return
	}
	if !l.issue(now, in) {
		return
	}
	l.at++
	l.fetchedLeft--
	l.inOrder.done = 0
	l.wake(now + 1)
}

// operands is when the registers that an instruction reads and writes are there.
func (l *lane) operands(in *cpu.Instruction) Cycle {
	at := Cycle(0)
	for i := range in.Sources {
		at = max(at, l.ready[in.Sources[i]], l.ready[in.Destinations[i]])
	}
	return at
}

// finish ends the program when all that it has under way is over. What is left in the
// tinyCache is written back.
func (l *lane) finish(now Cycle) {
	if l.err != nil || !l.empty(now) {
		return
	}
	l.busy = false
	l.counts[cpu.Cycles] = uint64(now)
	l.chip.ended(l)
}

// issue does an instruction; false when it has to wait for room on the way to memory.
func (l *lane) issue(now Cycle, in *cpu.Instruction) bool {
	if in.Loads+in.Stores > 0 {
		if !l.access(now, in) {
			return false
		}
	} else {
		l.write(in, now+1)
	}
	sm := l.group.set
	l.counts[cpu.Instructions]++
	sm[counters.IssuedWarp]++
	sm[counters.FetchInstruction]++
	sm[cpuInstructions]++
	for i := range in.Sources {
		if in.Sources[i] != 0 {
			sm[registerReads]++
		}
		if in.Destinations[i] != 0 {
			sm[registerWrites]++
		}
	}
	if in.Branch != trace.CPUNoBranch && in.Taken {
		// predicted not taken: fetch begins anew when it has been executed
		l.counts[cpu.MispredictedBranches]++
		l.line = noLine
		l.fetchAt = now + 1 + l.chip.redirect
	}
	return true
}

// write makes the registers that an instruction writes be there from a cycle on.
func (l *lane) write(in *cpu.Instruction, at Cycle) {
	for _, r := range in.Destinations {
		if r != 0 {
			l.ready[r] = at
		}
	}
}

var errNoProcess = errors.New("its thread synchronises, and is of no process")
