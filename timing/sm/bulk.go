package sm

import (
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// Bulk copies go to the port as the lines that they move, past the L1. A load
// that completes an mbarrier is remembered by its thread block until its last byte
// is there: a warp that looks at that mbarrier meanwhile waits for it. What the copy
// does to shared memory, and when its mbarrier's phase began, is not modelled
// (docs/deviations.md, D80 and D81).

// copies are a thread block's bulk copies under way.
type copies struct {
	pending []pendingCopy
	waiting []waitingCopy
	given   uint32 // numbers, from 1
}

type pendingCopy struct {
	number  uint32
	barrier uint64
}

type waitingCopy struct {
	warp    int
	barrier uint64
}

// decodeBulk notes what bulk copies, and who waits for them, need.
func decodeBulk(op *operation, in *trace.Instruction) {
	op.bulkStore = in.Class == trace.ClassBulk && slices.Contains(in.Modifiers, "bulk_group")
	op.awaitsCopies = in.Opcode == "mbarrier" && (slices.Contains(in.Modifiers, "try_wait") || slices.Contains(in.Modifiers, "test_wait"))
}

// startCopy sends a bulk copy of warp w to operand read.
func (s *SM) startCopy(now clock.Cycle, w int, op *operation, mask uint32) {
	access := s.takeAccess(w)
	if mask == 0 {
		return
	}
	p := &s.warps[w]
	b := &s.blocks.slots[p.block]
	var moved trace.BulkCopy
	b.Chunk.Bulk(access, &moved)
	lines := linesOf(&moved)
	if len(lines) == 0 { // all of it lies beyond the tensor
		return
	}
	token, class := seam.NoToken, trace.ClassStore
	if !op.bulkStore {
		number := uint32(0)
		if moved.HasBarrier {
			number = b.copies.start(moved.Barrier)
		}
		class = trace.ClassLoad
		token = s.tokens.give(inFlight{warp: uint8(w), instruction: p.index, copied: number})
		s.pend(s.memory, w, op.written)
	}
	p.outstanding++
	p.memory++
	b.waiting[b.phase]++
	a := s.placeAccess(now, w, op)
	s.describeAccess(a, w, op, mask)
	a.Class, a.Space, a.Access, a.Token = class, op.space, access, token
	a.Lines, a.Moves, a.Bypass = lines, len(lines), true
}

// pieceBytes is the size of the parts of lines that a copy is cut into: no line of
// any cache is shorter.
const pieceBytes = 32

// linesOf cuts what a copy moved into parts of lines, ascending within a piece.
func linesOf(moved *trace.BulkCopy) []seam.LinePart {
	lines := make([]seam.LinePart, 0, moved.Bytes()/pieceBytes%(trace.MaxBulkBytes/pieceBytes)+1)
	for address, bytes := range moved.Pieces {
		for end := address + bytes; address < end; {
			line := address &^ (pieceBytes - 1)
			part := min(end, line+pieceBytes)
			first, last := (address-line)/2, (part-line+1)/2
			lines = append(lines, seam.LinePart{Address: line, HalfWords: 1<<last - 1<<first})
			address = part
		}
	}
	return lines
}

// start notes a copy that completes an mbarrier, and gives its number.
func (c *copies) start(barrier uint64) uint32 {
	c.given++
	c.pending = append(c.pending, pendingCopy{c.given, barrier})
	return c.given
}

func (c *copies) awaited(barrier uint64) bool {
	return slices.ContainsFunc(c.pending, func(p pendingCopy) bool { return p.barrier == barrier })
}

// awaitCopies holds warp w, which looks at an mbarrier, while copies that complete
// it are under way.
func (s *SM) awaitCopies(w int, a *trace.Access, mask uint32) {
	p := &s.warps[w]
	b := &s.blocks.slots[p.block]
	lane := lowest(uint64(mask))
	barrier := a.Base + uint64(int64(a.Stride)*int64(lane))
	if !a.Strided() {
		barrier = b.Chunk.LaneAddresses[int(a.Lanes)+lane]
	}
	if barrier &= trace.WindowBytes - 1; !b.copies.awaited(barrier) {
		return
	}
	b.copies.waiting = append(b.copies.waiting, waitingCopy{w, barrier})
	p.hold, p.holdFor, p.heldAt = holdCopy, listMemory, p.index
}

// finishCopy ends a copy of warp w's thread block, and lets those go on that no copy
// holds any more.
func (s *SM) finishCopy(w int, number uint32) {
	c := &s.blocks.slots[s.warps[w].block].copies
	i := slices.IndexFunc(c.pending, func(p pendingCopy) bool { return p.number == number })
	barrier := c.pending[i].barrier
	c.pending = slices.Delete(c.pending, i, i+1)
	if c.awaited(barrier) {
		return
	}
	kept := c.waiting[:0]
	for _, x := range c.waiting {
		if x.barrier != barrier {
			kept = append(kept, x)
			continue
		}
		s.resume(*s.clock, x.warp)
	}
	c.waiting = kept
}
