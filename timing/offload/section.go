// SPDX-License-Identifier: Apache-2.0

package offload

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/network"
	"github.com/warptape/warptape/timing/offload/chains"
	"github.com/warptape/warptape/timing/seam"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// Key is the section's key in an architecture.
const Key = "offload"

// Section describes the hardware of opportunistic computing.
type Section struct {
	// At is where chains are computed: "none"; at the memory partition that has all
	// their data ("llc"); or also at cores where the ways of two loads meet ("omni").
	At string `yaml:"at" oneof:"none,llc,omni"`
	// Meet is where the ways of two loads may meet: at any node, memory partitions among them
	// (Algorithm 1), or at cores only. With "operand", the chain is computed at the partition
	// of its first operand, without regard to ways.
	Meet string `yaml:"meet" oneof:"any,cores,operand" default:"any"`
	// Routers says whether those of a butterfly compute, too (section 6.2): where the ways of a
	// chain's accesses part.
	Routers string `yaml:"routers" oneof:"pass,compute" default:"pass"`
	// Operands is what a load brings to a service queue, or past the L1 to its core: the bytes
	// that the chain asked for, or lines of L2's sectors.
	Operands string `yaml:"operands" oneof:"asked,lines" default:"asked"`
	// Answers is the length of an answer with data: that of a line, as in Table 1, or of the
	// lanes that have some.
	Answers string `yaml:"answers" oneof:"line,lanes" default:"line"`
	// SliceLatency lets loads and stores of a partition's service queue take the latency of the
	// slice, as requests from the network do. Without, they come "directly to the LLC queue"
	// (section 4.3) behind it.
	SliceLatency bool `yaml:"slice_latency" default:"false" digest:"used"`
	// SliceOrder is how a partition's loads and stores come to the tags of its slice among requests
	// from the network: in turns with them, or in the order of their arrival, as in one queue.
	SliceOrder string `yaml:"slice_order" oneof:"turns,arrival" default:"turns" digest:"used"`
	// WholeChains lets a chain whose lanes touch several lines leave the core only where each of its
	// packets has a node and an entry. Without, those leave that have.
	WholeChains bool `yaml:"whole_chains" default:"false" digest:"used"`
	// QueueEntries of the status register of a core's offload queue (OQSR).
	QueueEntries int `yaml:"queue_entries" unit:"chains" range:"1..4096"`
	// ServiceEntries of the status register of a service queue (SQSR).
	ServiceEntries int `yaml:"service_entries" unit:"chains" range:"1..4096"`
	// BufferEntries hold the operands of chains in front of an ALU.
	BufferEntries int `yaml:"buffer_entries" unit:"chains" range:"1..64"`
	// PartitionLanes of the ALU at a memory partition.
	PartitionLanes int `yaml:"partition_lanes" unit:"lanes" range:"1..32"`
	// CoreLanes of an ALU of the service queue's own at each core; zero: it uses the
	// core's when that is idle.
	CoreLanes int `yaml:"core_lanes" unit:"lanes" range:"0..32"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Needs: []arch.Need{
		{Ability: arch.SIMTCores, For: "which ask before they issue a chain, and lend idle lanes", Remedy: "set gpu.core to simt"},
		{Ability: arch.PartitionUnits, For: "where chains execute"},
	},
	Provides: []arch.Ability{arch.BehindLanes},
	Takes: []arch.Why{
		{Ability: arch.RecordedCode, Because: "chains are made contiguous, and leave the SM"},
		{Ability: arch.SureIssue, Because: "an offload queue that gathers one chain holds the next"},
		{Ability: arch.BulkCopies, Because: "what partitions write is kept apart from accesses of lanes only"},
	},
	Claims:  []arch.Why{{Ability: arch.KernelCompiler, Because: "makes the chains of a kernel contiguous"}},
	Outside: []arch.Ability{arch.BesideL1},
}

func init() {
	arch.RegisterSection(Key, overlays, func() arch.Section { return &Section{At: "none"} }, declaration)
}

// On implements arch.Section.
func (s *Section) On() bool { return s.At != "none" && s.At != "" }

// order is that of a partition's accesses.
func (s *Section) order() seam.Order {
	if s.SliceOrder == "arrival" {
		return seam.ByArrival
	}
	return seam.InTurn
}

// peers are the ends that compute besides the partitions.
func (s *Section) peers(m *arch.Machine) seam.Peers {
	switch {
	case s.At != "omni":
	case m.Network.Topology == "mesh":
		return seam.EndPeers
	case m.Network.Topology == "butterfly" && s.Routers == "compute":
		return seam.RouterPeers
	}
	return seam.NoPeers
}

// routers is the number of routers that compute.
func (s *Section) routers(m *arch.Machine) int {
	if s.peers(m) != seam.RouterPeers {
		return 0
	}
	return network.ButterflyRouters(m.Network.Radix, m.Network.Stages)
}

// The ports of a mesh's router with two own ones, and what a router is modelled with.
const (
	twoPortMeshPorts = 6
	maxPorts         = 16
	maxPortChannels  = 64
)

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	n := &m.Network
	if s.peers(m) == seam.EndPeers && n.Sharing == "shared" && twoPortMeshPorts*n.VirtualChannels > maxPortChannels {
		complain("at", fmt.Sprintf("omni: on a mesh with network.sharing: shared each node has a port for requests and one for replies, and routers of %d ports with %d virtual channels each have more than the %d that are modelled; lower network.virtual_channels",
			twoPortMeshPorts, n.VirtualChannels, maxPortChannels))
	}
	if s.Routers == "compute" && (s.At != "omni" || n.Topology != "butterfly") {
		complain("routers", fmt.Sprintf("compute: only those of a butterfly do, with omni; offload.at is %s and network.topology %s", s.At, n.Topology))
	}
	if ports := n.Radix + 1; s.peers(m) == seam.RouterPeers && (ports > maxPorts || ports*n.VirtualChannels > maxPortChannels) {
		complain("routers", fmt.Sprintf("compute: routers with a port of their own have %d, with %d virtual channels each; at most %d ports and %d channels are modelled", ports, n.VirtualChannels, maxPorts, maxPortChannels))
	}
	if s.peers(m) == seam.EndPeers && !chains.Room(m.Shared.Bytes, 0, s.ServiceEntries) {
		complain("service_entries", fmt.Sprintf("%d: the operands of so many chains do not fit into the %d bytes of shared_memory", s.ServiceEntries, m.Shared.Bytes))
	}
	if m.L1.Bytes > 0 && m.L1.LineBytes != lineBytes || m.L2.Slice.LineBytes != lineBytes {
		complain("at", fmt.Sprintf("a chain's operands are lines of %d bytes; l1.line_bytes is %d, l2.slice.line_bytes %d", lineBytes, m.L1.LineBytes, m.L2.Slice.LineBytes))
	}
	if m.L1.Write == "back_allocate" {
		complain("at", "a write-back L1 may hold what a partition would read; use l1.write: through_no_allocate or local_back_no_allocate")
	}
}
