// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/timing/sm/loadstore"
	"github.com/warptape/warptape/trace"
)

// Bulk copies go to the port as the lines that they move, past the L1. A load
// that completes an mbarrier is remembered by its thread block until its last byte
// is there. What the copy does to the banks of shared memory is not modelled
// (docs/deviations.md, D80).

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
	completes := moved.HasBarrier && !op.bulkStore
	if completes && (moved.Several || !moved.Counted) {
		s.forget(now, p.block)
	}
	copied := loadstore.Copy{Barrier: moved.Barrier, Blocks: moved.Blocks, Bytes: moved.TxBytes}
	lines := linesOf(&moved)
	if len(lines) == 0 { // all of it lies beyond the tensor
		if completes {
			s.completeTx(now, p.block, &copied)
		}
		return
	}
	class, number := trace.ClassStore, uint32(0)
	if !op.bulkStore {
		class = trace.ClassLoad
		if completes {
			number = s.copies[p.block].Start(copied)
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

// awaitCopies holds warp w, which looks at an mbarrier, while copies that complete it are under
// way. Too little is known to wait for the phase.
func (s *SM) awaitCopies(w int, word uint64) {
	p := &s.warps[w]
	if s.copies[p.block].Await(w, word&(trace.WindowBytes-1)) {
		p.holdAt(holdCopy, p.index)
	}
}

// finishCopy ends a copy of warp w's thread block, and lets those go on that no copy
// holds any more.
func (s *SM) finishCopy(now clock.Cycle, w int, number uint32) {
	slot := s.warps[w].block
	copied := s.copies[slot].Finish(number, func(w int) { s.resume(*s.clock, w) })
	s.completeTx(now, slot, &copied)
}
