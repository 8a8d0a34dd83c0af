// SPDX-License-Identifier: Apache-2.0

package energy

import (
	"fmt"
	"math"

	"github.com/warptape/warptape/energy/sram"
	"github.com/warptape/warptape/timing/arch"
)

// Limits of what one array of the memory model takes; beyond them arrays stand
// side by side.
const (
	widestRAM  = 128      // bytes an access
	deepestRAM = 32 << 20 // bytes, four times the largest result
	mostPorts  = 8
)

// array prices a RAM of any width and number of ports. Wider ones than the model
// knows are arrays side by side that work together. Smaller ones than smallestRAM
// cost an access of it, but take their part of its area and leakage: cells are
// most of what a register array is made of.
func (b *builder) array(key string, entries, bits, ports int) sram.Estimate {
	if entries < 1 || bits < 1 || entries > deepestRAM || bits > 1<<20 {
		b.fail(fmt.Errorf("%s: %s: an array of %d entries of %d bits has no energy", b.machine.Name, key, entries, bits))
		return sram.Estimate{}
	}
	width := (bits + 7) / 8
	beside := (width + widestRAM - 1) / widestRAM
	out := (width + beside - 1) / beside
	q := sram.Query{Class: sram.RAM, Bytes: max(entries*out, smallestRAM), OutBytes: out}
	e := times(b.ported(key, q, ports), float64(beside))
	if small := float64(entries*out) / smallestRAM; small < 1 {
		e.LeakageMW *= small
		e.AreaMM2 *= small
	}
	return e
}

// ported prices a RAM with read-write ports. CACTI has results for one port and
// for two. Each further one adds as much to energy, leakage, delay and the edge of
// the array as the second: a word line and a bit line more through every cell.
func (b *builder) ported(key string, q sram.Query, ports int) sram.Estimate {
	if ports > mostPorts || ports < 0 {
		b.fail(fmt.Errorf("%s: %s: %d ports; the model takes 1 to %d", b.machine.Name, key, ports, mostPorts))
		return sram.Estimate{}
	}
	one := b.memory(key, q)
	if ports <= 1 {
		return one
	}
	q.ReadWritePorts = true
	two := b.memory(key, q)
	more := float64(ports - 1)
	linear := func(a, b float64) float64 { return a + float64(more*max(b-a, 0)) }
	edge := linear(math.Sqrt(one.AreaMM2), math.Sqrt(two.AreaMM2))
	return sram.Estimate{
		ReadPJ: linear(one.ReadPJ, two.ReadPJ), WritePJ: linear(one.WritePJ, two.WritePJ),
		LeakageMW: linear(one.LeakageMW, two.LeakageMW), AreaMM2: edge * edge,
		AccessNS: linear(one.AccessNS, two.AccessNS), CycleNS: linear(one.CycleNS, two.CycleNS),
	}
}

// tagged prices a cache's tags and data. The tags of a set are as wide as all
// ways'; they and the data of all ways are read side by side, as a first-level
// cache does. Where CACTI has caches of the size, the data is their result less
// the tags; the data of smaller ones is a RAM as wide as a set.
func (b *builder) tagged(key string, s *arch.Structure) (tags, data sram.Estimate) {
	ways := max(s.Ways, 1)
	if s.Entries < 1 || s.EntryBits < 1 || s.TagBits < 1 || s.Entries%ways != 0 {
		b.fail(fmt.Errorf("%s: %s: a cache of %d entries of %d bits with %d bits of tag in %d ways has no energy", b.machine.Name, key, s.Entries, s.EntryBits, s.TagBits, s.Ways))
		return tags, data
	}
	if ways == s.Entries && ways > 1 { // fully associative
		tags = b.search(key, s.Entries, s.TagBits)
		tags.ReadPJ = tags.SearchPJ
		return tags, b.array(key, s.Entries, s.EntryBits, s.Ports)
	}
	tags = b.array(key+" tags", s.Entries/ways, s.TagBits*ways, s.Ports)
	tags.SearchPJ = tags.ReadPJ
	line := (s.EntryBits + 7) / 8
	q := sram.Query{Class: sram.Cache, Bytes: s.Entries * line, Ways: ways, LineBytes: line, OutBytes: line}
	if s.Ports <= 1 && b.covers(q) {
		return tags, lessEstimates(b.memory(key, q), b.plainTags(key, q))
	}
	data = b.array(key, s.Entries/ways, s.EntryBits*ways, s.Ports)
	data.WritePJ /= float64(ways) // one way is written
	return tags, data
}

// plainTags prices the tags that CACTI's results of caches contain.
func (b *builder) plainTags(key string, q sram.Query) sram.Estimate {
	tag := b.count("cache.tag_bytes")
	return b.array(key+" tags", q.Bytes/q.LineBytes/q.Ways, 8*tag*q.Ways, 1)
}

// covers reports whether CACTI's results reach around a structure.
func (b *builder) covers(q sram.Query) bool {
	q.NodeNM, q.LowPower = b.tech.NodeNM, b.tech.LowPower
	return b.memories.Inside(q)
}

// searched prices a CAM: what is searched, and in addition what a hit reads.
func (b *builder) searched(key string, s *arch.Structure) sram.Estimate {
	bits := s.TagBits
	if bits == 0 {
		bits = s.EntryBits
	}
	if s.Entries < 1 || bits < 1 || bits > s.EntryBits {
		b.fail(fmt.Errorf("%s: %s: a CAM of %d entries of %d bits, %d of them searched, has no energy", b.machine.Name, key, s.Entries, s.EntryBits, s.TagBits))
		return sram.Estimate{}
	}
	e := b.search(key, s.Entries, bits)
	if rest := s.EntryBits - bits; rest > 0 {
		payload := b.array(key, s.Entries, rest, s.Ports)
		payload.SearchPJ = 0
		e.ReadPJ = 0 // the searched bits are known when the payload is read
		e = addEstimates(e, payload)
	}
	return e
}

// camEntry is the entry in bytes of the CAMs that the model knows.
const camEntry = 6

// search prices the searched bits of a CAM. CACTI's results have entries of 48
// bits: match lines, search lines and cells grow in proportion to the width.
// Fewer entries than the smallest result's take their part of its area, leakage and
// search energy, since every entry takes part in every search.
func (b *builder) search(key string, entries, bits int) sram.Estimate {
	least := max(entries, 16)
	e := times(b.cam(key, least, camEntry), float64(bits)/(8*camEntry))
	part := float64(entries) / float64(least)
	e.SearchPJ *= part
	e.LeakageMW *= part
	e.AreaMM2 *= part
	return e
}

// times is n of a structure that work side by side.
func times(e sram.Estimate, n float64) sram.Estimate {
	e.ReadPJ *= n
	e.WritePJ *= n
	e.SearchPJ *= n
	e.LeakageMW *= n
	e.AreaMM2 *= n
	return e
}

// lessEstimates takes a part out of a whole.
func lessEstimates(x, y sram.Estimate) sram.Estimate {
	return sram.Estimate{
		ReadPJ: max(x.ReadPJ-y.ReadPJ, 0), WritePJ: max(x.WritePJ-y.WritePJ, 0), SearchPJ: max(x.SearchPJ-y.SearchPJ, 0),
		LeakageMW: max(x.LeakageMW-y.LeakageMW, 0), AreaMM2: max(x.AreaMM2-y.AreaMM2, 0), AccessNS: x.AccessNS, CycleNS: x.CycleNS,
	}
}
