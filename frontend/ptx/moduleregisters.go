// SPDX-License-Identifier: Apache-2.0

package ptx

import "maps"

// Registers may be declared outside of kernels (5.1.1, before PTX 3.0; compilers give up the ABI for
// such modules). Each kernel has them as its own, with no value when it begins. What a function would
// share with its callers is refused.

// parseModuleRegisters reads .reg at module scope.
func (p *parser) parseModuleRegisters() bool {
	if p.registers == nil {
		p.registers = &kernelParser{parser: p, code: &Code{}, name: "module", scope: &scope{}}
	}
	return p.registers.parseRegisters()
}

// openOutermost opens the scope around a body, where a kernel has the module's registers.
func (k *kernelParser) openOutermost() {
	if m := k.parser.registers; m != nil && !k.inFunction {
		k.scope = &scope{singles: maps.Clone(m.scope.singles), ranges: maps.Clone(m.scope.ranges)}
		k.vectors, k.declarations = m.vectors, m.declarations
	}
	k.openScope()
}

// shared reports whether a name that a function does not declare is a register of the module.
func (k *kernelParser) shared(name string) bool {
	if k.parser.registers == nil || !k.inFunction {
		return false
	}
	s := k.parser.registers.scope
	_, _, ok := s.declared(name)
	return ok
}
