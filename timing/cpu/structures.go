// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
)

// The bits of what the tables do not name. Addresses have 48 bits, as x86-64 and
// ARMv8; physical ones 40.
const (
	physicalBits = 40
	virtualBits  = 48
	spaceBits    = 16
	stateBits    = 2
	wordBits     = 64
	rightsBits   = 4
	registers    = 64 // architectural: integer and floating point
)

const publishedCore = "GPSim thesis Table 4.2"

// Structures implements arch.Section: caches, TLBs and directory, which are part of
// the memory hierarchy, and the arrays of a core's pipeline. What an instruction
// computes is priced as an integer addition.
func (s *Section) Structures(_ *arch.Machine) []arch.Structure {
	return append(s.hierarchy(), s.pipeline()...)
}

func (s *Section) hierarchy() []arch.Structure {
	word, fetch := 8/float64(s.LineBytes), float64(4*s.Width)/float64(s.LineBytes)
	way1, way2 := 1/float64(s.L1.Ways), 1/float64(s.L2.Ways)
	pageBits := bits.TrailingZeros(uint(s.PageBytes))
	return []arch.Structure{
		s.cache("l1i", s.codeL1(), []arch.StructureCharge{
			{Counter: "cpu_l1i_reads", Use: arch.Read, Share: fetch},
			{Counter: "cpu_l1i_fills", Use: arch.Write, Share: 1 / float64(s.codeL1().Ways)},
		}),
		s.cache("l1d", s.L1, []arch.StructureCharge{
			{Counter: "cpu_l1d_reads", Use: arch.Read, Share: word},
			{Counter: "cpu_l1d_writes", Use: arch.Write, Share: word},
			{Counter: "cpu_l1d_fills", Use: arch.Write, Share: way1},
			{Counter: "cpu_l1d_write_backs", Use: arch.Read, Share: way1},
		}),
		s.cache("l2", s.L2, []arch.StructureCharge{
			{Counter: "cpu_l2_reads", Use: arch.Read},
			{Counter: "cpu_l2_fills", Use: arch.Write, Share: way2},
			{Counter: "cpu_l1d_write_backs", Use: arch.Write, Share: way2},
			{Counter: "cpu_l2_write_backs", Use: arch.Read, Share: way2},
			{Counter: "cpu_cache_to_cache", Use: arch.Read, Share: way2},
			{Counter: "cpu_probes", Use: arch.Search},
		}),
		s.tlb("itlb", pageBits, []arch.StructureCharge{
			{Counter: "cpu_itlb_lookups", Use: arch.Search},
		}),
		s.tlb("dtlb", pageBits, []arch.StructureCharge{
			{Counter: "cpu_dtlb_lookups", Use: arch.Search},
			{Counter: "cpu_dtlb_retries", Use: arch.Search},
			{Counter: "cpu_dtlb_misses", Use: arch.Write},
		}),
		{
			Path: "chip/cpu/directory", Kind: arch.CacheArray, MemoryHierarchy: true, Count: 1,
			Entries: s.directoryEntries(), EntryBits: s.Cores + stateBits, Ways: s.L2.Ways, TagBits: physicalBits,
			Charges: []arch.StructureCharge{{Counter: "cpu_directory_lookups", Use: arch.Read}},
			Source:  "assumed: as many entries as the cores' L2 have lines",
		},
	}
}

// directoryEntries is a power of two of sets.
func (s *Section) directoryEntries() int {
	sets := s.Cores * s.L2.Bytes / s.LineBytes / s.L2.Ways
	return s.L2.Ways << bits.Len(uint(sets-1))
}

func (s *Section) cache(name string, c PrivateCache, charges []arch.StructureCharge) arch.Structure {
	sets := c.Bytes / s.LineBytes / c.Ways
	index := bits.TrailingZeros(uint(sets)) + bits.TrailingZeros(uint(s.LineBytes))
	return arch.Structure{
		Path: "chip/cpu/" + name, Kind: arch.CacheArray, MemoryHierarchy: true, Count: s.Cores,
		Entries: c.Bytes / s.LineBytes, EntryBits: 8 * s.LineBytes, Ways: c.Ways, TagBits: physicalBits - index + stateBits,
		Charges: charges, Source: publishedCore,
	}
}

func (s *Section) tlb(name string, pageBits int, charges []arch.StructureCharge) arch.Structure {
	tag := virtualBits - pageBits + spaceBits
	return arch.Structure{
		Path: "chip/cpu/" + name, Kind: arch.CAM, MemoryHierarchy: true, Count: s.Cores,
		Entries: s.TLBEntries, EntryBits: tag + physicalBits - pageBits + rightsBits, TagBits: tag,
		Charges: charges, Source: publishedCore,
	}
}

// registers are the physical ones of a core. In order none has to be renamed.
func (s *Section) registers() int {
	if s.Order == inOrder {
		return registers
	}
	return registers + s.ROBEntries
}

func (s *Section) pipeline() []arch.Structure {
	ram := func(name string, entries, bits int, source string, charges ...arch.StructureCharge) arch.Structure {
		return arch.Structure{Path: "chip/cpu/" + name, Kind: arch.RAM, Count: s.Cores, Entries: entries, EntryBits: bits, Charges: charges, Source: source}
	}
	read := func(counter string) arch.StructureCharge {
		return arch.StructureCharge{Counter: counter, Use: arch.Read}
	}
	write := func(counter string) arch.StructureCharge {
		return arch.StructureCharge{Counter: counter, Use: arch.Write}
	}
	list := []arch.Structure{
		ram("rob", s.ROBEntries, virtualBits+wordBits/2, publishedCore, write("cpu_instructions"), read("cpu_instructions")),
		ram("registers", s.registers(), wordBits, "GPSim thesis Table 6.2 for cores in order; assumed out of order: a physical register for each entry of the reorder buffer, too",
			read("cpu_register_reads"), write("cpu_register_writes")),
		ram("store_buffer", s.StoreBuffer, physicalBits+wordBits, "assumed: address and a word",
			write("cpu_stores"), read("cpu_l1d_writes"), read("cpu_forwarded_loads")),
	}
	if s.Predictor != notTaken {
		list = append(list,
			ram("predictor", max(1<<s.CounterBits/16, 2), 2*16, "assumed: rows of 16 two-bit counters", read("cpu_conditional_branches"), write("cpu_conditional_branches")),
			// A lookup reads all ways with their tags, a correction writes one.
			ram("btb", s.BTBEntries/s.BTBWays, s.BTBWays*(2*virtualBits-bits.TrailingZeros(uint(s.BTBEntries/s.BTBWays))), publishedCore,
				read("cpu_branches"), arch.StructureCharge{Counter: "cpu_mispredicted_branches", Use: arch.Write, Share: 1 / float64(s.BTBWays)}),
		)
	}
	return append(list, arch.Structure{
		Path: "chip/cpu/execute", Kind: arch.Logic, Count: s.Cores, Operation: "op.int_add",
		Charges: []arch.StructureCharge{{Counter: "cpu_instructions", Use: arch.Operate}},
		Source:  "assumed: every instruction as an integer addition; a trace says nothing of what it computes",
	})
}
