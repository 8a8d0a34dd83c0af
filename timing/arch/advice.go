// SPDX-License-Identifier: Apache-2.0

package arch

import "sync"

// FirstThat gives the first of some specifications that loads as a machine that fits, empty
// without any. A refusal names it as its remedy: it was tried, and it works.
func FirstThat(fits func(*Machine) bool, specs ...string) string {
	for _, spec := range specs {
		if m, err := Load(spec); err == nil && fits(m) {
			return spec
		}
	}
	return ""
}

// machinesOfPolicies keeps what MachineUnder has found.
var machinesOfPolicies sync.Map

// MachineUnder is words for a built-in machine that runs under a divergence policy and has
// cores of a kind: its name, where there is one. Machines of other cores are not tried:
// their refusals would ask for the same.
func MachineUnder(policy, core string) string {
	if name, ok := machinesOfPolicies.Load(policy); ok {
		return name.(string)
	}
	for _, name := range builtinNames("machines") {
		m, err := Load(name)
		if err != nil || m.GPU.CoreKind() != core {
			continue
		}
		if m.GPU.Divergence = policy; m.Validate() == nil {
			machinesOfPolicies.Store(policy, "the machine "+name)
			return "the machine " + name
		}
	}
	return "a machine with such cores"
}
