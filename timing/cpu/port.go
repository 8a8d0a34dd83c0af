// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/coherence"
	"github.com/warptape/warptape/timing/cpu/process"
	"github.com/warptape/warptape/trace"
)

// Cycle counts cycles of the cores' clock. Between the cores and the chip all
// times are clock.Time, in which every clock of the machine has a whole period.
type Cycle int64

// Space is the number of an address space: one for each process.
type Space uint16

// Chip is what lies beyond the cores' private TLBs and caches. It is the shared
// TLB and the page walks, the last-level cache with the directory of the holders
// of lines, and memory. A chip answers through the methods of Answers, never from
// within Translate or Send, and at an edge of its own clock after the call.
type Chip interface {
	// Translate asks for the frame of a page that missed in a core's TLB. It is
	// always taken; Answers.Translated follows once.
	Translate(now clock.Time, t Translation)
	// Send passes a request on; false when it has to wait, and then Answers.Room
	// follows once. Answers.Granted follows once for what Access.Answered says.
	Send(now clock.Time, r *Request) bool
	// Done tells that a core has ended a Job: all its instructions have retired and
	// its stores have been performed. The core is idle, and may be given another.
	Done(now clock.Time, core int, job Job)
	// Handled tells that a core has executed an exception.
	Handled(now clock.Time, core int, x Exception)
}

// Translation asks for the frame of a virtual page.
type Translation struct {
	Core  int
	Space Space
	// Virtual is the address that missed, not only its page.
	Virtual uint64
	// Write says that a store asks, for copy-on-write.
	Write bool
	// Instruction says that a fetch asks.
	Instruction bool
}

// Request is one line of a private cache, Section.LineBytes long. Lines are
// known by their physical address; the virtual one is for caches that tag by it.
type Request struct {
	Core     int
	Access   Access
	Space    Space
	Virtual  uint64 // of the line's first byte
	Physical uint64 // of the line's first byte
}

// Access is what a private cache wants of the chip for a line. Atomic instructions
// are executed by the core in its own line (ReadOwn), so that there is no access of
// their own.
type Access uint8

// The accesses. A core has at most one answered access of a line under way, and
// sends what it sends in order. A request of a line that is busy waits in the chip.
const (
	// Read wants the line to read: Granted with coherence.Shared, or Exclusive when no
	// other cache has it.
	Read Access = iota
	// ReadOwn wants the line to write; all other copies go.
	ReadOwn
	// Upgrade wants to write a line that the core has Shared. When it has lost the
	// line meanwhile (Probe), the chip treats it as ReadOwn.
	Upgrade
	// WriteBack brings a modified line that leaves the core.
	WriteBack
	// Drop tells that an unmodified line has left the core. No data moves.
	Drop

	accessEnd
)

var accessNames = [accessEnd]string{"read", "read-own", "upgrade", "write-back", "drop"}

func (a Access) String() string {
	if a < accessEnd {
		return accessNames[a]
	}
	return "unknown"
}

// Answered reports whether Granted follows.
func (a Access) Answered() bool { return a <= Upgrade }

// State is what a core may do with a line: MESI. (Table 4.2 and §4.4.5 of the GPSim
// thesis ask for coherent cores and name no protocol.)
type State = coherence.State

// Answers are what a chip tells and asks of the cores; Cluster implements it. now
// is the time of the chip's event; the cores see it at their next edge after it.
type Answers interface {
	// Translated answers Translate: frame is the physical address of the page's
	// first byte. ReadOnly makes the next store to the page ask again.
	Translated(now clock.Time, core int, space Space, virtual, frame uint64, readOnly bool)
	// Granted answers a Request; the data is there.
	Granted(now clock.Time, core int, physical uint64, s State)
	// Room tells that Send may be tried again for a core.
	Room(now clock.Time, core int)
	// Probe looks into a core's private caches for a line and leaves it at most in
	// state keep: Invalid invalidates, Shared downgrades. It gives the state that it
	// met; from Modified the data come along. It takes effect at once: the time of
	// the way there, of the lookup in the L2 and back is the chip's to count. A line
	// whose WriteBack has not been sent is met Modified, and a Drop follows in place
	// of the WriteBack. One whose WriteBack has been sent is met Invalid. A chip
	// that keeps what was sent in a queue has to look for it there.
	Probe(now clock.Time, core int, physical uint64, keep State) State
	// ShootDown drops a page from the private TLBs of all cores.
	ShootDown(now clock.Time, space Space, virtual uint64)
	// Interrupt makes a core execute an exception before it goes on; those of one
	// core follow each other. Chip.Handled follows.
	Interrupt(now clock.Time, core int, x Exception)
	// Run gives an idle core a job; Chip.Done follows unless the job repeats. The
	// cluster panics (BUG) when the core is not idle: see Idle.
	Run(now clock.Time, core int, job Job)
	// Stop ends a core's job after the instructions that are in its reorder buffer;
	// Chip.Done follows. It does nothing to an idle core.
	Stop(now clock.Time, core int)
	// Idle reports whether a core has no job.
	Idle(core int) bool
}

// Exception is a handler that a core executes between two instructions of its job.
// What its job has under way in memory goes on meanwhile, so that an exception may
// serve the very access that its core waits for.
type Exception struct {
	Token  uint32 // the chip's
	Cycles Cycle  // of the core, without the loads
	// Loads are physical addresses that the handler loads one after the other
	// through the core's caches, as a page walk does; only the first Count.
	Loads [maxWalkLoads]uint64
	Count int
}

// maxWalkLoads is the largest number of levels of a page table.
const maxWalkLoads = 5

// Job is an instruction stream that a core executes: a recorded thread, or the
// loads and stores of a copy (CopyStream).
type Job struct {
	Token  uint32 // the chip's
	Space  Space
	Stream Stream
	// Process and Thread are of a thread that synchronises with others; nil without any.
	Process *process.Process
	Thread  int
	// Uncounted says that what it does goes to Cluster.Uncounted.
	Uncounted bool
	// Repeat relaunches the stream whenever it ends; only the first run is counted
	// (GPSim thesis §4.5). Chip.Done is called at the end of every run; the core is
	// not idle after it, until Answers.Stop.
	Repeat bool
}

// Stream gives the instructions of a job.
type Stream interface {
	// Next fills into with the instructions that follow and returns how many; 0 at
	// the end. It writes every field of what it fills.
	Next(into []Instruction) (int, error)
	// Rewind starts again, for a program that is relaunched.
	Rewind() error
}

// Synchronised is a Stream with events of synchronisation.
type Synchronised interface {
	// NextSync gives the events before instructions that Next has given, in their order,
	// each once.
	NextSync() trace.CPUSync
}

// Advancer is how the chip drives the cores, in addition to Answers.
type Advancer interface {
	// Advance processes the cores' cycles up to and including time t. It is called
	// before the chip does what it does at t, so that a core sees no answer early.
	Advance(t clock.Time)
	// NextEvent is the earliest time at which Advance has something to do without
	// an answer, clock.NeverTime when every core is idle or waits.
	NextEvent() clock.Time
	// InFlight is the number of instructions inside; zero when all cores are idle.
	InFlight() int
	// Err is the first error of a stream; its core has stopped.
	Err() error
	// Describe says what the cores wait for, for a stuck replay.
	Describe() []string
}
