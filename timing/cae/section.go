// SPDX-License-Identifier: Apache-2.0

package cae

import (
	"embed"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// key is the section's key in an architecture.
const key = "cae"

// Section describes the affine units of a machine.
type Section struct {
	Enabled bool `yaml:"enabled"`
	// Tracks says what is tracked and executed compactly: scalars and affine values
	// ("affine"), scalars only, nothing.
	Tracks string `yaml:"tracks" oneof:"affine,scalar,none"`
	// Units of an SM; each takes an instruction per slot.
	Units int `yaml:"units" unit:"units" range:"1..8"`
	// FetchesPerCycle of an SM: the front end serves twice as many slots.
	FetchesPerCycle int `yaml:"fetches_per_cycle" unit:"fetches" range:"1..4"`
	// ReadCycles to read operands from the affine registers.
	ReadCycles int `yaml:"read_cycles" unit:"core cycles" range:"1..16"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Needs: []arch.Need{
		{Ability: arch.SIMTCores, For: "as it executes next to their units", Remedy: "set gpu.core to simt"},
		{Ability: arch.RecordedCode, For: "whose registers it tracks"},
	},
	Claims: []arch.Why{{Ability: arch.IssueLogic, Because: "issues twice in a cycle, to affine units next to the lanes"}},
}

func init() {
	arch.RegisterSection(key, overlays, func() arch.Section { return new(Section) }, declaration)
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Enabled }

// Check implements arch.Section.
func (s *Section) Check(m *arch.Machine, complain func(key, message string)) {
	if m.SM.IssuePerScheduler > 1 {
		complain("enabled", fmt.Sprintf("a scheduler of %s issues %d instructions a cycle (sm.issue_per_scheduler): affine units are described for one, to 16 lanes in two slots", m.Name, m.SM.IssuePerScheduler))
	}
	if schedulers := max(m.SM.Schedulers, 1); s.Units > schedulers {
		complain("units", fmt.Sprintf("%d: a scheduler has one at most, and there are %d", s.Units, schedulers))
	}
}

// valueBits of an affine register: a base and an offset of 32 bits, and the tag.
const valueBits = 32 + 32 + 2

// Structures implements arch.Section: the units, a register file of bases and
// offsets with an entry for each register of a warp, and the lanes that expand.
func (s *Section) Structures(m *arch.Machine) []arch.Structure {
	return []arch.Structure{{
		Path: "chip/sm/cae/units", Kind: arch.Logic, Count: m.GPU.SMs * s.Units, Operation: "op.int_add",
		Charges: []arch.StructureCharge{
			{Counter: "cae_scalar_instructions", Use: arch.Operate},
			{Counter: "cae_affine_instructions", Use: arch.Operate, Share: 2},
			{Counter: "cae_expansions", Use: arch.Operate, Share: lanes},
		},
		Source: "Decoupled affine section 5.1.1; two ALUs, base and offset; expansion adds in every lane",
	}, {
		Path: "chip/sm/cae/registers", Kind: arch.RAM, Count: m.GPU.SMs, Entries: max(m.SM.Registers/lanes, 1), EntryBits: valueBits, Ports: 1,
		Charges: []arch.StructureCharge{
			{Counter: "cae_register_reads", Use: arch.Read},
			{Counter: "cae_register_writes", Use: arch.Write},
		},
		Source: "assumed: a base and an offset for each register of a warp",
	}}
}

// lanes of a warp.
const lanes = 32
