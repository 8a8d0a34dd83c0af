package soc

import (
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/cpu"
)

// What an entry of a TLB holds: the frame with its rights, and beside it the page
// with its address space, which are compared: 36 bits of page and 8 of space.
const (
	entryBits = 32
	tagBits   = 36 + 8
)

// Structures implements arch.Section. Counters of TLBs that a machine does not have
// count nothing on it, and are charged to those that it has.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	if s.TLBs == "private" {
		return []arch.Structure{s.privateTLBs(m), s.coherenceOf(m)}
	}
	n := 1
	if s.TLBs == "split" {
		n = 2
	}
	return []arch.Structure{{
		Path: "chip/shared TLB", Kind: arch.CacheArray, MemoryHierarchy: true, Count: n,
		Entries: s.TLBEntries, EntryBits: entryBits, Ways: s.TLBWays, Ports: 1, TagBits: tagBits,
		Charges: tlbCharges(arch.Read), Source: "GPSim thesis Table 4.2: 512 entries, 4-way; widths assumed for pages of 4 KiB",
	}, s.coherenceOf(m)}
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

// coherenceOf is the directory of the SMs' L1s: tags and holders of each of their
// lines. Without coherence it is nothing to speak of.
func (s *Section) coherenceOf(m *arch.Machine) arch.Structure {
	lines := 1
	if s.Coherence && m.L1.LineBytes > 0 {
		lines = m.GPU.SMs * m.L1.Bytes / m.L1.LineBytes
	}
	return arch.Structure{
		Path: "chip/coherence", Kind: arch.RAM, MemoryHierarchy: true, Count: 1,
		Entries: lines, EntryBits: tagBits + m.GPU.SMs + directoryState,
		Charges: []arch.StructureCharge{
			{Counter: "soc_sm_directory_lookups", Use: arch.Read}, {Counter: "soc_upgrades", Use: arch.Write},
			{Counter: "soc_invalidations", Use: arch.Read}, {Counter: "soc_downgrades", Use: arch.Read},
		},
		Source: "GPSim thesis section 4.2: coherence brings invalidations and write-backs; it names no directory, assumed: an entry for each line of the L1s, also looked up for each probe",
	}
}

// directoryState is the bits of state of a line.
const directoryState = 2
