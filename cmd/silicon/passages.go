// SPDX-License-Identifier: Apache-2.0

package silicon

import (
	"strings"

	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// passage is a way from the end of a basic block to the block that lanes visit next.
type passage struct{ from, to uint32 }

// passages are how many lanes of the stored thread blocks take each way, by kernel.
type passages map[string]map[passage]uint64

// add follows each lane of a recording through its visits.
func (all passages) add(r *wtape.Reader) error {
	chunk := wtape.NewChunk()
	for i := range r.Chunks() {
		if err := r.ReadChunk(i, chunk); err != nil {
			return err
		}
		name := r.Kernels()[r.Launches()[chunk.Launch()].Kernel].Name
		if all[name] == nil {
			all[name] = map[passage]uint64{}
		}
		for _, block := range chunk.Blocks() {
			for w := range chunk.WarpsPerBlock() {
				follow(chunk.Warp(block, w), all[name])
			}
		}
	}
	return nil
}

// follow counts the ways of a warp's lanes.
func follow(w trace.Warp, counts map[passage]uint64) {
	var last [trace.WarpSize]uint32
	begun := uint32(0)
	for i, block := range w.Blocks {
		for lane := range trace.WarpSize {
			if w.Masks[i]>>lane&1 == 0 {
				continue
			}
			if begun>>lane&1 != 0 {
				counts[passage{last[lane], block}]++
			}
			last[lane] = block
		}
		begun |= w.Masks[i]
	}
}

// around is 1 for a branch inside of a division that goes around the call of a subroutine, or for
// what has a guard there. It is 0 where lanes do call it: no branch there is taken, and no guard holds.
func around(made *core.Lowering, i int) float64 {
	for n := range made.Kernel.Instructions {
		if made.Origin[n] == made.Origin[i] && made.Kernel.Instructions[n].Opcode == "CALL" {
			return 0
		}
	}
	return 1
}

// taken is the part of a conditional branch's lanes that the card counts: a branch is a
// guarded instruction, and those whose predicate does not hold go on to the block that
// lies behind. It is 1 for other operations, but for a guarded one of a division. The branch
// is made.Kernel.Instructions[i]; k is the recorded kernel.
func taken(made *core.Lowering, k *trace.Kernel, i int, counts map[passage]uint64) float64 {
	in := &made.Kernel.Instructions[i]
	switch {
	case in.Class == trace.ClassNop && strings.HasPrefix(in.Opcode, "BRA"), in.Class == trace.ClassMove && in.Guard.Present:
		return around(made, i)
	case in.Class != trace.ClassBranch:
		return 1
	}
	recorded := blockOf(k, made.Origin[i])
	if recorded < 0 || made.Origin[i] != k.Blocks[recorded].First+k.Blocks[recorded].Count-1 || len(k.Blocks[recorded].Successors) < 2 {
		return 1
	}
	behind := following(made, uint32(i))
	var all, falling uint64
	for _, to := range k.Blocks[recorded].Successors {
		n := counts[passage{uint32(recorded), to}]
		if all += n; begins(made, behind, to) {
			falling += n
		}
	}
	if all == 0 {
		return 1
	}
	return float64(all-falling) / float64(all)
}

// blockOf is the basic block of a recorded instruction; -1: there is none.
func blockOf(k *trace.Kernel, instruction uint32) int {
	for n := range k.Blocks {
		if b := &k.Blocks[n]; instruction >= b.First && instruction < b.First+b.Count {
			return n
		}
	}
	return -1
}

// following is the lowered block that lies behind an operation which is the last of its
// own; -1: there is none.
func following(made *core.Lowering, i uint32) int {
	for n := range made.Kernel.Blocks {
		if b := &made.Kernel.Blocks[n]; b.Count > 0 && b.First == i+1 {
			return n
		}
	}
	return -1
}

// begins says whether the visits of a lowered block begin with a recorded block.
func begins(made *core.Lowering, lowered int, recorded uint32) bool {
	if lowered < 0 || lowered >= len(made.Visits) {
		return false
	}
	parts := made.Visits[lowered].Parts
	return len(parts) > 0 && parts[0].Block == recorded
}
