// SPDX-License-Identifier: Apache-2.0

// Package seam holds the five interfaces through which every mechanism enters
// the timing model: dispatch, front end, divergence, memory path and offload.
// A memory path and an SM's entry to it are values ([Path], [Entry]) with named
// abilities: no caller looks for one by a type assertion. The baseline is one
// implementation of each; a mechanism is a folder that supplies others (or
// wraps the baseline's). The baseline never names a mechanism.
package seam

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// ---- dispatch: thread block → SM ----

// Footprint is what one thread block of a launch occupies on an SM.
type Footprint struct {
	Threads, Warps, Registers, SharedBytes int
}

// Dispatcher assigns thread blocks to SMs. Several launches may run at the same
// time; an SM has thread blocks of one of them.
type Dispatcher interface {
	// Begin starts a launch of blocks thread blocks.
	Begin(launch int, blocks uint64, need Footprint)
	// Next chooses the SM for the next thread block of a launch, -1 when none may
	// take one in this cycle. fits reports whether an SM has room for it; the
	// choice must fit. After -1 it is asked again when a thread block has retired
	// or a launch has begun or ended. It is asked for all thread blocks of a cluster in one
	// cycle: having chosen for the first, it chooses for all, which have room.
	Next(now clock.Cycle, launch int, fits func(sm int) bool) int
	// Retired tells that a thread block of a launch has left an SM.
	Retired(now clock.Cycle, launch, sm int, block uint64)
	// End tells that a launch has ended: all its thread blocks have retired.
	End(launch int)
}

// RunningLaunch is a launch that has thread blocks to dispatch.
type RunningLaunch struct {
	Launch int
	// Able says that it may dispatch one in this cycle, as far as is known: it
	// has not been refused since anything changed.
	Able bool
}

// KernelOrder chooses among the launches that run at the same time.
type KernelOrder interface {
	// Next gives the place in the list (in the order of beginning, not empty) of
	// the launch that may dispatch a thread block now; -1 for none.
	Next(running []RunningLaunch) int
}

// ---- divergence: how a recorded path becomes issue slots ----

// Visit is one stretch of instructions for a hardware warp: a basic block of
// the kernel with the lanes that execute it.
type Visit struct {
	BasicBlock uint32
	Mask       uint32
}

// Divergence lays the recorded warps of a thread block out as hardware warps.
type Divergence interface {
	// HardwareWarps is how many hardware warps a block of recorded warps needs.
	HardwareWarps(recorded int) int
	// Open starts hardware warp h of a thread block of a kernel; those of a thread
	// block are opened one after the other. The stream may be reused after its end.
	Open(k *trace.Kernel, chunk *wtape.Chunk, block uint64, h int) Stream
}

// AsRecorded reports whether a divergence has the recorded warps as hardware warps, which make
// their visits in the order of the recording.
func AsRecorded(d Divergence) bool {
	r, ok := d.(interface{ AsRecorded() bool })
	return ok && r.AsRecorded()
}

// Stream is what one hardware warp issues, visit by visit.
type Stream interface {
	// Next gives the next visit; false at the warp's end. The front end may be
	// one visit ahead of the instructions for which Guard and Access are called.
	Next(v *Visit) bool
	// Guard gives the mask of the next guarded instruction, in the order of issue.
	Guard() uint32
	// Access gives the lane addresses of the next memory instruction, in the
	// order of issue, also of one in which no lane takes part. The chunk has those that
	// are not strided, and keeps them; nil stands for the thread block's own.
	Access() (trace.Access, *wtape.Chunk)
	// Arrives gives the lanes with which the hardware warp comes to a barrier at the end of
	// the present visit; mask is that of the instruction there. With all set, the barrier
	// is for all threads of the block. To such a barrier a pass of a hardware warp that has
	// more lanes than issue at a time comes with the warp: with all lanes or none.
	Arrives(mask uint32, all bool) uint32
	// Resumes gives those lanes waiting at barriers with which Next's last visit goes on.
	// came says that all lanes of the hardware warp wait, also when that visit has none
	// of them.
	Resumes(waiting uint32) (lanes uint32, came bool)
	// Close releases the stream.
	Close()
}

// ---- front end: which part fetches and issues for which SM ----

// FrontEnd fetches, decodes, schedules and issues for one or more SMs, which
// have warps of one launch at a time.
type FrontEnd interface {
	// Begin starts a launch in the cycle now; its SMs have no warps. Settle has
	// been called for the launch before.
	Begin(now clock.Cycle)
	// Cycle advances the front end and the SMs that it drives by the core cycle
	// now. It returns the next cycle in which something can happen without an
	// event from outside (clock.Never when it only waits for such events).
	Cycle(now clock.Cycle) (next clock.Cycle)
	// Settle counts and charges every issue slot since Begin and before now that
	// is not charged yet: at the end of a launch, and whenever the counters are
	// read before.
	Settle(now clock.Cycle)
}

// ---- memory path: the levels between a lane and DRAM ----

// MemoryAccess is one warp memory instruction on its way into the path.
type MemoryAccess struct {
	Class trace.OpClass
	// Space is never generic: the SM has resolved it. Explicit lane addresses
	// of a generic access still carry their window; take addresses of the
	// shared, local, const and param spaces modulo trace.WindowBytes.
	Space     trace.Space
	LaneBytes uint8
	Mask      uint32 // lanes that take part: active and guard true, not zero
	Access    trace.Access
	Chunk     *wtape.Chunk // for Chunk.Addresses of a non-strided access
	// Bypass is set for .cg and .cv loads, Evict for stores with .cs.
	Bypass bool
	// WarpSlot and BlockSlot place the warp in its SM; ThreadBase is the linear
	// number of the warp's first thread among the SM's resident threads, for
	// the layout of local memory.
	WarpSlot, BlockSlot, ThreadBase int
	// Phase is that of the thread block's barriers in which the access has been issued.
	Phase uint8
	// LocalBytes per thread, for the layout of local memory.
	LocalBytes uint32
	// Lines, when not nil, are what a level in front of the path has gathered, and
	// take the place of the lanes' addresses. A load or store of shared or global
	// memory moves these parts of lines, which are distinct. Moves is how many
	// words or requests of lanes they were gathered from.
	Lines []LinePart
	Moves int
	// Token comes back with the completion; NoToken for a plain store. An SM's are
	// small; see TokenOwner.
	Token uint32
	// Early is set for a load that is asked for ahead of the instruction that makes it,
	// and which comes later.
	Early bool
	// Instruction of the kernel that makes the access, for counts by line.
	Instruction uint32
	// Mbarrier is what the access does to mbarriers, a number of the SM that makes it;
	// zero: nothing. TxBytes are what a lane takes off a tx-count.
	Mbarrier, TxBytes uint8
}

// LinePart is bytes of a line that is aligned to its size, 128 bytes at most.
type LinePart struct {
	Address uint64 // of the line, in its space
	// HalfWords has bit i for bytes 2i and 2i+1 of the line.
	HalfWords uint64
}

// NoToken is the token of an access with no waiter for its completion.
const NoToken = ^uint32(0)

// Port is an SM's entry to the memory path.
type Port interface {
	// Ready reports whether Issue may be called in this cycle. It changes only
	// in Issue and Cycle.
	Ready(now clock.Cycle) bool
	// Issue takes a. The path copies what it keeps. The completion of a load
	// or atomic is reported once through Completions.Complete; stores complete
	// when they have been accepted by the network (for fences: see Pending).
	Issue(now clock.Cycle, a *MemoryAccess)
	// PendingWrites is the number of a warp's stores not yet performed at the
	// level where they are visible to all, for memory fences.
	PendingWrites(warpSlot int) int
	// Cycle advances the port by one core cycle; next as for FrontEnd.Cycle. It
	// is called in the cycles that it asked for, in the cycle after an Issue or
	// a FetchLine that missed, and after any report through Completions.
	Cycle(now clock.Cycle) (next clock.Cycle)
	// FetchLine asks for the instruction line that begins at address; it reports
	// whether the line is already there. Otherwise Completions.Fetched follows
	// with the same address (once or more when several warps asked for it).
	FetchLine(now clock.Cycle, address uint64) bool
	// HasLine reports whether the instruction line at address is there. It asks for nothing.
	HasLine(address uint64) bool
	// DropInstructions empties the SM's own instruction cache: it has lost its
	// supply. No line is on its way to it.
	DropInstructions()
	// Barrier tells that a barrier of a thread block has opened. All accesses
	// that it separates from later ones have been issued to the port.
	Barrier(now clock.Cycle, blockSlot int)
	// Fence tells that a warp waits at a memory fence. All its accesses have been
	// issued and its loads have completed; it goes on when PendingWrites is zero.
	Fence(now clock.Cycle, warpSlot int)
	// BlockEnd tells that nothing of a thread block is under way any more. Its
	// last warp leaves, and the block with it, when its PendingWrites is zero.
	BlockEnd(now clock.Cycle, blockSlot, lastWarp int)
	// KernelBegin tells that the SM is to run a kernel, before its first thread block.
	KernelBegin(k KernelStart)
	// KernelEnd tells that a kernel has ended (L1 contents are no longer valid
	// for the next one).
	KernelEnd(now clock.Cycle)
}

// KernelStart is what a port is told of a kernel that its SM is to run.
type KernelStart struct {
	// Code is where its instructions begin, as HasLine has addresses.
	Code uint64
	Division
}

// Division is how L1 and shared memory of an SM divide their array for a launch.
type Division struct {
	// Carveout is the bytes of shared memory (arch.Shared.Carveout).
	Carveout int
	// L1Ways is the ways that are left to the L1 (arch.Machine.L1Ways).
	L1Ways int
}

// EarlyReader is of an entry with a cache whose lines can be asked for past it, before
// any access to them. It decides nothing: its caller does, and may ask for any line.
type EarlyReader interface {
	// Holds reports whether the line of global memory at address is in the port's
	// cache, or on its way to it.
	Holds(address uint64) bool
	// ReadEarly asks the levels behind the port's cache for a line of global memory,
	// behind all demand requests; false when there is no room for the request. The
	// cache does not take the line. Completions.Complete follows with the token when
	// the data are there.
	ReadEarly(now clock.Cycle, address uint64, token uint32) bool
}

// LineLocker is of an entry that keeps lines in its first cache for whoever asks for
// data before they are needed. A lock keeps a line from being replaced, not from being
// written back or dropped for others.
type LineLocker interface {
	// LockLine keeps the line that holds an address of global memory, once it is there,
	// from being replaced, until UnlockLine for the same address; it counts. False when
	// there is no cache, or only one way of the line's set is left unlocked.
	LockLine(address uint64) bool
	// UnlockLine takes one lock off.
	UnlockLine(address uint64)
	// LocalLines appends the lines of an access to local memory, by addresses that the
	// other methods take.
	LocalLines(a *MemoryAccess, lines []uint64) []uint64
}

// Completions is what a Port reports to its SM, and wakes it by.
type Completions interface {
	// Complete tells that the data of the access with the token is there.
	Complete(now clock.Cycle, token uint32)
	// Fetched tells that an instruction line has arrived.
	Fetched(now clock.Cycle, address uint64)
	// WriteDone tells that a store of the warp has been performed; PendingWrites
	// no longer counts it.
	WriteDone(now clock.Cycle, warpSlot int)
	// Wake asks for Port.Cycle in the SM's present cycle, or in the next when the port
	// has had it. It is called when something outside (a credit, a free place in a
	// queue) lets a port go on that had nothing to do.
	Wake()
}

// MemorySystem is everything beyond the SMs' ports, in its own clock domains.
type MemorySystem interface {
	// Port makes the entry of an SM; called once per SM when the machine is built.
	Port(sm int, to Completions) (Entry, error)
	// Advance processes all events up to and including time t.
	Advance(t clock.Time)
	// NextEvent is the earliest time at which Advance has something to do,
	// clock.NeverTime when it is idle.
	NextEvent() clock.Time
	// InFlight is the number of requests inside; zero at the end of a run.
	InFlight() int
	// Describe says what the requests in flight wait for, for a stuck replay.
	Describe() []string
}

// Lookahead is what a path offers whose parts may run apart, on several cores: the SMs
// with their ports, the partitions behind the networks, and the networks, which follow
// both. While they do, each uses nothing that another changes, and writes down what it
// does to others. Whoever has them run sees to it that no two run at a time that may not.
type Lookahead interface {
	// Partible reports whether the path can, as it has been built.
	Partible() bool
	// Depart begins the running apart in the cycle now, before anything of that cycle is
	// done.
	Depart(now clock.Cycle)
	// Meet ends it. All SMs have run all cycles before the same one, and the rest all
	// events up to its start, or the start of the one before.
	Meet()
	// Look finds out what the SM's port knows. Wake has to be called in the cycle
	// Sight.Answer.
	Look(sm int) *Sight
	Wake(sm int)
	// Reach is the first cycle that SMs may not run yet, and the time up to which
	// partitions may.
	Reach() (sms clock.Cycle, partitions clock.Time)
	// Partitions is the number of partitions. RunPartition does the events of one up to a
	// time, as far as it can, and tells how many there were; several may run at the same
	// time.
	Partitions() int
	RunPartition(i int, to clock.Time) (steps int)
	// RunNetworks does what happens in the networks up to a time, as far as partitions
	// have come. No cycle that an SM has yet to run starts before that time. Nothing
	// else runs meanwhile.
	RunNetworks(to clock.Time)
	// Between is the time up to which the networks have come.
	Between() clock.Time
}

// Sight is what an SM's port that runs apart knows of the networks.
type Sight struct {
	// Answer is the cycle in which the next answer that the SM has yet to take reaches it,
	// clock.Never when it is not known.
	Answer clock.Cycle
	// Room is how many requests the network is sure to take. With none the SM runs a cycle
	// only if Between is not before its start: then the network has none.
	Room int
	// Refused says that the port waits for the network to have room. It is told so in the
	// SM's cycle, so that the SM runs no cycle that starts later than Between.
	Refused bool
}

// Preloader is of a path that wants to know what the host copies to the
// device between launches.
type Preloader interface {
	// Preload tells of bytes copied to device memory at an address. It takes no
	// time.
	Preload(address, bytes uint64)
}

// LinkReporter is of a path whose networks have routers.
type LinkReporter interface {
	// Links gives the flits that each link between routers has carried so far,
	// in an order that does not change.
	Links() []LinkUse
}

// LinkUse is the traffic of one link between two routers.
type LinkUse struct {
	Network  string // "request", "reply", or "shared" for both
	From, To int    // routers, numbered row by row or stage by stage
	Flits    uint64
}

// ---- offload: instruction chains executed elsewhere ----

// Offload decides, at issue, whether an instruction runs on the SM.
type Offload interface {
	// AtIssue is asked before an instruction issues; in a kernel with runs
	// (core.Arrangement) before those of runs only.
	AtIssue(now clock.Cycle, i *Issuing) Decision
}

// Issuing is an instruction that is about to issue. It is valid during the call.
type Issuing struct {
	Kernel      *trace.Kernel // of the trace
	SM, Warp    int           // Warp is a slot of the SM
	Instruction uint32        // of the kernel
	Mask        uint32        // lanes that take part
	// Token stands for the instruction in Completions.Complete.
	Token uint32
	// Memory describes a memory instruction with a lane that takes part; it is nil
	// for others. Its own token is NoToken.
	Memory *MemoryAccess
}

// Decision is an Offload's answer.
type Decision uint8

// The decisions.
const (
	Here Decision = iota
	// Hold keeps the warp waiting; it is asked again in the next cycle.
	Hold
	// Elsewhere retires the instruction from the SM: the engine has it, and reports
	// its token when the written registers are valid.
	Elsewhere
	// Absorbed is Elsewhere for an instruction that writes registers which nothing on the SM
	// reads: nothing waits for it, and its token is not valid any more.
	Absorbed
	// Awaited is Elsewhere for an instruction at which the warp waits until the
	// token is reported.
	Awaited
)
