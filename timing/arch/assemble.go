// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"slices"
	"strings"
)

// Refusal is why two parts of a machine do not go together.
type Refusal struct {
	// Key is the mechanism that is refused, Other the one that it does not go with: ""
	// when the machine itself lacks what it needs.
	Key, Other string
	// Ability is what is missing, or what both bring.
	Ability Ability
	Reason  string
}

func (r Refusal) String() string { return r.Reason }

// refusals lists what keeps the mechanisms of a machine from going together, in order
// of key.
func (m *Machine) refusals() []Refusal {
	on := m.on()
	var list []Refusal
	for i := range on {
		for _, need := range on[i].Needs {
			if r, ok := on[i].lacks(need, on, m); ok {
				list = append(list, r)
			}
		}
		for k := i + 1; k < len(on); k++ {
			list = append(list, on[i].rivals(&on[k])...)
		}
	}
	return list
}

// Taken says which of the mechanisms that are on take an ability away, each with its
// reason, in order of key: for kernels that need it.
func (m *Machine) Taken(a Ability) []string {
	var list []string
	for _, x := range m.on() {
		for _, t := range x.Takes {
			if t.Ability == a {
				list = append(list, fmt.Sprintf("%s takes them away: %s", x.key, t.Because))
			}
		}
	}
	return list
}

// on gives the mechanisms of a machine that are on, in order of key.
func (m *Machine) on() []mechanism {
	var list []mechanism
	for i := range mechanisms {
		if m.Section(mechanisms[i].key) != nil {
			list = append(list, mechanisms[i])
		}
	}
	return list
}

// lacks finds out whether a machine with the mechanisms that are on lacks a need.
func (x *mechanism) lacks(need Need, on []mechanism, m *Machine) (Refusal, bool) {
	has := machineAbilities[need.Ability] != nil && machineAbilities[need.Ability](m)
	for i := range on {
		has = has || slices.Contains(on[i].Provides, need.Ability)
		for _, t := range on[i].Takes {
			if t.Ability == need.Ability && on[i].key != x.key {
				return Refusal{x.key, on[i].key, need.Ability, fmt.Sprintf("%s needs %s, %s; %s takes them away: %s; leave one of the two out",
					x.key, need.Ability, need.For, on[i].key, t.Because)}, true
			}
		}
	}
	if has {
		return Refusal{}, false
	}
	return Refusal{x.key, "", need.Ability, fmt.Sprintf("%s needs %s, %s: %s", x.key, need.Ability, need.For, need.Remedy)}, true
}

// rivals lists what two mechanisms both bring.
func (x *mechanism) rivals(y *mechanism) []Refusal {
	var list []Refusal
	for _, a := range x.Claims {
		for _, b := range y.Claims {
			if a.Ability == b.Ability {
				list = append(list, Refusal{x.key, y.key, a.Ability, fmt.Sprintf("a machine has one %s, and two mechanisms bring one: %s %s; %s %s; leave one of the two out",
					a.Ability, x.key, a.Because, y.key, b.Because)})
			}
		}
	}
	return list
}

// Assembly lists the keys of the mechanisms that are on in the order in which they are
// put together, the innermost first. Each is outside of those that its declaration
// says, and otherwise in order of key. The error names what does not go together.
func (m *Machine) Assembly() ([]string, error) {
	if list := m.refusals(); len(list) > 0 {
		return nil, fmt.Errorf("%s", list[0].Reason)
	}
	// What a machine has by the baseline's own keys, the baseline builds.
	rest := slices.DeleteFunc(m.on(), func(x mechanism) bool { return x.derived != nil })
	var order []string
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(x mechanism) bool { return x.innermost(rest) })
		if next < 0 {
			return nil, fmt.Errorf("BUG: mechanisms %s each want to stand outside of another", strings.Join(keysOf(rest), ", "))
		}
		order = append(order, rest[next].key)
		rest = slices.Delete(rest, next, next+1)
	}
	return order, nil
}

// innermost reports whether a mechanism has to stand outside of none of the others.
func (x *mechanism) innermost(others []mechanism) bool {
	for i := range others {
		if others[i].key == x.key {
			continue
		}
		for _, a := range x.Outside {
			if slices.Contains(others[i].Provides, a) {
				return false
			}
		}
	}
	return true
}

func keysOf(list []mechanism) []string {
	keys := make([]string, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys
}
