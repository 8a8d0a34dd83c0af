// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/trace"
)

// Bulk copies go to the port as the lines that they move, past the L1. A load
// that completes an mbarrier is remembered by its thread block until its last byte
// is there: a warp that looks at that mbarrier meanwhile waits for it. What the copy
// does to shared memory, and when its mbarrier's phase began, is not modelled
// (docs/deviations.md, D80 and D81).

// decodeBulk notes what bulk copies, and the warps that wait for them, need.
func decodeBulk(op *operation, in *trace.Instruction) {
	op.bulkStore = in.Class == trace.ClassBulk && slices.Contains(in.Modifiers, "bulk_group")
	op.awaitsCopies = in.Opcode == "mbarrier" && (slices.Contains(in.Modifiers, "try_wait") || slices.Contains(in.Modifiers, "test_wait"))
}

// startCopy sends a bulk copy of warp w to operand read.
func (s *SM) startCopy(now clock.Cycle, w int, op *operation, mask uint32) {
	if s.collectors == nil {
		s.units.Reserve(now, op.unit, s.subCore(w), &op.timing)
	}
	access := s.takeAccess(w)
	if mask == 0 {
		return
	}
	p := &s.warps[w]
	var moved trace.BulkCopy
	access.chunk.Bulk(access.Access, &moved)
	lines := linesOf(&moved)
	if len(lines) == 0 { // all of it lies beyond the tensor
		return
	}
	class, number := trace.ClassStore, uint32(0)
	if !op.bulkStore {
		class = trace.ClassLoad
		if moved.HasBarrier {
			number = s.copies[p.block].Start(moved.Barrier)
		}
	}
	token := s.tokens.Give(s.grouped(w, op, loadstore.InFlight{Warp: uint8(w), Instruction: p.index, Copy: number}))
	s.board.ReserveLoad(w, op.written)
	p.outstanding++
	p.memory++
	a := s.placeAccess(now, w, op)
	s.describeAccess(a, w, op, mask)
	a.Class, a.Space, a.Access, a.Chunk, a.Token = class, op.space, access.Access, access.chunk, token
	a.Lines, a.Moves, a.Bypass = lines, len(lines), true
	a.Phase = s.barriers[p.block].Issued()
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

// awaitCopies holds warp w, which looks at an mbarrier, while copies that complete
// it are under way.
func (s *SM) awaitCopies(w int, a *laneAddresses, mask uint32) {
	p := &s.warps[w]
	lane := bits.TrailingZeros32(mask)
	barrier := a.chunk.Lane(a.Access, lane)
	if s.copies[p.block].Await(w, barrier&(trace.WindowBytes-1)) {
		p.holdAt(holdCopy, p.index)
	}
}

// finishCopy ends a copy of warp w's thread block, and lets those go on that no copy
// holds any more.
func (s *SM) finishCopy(w int, number uint32) {
	s.copies[s.warps[w].block].Finish(number, func(w int) { s.resume(*s.clock, w) })
}
