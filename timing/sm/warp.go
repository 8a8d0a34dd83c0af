package sm

import (
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// hold says why a warp may not issue although instructions are there.
type hold uint8

const (
	holdNone hold = iota
	holdBarrier
	holdFence
	holdCopy   // waits at an mbarrier for bulk copies
	holdResume // released, the latency of the barrier or fence has yet to pass
	holdAnswer // of the offload engine, which has the instruction at heldAt
)

// warp is a hardware warp on an SM.
type warp struct {
	stream seam.Stream

	// index is the next instruction to issue, end the one after its visit's
	// last, mask the visit's lanes.
	index, end uint32
	mask       uint32
	// runEnd is up to where instructions are fetched: the end of the visit, or
	// of the next one when it follows in memory. Beyond is a change of path.
	runEnd uint32
	next   seam.Visit
	// more says that next holds a visit.
	more bool

	finished bool // everything has issued
	hold     hold
	holdFor  list // where the warp is listed while held
	fenced   bool // the port knows of the fence
	heldAt   uint32

	redirected bool // fetch waits for the resolution of a branch
	guardKnown bool // guard holds the mask of the head (after an offload's Hold)
	guard      uint32

	accessKnown bool // access holds the addresses of the head, likewise
	access      trace.Access

	buffered int // instructions in the buffer, also those still being decoded
	decoded  int // of these, ready to issue

	awaited      uint64 // address of the instruction line that the warp waits for
	awaitedCount int    // instructions to take from it

	outstanding int // results and accesses that have yet to come back
	memory      int // of these, memory accesses (for fences)

	// A warp that pauses is stopped at every visit; left is the last instruction of
	// the visit before, and leftMask its lanes.
	pauses, stopped bool
	left, leftMask  uint32

	block int // slot of its thread block
}
