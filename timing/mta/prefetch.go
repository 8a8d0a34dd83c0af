// SPDX-License-Identifier: Apache-2.0

package mta

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// train takes a load, which gather has seen, into the tables of strides, and queues
// the lines that they predict. A stride within a warp goes before one between
// warps.
func (p *port) train(now clock.Cycle, a *seam.MemoryAccess) {
	p.count(countLoad, 1)
	p.throttle.set(now)
	address := p.first(a)
	at := place{p.blocks[a.BlockSlot], int32(a.WarpSlot)}
	ahead := int64(0)
	if p.inter {
		ahead = p.strides.ofThreads(a.Instruction, at, address)
	}
	if p.intra {
		if stride := p.within(a.Instruction, at, address); stride != 0 {
			ahead = stride
		}
	}
	if ahead != 0 {
		p.predict(a, ahead*p.distance)
	}
}

// within gives the stride of a warp's accesses, zero while it is not known.
func (p *port) within(instruction uint32, at place, address uint64) int64 {
	if stride := p.strides.forAll(instruction); stride != 0 {
		return stride
	}
	p.buffer.tick++
	stride, promoted := p.strides.ofWarp(p.buffer.tick, instruction, at, address)
	p.count(countWarpLookup, 1)
	p.count(countWarpWrite, 1)
	if promoted {
		p.count(countPromotion, 1)
	}
	return stride
}

// first is the address that tables know an access by.
func (p *port) first(a *seam.MemoryAccess) uint64 {
	if a.Lines != nil {
		return a.Lines[0].Address
	}
	return p.lanes.Address(bits.TrailingZeros32(a.Mask))
}

// predict queues the lines of the access in hand, moved by some bytes.
func (p *port) predict(a *seam.MemoryAccess, move int64) {
	if a.Lines != nil {
		for i := range p.transactions {
			p.transactions[i].Line = (a.Lines[i].Address + uint64(move)) &^ uint64(p.lineBytes-1)
		}
	} else {
		p.transactions = p.moved(move).Lines(p.lineBytes, p.transactions[:0])
	}
	for i := range p.transactions {
		p.enqueue(p.transactions[i].Line)
	}
}

// moved is the lanes of the access in hand, moved by some bytes.
func (p *port) moved(move int64) *coalesce.Warp {
	p.lanes.Base += uint64(move)
	if !p.lanes.Strided {
		for i := range trace.WarpSize {
			p.shifted[i] = p.lanes.Addresses[i] + uint64(move)
		}
		p.lanes.Addresses = &p.shifted
	}
	return &p.lanes
}

// enqueue takes a predicted line that is worth asking for.
func (p *port) enqueue(line uint64) {
	switch {
	case p.buffer.find(line) != none || p.early.Holds(line):
		p.count(countRedundant, 1)
	case !p.throttle.allows():
		p.count(countThrottled, 1)
	case p.queue.Len() >= p.queueMax:
		p.count(countDropped, 1)
	default:
		p.queue.Push(line)
	}
}

// prefetch asks for one line a cycle; it reports whether there is more to do at
// once.
func (p *port) prefetch(now clock.Cycle) (moved bool) {
	for p.queue.Len() > 0 {
		line := *p.queue.Head()
		if p.buffer.find(line) != none || p.early.Holds(line) {
			p.count(countRedundant, 1)
			p.queue.Pop()
			continue
		}
		if p.buffer.pending >= p.outstanding {
			return false
		}
		i := p.buffer.victim(line)
		if i == none {
			p.count(countDropped, 1)
			p.queue.Pop()
			continue
		}
		if !p.early.ReadEarly(now, line, p.own.Token(uint32(i))) {
			return false
		}
		p.queue.Pop()
		p.replace(i, line)
		return true
	}
	return false
}

// replace puts a line that has been asked for in the place of another.
func (p *port) replace(i int32, line uint64) {
	if e := &p.buffer.entries[i]; e.state == present && !e.useful {
		p.count(countEarlyEviction, 1)
		p.throttle.evicted++
	}
	p.buffer.await(i, line)
	p.count(countPrefetch, 1)
}
