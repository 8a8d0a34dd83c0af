package sm

// The scoreboard holds, per warp, the registers that have yet to be written. An
// instruction waits while a register that it reads (RAW) or writes (WAW) is
// among them. Where operands are read in a fixed time after issue, in order, WAR
// needs no check; collectors keep the registers that they have yet to read when
// the machine asks for it.

// row is the scoreboard of warp w in board.
func (s *SM) row(board []uint64, w int) []uint64 {
	n := s.program.words
	return board[w*n : w*n+n]
}

// pend marks the registers of a set as pending.
func (s *SM) pend(board []uint64, w int, set setRange) {
	row := s.row(board, w)
	for _, r := range s.program.sets[set.from:set.to] {
		row[r.word] |= r.mask
	}
}

// settle marks the registers of a set as written.
func (s *SM) settle(board []uint64, w int, set setRange) {
	row := s.row(board, w)
	for _, r := range s.program.sets[set.from:set.to] {
		row[r.word] &^= r.mask
	}
}

// hazard reports which list a warp belongs on whose next instruction is op.
func (s *SM) hazard(w int, op *operation) list {
	compute, memory := s.row(s.compute, w), s.row(s.memory, w)
	onCompute := false
	for _, r := range s.program.sets[op.hazard.from:op.hazard.to] {
		if memory[r.word]&r.mask != 0 {
			return listMemory
		}
		onCompute = onCompute || compute[r.word]&r.mask != 0
	}
	if onCompute {
		return listCompute
	}
	if c := s.collectors; c != nil && c.war {
		unread := s.row(c.unread, w)
		for _, r := range s.program.sets[op.written.from:op.written.to] {
			if unread[r.word]&r.mask != 0 {
				return listOperand
			}
		}
	}
	return listReady + list(op.unit)
}

// evaluate moves warp w to the list where it belongs. It is called when
// something has happened to the warp, never in search of something.
func (s *SM) evaluate(w int) {
	p := &s.warps[w]
	to := listNone
	s.assistHeld &^= 1 << w
	switch {
	case p.finished:
	case p.hold != holdNone:
		to = p.holdFor
	case p.stopped:
		to = listBarrier
	case p.decoded == 0 && s.unfetched>>w&1 == 0:
		to = listFetch
	default:
		to = s.hazard(w, &s.program.code[p.index])
		if to <= lastReady && s.program.code[p.index].assisted {
			to = s.withAssistant(w, p.index, to)
		}
	}
	s.lists.move(w, to)
}
