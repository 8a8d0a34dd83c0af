// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"fmt"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// smTracks are the tracks of an SM. They are declared when they are first needed.
type smTracks struct {
	group  uint64
	on     bool // the SM works for a launch that is shown
	kernel *trace.Kernel

	slots    [][]*span // by scheduler and slot
	warps    []*span
	blocks   []*span
	requests []lane
}

// line is the annotation of an instruction's place in the PTX.
func (t *smTracks) line(instruction uint32) note {
	if instruction == seam.NoInstruction {
		return note{}
	}
	return note{id: lineAnnotation, value: uint64(t.kernel.Instructions[instruction].Line)}
}

func (t *smTracks) slot(r *Recorder, scheduler, i int) *span {
	for len(t.slots) <= scheduler {
		t.slots = append(t.slots, nil)
	}
	return r.nth(&t.slots[scheduler], i, t.group, func(i int) string { return fmt.Sprintf("scheduler %d, issue slot %d", scheduler, i) })
}

func (t *smTracks) warp(r *Recorder, w int) *span {
	return r.nth(&t.warps, w, t.group, func(i int) string { return fmt.Sprintf("warp slot %d", i) })
}

func (t *smTracks) block(r *Recorder, place int) *span {
	return r.nth(&t.blocks, place, t.group, func(i int) string { return fmt.Sprintf("block slot %d", i) })
}

// nth gives a track of a list, which it extends up to it.
func (r *Recorder) nth(list *[]*span, i int, group uint64, title func(int) string) *span {
	for len(*list) <= i {
		*list = append(*list, &span{track: r.w.track(group, title(len(*list)), false)})
	}
	return (*list)[i]
}

// close ends all slices of an SM.
func (r *Recorder) close(t *smTracks, at clock.Cycle) {
	for _, list := range append(t.slots, t.warps, t.blocks) {
		for _, s := range list {
			r.end(s, at)
		}
	}
}
