// SPDX-License-Identifier: Apache-2.0

package eesi

import "github.com/warptape/warptape/timing/arch"

// Bits of what lanes keep.
const (
	wordBits    = 32
	addressBits = 32 // of an instruction
	// tagBits are those of a tiny instruction cache's line: a virtual address and a bit
	// of state, as it is virtually indexed and checked (section 6.3.4).
	tagBits = 48
	// scoreBits are an entry of the scoreboard: 48 bits, as the baseline's has for each
	// warp. A lane has an entry for each thread.
	scoreBits = 48
	// gateMM2 is a gate in gateNM by section 6.5.5: 8500 gates take the area of 160
	// registers. A lane's 1024 registers have 0.0108 mm2 by the energy model of the machine.
	gateMM2, gateNM = 0.199e-6, 32
)

// Structures implements arch.Section: what lanes have in the place of an SM's front end
// (Figure 6.2), and the upper level of their register files.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	if !s.LaneCores(m) {
		return s.contextTables(m)
	}
	lanes, threads := m.GPU.SMs*Lanes, m.SM.MaxWarps
	instruction := 8 * m.SM.InstructionBytes
	width := min(m.SM.FetchWidth, m.SM.InstructionBuffer)
	list := []arch.Structure{{
		Path: "chip/sm/front end/lane buffers", Kind: arch.RAM, Count: lanes, Entries: threads * m.SM.InstructionBuffer, EntryBits: instruction, Ports: 1,
		Charges: []arch.StructureCharge{{Counter: "fetched_instructions", Use: arch.Write}, {Counter: "issued_warp_instructions", Use: arch.Read}},
		Source:  "GPSim thesis Table 6.2: IF and IB per lane; the size is that of the baseline's per warp",
	}, {
		Path: "chip/sm/front end/lane decoders", Kind: arch.Logic, Count: lanes, Operation: "decode.instruction", AreaMM2: float64(s.DecoderGates) * gateMM2, GivenNM: gateNM,
		Charges: []arch.StructureCharge{{Counter: "fetched_instructions", Use: arch.Operate, Share: 1.0 / Lanes}},
		Source:  "assumed: a lane's decoder takes for an instruction what the SM's takes for a warp's, over the lanes; section 6.5.5 has the gates",
	}, {
		Path: "chip/sm/front end/lane scoreboards", Kind: arch.RAM, Count: lanes, Entries: threads, EntryBits: scoreBits, Ports: 1,
		Charges: []arch.StructureCharge{{Counter: "issued_warp_instructions", Use: arch.Read, Share: 1}, {Counter: "issued_warp_instructions", Use: arch.Write, Share: 2}},
		Source:  "GPSim thesis section 6.3: a scoreboard per lane; read and set at issue, cleared at write-back",
	}, {
		Path: "chip/sm/front end/circular scheduler", Kind: arch.RAM, Count: lanes, Entries: threads, EntryBits: addressBits, Ports: 1,
		Charges: []arch.StructureCharge{{Counter: "issued_warp_instructions", Use: arch.Read}, {Counter: "issued_warp_instructions", Use: arch.Write}},
		Source:  "GPSim thesis section 6.3.2: a circular buffer with the PCs of a warp set's threads",
	}}
	if s.TinyLines > 0 {
		list = append(list, s.tinyArrays(m, lanes, width)...)
	}
	if s.UpperRegisters > 0 {
		list = append(list, arch.Structure{
			Path: "chip/sm/upper registers", Kind: arch.RAM, Count: lanes, Entries: threads * s.UpperRegisters, EntryBits: wordBits, Ports: 1,
			Charges: []arch.StructureCharge{{Counter: "eesi_upper_reads", Use: arch.Read}, {Counter: "eesi_upper_writes", Use: arch.Write}},
			Source:  "GPSim thesis section 6.3, after Gebhart et al.: a register file of two levels; the sizes are assumed",
		})
	}
	return append(list, s.cpuPrograms(m)...)
}

// wordBytes is what a tiny instruction cache is read and written by.
const wordBytes = 8

// tinyArrays are the tiny instruction caches. CACTI has no cache that small: their data are
// a RAM of words, as section 6.5.5 compares it with the registers (64 words of 64 bits in
// energy/claims.yaml). A RAM as wide as a set would be mostly sense amplifiers. A
// fetch reads the words that it takes, and a fill writes all of a line. Tags are a RAM with
// a word for each line, from which a fetch reads those of a set.
func (s *Section) tinyArrays(m *arch.Machine, lanes, width int) []arch.Structure {
	const path, source = "chip/sm/front end/tinyICache", "GPSim thesis Table 6.2 and sections 6.3.4 and 6.5.5"
	words := s.TinyLineBytes / wordBytes
	return []arch.Structure{{
		Path: path + "/tags", Kind: arch.RAM, Count: lanes, Entries: s.TinyLines, EntryBits: tagBits, Ports: 1,
		Charges: []arch.StructureCharge{
			{Counter: "eesi_tiny_reads", Use: arch.Read, Share: float64(s.TinyWays)},
			{Counter: "eesi_tiny_fills", Use: arch.Write},
		},
		Source: source,
	}, {
		Path: path + "/data", Kind: arch.RAM, Count: lanes, Entries: s.TinyLines * words, EntryBits: 8 * wordBytes, Ports: 1,
		Charges: []arch.StructureCharge{
			{Counter: "eesi_tiny_reads", Use: arch.Read, Share: float64(width*m.SM.InstructionBytes) / wordBytes},
			{Counter: "eesi_tiny_fills", Use: arch.Write, Share: float64(words)},
		},
		Source: source,
	}}
}

// poweredRegisters are the entries of a lane's register file that have power while a CPU
// program runs (section 6.3.4).
const poweredRegisters = 32

// elsewhere is the area and the leakage of what is part of something that has them.
const elsewhere = 1e-12

// cpuPrograms are what instructions of CPU programs use: the powered part of the register
// file, and units, as on CPU cores (timing/cpu).
func (s *Section) cpuPrograms(m *arch.Machine) []arch.Structure {
	return []arch.Structure{{
		Path: "chip/sm/powered registers", Kind: arch.RAM, Count: m.GPU.SMs * Lanes, Entries: poweredRegisters, EntryBits: 2 * wordBits, Ports: 1, AreaMM2: elsewhere, LeakageW: elsewhere,
		Charges: []arch.StructureCharge{{Counter: "eesi_cpu_register_reads", Use: arch.Read}, {Counter: "eesi_cpu_register_writes", Use: arch.Write}},
		Source:  "GPSim thesis section 6.3.4: all but 32 entries are powered down; area and leakage are the register file's",
	}, {
		Path: "chip/sm/cpu execute", Kind: arch.Logic, Count: m.GPU.SMs * Lanes, Operation: "op.int_add",
		Charges: []arch.StructureCharge{{Counter: "eesi_cpu_instructions", Use: arch.Operate}},
		Source:  "assumed: every instruction as an integer addition; a trace says nothing of what it computes",
	}}
}

// contextTables are what sbi adds to an SM: the table of the contexts that issue, and
// scoreboard and instruction buffer for a second one. The others stay in the SIMT stack.
func (s *Section) contextTables(m *arch.Machine) []arch.Structure {
	const source = "GPSim thesis Table 6.1: changes to RF and scoreboard, context tables, instruction buffer; entries assumed: PC, mask and a bit"
	return []arch.Structure{{
		Path: "chip/sm/front end/context table", Kind: arch.RAM, Count: m.GPU.SMs, Entries: contexts * m.SM.MaxWarps, EntryBits: addressBits + Lanes + 1, Ports: 1,
		Charges: []arch.StructureCharge{{Counter: "issued_warp_instructions", Use: arch.Read}, {Counter: "issued_warp_instructions", Use: arch.Write}},
		Source:  source,
	}, {
		Path: "chip/sm/front end/second scoreboard", Kind: arch.RAM, Count: m.GPU.SMs, Entries: m.SM.MaxWarps, EntryBits: scoreBits, Ports: 1,
		Charges: []arch.StructureCharge{{Counter: "issued_warp_instructions", Use: arch.Read}},
		Source:  source,
	}, {
		Path: "chip/sm/front end/second instruction buffer", Kind: arch.RAM, Count: m.GPU.SMs, Entries: m.SM.MaxWarps * m.SM.InstructionBuffer, EntryBits: 8 * m.SM.InstructionBytes, Ports: 1,
		Charges: []arch.StructureCharge{{Counter: "eesi_second_issues", Use: arch.Read}, {Counter: "eesi_second_issues", Use: arch.Write}},
		Source:  source,
	}}
}
