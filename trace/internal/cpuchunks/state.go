// SPDX-License-Identifier: Apache-2.0

package cpuchunks

import "github.com/warptape/warptape/trace"

// state is what encoder and decoder of a CPU chunk both know of its entries.
type state struct {
	follows  [][2]uint32 // per entry and outcome: 1 + what followed last
	taken    []bool      // per entry: its last outcome
	operands []operand
	first    []int32 // per entry: its first operand
	used     uint32  // entries executed
	last     uint32  // entry executed last
	outcome  int     // 1 when it was taken
	started  bool
}

type operand struct{ last, stride uint64 }

func (s *state) reset() {
	*s = state{follows: s.follows[:0], taken: s.taken[:0], operands: s.operands[:0], first: s.first[:0]}
}

// enter adds an entry.
func (s *state) enter(in *trace.CPUInstruction) {
	s.follows, s.taken = append(s.follows, [2]uint32{}), append(s.taken, false)
	s.first = append(s.first, int32(len(s.operands)))
	for range in.MemoryOperands() {
		s.operands = append(s.operands, operand{})
	}
}

// predicted is the entry that is expected next; it may not exist.
func (s *state) predicted() uint32 {
	if s.started {
		if follows := s.follows[s.last][s.outcome]; follows > 0 {
			return follows - 1
		}
	}
	return s.used
}

// step executes an entry.
func (s *state) step(entry uint32, taken bool) {
	if s.started {
		s.follows[s.last][s.outcome] = entry + 1
	}
	s.started, s.last, s.taken[entry], s.outcome = true, entry, taken, 0
	if taken {
		s.outcome = 1
	}
	s.used = max(s.used, entry+1)
}

// expected is the predicted address.
func (o *operand) expected() uint64 { return o.last + o.stride }

func (o *operand) access(address uint64) { o.last, o.stride = address, address-o.last }
