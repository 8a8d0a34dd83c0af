// SPDX-License-Identifier: Apache-2.0

package ptx

import "github.com/warptape/warptape/trace"

// Cache policies (9.7.9.18) are hints: createpolicy makes one, and accesses to
// global memory take it with .L2::cache_hint. They change no result; in a trace
// the hint stands among the modifiers and the policy among the operands.

// cachePolicy is the operand that .L2::cache_hint announces.
var cachePolicy = Slot{Name: "cache-policy", Rule: RuleB64, Accept: valueKinds}

// withPolicies adds to each form on global memory the one with a policy.
func withPolicies(forms ...Form) []Form {
	all := forms
	for _, f := range forms {
		f.Spaces &= spacesOf(SpaceGeneric, SpaceGlobal)
		if f.Spaces == 0 || f.volatile() {
			continue
		}
		f.Groups = append(f.Groups[:len(f.Groups):len(f.Groups)], req(ModCacheHint))
		f.Shape = append(f.Shape[:len(f.Shape):len(f.Shape)], cachePolicy)
		all = append(all, f)
	}
	return all
}

func (f *Form) volatile() bool {
	for i := range f.Groups {
		if f.Groups[i].Mods.Has(ModVolatile) {
			return true
		}
	}
	return false
}

// Values are the operands without the cache policy.
func (in *Instruction) Values() []Operand {
	if in.Mods.Has(ModCacheHint) {
		return in.Operands[:len(in.Operands)-1]
	}
	return in.Operands
}

// policyForms: by the distance from an address, for a share of all addresses, or
// from an access property of the host's.
var policyForms = func() []Form {
	b64 := one(typesOf(B64))
	policy := Slot{Name: "cache-policy", Accept: registerOnly, Write: true}
	size := func(name string) Slot { return Slot{Name: name, Rule: RuleB32, Accept: valueKinds} }
	fraction := Slot{Name: "fraction", Rule: RuleF32, Accept: valueKinds}
	form := func(shape []Slot, g ...Group) Form {
		return Form{Types: b64, Groups: g, Shape: shape, Class: trace.ClassMove}.withSpaces(SpaceGeneric)
	}
	secondary := opt(ModL2Secondary)
	return []Form{
		form([]Slot{policy, memory, size("primary-size"), size("total-size")}, req(ModRange), req(ModL2Hint), secondary).withSpaces(SpaceGeneric, SpaceGlobal),
		form([]Slot{policy}, req(ModFractional), req(ModL2Hint), secondary),
		form([]Slot{policy, fraction}, req(ModFractional), req(ModL2Hint), secondary),
		form([]Slot{policy, {Name: "access-property", Accept: registerOnly}}, req(ModCvt), req(ModL2)),
	}
}()
