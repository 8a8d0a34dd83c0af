// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"fmt"

	"github.com/warptape/warptape/timing/sm/barrier"
	"github.com/warptape/warptape/timing/sm/units"
	"github.com/warptape/warptape/timing/sm/waiting"
)

// Describe says what every warp on the SM waits for, one line per warp.
func (s *SM) Describe() []string {
	var lines []string
	for w := range s.warps {
		if s.isExtra(w) && s.residents.Present().Has(w) {
			lines = append(lines, fmt.Sprintf("SM %d warp slot %d (a mechanism's): %s", s.id, w, s.waitsFor(w)))
			continue
		}
		if s.residents.Present().Has(w) {
			lines = append(lines, fmt.Sprintf("SM %d warp slot %d (thread block %d): %s", s.id, w, s.residents.In(s.warps[w].block).Block, s.waitsFor(w)))
		}
	}
	return lines
}

func (s *SM) waitsFor(w int) string {
	p := &s.warps[w]
	k := s.program.kernel
	place := func(i uint32) string {
		in := &k.Instructions[i]
		return fmt.Sprintf("%s at %s:%d", in.Opcode, k.File, in.Line)
	}
	switch p.hold {
	case holdPhase:
		return place(p.heldAt) + " waits: " + s.mbarrierState(w)
	case holdCopy:
		return place(p.heldAt) + " waits for bulk copies that complete the mbarrier"
	case holdGroup:
		return place(p.heldAt) + " waits for groups of asynchronous copies"
	}
	if p.finished {
		return fmt.Sprintf("has issued everything; waits for %d results and %d stores", p.outstanding, s.port.PendingWrites(w))
	}
	switch l := s.waiting.Of(w); l {
	case waiting.Unit:
		return place(p.index) + " waits for a register that a functional unit writes"
	case waiting.Memory:
		return place(p.index) + " waits for a register that a load or atomic writes"
	case waiting.Fetch:
		if s.fetch.Awaiting().Has(w) {
			return fmt.Sprintf("waits for the instruction line at %#x (%s)", s.fetch.Awaited(w), place(p.index))
		}
		return "waits for instructions (" + place(p.index) + ")"
	case waiting.Fence:
		return fmt.Sprintf("%s waits for %d accesses and %d stores", place(p.heldAt), p.memory, s.port.PendingWrites(w))
	case waiting.Barrier:
		return place(p.heldAt) + " waits: " + s.barrierState(w)
	default:
		return fmt.Sprintf("%s waits for a %v unit", place(p.index), units.Kind(l-waiting.Ready))
	}
}

func (s *SM) mbarrierState(w int) string {
	m, ok := s.mbarriers[s.warps[w].block].State(w)
	if !ok {
		return "the phase of the mbarrier is complete"
	}
	return fmt.Sprintf("the phase of parity %d of the mbarrier at %#x waits for %d of %d arrivals and %d bytes", m.Parity, m.Place, m.Pending, m.Expected, m.Bytes)
}

func (s *SM) barrierState(w int) string {
	b, ok := s.barriers[s.warps[w].block].State(w)
	if !ok {
		return "barrier released"
	}
	text := fmt.Sprintf("%d of %d warps have arrived at barrier %d, %d of them wait", b.Arrived, b.Expected, b.ID, b.Waiting)
	if b.Threads {
		text = fmt.Sprintf("%d of %d threads have arrived at barrier %d, %d warps wait", b.Arrived, b.Expected, b.ID, b.Waiting)
	}
	if c := s.clusterOf(w); b.ID == barrier.Cluster {
		text = fmt.Sprintf("%d of %d warps of the thread block wait at the cluster's barrier", b.Waiting, b.Expected)
		if c != nil {
			arrived, expected := c.State()
			text += fmt.Sprintf(", at which %d of %d warps of the cluster have arrived", arrived, expected)
		}
	}
	if b.Apart > 0 {
		text += fmt.Sprintf("; %d lanes wait there whose warps go on with others", b.Apart)
	}
	return text
}
