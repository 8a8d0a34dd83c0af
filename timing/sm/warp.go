// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/scoreboard"
	"github.com/warptape/warptape/timing/sm/waiting"
)

// hold says why a warp may not issue although instructions are there.
type hold uint8

const (
	holdNone hold = iota
	holdBarrier
	holdFence
	holdPhase  // waits for a phase of an mbarrier
	holdCopy   // waits at an mbarrier for bulk copies, where phases are not known
	holdGroup  // waits for groups of asynchronous copies
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
	next       seam.Visit
	// more says that next holds a visit.
	more bool

	finished bool // everything has issued
	drained  bool // the port knows that nothing of the thread block is under way
	hold     hold
	holdFor  waiting.List // where the warp is listed while held
	fenced   bool         // the port knows of the fence
	heldAt   uint32

	// waits are lanes that wait at barriers while the warp goes on with others. barriers
	// are those that have to open before it goes on, and barrierAt is the instruction at
	// which it waits for them.
	waits     uint32
	barrierAt uint32
	barriers  uint8

	guardKnown bool // guard holds the mask of the head (after an offload's Hold)
	guard      uint32

	accessKnown bool // access holds the addresses of the head, likewise
	access      laneAddresses

	// whole are the lanes of the warp's first visit, which are all it has. arrivesWhole says that
	// all of them have come to an arrival at the cluster's barrier, and arrived that the warp
	// counts there until the barrier opens. The phase in which it has arrived last is arrivedIn.
	whole                 uint32
	arrivesWhole, arrived bool
	arrivedIn             uint64

	missed bool // in the filter of long latencies, with an instruction that no scheduler has asked about

	outstanding int // results and accesses that have yet to come back
	memory      int // of these, memory accesses (for fences)

	// A warp that pauses is stopped at every visit; left is the last instruction of
	// the visit before, and leftMask its lanes.
	pauses, stopped bool
	left, leftMask  uint32

	block int // slot of its thread block
}

// holdLists says where a warp is listed while it is held, by reason; what resumes
// stays where it was.
var holdLists = [...]waiting.List{
	holdBarrier: waiting.Barrier, holdFence: waiting.Fence, holdPhase: waiting.Barrier, holdCopy: waiting.Memory, holdGroup: waiting.Memory, holdAnswer: waiting.Memory,
}

// holdAt holds the warp for a reason at an instruction.
func (p *warp) holdAt(h hold, instruction uint32) {
	p.hold, p.holdFor, p.heldAt = h, holdLists[h], instruction
}

// release ends a hold. The warp may have come to barriers meanwhile.
func (p *warp) release() {
	p.hold = holdNone
	if p.barriers > 0 {
		p.holdAt(holdBarrier, p.barrierAt)
	}
}

// evaluate moves warp w to the list where it belongs. It is called when
// something has happened to the warp, never in search of something.
func (s *SM) evaluate(w int) {
	p := &s.warps[w]
	to := waiting.None
	if s.assistant != nil {
		s.assistHeld.Remove(w)
	}
	switch {
	case p.finished:
	case p.hold != holdNone:
		to = p.holdFor
	case p.stopped:
		to = waiting.Barrier
	case !s.fetch.Ready(w):
		to = waiting.Fetch
	default:
		op := &s.program.code[p.index]
		to = s.hazard(w, op)
		if to <= waiting.LastReady && op.assisted {
			to = s.withAssistant(w, p.index, to)
		}
	}
	s.waiting.Move(w, to)
}

// hazard gives the list on which a warp belongs whose next instruction is op.
func (s *SM) hazard(w int, op *operation) waiting.List {
	switch s.board.Check(w, op.hazard) {
	case scoreboard.Memory:
		return waiting.Memory
	case scoreboard.Unit:
		return waiting.Unit
	}
	if s.collectors.ReadLate() && s.board.CheckReads(w, op.written) == scoreboard.Unread {
		return waiting.Operand
	}
	return waiting.For(op.unit)
}
