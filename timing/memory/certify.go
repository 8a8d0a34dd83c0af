// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/limits"
)

// Certify implements seam.Certifier: it says what has come to the limits of ports, networks,
// slices and channels.
func (s *System) Certify(c *limits.Certificate) {
	m := s.machine
	for _, p := range s.ports {
		if p == nil {
			continue
		}
		p.l1.certify(c, "l1", &m.L1)
		p.constants.certify(c, "constant_cache", &m.Constant)
		p.instructions.certify(c, "instruction_cache", &m.Instruction)
		p.textures.certify(c, "texture_cache", &m.Texture)
	}
	s.requestNet.Certify(c)
	s.replyNet.Certify(c)
	for _, p := range s.partitions {
		p.channel.Certify(c)
		if p.llc != nil {
			p.llc.certify(c, "llc", &m.LLC)
		}
	}
	for _, l := range s.slices {
		l.certify(c, "l2.slice", &m.L2.Slice)
	}
}

// certify adds a cache of a port.
func (f *frontCache) certify(c *limits.Certificate, section string, own *arch.Cache) {
	c.Add(section+".miss_queue", &f.limit, 0)
	if f.tags == nil {
		return
	}
	f.misses.Certify(c, section, own.StreamRegisters())
	f.tags.Certify(c, section, own)
}

// certify adds a slice or a last-level cache.
func (l *level) certify(c *limits.Certificate, section string, own *arch.Cache) {
	c.Add(section+".miss_queue", &l.limit, 0)
	c.Add("l2.input_queue", &l.room, 0)
	c.Add("l2.input_queue", &l.entrance, int(l.latency))
	l.misses.Certify(c, section, 0)
	if !l.through {
		l.tags.Certify(c, section, own)
	}
}
