// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"fmt"
	"slices"
	"strings"
)

// Capacity is the length of a Set: the baseline's counters, and room for those
// that mechanisms declare.
const Capacity = Count + 208

// Group is the counters of a mechanism: IDs First..First+len(Rows)-1.
type Group struct {
	Name  string // the mechanism's key in an architecture (arch.RegisterSection)
	First ID
	Rows  []Declaration
}

var (
	groups   []Group
	declared = Count // counters so far
)

// Register declares the counters of a mechanism and returns the ID of the first;
// the others follow in order. A mechanism's folder calls it when its package is
// initialised. They are reported for machines on which the mechanism is on, and
// a baseline's results do not show them. A name that exists, an incomplete row,
// or more rows than fit are programming errors and panic.
func Register(group string, rows ...Declaration) ID {
	first := ID(declared)
	if declared+len(rows) > Capacity {
		panic(fmt.Sprintf("BUG: counters of %s: no room for %d more; raise counters.Capacity", group, len(rows)))
	}
	for i, r := range rows {
		if _, taken := Lookup(r.Name); taken || r.Name == "" || r.Unit == "" || r.Meaning == "" {
			panic(fmt.Sprintf("BUG: counters of %s: row %d (%q) is incomplete or exists", group, i, r.Name))
		}
	}
	// In which order packages are initialised depends on all that is imported: what
	// is written goes by the names.
	at, _ := slices.BinarySearchFunc(groups, group, func(g Group, name string) int { return strings.Compare(g.Name, name) })
	groups = slices.Insert(groups, at, Group{Name: group, First: first, Rows: rows})
	declared += len(rows)
	return first
}

// GroupOf gives the counters that a mechanism has registered; false without any.
func GroupOf(mechanism string) (Group, bool) {
	for _, g := range groups {
		if g.Name == mechanism {
			return g, true
		}
	}
	return Group{}, false
}

// Groups lists what mechanisms have registered, in order of their names.
func Groups() []Group { return groups }

// freeReasons holds what RegisterFree was told.
var freeReasons = map[string]string{}

// RegisterFree says why counters of mechanisms have no energy of their own, by
// name: that which no arch.Structure charges. A mechanism's folder calls it after
// Register. Counters that do not exist, or have a reason, are programming errors
// and panic.
func RegisterFree(reasons map[string]string) {
	for name, reason := range reasons {
		_, known := Lookup(name)
		if _, taken := freeReasons[name]; !known || taken || reason == "" {
			panic(fmt.Sprintf("BUG: counter %q is free for %q, but unknown, free already, or without a reason", name, reason))
		}
		freeReasons[name] = reason
	}
}

// FreeReason is the reason that RegisterFree was given, empty without one.
func FreeReason(id ID) string { return freeReasons[Declared(id).Name] }
