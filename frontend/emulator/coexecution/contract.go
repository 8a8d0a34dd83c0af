// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Coexecutor prepares kernels for execution.
type Coexecutor interface {
	// Load prepares a kernel. An instruction that the coexecutor cannot run is
	// refused here, with its position, never later.
	Load(k *contaminator.Kernel) (Program, error)
}

// Program is a kernel that a Coexecutor has loaded.
type Program interface {
	// NewContext makes the state of one warp (registers and local memory); it
	// is reset and reused from thread block to thread block.
	NewContext() Context
}

// Native is a Coexecutor that runs kernels on a device of its own, whose memory lies where
// that device says.
type Native interface {
	Coexecutor
	// GlobalBase is where global memory begins. All of it must lie below GlobalEnd.
	GlobalBase() uint64
	GlobalEnd() uint64
}

// Unloader is a Program that has more than the host's memory, and gives it back.
type Unloader interface {
	Unload() error
}

// NativeProgram is a Program that is told of launches: it takes memory to its device before,
// and back after.
type NativeProgram interface {
	Program
	BeginLaunch(l *LaunchState) error
	// EndLaunch is called after a launch that began, with its error.
	EndLaunch(l *LaunchState, failed error) error
}

// Context is one warp's state inside a Program.
type Context interface {
	// Reset readies the context for a warp of a thread block.
	Reset(w *WarpIdentity)
	// Run executes one segment for the lanes in mask and fills r, whose slices
	// it reuses. A fault is returned as *Fault.
	//
	// At an instruction with a member mask (shfl.sync and the like) that names live
	// lanes outside of mask, or one for the whole warp (mma.sync), Run suspends
	// itself. It fills r.Meeting and returns.
	Run(segment int, mask uint32, r *Record) error
	// Meet executes the instruction at which runs are suspended, for the lanes of all of
	// them together. Resume then goes on with each behind it, as Run, and may suspend it
	// again.
	Meet(runs []*Record) error
	Resume(r *Record) error
}

// WarpIdentity places a warp in its launch.
type WarpIdentity struct {
	Launch *LaunchState
	Block  *BlockState
	// Warp is the warp's index in its thread block, Lanes its initial mask.
	Warp  int
	Lanes uint32
}

// Record is what one execution of a segment tells the scheduler: where the
// lanes go next, and what the trace needs.
type Record struct {
	// Live are the warp's lanes that have not ended; the scheduler sets it before a
	// run. Zero stands for those of the run alone.
	Live uint32
	// Taken are the lanes that leave by the terminator's target, FallThrough
	// those that go on to the next segment, Exited those that ended. With an
	// indexed branch the lanes of Targets[i].Mask go to Targets[i].Segment and
	// Taken is zero. Returned are the lanes that left a function.
	Taken, FallThrough, Exited, Returned uint32
	TakenSegment                         int
	Targets                              []Target
	// Call says that the Targets are entries of functions: their lanes come
	// back to the next segment, where the lanes of FallThrough, which are all of
	// the visit, meet.
	Call bool
	// Guards holds one mask per executed guarded instruction
	// (trace.Instruction.Guarded), Accesses one entry per executed memory
	// instruction, both in order.
	Guards   []uint32
	Accesses []AccessRecord
	// Await is the mbarrier that the warp waits for, if it yields because of one.
	Await Await
	// Yield says that the warp waits for others, so that they get their turn.
	Yield bool
	// Barrier is set when the segment ended at a barrier.
	Barrier BarrierRequest
	// Meeting is set when the run is suspended.
	Meeting MeetingRequest
	Resume  Resumption
}

// MeetingRequest describes the instruction with a member mask, or for the whole warp, at
// which a run waits for lanes that are elsewhere.
type MeetingRequest struct {
	Waits bool
	// Instruction is the index in the kernel's instruction table, Name the instruction
	// with its qualifiers.
	Instruction int
	Name        string
	// Mask are the lanes that execute it, Members those that some of their member
	// masks name; Mixed says that they have different ones.
	Mask, Members uint32
	Mixed         bool
	// Whole instructions have no mask: all lanes of the warp execute the same one.
	Whole bool
}

// Await is a wait for a phase of an mbarrier in shared memory.
type Await struct {
	Instruction int // that waits, in the kernel's body
	Address     uint64
	// Memory has the mbarrier; nil for no wait. Phase is its highest bit as it was.
	Memory []byte
	Phase  uint64
}

// Target is one destination of an indexed branch, or one function of a call.
type Target struct {
	Segment int
	Mask    uint32
}

// AccessRecord holds the lane addresses of one executed memory instruction.
// Addresses of lanes outside Mask are not defined.
type AccessRecord struct {
	// Instruction is the index in the kernel's instruction table.
	Instruction int
	Mask        uint32
	// Strided says that lane i's address is Base + i*Stride for all lanes in
	// Mask, and that Addresses is not filled.
	Strided bool
	Base    uint64
	Stride  int64
	// Pattern, if there is one, says where the lanes lie from the lowest one in Mask, which
	// is at Base; Addresses is not filled. It holds until the next Run.
	Pattern   *wtape.AccessPattern
	Addresses [trace.WarpSize]uint64
}

// BarrierKind says how a warp meets a barrier.
type BarrierKind uint8

// The kinds of barrier (9.7.13.1).
const (
	BarrierNone BarrierKind = iota
	BarrierSync
	BarrierArrive
	BarrierRedPopc
	BarrierRedAnd
	BarrierRedOr
)

// BarrierRequest describes the barrier at which a segment ended.
type BarrierRequest struct {
	Kind BarrierKind
	ID   uint32
	// Threads is the expected number of threads, zero for all of the block.
	Threads uint32
	// Aligned says that all live lanes of the warp must arrive together (bar,
	// and barrier.aligned); otherwise they may arrive on different paths.
	Aligned bool
	// Mask are the lanes that arrive; Predicate, for the .red kinds, those whose
	// predicate held. Result is called with the reduction's value for lanes that
	// arrived before these go on.
	Mask, Predicate uint32
	Result          func(mask, value uint32)
}

// Resumption is where a suspended run goes on.
type Resumption struct {
	Segment int
	Mask    uint32
	At      int // operation at which it is suspended
	// Stepwise runs count instructions of the segment, not operations.
	Stepwise bool
}

// namedBarriers is the number of barriers of a thread block that bar and barrier
// name (9.7.13.1); behind them comes the barrier of its cluster.
const (
	NamedBarriers    = 16
	ClusterBarrierID = NamedBarriers
	BarrierCount     = NamedBarriers + 1
)

// AddTarget adds lanes to a target of an indexed branch.
func (r *Record) AddTarget(segment int, lanes uint32) {
	for i := range r.Targets {
		if r.Targets[i].Segment == segment {
			r.Targets[i].Mask |= lanes
			return
		}
	}
	r.Targets = append(r.Targets, Target{segment, lanes})
}

// NextAccess appends an access without clearing its addresses.
func (r *Record) NextAccess() *AccessRecord {
	n := len(r.Accesses)
	if n == cap(r.Accesses) {
		r.Accesses = append(r.Accesses, AccessRecord{})
	} else {
		r.Accesses = r.Accesses[:n+1]
	}
	return &r.Accesses[n]
}

// BarrierAccess appends the access of a barrier with values (trace.BarrierVisit), at which the
// lanes in mask arrive as Barrier says.
func (r *Record) BarrierAccess(instruction int, mask uint32) {
	a := r.NextAccess()
	a.Instruction, a.Mask, a.Pattern, a.Strided, a.Base, a.Stride = instruction, mask, nil, true, 0, 0
	if mask != 0 {
		a.Base = trace.BarrierVisit{Number: r.Barrier.ID, Threads: r.Barrier.Threads}.Word()
	}
}

// Fits reports whether lanes at two instructions execute them together: the same
// instruction, or one with the same qualifiers and member mask.
func (m *MeetingRequest) Fits(other *MeetingRequest) bool {
	if m.Whole || other.Whole {
		return m.Instruction == other.Instruction
	}
	return m.Instruction == other.Instruction && (m.Mixed || other.Mixed || m.Members == other.Members) ||
		!m.Mixed && !other.Mixed && m.Members == other.Members && m.Name == other.Name
}
