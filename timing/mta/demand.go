// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/seam"
)

// gather makes the lines of an access to global memory, and looks them up.
func (p *port) gather(a *seam.MemoryAccess) {
	p.find(a)
	p.count(countLookup, len(p.transactions))
}

// find makes the lines of an access to global memory, and finds them.
func (p *port) find(a *seam.MemoryAccess) {
	p.transactions, p.found = p.transactions[:0], p.found[:0]
	if a.Lines != nil {
		for i := range a.Lines {
			p.transactions = append(p.transactions, coalesce.Transaction{Line: a.Lines[i].Address &^ uint64(p.lineBytes-1)})
		}
	} else {
		p.lanes = coalesce.Warp{Mask: a.Mask, LaneBytes: max(int(a.LaneBytes), 1), Strided: a.Access.Strided(), Base: a.Access.Base, Stride: int64(a.Access.Stride)}
		if !p.lanes.Strided {
			a.Chunk.Lanes(a.Access, &p.addresses)
			p.lanes.Addresses = &p.addresses
		}
		p.transactions = p.lanes.Lines(p.lineBytes, p.transactions)
	}
	for i := range p.transactions {
		p.found = append(p.found, p.buffer.find(p.transactions[i].Line))
	}
}

// overwrite drops the lines of an access that changes them, or has to see what
// others have changed. Those on their way stay, as they do in the L1.
func (p *port) overwrite() {
	for _, i := range p.found {
		if i != none && p.buffer.entries[i].state == present {
			p.invalidate(i)
		}
	}
}

// invalidate empties an entry.
func (p *port) invalidate(i int32) {
	e := &p.buffer.entries[i]
	if e.state == empty || e.state == void {
		return
	}
	if !e.useful {
		p.count(countInvalidated, 1)
	}
	if e.state == pending {
		e.state = void
	} else {
		e.state = empty
	}
}

// demand serves what the buffer has of a load and hands on the rest.
func (p *port) demand(now clock.Cycle, a *seam.MemoryAccess) {
	there, late := 0, 0
	for _, i := range p.found {
		if i == none {
			continue
		}
		p.want(i)
		if p.buffer.entries[i].state == present {
			there++
		} else {
			late++
		}
	}
	if there+late == 0 {
		p.Port.Issue(now, a)
		return
	}
	p.count(countHit, there)
	p.count(countLateHit, late)
	missing := len(p.found) - there - late
	p.entry = now + clock.Cycle(there+late)
	if late+missing == 0 {
		p.hits.Push(hit{issued: now, done: now + clock.Cycle(there-1) + p.latency, token: a.Token})
		return
	}
	l := p.loads.Take()
	p.loads.Items[l] = load{issued: now, token: a.Token, left: int32(late)}
	for _, i := range p.found {
		if i != none && p.buffer.entries[i].state == pending {
			p.wait(l, i)
		}
	}
	if missing > 0 {
		p.loads.Items[l].left++
		p.loads.Items[l].counted = true
		p.forward(now, a, l)
	}
}

// want marks an entry as wanted by a load.
func (p *port) want(i int32) {
	p.buffer.touch(i)
	if e := &p.buffer.entries[i]; !e.useful {
		e.useful = true
		p.count(countUseful, 1)
		p.throttle.useful++
	}
}

// wait puts a load into the list of those that wait for an entry.
func (p *port) wait(l, i int32) {
	w := p.waiters.Take()
	p.waiters.Items[w] = waiter{l, p.buffer.entries[i].waiting}
	p.buffer.entries[i].waiting = w
}

// forward hands on what the buffer lacks of a load: the lanes, or parts of lines,
// that lie in other lines.
func (p *port) forward(now clock.Cycle, a *seam.MemoryAccess, l int32) {
	rest := &p.forwarded
	*rest = *a
	rest.Token = p.own.Token(loadToken | uint32(l))
	if a.Lines != nil {
		p.parts = p.parts[:0]
		for i := range a.Lines {
			if p.found[i] == none {
				p.parts = append(p.parts, a.Lines[i])
			}
		}
		rest.Lines = p.parts
	} else {
		rest.Mask = p.lacking()
	}
	p.Port.Issue(now, rest)
}

// lacking gives the lanes that need a line that is not in the buffer.
func (p *port) lacking() uint32 {
	mask := uint32(0)
	for m := p.lanes.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		first := p.lanes.Address(lane)
		for at := first &^ uint64(p.lineBytes-1); at < first+uint64(p.lanes.LaneBytes); at += uint64(p.lineBytes) {
			if p.lacks(at) {
				mask |= 1 << lane
			}
		}
	}
	return mask
}

// lacks reports whether a line of the load in hand is not in the buffer.
func (p *port) lacks(line uint64) bool {
	for i := range p.transactions {
		if p.transactions[i].Line == line {
			return p.found[i] == none
		}
	}
	return true
}

// part takes one off what a load waits for.
func (p *port) part(now clock.Cycle, l int32) {
	w := &p.loads.Items[l]
	if w.left--; w.left > 0 {
		return
	}
	end := *w
	p.loads.Release(l)
	p.finish(now, end.issued, end.token, end.counted)
}

// fill puts a line that has come into the buffer, for those that wait for it.
func (p *port) fill(now clock.Cycle, i int32) {
	p.count(countFill, 1)
	p.buffer.arrive(i)
	e := &p.buffer.entries[i]
	w := e.waiting
	e.waiting = none
	for w != none {
		x := p.waiters.Items[w]
		p.waiters.Release(w)
		p.part(now, x.load)
		w = x.next
	}
}
