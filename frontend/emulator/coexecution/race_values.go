// SPDX-License-Identifier: Apache-2.0

package coexecution

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// StoredTwice is a store instruction by which two lanes of a warp write different values
// to one place. One of the writes happens, and which one is undefined (CUDA C++
// Programming Guide, "SIMT Architecture"). The elements are those of each lane.
type StoredTwice struct {
	Kind     CheckedKind
	Space    ptx.Space
	Address  uint64
	Lanes    [2]int
	Elements [2][]uint64
}

// Wants reports whether the checker has yet to hear of a store by which lanes differ.
func (r *RaceChecker) Wants(instruction int) bool {
	return instruction >= 0 && r.differing[instruction] == nil && len(r.warned) < maxRaces
}

// Differ keeps a warning of such a store, the first for each instruction.
func (r *RaceChecker) Differ(w *WarpIdentity, s *StoredTwice) {
	other := w.Launch.Thread(w.Warp*trace.WarpSize + s.Lanes[1])
	f := &Fault{Kind: FaultDiffering, Access: fmt.Sprintf("%s %s of %d bytes", s.Space, s.Kind.Verb, s.Kind.Bytes), Address: s.Address, Space: s.Space,
		Detail: fmt.Sprintf("the same instruction stores %s by this thread and %s by thread (%d,%d,%d); which one stays is undefined",
			elementsText(s.Elements[0]), elementsText(s.Elements[1]), other.X, other.Y, other.Z)}
	f.Locate(r.kernel.PTX, s.Kind.Instruction, w, s.Lanes[0])
	r.differing[s.Kind.Instruction] = f
	r.warned = append(r.warned, s.Kind.Instruction)
}

// Merge takes over what the checker of another thread block of the launch has found, each
// instruction's warning once.
func (r *RaceChecker) Merge(other *RaceChecker) {
	r.Found = append(r.Found, other.Found...)
	for _, instruction := range other.warned {
		if r.Wants(instruction) {
			r.differing[instruction] = other.differing[instruction]
			r.warned = append(r.warned, instruction)
		}
	}
}

// Warnings are the stores by which lanes differ.
func (r *RaceChecker) Warnings() []error {
	var list []error
	for _, instruction := range r.warned {
		list = append(list, r.differing[instruction])
	}
	return list
}

func elementsText(elements []uint64) string {
	var text []string
	for _, e := range elements {
		text = append(text, fmt.Sprintf("0x%x", e))
	}
	if len(text) == 1 {
		return text[0]
	}
	return "{" + strings.Join(text, ", ") + "}"
}
