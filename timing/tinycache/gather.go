// SPDX-License-Identifier: Apache-2.0

package tinycache

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// The key of a line is its number in its space: the bits of an address above the
// line. Lines of the scratchpad also have the slot of their thread block (the
// extended address of section 5.3.3).
const (
	sharedKey      = 1 << 63
	blockSlotShift = 40
)

// keyOf gives the key of the line that holds an address.
func (h *shape) keyOf(address uint64, shared bool, blockSlot int) uint64 {
	if shared {
		return sharedKey | uint64(blockSlot)<<blockSlotShift | address>>h.lineShift
	}
	return address >> h.lineShift
}

// addressOf gives the address of a line in its space.
func (h *shape) addressOf(key uint64) uint64 {
	if key&sharedKey != 0 {
		key &= 1<<blockSlotShift - 1
	}
	return key << h.lineShift
}

// spaceOf is the space of a line.
func spaceOf(key uint64) trace.Space {
	if key&sharedKey != 0 {
		return trace.SpaceShared
	}
	return trace.SpaceGlobal
}

// part is half-words of one line, gathered from one or more lanes.
type part struct {
	key, halfWords uint64
	writer         uint8
	moves          int // words or requests of lanes
}

// gathering merges what lanes ask for, or give back, by line.
type gathering struct {
	parts []part
	// slots is a hash table of places in parts; those with another stamp are
	// empty.
	slots [2 * lanes * 64]struct {
		stamp uint32
		at    int32
	}
	stamp uint32
}

func (g *gathering) reset() {
	g.parts = g.parts[:0]
	if g.stamp++; g.stamp == 0 { // once in 2^32 accesses: old stamps must go
		clear(g.slots[:])
		g.stamp = 1
	}
}

// add merges half-words of a line into the gathering.
func (g *gathering) add(key, halfWords uint64, writer uint8, moves int) {
	if g.stamp == 0 {
		g.reset()
	}
	const size = uint64(len(g.slots))
	// Fibonacci hashing: the top bits of the product.
	for i := key * 0x9E3779B97F4A7C15 >> (64 - 12); ; i = (i + 1) % size {
		s := &g.slots[i]
		if s.stamp != g.stamp {
			s.stamp, s.at = g.stamp, int32(len(g.parts))
			g.parts = append(g.parts, part{key, halfWords, writer, moves})
			return
		}
		if p := &g.parts[s.at]; p.key == key {
			p.halfWords |= halfWords
			p.moves += moves
			return
		}
	}
}

// neighbours orders what is written back by writer, then by address, so that lines
// of one transaction of the DL1G reach the coalescer together.
func neighbours(a, b part) int {
	if a.writer != b.writer {
		return cmp.Compare(a.writer, b.writer)
	}
	return cmp.Compare(a.key, b.key)
}

// send puts the gathered parts into the queue, as accesses of the class: each has
// parts of one space and, of stores, of one writer.
func (p *port) send(g *gathering, access seam.MemoryAccess) {
	if access.Class == trace.ClassStore && len(g.parts) > 1 {
		slices.SortFunc(g.parts, neighbours)
	}
	for i := 0; i < len(g.parts); {
		first := &g.parts[i]
		access.Space, access.Instruction = spaceOf(first.key), p.line
		if access.Class == trace.ClassStore {
			access.WarpSlot, access.BlockSlot = int(first.writer), p.blockOf[first.writer]
		}
		o := p.push(p.after, &access)
		for ; i < len(g.parts) && o.count < lanes; i++ {
			x := &g.parts[i]
			if spaceOf(x.key) != access.Space || access.Class == trace.ClassStore && x.writer != first.writer {
				break
			}
			o.parts[o.count] = seam.LinePart{Address: p.shape.addressOf(x.key), HalfWords: x.halfWords}
			o.count++
			o.access.Moves += x.moves
		}
	}
	g.reset()
}

// words is the number of words that hold half-words of a line.
func words(halfWords uint64) int {
	const low = 0x5555555555555555
	return bits.OnesCount64((halfWords | halfWords>>1) & low)
}
