// SPDX-License-Identifier: Apache-2.0

package ptx

import "slices"

// What old modules mean differently, is made explicit in their instructions, so
// that everything behind the parser knows one language only.

// noteTarget takes what a platform option or a target changes (11.1.2).
func (p *parser) noteTarget(name string) {
	switch name {
	case "map_f64_to_f32":
		p.demoted = true
	case "sm_10", "sm_11", "sm_12", "sm_13":
		p.flushes = true
	}
}

// Before reports whether the module's version is older.
func (m *Module) Before(major, minor int) bool {
	return m.VersionMajor < major || m.VersionMajor == major && m.VersionMinor < minor
}

// modernise rewrites an instruction of an old module.
func (p *parser) modernise(in *Instruction) {
	if p.demoted {
		if in.Vector > 1 && in.Types[0] == F64 && in.Op != OpMov {
			p.errorAt(in.Position, "map_f64_to_f32 leaves elements of 64 bits in memory, and a vector would take their halves; access them one by one")
		}
		in.demote()
	}
	if p.module.Before(1, 4) && p.module.VersionMajor > 0 {
		in.addDefault()
	}
	if p.flushes {
		in.addFlush(p.module.Before(1, 5))
	}
}

// registerType is the type that a declared register has: with map_f64_to_f32,
// .f64 registers hold .f32 values in one of their halves, and nothing in the
// other.
func (p *parser) registerType(t Type) Type {
	if p.demoted && t == F64 {
		return F32
	}
	return t
}

// demote makes .f64 instructions .f32 (11.1.2, map_f64_to_f32). What lies in
// memory keeps its 64 bits; loads and stores use the lower half.
func (in *Instruction) demote() {
	if !slices.Contains(in.Types[:], F64) {
		return
	}
	for i, t := range in.Types {
		if t == F64 {
			in.Types[i] = F32
		}
	}
	for i, s := range in.Suffixes {
		if s == F64.String() {
			in.Suffixes[i] = F32.String()
		}
	}
	if in.Op == OpCvt && in.Types[0] == F32 && in.Types[1] == F32 {
		for _, m := range []Mod{ModRn, ModRz, ModRm, ModRp} { // there is nothing to round
			in.remove(m)
		}
	}
}

// addDefault writes what PTX 1.0 to 1.3 leave out (9.7.3, "PTX ISA Notes"): .f32
// divisions, roots and transcendentals are .approx, .f64 ones .rn.
func (in *Instruction) addDefault() {
	switch in.Op {
	case OpDiv, OpRcp, OpSqrt, OpRsqrt, OpSin, OpCos, OpLg2, OpEx2:
	default:
		return
	}
	m := ModApprox
	if in.Types[0] == F64 && in.Op != OpRsqrt {
		m = ModRn
	}
	if in.Types[0].Float() && !in.fitsModifiers(in.Mods) {
		in.addIfLegal(m)
	}
}

// addFlush adds .ftz to .f32 instructions that may have it: on sm_1x they flush
// subnormal numbers whether it is written or not (9.7.3). Conversions with .f64
// and .f16 do not before PTX 1.5 (9.7.9.21).
func (in *Instruction) addFlush(old bool) {
	if in.Mods.Has(ModFtz) || !slices.Contains(in.Types[:], F32) {
		return
	}
	if in.Op == OpCvt && old && (slices.Contains(in.Types[:], F64) || slices.Contains(in.Types[:], F16)) {
		return
	}
	in.addIfLegal(ModFtz)
}

// addIfLegal adds a modifier if a form of the opcode has it then.
func (in *Instruction) addIfLegal(m Mod) {
	with := in.Mods
	with.Add(m)
	if !in.fitsModifiers(with) {
		return
	}
	in.Mods = with
	first := slices.IndexFunc(in.Suffixes, func(s string) bool { return suffixes[s].kind == suffixType })
	in.Suffixes = slices.Insert(in.Suffixes, max(first, 0), m.String())
}

// fitsModifiers reports whether a form of the opcode has the types and these
// modifiers.
func (in *Instruction) fitsModifiers(mods Modifiers) bool {
	forms := specs[in.Op].Forms
	return slices.ContainsFunc(forms, func(f Form) bool {
		return f.fitsTypes(&in.Types) && f.modifierFault(&mods) == modifiersFit
	})
}

// remove takes a modifier away.
func (in *Instruction) remove(m Mod) {
	if !in.Mods.Has(m) {
		return
	}
	in.Mods = in.Mods.without(modsOf(m))
	in.Suffixes = slices.DeleteFunc(in.Suffixes, func(s string) bool { return s == m.String() })
}
