// SPDX-License-Identifier: Apache-2.0

package soc

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/cpu"
)

// What an entry of a TLB holds: the frame with its rights, and the page with its address
// space. A lookup compares the latter: 36 bits of page and 8 of space.
const (
	entryBits = 32
	tagBits   = 36 + 8
)

// Structures implements arch.Section. Counters of TLBs that a machine does not have
// count nothing on it, and are charged to those that it has.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	if s.TLBs == "private" {
		return append([]arch.Structure{s.privateTLBs(m)}, s.coherence(m)...)
	}
	n := 1
	if s.TLBs == "split" {
		n = 2
	}
	return append([]arch.Structure{{
		Path: "chip/shared TLB", Kind: arch.CacheArray, MemoryHierarchy: true, Count: n,
		Entries: s.TLBEntries, EntryBits: entryBits, Ways: s.TLBWays, Ports: 1, TagBits: tagBits,
		Charges: tlbCharges(arch.Read), Source: "GPSim thesis Table 4.2: 512 entries, 4-way; widths assumed for pages of 4 KiB",
	}}, s.coherence(m)...)
}

func tlbCharges(lookup arch.StructureUse) []arch.StructureCharge {
	return []arch.StructureCharge{
		{Counter: "soc_tlb_lookups_sm", Use: lookup}, {Counter: "soc_tlb_lookups_cpu", Use: lookup}, {Counter: "soc_tlb_fills", Use: arch.Write},
		{Counter: "soc_sm_tlb_lookups", Use: lookup}, {Counter: "soc_sm_tlb_fills", Use: arch.Write},
	}
}

// privateTLBs are those of the SMs, which are the cores'.
func (s *Section) privateTLBs(m *arch.Machine) arch.Structure {
	return arch.Structure{
		Path: "chip/sm/TLB", Kind: arch.CAM, MemoryHierarchy: true, Count: m.GPU.SMs,
		Entries: cpu.Of(m).TLBEntries, EntryBits: entryBits + tagBits, TagBits: tagBits,
		Charges: tlbCharges(arch.Search), Source: "GPSim thesis section 4.6.1: comparable to the CPU cores'; Table 4.2: 64 entries, fully associative",
	}
}

// coherence is what keeps the SMs' L1s coherent: the directory of their lines, and a
// copy of the tags of each, which probes look up in parallel with the SM. Without
// coherence it is nothing to speak of.
func (s *Section) coherence(m *arch.Machine) []arch.Structure {
	lines, ways := 1, 1
	if s.Coherence && m.L1.LineBytes > 0 {
		lines, ways = m.L1.Bytes/m.L1.LineBytes, m.L1.Ways
	}
	return []arch.Structure{{
		Path: "chip/coherence/directory", Kind: arch.RAM, MemoryHierarchy: true, Count: 1,
		Entries: lines * m.GPU.SMs, EntryBits: tagBits + m.GPU.SMs + stateBits,
		Charges: []arch.StructureCharge{{Counter: "soc_sm_directory_lookups", Use: arch.Read}, {Counter: "soc_sm_directory_lookups", Use: arch.Write}},
		Source:  "GPSim thesis section 4.2 asks for coherent SMs and names no directory; assumed: an entry for each line of their L1s, read and written by each message",
	}, {
		Path: "chip/coherence/probed tags", Kind: arch.RAM, MemoryHierarchy: true, Count: m.GPU.SMs,
		Entries: max(lines/ways, 1), EntryBits: ways * (tagBits + stateBits),
		Charges: []arch.StructureCharge{
			{Counter: "soc_upgrades", Use: arch.Write, Share: 1 / float64(ways)},
			{Counter: "soc_invalidations", Use: arch.Read}, {Counter: "soc_invalidations", Use: arch.Write, Share: 1 / float64(ways)},
			{Counter: "soc_downgrades", Use: arch.Read}, {Counter: "soc_downgrades", Use: arch.Write, Share: 1 / float64(ways)},
		},
		Source: "assumed: the tags of a set of the L1, twice, so that probes do not stop the SM",
	}}
}

// stateBits of a line.
const stateBits = 2
