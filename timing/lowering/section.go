// SPDX-License-Identifier: Apache-2.0

package lowering

import "github.com/warptape/warptape/timing/arch"

// Key names the lowering of a machine among its mechanisms: for what it does not go with.
const Key = "lowering"

// section is the lowering that a machine has by gpu.lowering.
type section struct{}

var declaration = arch.Declaration{
	Needs: []arch.Need{
		{Ability: arch.SIMTCores, For: "whose operations kernels are lowered to", Remedy: "add lowering(generation=none)"},
	},
	Takes: []arch.Why{
		{Ability: arch.RecordedCode, Because: "a generation's machine operations are executed in the place of the recorded instructions, unless the machine has lowering(generation=none)"},
	},
	Claims: []arch.Why{{Ability: arch.KernelCompiler, Because: "lowers kernels to machine operations, unless the machine has lowering(generation=none)"}},
}

func init() {
	arch.RegisterDerived(Key, nil, func(m *arch.Machine) arch.Section {
		if m.GPU.Lowers() {
			return section{}
		}
		return nil
	}, declaration)
}

// On implements arch.Section.
func (section) On() bool { return true }

// Check implements arch.Section: the word is checked where it stands.
func (section) Check(*arch.Machine, func(key, message string)) {}

// Structures implements arch.Section: a compiler adds nothing to the chip.
func (section) Structures(*arch.Machine) []arch.Structure { return nil }
