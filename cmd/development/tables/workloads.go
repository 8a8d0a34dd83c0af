// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/traces"
)

//go:embed workloads.md.tmpl
var workloadsPage string

// WriteWorkloads writes docs/workloads.md.
func WriteWorkloads(b *bytes.Buffer) error {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return err
	}
	var workloads, sizes bytes.Buffer
	for i := range catalogue.Workloads {
		e := &catalogue.Workloads[i]
		if err := writeWorkloadRow(&workloads, e); err != nil {
			return err
		}
		for j := range e.Sizes {
			writeSizeRow(&sizes, e.Name, &e.Sizes[j])
		}
	}
	return page.Write(b, workloadsPage, map[string]any{
		"Tables": traces.Tables, "Workloads": workloads.String(), "Sizes": sizes.String(),
	})
}

func writeWorkloadRow(b *bytes.Buffer, e *traces.Entry) error {
	w, err := traces.Find(e.Name)
	if err != nil {
		return err
	}
	description := strings.ReplaceAll(w.Description, "|", "\\|")
	fmt.Fprintf(b, "| [%s](../traces/%s/README.md) | %s | %s | %s |\n", e.Name, e.Name, description, e.Suite, traces.TableMarks(e.Tables))
	return nil
}

func writeSizeRow(b *bytes.Buffer, workload string, s *traces.Size) {
	f := s.Figures
	if f == nil {
		fmt.Fprintf(b, "| %s | %s | %s | | | | | | | |\n", workload, s.Name, s.Unmeasured)
		return
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %.2f | %.3f | %s | %s |\n", workload, s.Name,
		numbers.Grouped(f.Launches), numbers.Grouped(f.ThreadBlocks), numbers.Grouped(f.Threads), numbers.Grouped(f.WarpInstructions),
		f.MeanActiveLanes(), f.MemoryIntensity(), numbers.Grouped(f.BytesToDevice), numbers.Grouped(f.BytesToHost))
}
