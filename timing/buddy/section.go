// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/core"
	"github.com/warptape/warptape/timing/gpu"
	"github.com/warptape/warptape/timing/seam"
)

// key is the section's in an architecture.
const key = "buddy"

//go:embed overlays/*.yaml
var overlays embed.FS

// Section is the part of an architecture that describes Buddy SM.
type Section struct {
	// Size is the number of SMs of a cluster (section 4.1); zero: none.
	Size int `yaml:"size" range:"0..8" unit:"SMs"`
	// Formation is what thread blocks that cannot be given to whole clusters do. By
	// "default", a cluster that has run empty is ungrouped for them; by "adaptive",
	// the last cluster is split when the kernel begins (section 4.8, Table I).
	Formation string `yaml:"formation" oneof:"default,adaptive"`
	// Regroup says when SMs that have been ungrouped are grouped again (section 4.6).
	Regroup string `yaml:"regroup" oneof:"new_kernel,halfway"`
	// Divergence says which warps have parted: those that go on at different basic
	// blocks (path), or already those that differ in their active lanes (mask);
	// see sections 4.5 and 6.1, which differ.
	Divergence string `yaml:"divergence" oneof:"path,mask"`
	// PowerUpCycles pass until a front end that had no supply works (section 4.5:
	// a dozen of cycles).
	PowerUpCycles int `yaml:"power_up_cycles" range:"0..100000" unit:"cycles"`
	// NetworkMHz is the clock of the cluster's network (section 4.7).
	NetworkMHz float64 `yaml:"network_mhz" range:"1..100000" unit:"MHz"`
	// HopCycles are cycles of that clock between neighbouring SMs.
	HopCycles int `yaml:"hop_cycles" range:"0..16" unit:"cycles"`
	// HopMillimetres is the distance between neighbouring SMs, and PJPerBitMM the
	// energy of its wires at the machine's node.
	HopMillimetres float64 `yaml:"hop_millimetres" range:"0..100" unit:"mm"`
	PJPerBitMM     float64 `yaml:"pj_per_bit_mm" range:"0..100" unit:"pJ"`
	// GatedLeakage is the part of the leakage that a front end keeps when it has no
	// supply, WakePJ what it takes to supply it again.
	GatedLeakage float64 `yaml:"gated_leakage" range:"0..1"`
	WakePJ       float64 `yaml:"wake_pj" range:"0..1000000" unit:"pJ"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Needs: []arch.Need{
		{Ability: arch.SIMTCores, For: "as one fetches and issues for others", Remedy: "set gpu.core to simt"},
		{Ability: arch.SureIssue, For: "on all SMs of a group in the same cycle"},
	},
	Provides: []arch.Ability{arch.IssueGroups},
	Takes:    []arch.Why{{Ability: arch.BulkCopies, Because: "the SMs of a group go on by the lanes of their warps, which a copy does not have"}},
	Claims:   []arch.Why{{Ability: arch.IssueLogic, Because: "issues for all SMs of a group by the master's front end"}},
	// Section 4.8: a residue of thread blocks goes to a cluster that is split.
	WholeLaunches: "how many thread blocks a launch has left decides when SMs join and part",
}

func init() {
	arch.RegisterSection(key, overlays, func() arch.Section { return new(Section) }, declaration)
	gpu.Mechanisms.Register(key, gpu.Mechanism{New: newMechanism})
}

// newMechanism is Buddy SM of one machine.
func newMechanism(m *arch.Machine) gpu.Mechanism {
	c := newChip(m)
	without := ""
	if c.section.Size > 1 {
		without = "buddy gives SMs their thread blocks in groups of its own, which have to issue together, not in those of a launch; set buddy.size to 1, or leave buddy out"
	}
	return gpu.Mechanism{
		WithoutClusters: without,
		FrontEnds:       func(_ *arch.Machine, next core.FrontEndBuilder) core.FrontEndBuilder { return c.frontEnds(next) },
		Dispatcher: func(_ *arch.Machine, next seam.Dispatcher) seam.Dispatcher {
			c.dispatcher = &dispatcher{chip: c, next: next}
			return c.dispatcher
		},
	}
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Size > 0 }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	if s.Size&(s.Size-1) != 0 {
		complain("size", fmt.Sprintf("clusters have 1, 2, 4 or 8 SMs, not %d (section 4.8 splits them in halves)", s.Size))
	} else if m.GPU.SMs%s.Size != 0 {
		complain("size", fmt.Sprintf("%d SMs cannot be divided into clusters of %d; use another size or another gpu.sms", m.GPU.SMs, s.Size))
	}
	if s.NetworkMHz < m.Clocks.CoreMHz {
		complain("network_mhz", "the network must be at least as fast as the SMs: an instruction takes one of its cycles")
	} else if s.transfer(m) > maxTransferCycles {
		complain("hop_cycles", fmt.Sprintf("instructions would travel for %d cycles of the SMs; the model takes %d at most", s.transfer(m), maxTransferCycles))
	}
}

// maxTransferCycles bounds the communicate stage.
const maxTransferCycles = 32

// hops is the distance of member i of a group from its master, member 0: SMs lie
// in two columns.
func hops(i int) int { return i/2 + i%2 }

// farthest is the largest distance in a group of n.
func farthest(n int) int {
	most := 0
	for i := range n {
		most = max(most, hops(i))
	}
	return most
}

// transfer is the length of the communicate stage of a whole cluster in cycles of
// the SMs; a cluster of one has none.
func (s *Section) transfer(m *arch.Machine) int {
	if s.Size < 2 {
		return 0
	}
	n := newNetwork(s, m)
	return int(n.stage(s.Size))
}

// Structures implements arch.Section: the wires of the clusters' networks, and the
// bits that the masters' scoreboards have more (section 5.1.2: a bit per member
// in each of 48 entries).
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	if s.Size < 2 {
		return nil
	}
	masters := m.GPU.SMs / s.Size
	return []arch.Structure{
		{
			Path: "chip/buddy/network", Kind: arch.Wire, Count: m.GPU.SMs - masters, MillimetresLong: s.HopMillimetres,
			ReadPJ: s.HopMillimetres * s.PJPerBitMM, Charges: []arch.StructureCharge{{Counter: "buddy_bit_hops", Use: arch.Operate}},
			Source: "Buddy SM section 4.7: 50 fJ/bit/mm for low swing, 5 mm between neighbouring SMs",
		},
		{
			Path: "chip/buddy/scoreboard", Kind: arch.CAM, Count: masters, Entries: m.SM.MaxWarps, EntryBits: max(s.Size, 4),
			Charges: []arch.StructureCharge{
				{Counter: "buddy_master_instructions", Use: arch.Search},
				{Counter: "buddy_tracked_accesses", Use: arch.Write, Share: 2},
			},
			Source: "Buddy SM section 5.1.2: four bits in each of 48 entries",
		},
	}
}

// PowerGates implements arch.PowerGated: the front end without its SIMT stack.
func (s *Section) PowerGates(m *arch.Machine) []arch.PowerGate {
	var gates []arch.PowerGate
	if s.Size < 2 {
		return nil
	}
	for i, part := range []string{"fetch", "instruction buffer", "decode", "scheduler", "scoreboard", "pipeline"} {
		if part == "fetch" && m.Instruction.Bytes == 0 {
			continue
		}
		g := arch.PowerGate{
			Path: "chip/sm/front end/" + part, Instances: m.GPU.SMs, GatedCycles: "buddy_gated_cycles", Residual: s.GatedLeakage,
			Spared: []arch.SparedCharge{{Counter: "issued_warp_instructions", By: "buddy_slave_instructions"}},
			Source: "Buddy SM section 4.1: all front-end components are power gated except for the SIMT stack",
		}
		if i == 1 {
			g.WakeUps, g.WakePJ = "buddy_wake_ups", s.WakePJ
		}
		gates = append(gates, g)
	}
	return gates
}

// of gives the section of a machine on which it is on.
func of(m *arch.Machine) *Section { return m.Section(key).(*Section) }
