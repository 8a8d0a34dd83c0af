// SPDX-License-Identifier: Apache-2.0

package dac

import "github.com/warptape/warptape/timing/arch"

// Structures implements arch.Section: the SRAMs and the two ALUs of section 4.8. Sizes
// in bytes are the paper's, which the entries share.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	const source = "Decoupled affine section 4.8 and Table 1"
	ram := func(name string, entries, bits int, pj float64, charges ...arch.StructureCharge) arch.Structure {
		return arch.Structure{
			Path: "chip/sm/dac/" + name, Kind: arch.RAM, Count: m.GPU.SMs, Entries: entries, EntryBits: bits, Ports: 1,
			ReadPJ: pj, WritePJ: pj, AreaMM2: sramMM2 * float64(entries*bits) / sramBits, GivenNM: 40, Charges: charges, Source: source,
		}
	}
	read := func(counter string) arch.StructureCharge {
		return arch.StructureCharge{Counter: counter, Use: arch.Read}
	}
	write := func(counter string) arch.StructureCharge {
		return arch.StructureCharge{Counter: counter, Use: arch.Write}
	}
	return []arch.Structure{
		ram("tuple queue", s.TupleEntries, tupleBits, 5.3, write("dac_enqueues"), read("dac_dequeues")),
		ram("address queues", s.AddressEntries, addressBits, 3.4, write("dac_address_writes"), read("dac_address_reads")),
		ram("predicate queues", s.PredicateEntries, predicateBits, 0, write("dac_predicate_writes"), read("dac_predicate_reads")),
		ram("warp-level stack", s.StackDepth, warpLevelBits, 0, write("dac_stack_updates")),
		ram("per-warp stacks", s.StackDepth*m.SM.MaxWarps, 32, 0, write("dac_warp_stack_updates")),
		ram("condition registers", s.StackDepth*(m.SM.MaxWarps+warpLevelBits/32), 32, 0, read("dac_condition_reads")),
		{
			Path: "chip/sm/dac/lock counters", Kind: arch.RAM, Count: m.GPU.SMs, Entries: max(m.L1.Bytes/max(m.L1.LineBytes, 1), 1), EntryBits: lockBits, Ports: 1,
			Charges: []arch.StructureCharge{{Counter: "dac_early_requests", Use: arch.Write, Share: 2}},
			Source:  "Decoupled affine section 4.2: lock counters in the tag array; of six bits, as many as a set has warps",
		},
		{
			Path: "chip/sm/dac/expansion units", Kind: arch.Logic, Count: m.GPU.SMs, Operation: "op.int_add",
			Charges: []arch.StructureCharge{
				{Counter: "dac_block_starts", Use: arch.Operate, Share: 2},
				{Counter: "dac_address_steps", Use: arch.Operate},
				{Counter: "dac_address_adjustments", Use: arch.Operate},
				{Counter: "dac_scalar_predicates", Use: arch.Operate},
				{Counter: "dac_end_predicates", Use: arch.Operate, Share: 2},
			},
			AreaMM2: 0.16, GivenNM: 40, Source: "Decoupled affine section 4.8: 2 ALUs, 0.16 mm2 per SM, by the model of GPUWattch",
		},
	}
}

// Bits of the entries, by the paper's bytes: 393 in 24 tuples, 1560 in 192 addresses, 768
// in 192 predicates, 224 in 8 entries of the warp-level stack.
const (
	tupleBits     = 393 * 8 / 24
	addressBits   = 1560 * 8 / 192
	predicateBits = 768 * 8 / 192
	warpLevelBits = 224 * 8 / 8
	lockBits      = 6
)

// The SRAMs of section 4.8 together, which the paper's 0.21 mm2 per SM of CACTI are for:
// 393, 1560, 768 and twice 224 and 1536 bytes.
const (
	sramMM2  = 0.21
	sramBits = 8 * (393 + 1560 + 768 + 2*(224+1536))
)
