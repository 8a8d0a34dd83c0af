// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"math/bits"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/timing/seam"
)

// Sizes that section 5 ("Hardware Overheads") gives.
const (
	queueBits   = 55  // of an entry of an OQSR: 48 are "roughly 330 bytes"
	formingBits = 240 // 30 bytes for the packet that is being made
	serviceBits = 200 // of an entry of an SQSR: 96 are "approximately 2.4kB"
)

// Structures implements arch.Section. The operations of chains are charged where
// they issue; here are the ALUs' area and leakage.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	const source = "Opportunistic computing section 5"
	slices := m.L2.Partitions * m.L2.SlicesPerPartition
	peers, routers := s.peers(m), s.routers(m)
	services := slices + routers
	if peers == seam.EndPeers {
		services += m.GPU.SMs
	}
	read := func(counter string) []arch.StructureCharge {
		return []arch.StructureCharge{{Counter: counter, Use: arch.Read, Share: 0.5}, {Counter: counter, Use: arch.Write, Share: 0.5}}
	}
	list := []arch.Structure{
		{Path: "chip/sm/offload queue/status", Kind: arch.RAM, Count: m.GPU.SMs, Entries: s.QueueEntries, EntryBits: queueBits, Charges: read("offload_queue_accesses"), Source: source},
		{Path: "chip/sm/offload queue/packet", Kind: arch.RAM, Count: m.GPU.SMs, Entries: 1, EntryBits: formingBits, Charges: read("offload_offloaded"), Source: source},
		{Path: "chip/service queues/status", Kind: arch.RAM, Count: services, Entries: s.ServiceEntries, EntryBits: serviceBits, Charges: read("offload_service_accesses"), Source: source},
		{
			Path: "chip/service queues/buffers", Kind: arch.RAM, Count: services, Entries: s.BufferEntries * chains.OperandsPerEntry, EntryBits: 8 * lineBytes,
			Charges: read("offload_buffer_accesses"), Source: "Opportunistic computing section 4.2: four entries",
		},
		{Path: "chip/service queues/partition ALUs", Kind: arch.Logic, Count: slices * s.PartitionLanes, Operation: "op.f32_fma", Source: source + ": as an SP unit"},
	}
	if peers != seam.NoPeers {
		list = append(list, arch.Structure{
			Path: "chip/sm/offload queue/meet nodes", Kind: arch.RAM, Count: m.GPU.SMs, Entries: slices * slices, EntryBits: bits.Len(uint(services)),
			Charges: []arch.StructureCharge{{Counter: "offload_meet_lookups", Use: arch.Read}}, Source: source + ": a lookup table of 64 entries",
		})
	}
	switch peers {
	case seam.RouterPeers:
		// A packet's operands, two at most, are written and read once.
		operands := []arch.StructureCharge{{Counter: "offload_packets_to_cores", Use: arch.Read, Share: 2}, {Counter: "offload_packets_to_cores", Use: arch.Write, Share: 2}}
		list = append(list, arch.Structure{
			Path: "chip/service queues/router operands", Kind: arch.RAM, Count: routers, Entries: s.ServiceEntries * chains.OperandsPerEntry, EntryBits: 8 * lineBytes,
			Charges: operands, Source: "assumed: as the shared memory of cores (section 4.3), which routers have none of; D191",
		}, arch.Structure{
			Path: "chip/service queues/router ALUs", Kind: arch.Logic, Count: routers * s.PartitionLanes, Operation: "op.f32_fma", Source: "assumed: as at a partition; D191",
		})
	case seam.EndPeers:
		list = append(list, arch.Structure{
			Path: "chip/service queues/core ALUs", Kind: arch.Logic, Count: m.GPU.SMs * s.CoreLanes, Operation: "op.f32_fma", Source: "Opportunistic computing section 6.2: dedicated ALUs",
		})
	}
	return list
}
