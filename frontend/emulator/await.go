// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// maxAwaited is the number of waiting warps that a fault lists.
const maxAwaited = 4

// awaited tells which warps wait for which mbarriers; empty when none does.
func (s *scheduler) awaited() string {
	text, n := "", 0
	for i := range s.warps {
		w := &s.warps[i]
		if a := &w.record.Await; w.live != 0 && a.Memory != nil {
			if n++; n <= maxAwaited {
				text += fmt.Sprintf("; warp %d waits at line %d for the mbarrier at 0x%x: %s",
					i, s.kernel.contaminated.PTX.Body[a.Instruction].Line, a.Address, a.State())
			}
		}
	}
	if n > maxAwaited {
		text += fmt.Sprintf("; so do %d more", n-maxAwaited)
	}
	return text
}

// awake takes warps out of a set that wait for an uncompleted phase of an mbarrier. When
// none is left it gives all of them, so that a wait for ever is found.
func (s *scheduler) awake(ready uint32) uint32 {
	for rest := ready; rest != 0; rest &= rest - 1 {
		i := lanes.FirstLane(rest)
		if !s.warps[i].record.Await.Over() {
			ready &^= 1 << i
		}
	}
	if ready == 0 {
		return s.live &^ s.waiting
	}
	return ready
}
