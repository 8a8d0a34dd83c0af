// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"fmt"
	"slices"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/seam"
)

// routedNetwork is a network of routers with its name in reports.
type routedNetwork struct {
	name   string
	fabric *network.Fabric
}

// buildNetworks makes the request and the reply network. Inputs of the one and
// outputs of the other are the SMs, the other ends the L2 slices.
func (s *System) buildNetworks() error {
	m := s.machine
	switch m.Network.Topology {
	case "crossbar":
		s.crossbars()
		return nil
	case "mesh":
		p, err := m.MeshPlacement()
		if err != nil {
			return fmt.Errorf("machine %s: network.placement: %w", m.Name, err)
		}
		s.meshes(&p)
		return nil
	case "butterfly":
		p, err := m.ButterflyPlacement()
		if err != nil {
			return fmt.Errorf("machine %s: network.stages: %w", m.Name, err)
		}
		n := &m.Network
		if s.peers == seam.RouterPeers {
			s.fabrics(network.MeetingButterfly(n.Radix, n.Stages, p.SMs, p.Slices, false), network.MeetingButterfly(n.Radix, n.Stages, p.Slices, p.SMs, true))
			return nil
		}
		s.fabrics(network.Butterfly(n.Radix, n.Stages, p.SMs, p.Slices), network.Butterfly(n.Radix, n.Stages, p.Slices, p.SMs))
		return nil
	}
	return fmt.Errorf("BUG: memory: machine %s has a %q for a network", m.Name, m.Network.Topology)
}

func (s *System) crossbars() {
	m := s.machine
	ofSlices := m.L2.Partitions * m.L2.SlicesPerPartition
	shape := network.Config{LatencyCycles: m.Network.LatencyCycles, InputQueue: m.Network.InputQueue, OutputQueue: m.Network.OutputQueue}
	shape.Inputs, shape.Outputs = m.GPU.SMs, ofSlices
	s.requestNet = network.NewCrossbar(shape, s.requestCounts(), (*requestEnds)(s))
	shape.Inputs, shape.Outputs = ofSlices, m.GPU.SMs
	s.replyNet = network.NewCrossbar(shape, s.replyCounts(), (*replyEnds)(s))
}

func (s *System) meshes(p *arch.Placement) {
	n := &s.machine.Network
	yx := n.Routing == "yx"
	peers := s.peers == seam.EndPeers
	if peers && n.Sharing != "shared" {
		forth := network.Mesh(p.Rows, p.Columns, yx, slices.Concat(p.SMs, p.Slices), slices.Concat(p.Slices, p.SMs))
		back := network.Mesh(p.Rows, p.Columns, yx, slices.Concat(p.Slices, p.SMs), slices.Concat(p.SMs, p.Slices))
		s.fabrics(forth, back)
		return
	}
	if n.Sharing != "shared" {
		s.fabrics(network.Mesh(p.Rows, p.Columns, yx, p.SMs, p.Slices), network.Mesh(p.Rows, p.Columns, yx, p.Slices, p.SMs))
		return
	}
	// Requests are class 0, from SMs to slices, replies class 1. Where both send and take either,
	// each has a port for requests and one for replies.
	sms, ofSlices := len(p.SMs), len(p.Slices)
	inputs, outputs := slices.Concat(p.SMs, p.Slices), slices.Concat(p.Slices, p.SMs)
	topology := network.Mesh(p.Rows, p.Columns, yx, inputs, outputs)
	if peers {
		topology = network.TwoPortMesh(p.Rows, p.Columns, yx, [2][]int{inputs, outputs}, [2][]int{outputs, inputs})
		sms, ofSlices = len(inputs), len(outputs)
		outputs = slices.Concat(outputs, inputs)
	}
	c := s.routerConfig()
	c.Classes, c.ClassOf = 2, make([]uint8, len(outputs))
	for o := ofSlices; o < len(outputs); o++ {
		c.ClassOf[o] = 1
	}
	whole := network.NewFabric(topology, c,
		[]network.Counts{s.requestCounts(), s.replyCounts()}, s.routerCounts(), &sharedEnds{s, sms, ofSlices})
	s.requestNet = network.NewPart(whole, 0, 0, 0)
	s.replyNet = network.NewPart(whole, 1, sms, ofSlices)
	s.routed = []routedNetwork{{"shared", whole}}
}

// fabrics makes two networks of routers.
func (s *System) fabrics(request, reply *network.Topology) {
	c := s.routerConfig()
	forth := network.NewFabric(request, c, []network.Counts{s.requestCounts()}, s.routerCounts(), (*requestEnds)(s))
	back := network.NewFabric(reply, c, []network.Counts{s.replyCounts()}, s.routerCounts(), (*replyEnds)(s))
	s.requestNet, s.replyNet = forth, back
	s.routed = []routedNetwork{{"request", forth}, {"reply", back}}
}

func (s *System) routerConfig() network.RouterConfig {
	n := &s.machine.Network
	return network.RouterConfig{
		VirtualChannels: n.VirtualChannels, BufferFlits: n.VCFlits, RouterCycles: n.RouterCycles, LinkCycles: n.LinkCycles,
		Iterations: n.AllocatorIterations, InputQueue: n.InputQueue, OutputQueue: n.OutputQueue, Classes: 1,
	}
}

func (s *System) requestCounts() network.Counts {
	return network.Counts{
		Set: s.global, Injection: counters.RequestInjectionCycles, Traversal: counters.RequestTraversalCycles,
		Ejection: counters.RequestEjectionCycles, FlitHops: counters.RequestFlitHops,
	}
}

func (s *System) replyCounts() network.Counts {
	return network.Counts{
		Set: s.global, Injection: counters.ReplyInjectionCycles, Traversal: counters.ReplyTraversalCycles,
		Ejection: counters.ReplyEjectionCycles, FlitHops: counters.ReplyFlitHops,
	}
}

func (s *System) routerCounts() network.RouterCounts {
	return network.RouterCounts{Set: s.global, Flits: counters.RouterFlits, Buffered: counters.RouterBufferedFlits, Stalled: counters.RouterCreditStalls}
}

// sharedEnds listens to a network that carries requests and replies.
type sharedEnds struct {
	system      *System
	sms, slices int
}

// Freed implements network.Listener.
func (e *sharedEnds) Freed(input int) {
	if input < e.sms {
		(*requestEnds)(e.system).Freed(input)
		return
	}
	(*replyEnds)(e.system).Freed(input - e.sms)
}

// Arrived implements network.Listener.
func (e *sharedEnds) Arrived(output int) {
	if output < e.slices {
		(*requestEnds)(e.system).Arrived(output)
		return
	}
	(*replyEnds)(e.system).Arrived(output - e.slices)
}

// Links implements seam.LinkReporter.
func (s *System) Links() []seam.LinkUse {
	var out []seam.LinkUse
	for _, n := range s.routed {
		for _, l := range n.fabric.Links() {
			out = append(out, seam.LinkUse{Network: n.name, From: l.From, To: l.To, Flits: l.Flits})
		}
	}
	return out
}

var _ seam.LinkReporter = (*System)(nil)
