// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// ahead is what a port or a slice has done at its ends of the networks, in cycles to
// which the networks have yet to come: see apart.
type ahead struct {
	on bool
	seam.Sight
	sends ring.Ring[sending]
	takes ring.Ring[taking]
	edges clock.Edges // of the networks; a slice has its partition's
}

// sending is a packet that enters a network before its cycle apply, and makes it due in
// the cycle wake.
type sending struct {
	apply, wake int64
	packet      network.Packet
}

// taking is a packet that leaves a network, in the same way.
type taking struct{ apply, wake int64 }

func newAhead(s *System) ahead {
	return ahead{sends: ring.New[sending](16), takes: ring.New[taking](16), edges: s.clocks.Network.Edges()}
}

// look finds out what is known of an end of two networks that stand still. That is how
// many packets it may send, and when the next packet comes that it has yet to take.
func (a *ahead) look(s *System, to, from *network.Crossbar, end int) {
	a.Room = to.Room(end) - a.sends.Len()
	a.Answer = s.answerOf(from, end, a.takes.Len())
}

// answerOf is the core cycle in which packet k of those for an end is there, as far as
// that is known.
func (s *System) answerOf(from *network.Crossbar, end, k int) clock.Cycle {
	at, ok := from.ArrivalOf(end, k)
	if !ok {
		return clock.Never
	}
	return s.clocks.Core.CyclesUntil(clock.Time(at) * s.clocks.Network.Period)
}

// canSend reports whether the network takes a request. A port that runs ahead asks in
// cycles only for which it knows that there is room, or that there is none.
func (p *Port) canSend() bool {
	a := &p.ahead
	if !a.on {
		return p.system.requestNet.CanSend(p.sm)
	}
	if a.Room > 0 {
		return true
	}
	p.system.apart.forth.net.Refuse(p.sm)
	a.Refused = true
	return false
}

// sendAhead takes note of a request that is sent in the cycle now. It is in the network
// in the first network cycle later than the core's edge.
func (p *Port) sendAhead(now clock.Cycle, packet network.Packet) {
	a := &p.ahead
	a.Room--
	next, _ := a.edges.Next(p.system.clocks.Core.Start(now))
	a.sends.Push(sending{int64(next), int64(next), packet})
}

// pop takes the first answer that has arrived off the network.
func (p *Port) pop(now clock.Cycle) {
	p.system.replyNet.Pop(p.sm, p.system.wakeReplies(now))
	p.arrived--
}

// takeReply takes the answer that has arrived by the cycle now, if one has.
func (p *Port) takeReply(now clock.Cycle) (network.Packet, bool) {
	a := &p.ahead
	if !a.on {
		if p.arrived == 0 {
			return network.Packet{}, false
		}
		packet, _ := p.system.replyNet.Head(p.sm)
		p.pop(now)
		return packet, true
	}
	if a.Answer > now {
		return network.Packet{}, false
	}
	back := p.system.apart.back.net
	packet := back.PacketAt(p.sm, a.takes.Len())
	next, _ := a.edges.Next(p.system.clocks.Core.Start(now))
	a.takes.Push(taking{int64(next), int64(next)})
	a.Answer = p.system.answerOf(back, p.sm, a.takes.Len())
	return packet, true
}

// around gives two network cycles. apply is the first that is not before the L2 edge at
// which a slice acts, and wake the first later than it. L2 goes before the networks at
// the same time.
func (s *slice) around() (apply, wake int64) {
	m := s.partition.at
	next, edge := m.edges.network.Next(m.now)
	apply, wake = int64(next), int64(next)
	if edge-s.system.clocks.Network.Period == m.now {
		apply--
	}
	return apply, wake
}

// canSendAhead is canAnswer of a slice that runs ahead.
func (s *slice) canSendAhead() bool {
	if s.ahead.Room > 0 {
		return true
	}
	s.system.apart.back.net.Refuse(s.number)
	s.ahead.Refused = true
	return false
}

// sendAhead takes note of an answer that a slice sends now.
func (s *slice) sendAhead(packet network.Packet) {
	s.ahead.Room--
	apply, wake := s.around()
	s.ahead.sends.Push(sending{apply, wake, packet})
}

// takeAhead takes the first of the requests that have arrived.
func (s *slice) takeAhead() network.Packet {
	packet := s.system.apart.forth.net.PacketAt(s.number, s.ahead.takes.Len())
	apply, wake := s.around()
	s.ahead.takes.Push(taking{apply, wake})
	s.waiting--
	return packet
}

// request is the request that a packet names.
func (s *System) request(packet uint32) *request {
	return &s.ports[packet&(1<<s.smBits-1)].sent[packet>>s.smBits]
}

// packetID names request i of an SM's port in the networks.
func (s *System) packetID(sm int, i int32) uint32 { return uint32(i)<<s.smBits | uint32(sm) }

// requestOf is the request that a packet names, in its port.
func (s *System) requestOf(packet uint32) int32 { return int32(packet >> s.smBits) }

func smBitsFor(sms int) uint { return uint(bits.Len(uint(sms - 1))) }
