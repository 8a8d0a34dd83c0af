// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/ring"
	"github.com/warptape/warptape/timing/seam"
)

// lookahead is what a port has done in cycles to which the memory system has yet to
// come: see seam.Lookahead.
type lookahead struct {
	on     bool
	log    ring.Ring[act] // in order of cycle
	taken  int            // replies in log
	answer clock.Cycle    // in which the next reply arrives
}

// act is a request sent in a cycle, or a reply taken when request is none.
type act struct {
	cycle   clock.Cycle
	request int32
}

// packetID names request i of an SM's port in the networks.
func (s *System) packetID(sm int, i int32) uint32 { return uint32(i)<<s.smBits | uint32(sm) }

// requestOf is the request that a packet names, in its port.
func (s *System) requestOf(packet uint32) int32 { return int32(packet >> s.smBits) }

// request is the request that a packet names.
func (s *System) request(packet uint32) *request {
	return &s.ports[packet&(1<<s.smBits-1)].requests.Items[packet>>s.smBits]
}

func smBitsFor(sms int) uint { return uint(bits.Len(uint(sms - 1))) }

// Lookahead implements seam.Lookahead. An answer that leaves a slice after now is at
// its SM a traversal of the network later at the earliest, so that what an SM will
// see before is known; and an SM sends one request a cycle at most, so that the
// network is sure to take as many as there are places. Only crossbars tell.
func (s *System) Lookahead(now clock.Cycle) clock.Cycle {
	forth, ok := s.requestNet.(*network.Crossbar)
	back, isCrossbar := s.replyNet.(*network.Crossbar)
	if !ok || !isCrossbar {
		return now
	}
	n := clock.Cycle(clock.Time(back.Latency())*s.clocks.Network.Period/s.clocks.Core.Period) + 1
	for sm := range s.ports {
		n = min(n, clock.Cycle(forth.Room(sm)))
	}
	return now + n
}

// RunAhead implements seam.Lookahead.
func (s *System) RunAhead(sm int, on bool) {
	a := &s.ports[sm].lookahead
	if a.on = on; on {
		a.answer = s.answerOf(sm, a.taken)
	}
}

// answerOf is the cycle in which the k-th of the replies that an SM has yet to
// take reaches it, as far as that is known.
func (s *System) answerOf(sm, k int) clock.Cycle {
	at, ok := s.replyNet.(*network.Crossbar).ArrivalOf(sm, k)
	if !ok {
		return clock.Never
	}
	return s.clocks.Core.CyclesUntil(clock.Time(at) * s.clocks.Network.Period)
}

// NextAnswer implements seam.Lookahead.
func (s *System) NextAnswer(sm int) clock.Cycle { return s.ports[sm].lookahead.answer }

// NextAct implements seam.Lookahead.
func (s *System) NextAct(sm int) clock.Cycle {
	if log := &s.ports[sm].lookahead.log; log.Len() > 0 {
		return log.Head().cycle
	}
	return clock.Never
}

// CatchUp implements seam.Lookahead.
func (s *System) CatchUp(sm int, now clock.Cycle) {
	p := s.ports[sm]
	a := &p.lookahead
	for a.log.Len() > 0 && a.log.Head().cycle <= now {
		if i := a.log.Pop().request; i != none {
			p.send(now, i)
		} else {
			a.taken--
			p.pop(now)
		}
	}
}

// canSend reports whether the network takes a request: always of a port that runs
// ahead, as Lookahead has made sure.
func (p *Port) canSend() bool { return p.lookahead.on || p.system.requestNet.CanSend(p.sm) }

// pop takes the first answer that has arrived off the network.
func (p *Port) pop(now clock.Cycle) {
	p.system.replyNet.Pop(p.sm, p.system.wakeReplies(now))
	p.arrived--
}

// takeReply takes the answer that has arrived by the cycle now, if one has.
func (p *Port) takeReply(now clock.Cycle) (network.Packet, bool) {
	s := p.system
	if !p.lookahead.on {
		if p.arrived == 0 {
			return network.Packet{}, false
		}
		packet, _ := s.replyNet.Head(p.sm)
		p.pop(now)
		return packet, true
	}
	a := &p.lookahead
	if a.answer > now {
		return network.Packet{}, false
	}
	packet := s.replyNet.(*network.Crossbar).PacketAt(p.sm, a.taken)
	a.taken++
	a.answer = s.answerOf(p.sm, a.taken)
	a.log.Push(act{now, none})
	return packet, true
}

var _ seam.Lookahead = (*System)(nil)
