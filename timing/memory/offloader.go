// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// offloader is what a System keeps for its offloader.
type offloader struct {
	seam.Offloader
	mark uint32 // in packet IDs, in the place of the SM
}

// Invite gives an offloader its place, before anything is under way. With seam.EndPeers
// every end of a mesh can send to every other. With seam.RouterPeers the routers of a
// butterfly are ends, too, and replies go back through the routers that requests have come
// by.
func (s *System) Invite(g seam.Offloader, peers seam.Peers) error {
	sms := s.machine.GPU.SMs
	s.offloader = &offloader{g, uint32(sms)}
	s.smBits = smBitsFor(sms + 1)
	for _, l := range s.slices {
		l.local, l.direct = ring.New[levelAccess](16), ring.New[levelAccess](16)
		l.joins(l)
	}
	n := &s.machine.Network
	switch {
	case peers == seam.EndPeers && n.Topology != "mesh":
		return fmt.Errorf("BUG: memory: machine %s: only the ends of a mesh can be peers", s.machine.Name)
	case peers == seam.RouterPeers && n.Topology != "butterfly":
		return fmt.Errorf("BUG: memory: machine %s: only the routers of a butterfly can be ends", s.machine.Name)
	case peers == seam.NoPeers:
		return nil
	}
	s.peers = peers
	return s.buildNetworks()
}

// Slice is the end of an L2 slice.
func (s *System) Slice(slice int) seam.End { return seam.End(s.machine.GPU.SMs + slice) }

// Router is the end of a router.
func (s *System) Router(router int) seam.End {
	return seam.End(s.machine.GPU.SMs + len(s.slices) + router)
}

// The networks have the SMs or the slices first, and the other ends that there are behind them:
// slices or SMs where those are peers, or routers.

// smsFirst is the number of an end among the inputs of requests and the outputs of replies.
func (s *System) smsFirst(end seam.End) int {
	if s.peers == seam.RouterPeers && int(end) >= s.machine.GPU.SMs {
		return int(end) - len(s.slices)
	}
	return int(end)
}

// slicesFirst is the number of an end among the outputs of requests and the inputs of replies.
func (s *System) slicesFirst(end seam.End) int {
	if n := int(end) - s.machine.GPU.SMs; n >= 0 {
		return n
	}
	return len(s.slices) + int(end)
}

// behindSMs is the end of a number behind those of the SMs, behindSlices of one behind those of
// the slices.
func (s *System) behindSMs(number int) seam.End {
	if s.peers == seam.RouterPeers {
		return seam.End(number + len(s.slices))
	}
	return seam.End(number)
}

func (s *System) behindSlices(number int) seam.End {
	if s.peers == seam.RouterPeers {
		return seam.End(number + s.machine.GPU.SMs)
	}
	return seam.End(number - len(s.slices))
}

func (s *System) isOffloader(packet uint32) bool {
	return s.offloader != nil && packet&(1<<s.smBits-1) == s.offloader.mark
}

func (s *System) offloaderPacket(id uint32) uint32 { return id<<s.smBits | s.offloader.mark }

// Locate gives the slice of a line and its address there.
func (s *System) Locate(line uint64) (slice int, inside uint64) { return s.addresses.slice(line) }

// Sectors is the number of sectors of L2 that bytes of a line touch: as many times
// is an access to them served.
func (s *System) Sectors(b cache.Bytes) int {
	return bits.OnesCount8(uint8(s.l2Geometry.Touched(b)))
}

// Flits is the number of flits of a message with payload behind a header.
func (s *System) Flits(payload int) uint16 { return network.Flits(s.header, payload, s.flit) }

// SectorFlits is that of an answer with a sector of L2.
func (s *System) SectorFlits() uint16 { return s.sectorFlits }

// WriteFlits is that of a write of bytes of a line.
func (s *System) WriteFlits(b cache.Bytes) uint16 { return s.Flits(s.sectorPayload(b)) }

// SendRequest puts a message of the offloader's into the request network at a time;
// false when there is no place.
func (s *System) SendRequest(at clock.Time, from, to seam.End, id uint32, flits uint16) bool {
	input := s.smsFirst(from)
	if !s.requestNet.CanSend(input) {
		return false
	}
	s.requestNet.Send(input, network.Packet{ID: s.offloaderPacket(id), To: uint16(s.slicesFirst(to)), Flits: flits})
	s.wakeNetwork(&s.requestDue, at)
	s.global[counters.RequestPackets]++
	s.global[counters.RequestFlits] += uint64(flits)
	return true
}

// SendReply is SendRequest for the reply network.
func (s *System) SendReply(at clock.Time, from, to seam.End, id uint32, flits uint16) bool {
	input := s.slicesFirst(from)
	if !s.replyNet.CanSend(input) {
		return false
	}
	s.replyNet.Send(input, network.Packet{ID: s.offloaderPacket(id), To: uint16(s.smsFirst(to)), Flits: flits})
	s.wakeNetwork(&s.replyDue, at)
	s.global[counters.ReplyPackets]++
	s.global[counters.ReplyFlits] += uint64(flits)
	return true
}

// Take gives the message that waits at an end that Arrived has named; false when
// there is none. keep leaves it there.
func (s *System) Take(at clock.Time, end seam.End, reply, keep bool) (id uint32, ok bool) {
	net, due, output := s.requestNet, &s.requestDue, s.slicesFirst(end)
	if reply {
		net, due, output = s.replyNet, &s.replyDue, s.smsFirst(end)
	}
	packet, ok := net.Head(output)
	if ok && !keep {
		net.Pop(output, s.wakeNetwork(due, at))
	}
	return packet.ID >> s.smBits, ok
}

// Access lets a slice serve an access of the offloader's, after those that it has given
// before. One whose answer leaves with the network takes turns with the network at
// the slice's input. One whose answer stays comes from a unit next to the slice, which
// lacks that way to the tags. There it takes turns with the input, or goes by arrival, and
// one that is first goes before both.
func (s *System) Access(at clock.Time, slice int, inside uint64, b cache.Bytes, store bool, order seam.Order, id uint32) {
	l := s.slices[slice]
	if at < s.now {
		panic("BUG: memory: an access of an offloader comes before what has happened already")
	}
	origin, queue, ready := s.offloaderPacket(id), &l.local, int64(0)
	switch {
	case order == seam.First:
		queue = &l.direct
	case l.stays(origin):
		queue = &l.near
		if order == seam.ByArrival {
			ready = int64(at / s.clocks.L2.Period)
		}
	}
	if queue == &l.local {
		l.waiting++
	}
	a := queue.Add()
	*a = levelAccess{address: inside, bytes: b, ready: ready, origin: origin}
	if store {
		a.kind = write
	}
	s.wakeSliceAt(at, l)
}

// admit hands the offloader its messages at the head of the slice's queue, and reports
// whether it has an access for L2.
func (s *slice) admit() bool {
	sys := s.system
	for {
		packet, ok := sys.requestNet.Head(s.number)
		if !ok || !sys.isOffloader(packet.ID) {
			return s.local.Len() > 0
		}
		sys.offloader.AtSlice(sys.now, s.number, s.take().ID>>sys.smBits)
	}
}

// nextLocal gives the offloader's next access, when it is its turn.
func (s *slice) nextLocal(a *levelAccess) bool {
	if s.local.Len() == 0 {
		return false
	}
	if s.arrived() > 0 && s.localLast {
		s.localLast = false
		return false
	}
	*a = s.local.Pop()
	s.waiting--
	if sys := s.system; sys.offloader.Replies(s.number, a.origin>>sys.smBits) {
		s.outstanding += uint64(sys.Sectors(a.bytes))
	}
	s.localLast = true
	return true
}

// locals is the part of a slice for an offloader.
type locals struct {
	local     ring.Ring[levelAccess]
	localLast bool
}

// Accepted tells that the offloader has taken a message at a slice to answer it later, as
// L2 does a request.
func (s *System) Accepted(at clock.Time, slice int) { s.integrated(at, slice).outstanding++ }

// Answered tells that the answer waits for the network.
func (s *System) Answered(at clock.Time, slice int) { s.integrated(at, slice).answered++ }

// Sent tells that it has been sent.
func (s *System) Sent(at clock.Time, slice int) {
	l := s.integrated(at, slice)
	l.outstanding--
	l.answered--
}

// integrated is a slice whose counts of time go up to the present.
func (s *System) integrated(at clock.Time, number int) *slice {
	l := s.slices[number]
	l.elapse(max(l.visited, int64(at/s.clocks.L2.Period)))
	return l
}

// ready is the number of answers that wait for the network.
func (s *slice) ready() uint64 {
	return uint64(s.answers.Len()) + s.answered
}

// Lookup gives the transactions of an access to global memory, and whether the L1
// has one of them, or waits for it.
func (p *Port) Lookup(a *seam.MemoryAccess, out []coalesce.Transaction) (list []coalesce.Transaction, cached bool) {
	var w coalesce.Warp
	p.lanes(a, &w)
	out = w.Lines(p.system.dataLine, out)
	if p.l1.tags == nil || a.Bypass {
		return out, false
	}
	for _, t := range out {
		l := p.l1.find(t.Line, t.Bytes)
		if l.missing == 0 || l.pending != 0 {
			return out, true
		}
	}
	return out, false
}

// Withdraw implements seam.OffloadPort: nothing stands in front.
func (p *Port) Withdraw(clock.Cycle, *seam.MemoryAccess) {}

// Addresses writes the addresses of the lanes of an access to global memory.
func (p *Port) Addresses(a *seam.MemoryAccess, out *[32]uint64) {
	var w coalesce.Warp
	p.lanes(a, &w)
	for lane := range out {
		out[lane] = w.Address(lane)
	}
}

// Forget drops the lines of an access from the L1: they are written elsewhere. A
// line that is on its way stays.
func (p *Port) Forget(lines []coalesce.Transaction) {
	if p.l1.tags == nil {
		return
	}
	for _, t := range lines {
		if i := p.l1.tags.Find(t.Line); i >= 0 && p.l1.tags.Pending(i) == 0 && p.l1.tags.Dirty(i) == 0 {
			p.leavesUnused(i)
			p.l1.tags.Drop(i)
		}
	}
}

// Missed counts transactions that have been looked up and go another way, of a sector each.
func (p *Port) Missed(n int) {
	p.counts[counters.GlobalTransactions] += uint64(n)
	p.counts[counters.L1Read] += uint64(n)
	p.counts[counters.L1ReadMiss] += uint64(n)
	p.counts[counters.L1ReadMissSectors] += uint64(n)
}

var (
	_ seam.OffloadHost = (*System)(nil)
	_ seam.OffloadPort = (*Port)(nil)
)
