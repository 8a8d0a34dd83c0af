// SPDX-License-Identifier: Apache-2.0

package tesla

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace"
)

//go:embed machines/*.yaml
var machines embed.FS

// Key is the section's key in an architecture.
const Key = "tesla"

// kind is the word for these cores in gpu.core.
const kind = "tesla-rtl"

// Section has the parameters of Table 4.2 on which time depends; gpu.sms is NUM_MPS.
type Section struct {
	// Processors of a multiprocessor, and banks of its shared memory: SP_PER_MP.
	Processors int `yaml:"processors" unit:"processors" range:"1..64" pow2:"true"`
	// WarpWidth is WARP_WIDTH, the threads of a warp.
	WarpWidth int `yaml:"warp_width" unit:"threads" range:"1..64" pow2:"true"`
	// WarpSlots and BlockSlots are NUM_WARPS and NUM_BLOCKS.
	WarpSlots  int `yaml:"warp_slots" unit:"warps" range:"1..64"`
	BlockSlots int `yaml:"block_slots" unit:"thread blocks" range:"1..64"`
	// Parameters of a kernel: NUM_PARAMS. Each takes a cycle of a block's initialisation.
	Parameters int `yaml:"parameters" unit:"parameters" range:"1..64"`
	// InstructionAddressBits, RegisterAddressBits, ConstantAddressBits and
	// SharedAddressBits are I_, R_, C_ and L_ADDR_WIDTH; the registers are those of one
	// processor.
	InstructionAddressBits int `yaml:"instruction_address_bits" unit:"bits" range:"1..16"`
	RegisterAddressBits    int `yaml:"register_address_bits" unit:"bits" range:"1..16"`
	ConstantAddressBits    int `yaml:"constant_address_bits" unit:"bits" range:"1..16"`
	SharedAddressBits      int `yaml:"shared_address_bits" unit:"bits" range:"1..16"`
}

// nothing is why the machine lacks what mechanisms of the memory path need.
const nothing = "a multiprocessor has its memories inside, and no access leaves it"

// declaration says what goes with the machine.
var declaration = arch.Declaration{
	Provides: []arch.Ability{arch.InsteadOfL1},
	Takes: []arch.Why{
		{Ability: arch.EarlyReads, Because: nothing},
		{Ability: arch.LineLocks, Because: nothing},
		{Ability: arch.L1Cleaning, Because: nothing},
		{Ability: arch.SharedLastLevel, Because: nothing},
		{Ability: arch.PartitionUnits, Because: nothing},
		{Ability: arch.BulkCopies, Because: nothing},
	},
	Claims: []arch.Why{{Ability: arch.IssueLogic, Because: "has its own scheduler"}},
}

func init() {
	arch.RegisterSection(Key, machines, func() arch.Section { return new(Section) }, declaration)
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Processors > 0 }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	if m.GPU.CoreKind() != kind {
		complain("processors", fmt.Sprintf("is of cores of the kind %s, and gpu.core is %s; take the machine %s", kind, m.GPU.CoreKind(), kind))
	}
	if s.Processors > s.WarpWidth {
		complain("processors", fmt.Sprintf("are %d, and a warp has %d threads (tesla.warp_width): it has one for each processor at least; set tesla.warp_width=%d too", s.Processors, s.WarpWidth, s.Processors))
	}
	for _, x := range m.Mechanisms() {
		if x != Key {
			complain("processors", fmt.Sprintf("goes with no other mechanism: %s, and its issue logic is its own, so %s would do nothing; leave %s out", nothing, x, x))
		}
	}
	for _, key := range foreign(m) {
		complain("processors", fmt.Sprintf("%s means nothing to this machine: %s; leave it out", key, nothing))
	}
	for _, need := range []struct{ key, have, want string }{
		{"gpu.dispatch", m.GPU.Dispatch, "lowest"}, {"gpu.divergence", m.GPU.Divergence, "pdom"},
	} {
		if need.have != need.want {
			remedy := ""
			if arch.PolicyCore(need.have) == "" { // a complaint about the kind of core names a machine
				remedy = ", or take the machine " + other
			}
			complain("processors", fmt.Sprintf("needs %s %s, which is how the machine works: it is %s; leave it as it was%s", need.key, need.want, need.have, remedy))
		}
	}
	for _, need := range []struct {
		key        string
		have, want int
	}{{"gpu.blocks_per_cycle", m.GPU.BlocksPerCycle, 1}, {"gpu.launch_cycles", m.GPU.LaunchCycles, 0}, {"gpu.concurrent_kernels", m.GPU.ConcurrentKernels, 1}} {
		if need.have != need.want {
			complain("processors", fmt.Sprintf("needs %s %d, which is how the machine works: it is %d", need.key, need.want, need.have))
		}
	}
}

// other is a machine with the policies that this one lacks.
const other = "gpsim-eesi-base"

// own are the files in which the machine is described; inherited from the other are
// keys that every machine has.
var own = []string{"tesla-rtl", "tesla-c870"}

// meant are the keys, or their beginnings, that change what the machine does or costs.
var meant = []string{
	"name", "description", "gpu.", Key + ".", "clocks.core_mhz", "technology.node_nm", "technology.devices", "technology.temperature_k", "technology.voltage_ratio", "technology.clock_gating",
	"link.", "host.",
}

// foreign lists the keys that a user has written and that mean nothing here, in order.
func foreign(m *arch.Machine) []string {
	var list []string
	for key, origin := range m.Sources() {
		means := func(beginning string) bool { return strings.HasPrefix(key, beginning) }
		if !slices.Contains(own, origin.File) && !slices.ContainsFunc(meant, means) && !slices.ContainsFunc(m.Mechanisms(), func(x string) bool { return strings.HasPrefix(key, x+".") }) {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}

// Warps implements arch.WarpShaped.
func (s *Section) Warps() (threads, slots int) { return s.WarpWidth, s.WarpSlots }

// rows of a warp.
func (s *Section) rows() int { return s.WarpWidth / s.Processors }

// configuration is the section in the terms of traces.
func (s *Section) configuration(m *arch.Machine) trace.TeslaConfiguration {
	return trace.TeslaConfiguration{
		Multiprocessors: m.GPU.SMs, Processors: s.Processors, WarpSlots: s.WarpSlots, BlockSlots: s.BlockSlots, Parameters: s.Parameters, WarpWidth: s.WarpWidth,
		InstructionAddressBits: s.InstructionAddressBits, RegisterAddressBits: s.RegisterAddressBits,
		ConstantAddressBits: s.ConstantAddressBits, SharedAddressBits: s.SharedAddressBits,
	}
}

// sectionOf is the section of a machine whose cores are of this kind.
func sectionOf(m *arch.Machine) (*Section, error) {
	s, ok := m.Section(Key).(*Section)
	if !ok {
		return nil, fmt.Errorf("%s: cores of the kind %s need the section %s with the parameters of the machine; take the machine %s", m.Name, kind, Key, kind)
	}
	return s, nil
}
