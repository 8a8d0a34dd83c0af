// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"math/bits"

	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/timing/seam"
)

// part is lanes of a chain that touch the same line with each instruction, and those lines.
type part struct {
	lanes   uint32
	lines   [3]coalesce.Transaction
	crosses bool // the end of a line
	node    seam.End
	meets   bool // at the node
}

// divide makes packets of the lanes of a chain, one for those that touch the same line
// with each instruction (section 4.5). It puts them into the packets to be sent. It
// returns the lanes whose data meet at no node that computes, that cross a line, or for
// which no entry is free. With whole_chains those are all lanes or none.
func (q *queue) divide(a *attempt, i *seam.Issuing) (rest uint32) {
	parts := q.partsOf(a, i.Mask)
	if q.engine.section.WholeChains && !q.allMeet(a, parts) {
		return i.Mask
	}
	for k := range parts {
		// The entry of the first one is that of the chain.
		if p := &parts[k]; p.meets || (a.parts == 0 || a.parts <= q.free) && q.meet(a, p) {
			q.pack(a, i.Warp, p)
		} else {
			rest |= p.lanes
		}
	}
	return rest
}

// allMeet reports whether each part has an entry and a node.
func (q *queue) allMeet(a *attempt, parts []part) bool {
	if len(parts)-1 > q.free {
		return false
	}
	for k := range parts {
		if !q.meet(a, &parts[k]) {
			return false
		}
	}
	return true
}

// partsOf divides lanes into parts, by the lowest of each.
func (q *queue) partsOf(a *attempt, lanes uint32) []part {
	q.divided = q.divided[:0]
	if a.touches[0] == 1 && (a.chain.loads < 2 || a.touches[1] == 1) && (!a.chain.stores || a.touches[storeLine] == 1) {
		q.divided = append(q.divided, part{lanes: lanes, lines: a.first})
		return q.divided
	}
	for k := range q.addresses {
		if a.uses(k) {
			q.caches.Addresses(&a.accesses[k], &q.addresses[k])
		}
	}
	for todo := lanes; todo != 0; {
		var p part
		group, whole := a.group(&q.addresses, bits.TrailingZeros32(todo), todo, &p.lines)
		p.lanes, p.crosses = group, !whole
		q.divided = append(q.divided, p)
		todo &^= group
	}
	return q.divided
}

// uses reports whether the chain has the access k.
func (a *attempt) uses(k int) bool {
	return k < a.chain.loads || k == storeLine && a.chain.stores
}

// group gives the lanes of todo that touch the same lines as lane does, and those
// lines; whole is false when they cross the end of one.
func (a *attempt) group(addresses *[3][32]uint64, lane int, todo uint32, lines *[3]coalesce.Transaction) (group uint32, whole bool) {
	for m := todo; m != 0; m &= m - 1 {
		other := bits.TrailingZeros32(m)
		same := true
		for k := range addresses {
			same = same && (!a.uses(k) || addresses[k][other]/lineBytes == addresses[k][lane]/lineBytes)
		}
		if same {
			group |= 1 << other
		}
	}
	whole = true
	for k := range addresses {
		if !a.uses(k) {
			continue
		}
		n := int(a.accesses[k].LaneBytes)
		lines[k].Line = addresses[k][lane] &^ (lineBytes - 1)
		for m := group; m != 0; m &= m - 1 {
			at := int(addresses[k][bits.TrailingZeros32(m)] % lineBytes)
			if at+n > lineBytes {
				return group, false
			}
			lines[k].Bytes = lines[k].Bytes.Or(cache.Range(at, n))
		}
	}
	return group, whole
}

// meet finds the node for a part; false when there is none.
func (q *queue) meet(a *attempt, p *part) bool {
	if p.crosses {
		return false
	}
	var slices [3]int
	for k := range slices {
		if slices[k] = nowhere; a.uses(k) {
			if !addressed(p.lines[k].Line) {
				return false
			}
			slices[k], _ = q.engine.system.Locate(p.lines[k].Line)
		}
	}
	p.node, p.meets = q.engine.nodeOf(q.sm, slices)
	return p.meets
}

// pack makes a packet of a part.
func (q *queue) pack(a *attempt, warp int, p *part) {
	e := q.engine
	i := q.part(a, warp, p.lanes)
	j := &e.jobs.items[i]
	j.node = p.node
	for k := range p.lines {
		if a.uses(k) {
			slice, inside := e.system.Locate(p.lines[k].Line)
			j.lines[k] = line{inside: inside, slice: uint16(slice), sectors: uint16(e.system.Sectors(p.lines[k].Bytes)), bytes: p.lines[k].Bytes}
		}
	}
	q.packets.Push(i)
}

// nodeOf is where a chain is computed whose loads and store are in some slices: at
// the slice of all of them. When cores compute, the store may go elsewhere, and two
// loads may meet at another node. When routers do, it is the last one on the ways of all.
func (e *engine) nodeOf(core int, slices [3]int) (seam.End, bool) {
	a, b, c := slices[0], slices[1], slices[storeLine]
	if b == nowhere {
		b = a
	}
	if c == nowhere {
		c = a
	}
	switch {
	case a == b && (c == a || e.peers == seam.EndPeers), e.peers == seam.EndPeers && e.section.Meet == "operand":
		return e.system.Slice(a), true
	case e.peers == seam.NoPeers:
		return 0, false
	}
	e.count(countMeetLookup, 1)
	n := e.meet.at(core, a, b)
	if e.peers == seam.RouterPeers {
		return e.system.Router(min(n, e.meet.at(core, a, c))), true
	}
	return seam.End(n), n != nowhere
}

// operandFlits is the length of a message with what L2 has served of an operand, of one of
// its sectors.
func (e *engine) operandFlits(l *line) uint16 {
	if e.section.Operands == "lines" {
		return e.system.SectorFlits()
	}
	return e.system.Flits((l.bytes.Count() + int(l.sectors) - 1) / int(l.sectors))
}

// answerFlits is the length of the answer to a job.
func (e *engine) answerFlits(j *job) uint16 {
	switch j.chain.answer {
	case chains.Data:
		if e.section.Answers == "lanes" {
			return e.system.Flits(4 * bits.OnesCount32(j.mask))
		}
		return e.system.Flits(lineBytes)
	case chains.Bitmap:
		return e.system.Flits(4)
	}
	return e.system.Flits(0)
}
