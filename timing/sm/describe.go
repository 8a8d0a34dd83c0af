package sm

import (
	"fmt"
	"math/bits"
)

// Describe says what every warp on the SM waits for, one line per warp.
func (s *SM) Describe() []string {
	var lines []string
	for w := range s.warps {
		if s.isExtra(w) && s.present>>w&1 != 0 {
			lines = append(lines, fmt.Sprintf("SM %d warp slot %d (a mechanism's): %s", s.id, w, s.waitsFor(w)))
			continue
		}
		if s.present>>w&1 != 0 {
			lines = append(lines, fmt.Sprintf("SM %d warp slot %d (thread block %d): %s", s.id, w, s.blocks.slots[s.warps[w].block].Block, s.waitsFor(w)))
		}
	}
	return lines
}

func (s *SM) waitsFor(w int) string {
	p := &s.warps[w]
	if p.finished {
		return fmt.Sprintf("has issued everything; waits for %d results and %d stores", p.outstanding, s.port.PendingWrites(w))
	}
	k := s.program.kernel
	place := func(i uint32) string {
		in := &k.Instructions[i]
		return fmt.Sprintf("%s at %s:%d", in.Opcode, k.File, in.Line)
	}
	switch l := s.lists.of[w]; l {
	case listCompute:
		return place(p.index) + " waits for a register that a functional unit writes"
	case listMemory:
		return place(p.index) + " waits for a register that a load or atomic writes"
	case listFetch:
		if s.awaiting>>w&1 != 0 {
			return fmt.Sprintf("waits for the instruction line at %#x (%s)", p.awaited, place(p.index))
		}
		return "waits for instructions (" + place(p.index) + ")"
	case listFence:
		return fmt.Sprintf("%s waits for %d accesses and %d stores", place(p.heldAt), p.memory, s.port.PendingWrites(w))
	case listBarrier:
		return place(p.heldAt) + " waits: " + s.barrierState(w)
	default:
		return fmt.Sprintf("%s waits for a %v unit", place(p.index), Unit(l-listReady))
	}
}

func (s *SM) barrierState(w int) string {
	b := &s.blocks.slots[s.warps[w].block]
	for i := range b.barriers {
		if bar := &b.barriers[i]; bar.waiting>>w&1 != 0 {
			return fmt.Sprintf("%d of %d warps have arrived at barrier %d, %d of them wait", bar.arrived, b.running, i, bits.OnesCount64(bar.waiting))
		}
	}
	return "barrier released"
}
