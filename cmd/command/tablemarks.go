package command

import (
	"slices"
	"strings"

	"github.com/warptape/warptape/traces"
)

// tableMarks are the short names of tables, in the order of the list of tables;
// names that the list has not are written out.
func tableMarks(names []string) string {
	var marks []string
	for _, table := range traces.Tables {
		if slices.Contains(names, table.Name) {
			marks = append(marks, table.Mark)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(traces.Tables, func(t traces.Table) bool { return t.Name == name }) {
			marks = append(marks, name)
		}
	}
	return strings.Join(marks, " ")
}
