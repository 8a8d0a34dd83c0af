// SPDX-License-Identifier: Apache-2.0

package perfectmemory

import (
	"embed"

	"github.com/warptape/warptape/timing/arch"
)

//go:embed overlays/*.yaml
var overlays embed.FS

// Key is the section's key in an architecture.
const Key = "perfect_memory"

// Section switches the perfect memory on; it has no parameter.
type Section struct {
	Enabled bool `yaml:"enabled"`
}

// declaration says what goes with the mechanism.
var declaration = arch.Declaration{
	Provides: []arch.Ability{arch.BehindLanes, arch.InsteadOfL1},
	Takes: []arch.Why{
		{Ability: arch.EarlyReads, Because: "every line is there already"},
		{Ability: arch.L1Cleaning, Because: "nothing of the SMs' is ever in a cache"},
		{Ability: arch.SharedLastLevel, Because: "nothing of the SMs' reaches it"},
		{Ability: arch.PartitionUnits, Because: "no access of an SM reaches a partition"},
	},
}

func init() {
	arch.RegisterSection(Key, overlays, func() arch.Section { return new(Section) }, declaration)
}

// On implements arch.Section.
func (s *Section) On() bool { return s.Enabled }

// Check implements arch.Section: it goes with every machine.
func (s *Section) Check(*arch.Machine, func(key, message string)) {}

// Structures implements arch.Section: what cannot be built has no cost.
func (s *Section) Structures(*arch.Machine) []arch.Structure { return nil }
