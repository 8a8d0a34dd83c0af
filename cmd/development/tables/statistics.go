// Package tables writes the documents that are made from tables in the code.
package tables

import (
	"bytes"
	"fmt"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
)

// WriteStatistics writes docs/statistics.md.
func WriteStatistics(b *bytes.Buffer) error {
	b.WriteString("# Statistics\n\n" + page.Note)
	b.WriteString("Every number in a result file, under the name that it has there. Counters count; metrics are computed from them.\n\n## Counters\n\n| name | unit | meaning |\n| --- | --- | --- |\n")
	for id := range counters.ID(counters.Count) {
		d := counters.Declared(id)
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", d.Name, d.Unit, d.Meaning)
	}
	for _, g := range counters.Groups() {
		fmt.Fprintf(b, "\n### Mechanism %s\n\nOf machines on which it is on.\n\n| name | unit | meaning |\n| --- | --- | --- |\n", g.Name)
		for _, d := range g.Rows {
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", d.Name, d.Unit, d.Meaning)
		}
	}
	b.WriteString("\n## Metrics\n\n| name | unit | formula |\n| --- | --- | --- |\n")
	for _, d := range replay.Declarations() {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", d.Name, d.Unit, d.Formula)
	}
	return nil
}
