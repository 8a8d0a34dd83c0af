// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

// Watcher hears what a replay does, for timelines. It changes nothing: a replay
// gives the same results with and without one. What is reported holds from the
// cycle now on until the next report about the same thing. Times are those of the
// machine's clock, in core cycles; those of one SM do not go back.
type Watcher interface {
	// Watches says whether the watcher wants to hear of an SM, when the machine
	// is built.
	Watches(sm int) bool
	// ClockOffset tells by how much the run's time is ahead of the machine's clock,
	// which stands still while no launch runs.
	ClockOffset(cycles clock.Cycle)
	// Bound tells that an SM works for a launch; kernel is nil when it works for
	// none any more: all its schedulers and warps end.
	Bound(now clock.Cycle, sm, launch int, kernel *trace.Kernel)
	// Slots tells what becomes of count issue slots of a scheduler, from the
	// first on.
	Slots(now clock.Cycle, s IssueSlots)
	// Warp tells what a warp slot does.
	Warp(now clock.Cycle, s WarpSlot)
	// Block tells that a thread block has taken, or left, a place on an SM.
	Block(now clock.Cycle, sm, place int, block uint64, there bool)
	// Request tells that the answer of a request of an SM's port has come.
	Request(now clock.Cycle, r Request)
}

// IssueSlots are issue slots of one scheduler of an SM that have one fate.
type IssueSlots struct {
	SM, Scheduler, First, Count int
	Cause                       counters.Cause
	// Instruction of the kernel that issued or waits; NoInstruction for an idle slot.
	Instruction uint32
}

// NoInstruction stands for none.
const NoInstruction = ^uint32(0)

// WarpSlot is what the warp in a slot of an SM does.
type WarpSlot struct {
	SM, Warp    int
	State       WarpState
	Instruction uint32 // at which it is; NoInstruction at its end
}

// WarpState says what a warp does.
type WarpState uint8

// The states.
const (
	WarpGone    WarpState = iota // no warp
	WarpIssues                   // an instruction issues
	WarpReady                    // it waits for its turn, a unit or an operand collector
	WarpCompute                  // for a register that a functional unit writes
	WarpMemory                   // for a register that a load or atomic writes
	WarpFetch                    // for instructions
	WarpFence                    // at a memory fence
	WarpBarrier                  // at a barrier
	WarpDrains                   // all has issued, results or stores are under way

	WarpStateCount = int(WarpDrains) + 1
)

var warpStates = [WarpStateCount]string{"gone", "issue", "ready", "compute", "memory", "fetch", "fence", "barrier", "drain"}

// String is a word for the state.
func (s WarpState) String() string {
	if int(s) < WarpStateCount {
		return warpStates[s]
	}
	return "unknown"
}

// Request is a request of a port to the memory path beyond it.
type Request struct {
	SM     int
	Sent   clock.Cycle
	Kind   string // "read", "write", "atomic"
	Served string // by what level: "L2", "LLC", "DRAM"
}

// Watchable is of a path that can report requests and its queues.
type Watchable interface {
	// Watch names the watcher, before the first cycle.
	Watch(w Watcher)
	// Gauges lists the queues whose depth Depths gives.
	Gauges() []Gauge
	// Depths gives the present depth of each gauge; into is as long as Gauges.
	Depths(into []int)
}

// Gauge is a queue of the memory system.
type Gauge struct {
	Name string
	SM   int // whose it is; -1 when all SMs share it
}

// DepthWatcher is a Watcher that also wants the depths of queues.
type DepthWatcher interface {
	// Measure names the queues; depths gives their present depths.
	Measure(gauges []Gauge, depths func(into []int))
	// DepthDue is the next cycle in which the depths are wanted.
	DepthDue() clock.Cycle
	// Depth takes the depths in the cycle now.
	Depth(now clock.Cycle)
}

// InstructionCounter is of an entry that can also count by instruction.
type InstructionCounter interface {
	// CountByInstruction names the counters of each instruction of the kernel whose
	// accesses follow; nil for none.
	CountByInstruction(byInstruction []counters.Set)
}
