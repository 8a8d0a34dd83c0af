// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Diff writes the values in which two machines differ, in the order of the
// schema, each with its unit and where it comes from. A value that has no
// meaning on a machine is "-". Names and descriptions are not compared. The
// error is w's.
func Diff(w io.Writer, a, b *Machine) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "\t%s\t%s\tsource\n", a.Name, b.Name)
	differ := 0
	for i := range machineSchema.leaves {
		l := machineSchema.leaves[i]
		if l.path == "name" || l.path == "description" {
			continue
		}
		first, second := l.shown(a), l.shown(b)
		if first == second {
			continue
		}
		differ++
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", l.path, first, second, l.sources(a, b))
	}
	if differ == 0 {
		fmt.Fprintf(t, "no value differs\t\t\t\n")
	}
	return t.Flush()
}

// shown is the value of a leaf with its unit, "-" where it has no meaning.
func (l *leaf) shown(m *Machine) string {
	if m.unused(l.path) {
		return "-"
	}
	return l.withUnit(l.format(m))
}

// withUnit is a value with its unit; sizes carry theirs.
func (l *leaf) withUnit(value string) string {
	if l.unit != "" && l.unit != "bytes" {
		value += " " + l.unit
	}
	return value
}

// sources says where the values of two machines come from; once when they come
// from the same place.
func (l *leaf) sources(a, b *Machine) string {
	first, second := l.source(a), l.source(b)
	switch {
	case first == second || second == "":
		return first
	case first == "":
		return second
	}
	return first + " | " + second
}

func (l *leaf) source(m *Machine) string {
	at, known := m.origins[l.path]
	switch {
	case !known || m.unused(l.path):
		return ""
	case at.Source == "":
		return at.place()
	}
	return at.place() + ": " + at.Source
}
