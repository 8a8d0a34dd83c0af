// SPDX-License-Identifier: Apache-2.0

package network

// Part is a stretch of the inputs and outputs of a network that is shared by
// several kinds of packets: a network of its own to its users. The owner
// of each part calls Cycle as for any network; one of them advances the whole,
// and the others see the same answer.
type Part struct {
	whole                 *Fabric
	class                 int
	firstInput, firstSink int
}

// NewPart is the part whose input 0 is firstInput of the whole and whose output
// 0 is firstOutput; class is that of its outputs.
func NewPart(whole *Fabric, class, firstInput, firstOutput int) *Part {
	return &Part{whole, class, firstInput, firstOutput}
}

// CanSend implements Network.
func (p *Part) CanSend(input int) bool { return p.whole.CanSend(p.firstInput + input) }

// Send implements Network.
func (p *Part) Send(input int, packet Packet) {
	packet.To += uint16(p.firstSink)
	p.whole.Send(p.firstInput+input, packet)
}

// Head implements Network.
func (p *Part) Head(output int) (Packet, bool) {
	packet, ok := p.whole.Head(p.firstSink + output)
	packet.To -= uint16(p.firstSink)
	return packet, ok
}

// Pop implements Network.
func (p *Part) Pop(output int, now int64) { p.whole.Pop(p.firstSink+output, now) }

// Cycle implements Network.
func (p *Part) Cycle(now int64) int64 { return p.whole.Cycle(now) }

// InFlight implements Network.
func (p *Part) InFlight() int {
	t := &p.whole.tallies[p.class]
	return int(t.queued + t.flying + t.arrived)
}

// Describe implements Network; it speaks of the whole.
func (p *Part) Describe() []string { return p.whole.Describe() }

var _ Network = (*Part)(nil)
