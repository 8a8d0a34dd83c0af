// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/dram"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/seam"
)

// slice is an L2 slice between the networks and its partition.
type slice struct {
	system      *System
	partition   *partition
	number      int    // over all partitions
	place       int    // number inside the partition
	outstanding uint64 // replies to the requests that it has taken
	answered    uint64 // messages of the offloader's that it has answered, and has yet to send
	visited     int64  // the last L2 cycle that it has done
	ahead       ahead
	level
	lower seam.Lower // takes the place of the partition; nil: nothing does
	locals
}

// elapse integrates up to L2 cycle now, before what the level does in it. Every reply is
// outstanding from its request's entry on, and is ready once it is among the answers.
// Integrated over time, that is how long it was served and how long it waited.
func (s *slice) elapse(now int64) {
	if s.outstanding > 0 {
		counts, elapsed, ready := s.partition.counts, uint64(now-s.visited), s.ready()
		counts[counters.L2ServiceCycles] += (s.outstanding - ready) * elapsed
		counts[counters.ReplyQueueCycles] += ready * elapsed
	}
	s.visited = now
}

// waits implements above: a request has arrived at the end of the network.
func (s *slice) waits() bool {
	return s.system.offloader == nil || s.admit() || s.arrived() > 0
}

// arrived is the number of requests at the end of the network.
func (s *slice) arrived() int { return s.waiting - s.local.Len() }

// take takes the first of the requests that have arrived.
func (s *slice) take() network.Packet {
	if s.ahead.on {
		return s.takeAhead()
	}
	packet, _ := s.system.requestNet.Head(s.number)
	s.system.requestNet.Pop(s.number, s.system.wakeRequestsNow())
	s.waiting--
	return packet
}

// next takes a request from the request network.
func (s *slice) next(a *levelAccess) {
	if s.nextLocal(a) {
		return
	}
	packet := s.take()
	r := s.system.request(packet.ID)
	a.address, a.bytes, a.more, a.origin, a.kind = r.address, r.bytes, r.more, packet.ID, r.kind
	s.outstanding += uint64(r.answers)
}

// answer sends a sector, or the word that a write is done, to the SM.
func (s *slice) answer(origin uint32) bool {
	sys := s.system
	if sys.isOffloader(origin) {
		id := origin >> sys.smBits
		replies := sys.offloader.Replies(s.number, id)
		if !sys.offloader.Served(sys.now, s.number, id) {
			return false
		}
		if replies {
			s.outstanding--
		}
		return true
	}
	if !s.canAnswer() {
		return false
	}
	r := sys.request(origin)
	flits := sys.sectorFlits
	if r.kind == write || r.kind == own {
		flits = sys.headerFlits
	}
	packet := network.Packet{ID: origin, To: r.sm, Flits: flits}
	if s.ahead.on {
		s.sendAhead(packet)
	} else {
		sys.replyNet.Send(s.number, packet)
		sys.wakeRepliesNow()
	}
	s.outstanding--
	s.partition.counts[counters.ReplyPackets]++
	s.partition.counts[counters.ReplyFlits] += uint64(flits)
	return true
}

// canAnswer reports whether the reply network takes an answer.
func (s *slice) canAnswer() bool {
	if s.ahead.on {
		return s.canSendAhead()
	}
	return s.system.replyNet.CanSend(s.number)
}

// read asks the partition for a sector.
func (s *slice) read(address uint64, bytes int, register int32) bool {
	id := uint32(s.place)<<16 | uint32(register)
	if s.channel != nil {
		s.refused = !s.partition.access(s.place, address, bytes, false, id)
		return !s.refused
	}
	if s.lower != nil {
		return s.lower.Read(s.system.now, address, bytes, uint32(register))
	}
	a := s.system.addresses.inPartition(s.place, address)
	return s.partition.offer(levelAccess{address: a, bytes: cache.Range(int(a%cache.BlockBytes), bytes), origin: id, kind: read})
}

// write hands dirty sectors to the partition.
func (s *slice) write(address uint64, bytes int) bool {
	if s.channel != nil {
		s.refused = !s.partition.access(s.place, address, bytes, true, 0)
		return !s.refused
	}
	if s.lower != nil {
		return s.lower.Write(s.system.now, address, bytes)
	}
	a := s.system.addresses.inPartition(s.place, address)
	return s.partition.offer(levelAccess{address: a, bytes: cache.Range(int(a%cache.BlockBytes), bytes), origin: ^uint32(0), kind: write})
}

// partition is one memory partition below its slices: an optional last-level
// cache and a DRAM channel.
type partition struct {
	system  *System
	number  int
	own     *apartPartition // nil until it runs apart for the first time
	at      *moment         // its present: that of all, unless it runs apart
	counts  *counters.Set   // likewise
	slices  []*slice
	llc     *level
	channel dram.Channel
	pending levelAccess
	offered bool   // pending waits to enter the last-level cache
	users   []user // of the last-level cache, besides the slices
	turn    int    // the user that is first in turn
	waiting int    // accesses of users that wait to enter
}

// access gives a request to the channel, which has said that it takes one.
func (p *partition) access(slice int, address uint64, bytes int, isWrite bool, id uint32) bool {
	s := p.system
	bank, row := s.addresses.bank(slice, address)
	cycle, edge := p.at.edges.dram.Next(p.at.now)
	if !p.channel.Offer(int64(cycle-1), dram.Request{Row: row, Bank: int32(bank), Bytes: int32(bytes), Write: isWrite, ID: id}) {
		return false
	}
	s.wakeChannelAt(p, edge)
	return true
}

// Done implements dram.Sink.
func (p *partition) Done(id uint32) {
	if p.llc != nil {
		p.llc.fills.Push(int32(id))
		p.system.wakeLLC(p)
		return
	}
	p.fillSlice(id)
}

// Freed implements dram.Sink: whoever was refused tries again.
func (p *partition) Freed() {
	if p.llc != nil {
		p.llc.refused = false
		p.system.wakeLLC(p)
		return
	}
	for _, s := range p.slices {
		s.refused = false
	}
	p.wakeSlices()
}

func (p *partition) wakeSlices() {
	for _, s := range p.slices {
		p.system.wakeSlice(s)
	}
}

// fillSlice hands a sector to the slice that asked for it.
func (p *partition) fillSlice(id uint32) {
	s := p.slices[id>>16]
	s.fills.Push(int32(id & 0xffff))
	p.system.wakeSlice(s)
}

// offer puts a slice's access in front of the last-level cache.
func (p *partition) offer(a levelAccess) bool {
	if p.offered {
		return false
	}
	p.pending, p.offered = a, true
	p.llc.waiting++
	p.system.wakeLLC(p)
	return true
}

// waits implements above for the last-level cache.
func (p *partition) waits() bool { return true }

// next implements above for the last-level cache.
func (p *partition) next(a *levelAccess) {
	if p.waiting > 0 && p.takeUser(a) {
		return
	}
	p.offered = false
	p.llc.waiting--
	p.wakeSlices()
	*a = p.pending
}

// answer implements above: a slice always takes a fill; writes need no answer.
func (p *partition) answer(origin uint32) bool {
	switch {
	case origin == ^uint32(0):
	case origin&userOrigin != 0:
		p.fillUser(origin)
	default:
		p.fillSlice(origin)
	}
	return true
}

// read implements below for the last-level cache.
func (p *partition) read(address uint64, bytes int, register int32) bool {
	slice, inside := p.system.addresses.fromPartition(address)
	p.llc.refused = !p.access(slice, inside, bytes, false, uint32(register))
	return !p.llc.refused
}

// write implements below for the last-level cache.
func (p *partition) write(address uint64, bytes int) bool {
	slice, inside := p.system.addresses.fromPartition(address)
	p.llc.refused = !p.access(slice, inside, bytes, true, 0)
	return !p.llc.refused
}
