// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"sort"
	"strings"
)

// Availabilities are the rows of an opcode, the one for all of its forms first.
func Availabilities(op Opcode) []Availability {
	if op >= opEnd {
		return nil
	}
	return specs[op].Available
}

// NamedAvailability is what a suffix or a special register needs wherever it
// stands.
type NamedAvailability struct {
	Name string // ".cluster", "%clock64"
	Availability
}

// NamedAvailabilities lists those of suffixes, then those of special registers,
// each by name.
func NamedAvailabilities() []NamedAvailability {
	var list []NamedAvailability
	for name, a := range suffixAvailability {
		list = append(list, NamedAvailability{"." + name, a})
	}
	for s, a := range specialAvailability {
		list = append(list, NamedAvailability{"%" + s.String(), a})
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i].Name, list[j].Name
		if a[0] != b[0] {
			return a[0] == '.'
		}
		return a < b
	})
	return list
}

// Condition says which forms a row is for: empty for all of the opcode.
func (a *Availability) Condition() string {
	var list []string
	add := func(text string) {
		if text != "" {
			list = append(list, text)
		}
	}
	add(a.Mods.list())
	add(a.With.list())
	if without := a.Without.list(); without != "" {
		add("without " + without)
	}
	if a.Spaces != 0 {
		add(a.Spaces.list())
	}
	if a.First != 0 {
		add("to " + a.First.String())
	}
	if a.Second != 0 {
		add("on " + a.Second.String())
	}
	if a.Any != 0 {
		add(a.Any.String())
	}
	if a.Vector > 0 {
		add("vectors")
	}
	if a.Operands > 0 {
		add(fmt.Sprintf("%d operands or more", a.Operands))
	}
	if a.Indirect {
		add("named by a register")
	}
	if a.Suffix != "" {
		add("." + a.Suffix)
	}
	if a.Only > 0 {
		add(fmt.Sprintf("for sm_%d", a.Only))
	}
	return strings.Join(list, "; ")
}

// Needs says what a row needs, the PTX version and the target.
func (a *Availability) Needs() (version, target string) {
	if a.Removed > 0 {
		return "before " + a.Until.String(), fmt.Sprintf("any; from sm_%d on", a.Removed)
	}
	if a.Version != (Version{}) {
		version = a.Version.String()
	}
	if a.Target > 0 {
		target = fmt.Sprintf("sm_%d", a.Target)
	}
	if a.Specific {
		target += "a"
	}
	return version, target
}

// VectorLengths lists the .v2, .v4 and .v8 of the form; empty without vectors.
func (f *Form) VectorLengths() string {
	var list []string
	for _, n := range []int{2, 4, 8} {
		if f.fitsVector(n) {
			list = append(list, fmt.Sprintf(".v%d", n))
		}
	}
	text := strings.Join(list, " ")
	if text != "" && f.fitsVector(1) {
		return "{" + text + "}"
	}
	return text
}
