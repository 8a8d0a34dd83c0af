// SPDX-License-Identifier: Apache-2.0

package fetch

import "github.com/warptape/warptape/timing/clock"

// pipe is the instructions that are being decoded, in order: decode takes equally long
// for all.
type pipe struct {
	entries []delivery // a ring, of a power of two
	first   int
	count   int
	due     clock.Cycle // of the first, clock.Never without one
}

// delivery is instructions of a warp that can issue from the cycle at on.
type delivery struct {
	at    clock.Cycle
	warp  uint8
	count uint8
}

func newPipe() pipe { return pipe{entries: make([]delivery, 8), due: clock.Never} }

// put appends what is decoded at a cycle not before that of the last.
func (p *pipe) put(d delivery) {
	if p.count == len(p.entries) {
		p.grow()
	}
	if p.count == 0 {
		p.due = d.at
	}
	p.entries[(p.first+p.count)&(len(p.entries)-1)] = d
	p.count++
}

func (p *pipe) grow() {
	p.entries = append(p.entries[p.first:len(p.entries):len(p.entries)], p.entries[:p.first]...)
	p.entries = append(p.entries, make([]delivery, len(p.entries))...)
	p.first = 0
}

// take removes the first.
func (p *pipe) take() delivery {
	d := p.entries[p.first]
	p.first = (p.first + 1) & (len(p.entries) - 1)
	p.count--
	p.due = clock.Never
	if p.count > 0 {
		p.due = p.entries[p.first].at
	}
	return d
}

// Deliver puts fetched instructions into the buffer of warp w, where they are decoded.
// They can issue from the cycle at on, which is not before that of the delivery before.
// Deliver gives the first.
func (f *Buffers) Deliver(w, count int, at clock.Cycle) (first uint32) {
	p := &f.warps[w]
	first = p.next
	p.buffered += int16(count)
	p.next += uint32(count)
	p.short = count < f.width && p.next == p.end
	f.decoding.put(delivery{at, uint8(w), uint8(count)})
	f.Update(w)
	return first
}

// Due is the cycle of the first instructions that are decoded, clock.Never without any.
func (f *Buffers) Due() clock.Cycle { return f.decoding.due }

// Decoded lets instructions issue that are decoded by the cycle now; it gives their
// warp. False when there are none (left).
func (f *Buffers) Decoded(now clock.Cycle) (w int, ok bool) {
	if f.decoding.due > now {
		return 0, false
	}
	d := f.decoding.take()
	f.warps[d.warp].decoded += int16(d.count)
	return int(d.warp), true
}
