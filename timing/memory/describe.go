// SPDX-License-Identifier: Apache-2.0

package memory

import "fmt"

// maxDescribed bounds the operations that Describe lists per SM.
const maxDescribed = 4

// Describe implements seam.MemorySystem: a port with requests on their way, what
// lies behind it from the networks to the banks, and the other ports.
func (s *System) Describe() []string {
	var first, others []string
	for _, p := range s.ports {
		if p == nil || p.operations.Used() == 0 {
			continue
		}
		if first == nil {
			first = p.describe()
		} else {
			others = append(others, p.describe()...)
		}
	}
	return append(append(first, s.describeBeyond()...), others...)
}

// describeBeyond is what lies behind the ports.
func (s *System) describeBeyond() []string {
	var out []string
	if n := s.requestNet.InFlight(); n > 0 {
		out = append(out, fmt.Sprintf("request network: %d packets", n))
		out = append(out, indented(s.requestNet.Describe())...)
	}
	if n := s.replyNet.InFlight(); n > 0 {
		out = append(out, fmt.Sprintf("reply network: %d packets", n))
		out = append(out, indented(s.replyNet.Describe())...)
	}
	for _, l := range s.slices {
		if l.level.inside() > 0 {
			out = append(out, l.level.describe(fmt.Sprintf("L2 slice %d", l.number)))
		}
	}
	for _, p := range s.partitions {
		if p.llc != nil && p.llc.inside() > 0 {
			out = append(out, p.llc.describe(fmt.Sprintf("LLC of partition %d", p.number)))
		}
		if n := p.channel.InFlight(); n > 0 {
			out = append(out, fmt.Sprintf("DRAM channel %d: %d requests", p.number, n))
			for _, line := range p.channel.Describe() {
				out = append(out, fmt.Sprintf("DRAM channel %d: %s", p.number, line))
			}
		}
	}
	return out
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

func (l *level) describe(name string) string {
	return fmt.Sprintf("%s: %d accesses wait for the tags, %d sectors are on their way, %d requests wait for the level below, %d answers wait for the way back",
		name, l.input.Len(), l.misses.Used(), l.queue.Len(), l.answers.Len())
}

// describe lists the transactions and operations of a port.
func (p *Port) describe() []string {
	out := []string{fmt.Sprintf("SM %d: %d operations; %d transactions before L1, %d before the constant and %d before the texture cache, %d fetches wait for an MSHR; %d, %d, %d and %d requests wait for the network",
		p.sm, p.operations.Used(), p.data.Len(), p.constant.Len(), p.texture.Len(), p.fetches.Len(), p.l1.queue.Len(), p.constants.queue.Len(), p.textures.queue.Len(), p.instructions.queue.Len())}
	listed := 0
	for i := range p.requests.Items {
		r := &p.requests.Items[i]
		if r.answers <= 0 {
			continue
		}
		if listed++; listed > maxDescribed {
			break
		}
		out = append(out, fmt.Sprintf("SM %d: request to slice %d, address %#x in it, sent in cycle %d, waits for %d answers", p.sm, r.slice, r.address, r.sent, r.answers))
	}
	return out
}
