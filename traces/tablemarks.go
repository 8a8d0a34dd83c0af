// SPDX-License-Identifier: Apache-2.0

package traces

import (
	"slices"
	"strings"
)

// TableMarks are the short names of tables, in the order of the list of tables;
// names that the list has not are written out.
func TableMarks(names []string) string {
	var marks []string
	for _, table := range Tables {
		if slices.Contains(names, table.Name) {
			marks = append(marks, table.Mark)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(Tables, func(t Table) bool { return t.Name == name }) {
			marks = append(marks, name)
		}
	}
	return strings.Join(marks, " ")
}
