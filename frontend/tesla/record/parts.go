// SPDX-License-Identifier: Apache-2.0

package record

import (
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// parts writes warps of any width as the warps of 32 lanes that a trace has. Of a wider
// one each half has the visits in which it has lanes: the path of a thread is whole.
// Narrower ones are the lanes of one recorded warp, and their paths follow each other.
type parts struct {
	writer *wtape.Writer
	of     []uint32 // basic block of each instruction
	width  int
}

// block writes the warps of a thread block.
func (p *parts) block(warps []machine.Warp) {
	for number := range warps {
		first := number * p.width
		for at := 0; at < p.width; at += trace.WarpSize {
			p.part(first/trace.WarpSize+at/trace.WarpSize, &warps[number], at, first%trace.WarpSize)
		}
	}
}

// part writes 32 lanes, from one on, of a warp into a recorded one, from another on.
func (p *parts) part(number int, w *machine.Warp, from, to int) {
	mask := func(l machine.Lanes) uint32 { return uint32(l>>from) << to }
	for _, v := range w.Visits {
		if m := mask(v.Mask); m != 0 {
			p.writer.Visit(number, p.of[v.First], m)
		}
	}
	for _, t := range w.Taken {
		if mask(t.Mask) != 0 {
			p.writer.Guard(number, mask(t.Takers))
		}
	}
	for i := range w.Accesses {
		a := &w.Accesses[i]
		m := mask(a.Mask)
		if m == 0 {
			continue
		}
		var bytes [trace.WarpSize]uint64
		for lane := range min(p.width, trace.WarpSize) {
			bytes[to+lane] = uint64(a.Address[from+lane]) * wordBytes
		}
		p.writer.Access(number, m, &bytes)
	}
}
