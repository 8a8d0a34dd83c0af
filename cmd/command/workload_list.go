// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

// listWorkloads prints the default size of each workload, or every size.
func listWorkloads(w io.Writer, everySize bool) error {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "workload\tsuite\ttables\tsize\t"+figureColumns+"\n",
		"launches", "blocks", "threads", "warp insn", "lanes", "memory", "to device", "to host")
	for i := range catalogue.Workloads {
		e := &catalogue.Workloads[i]
		name, suite, marks := e.Name, e.Suite, traces.TableMarks(e.Tables)
		for j := range e.Sizes {
			s := &e.Sizes[j]
			if !everySize && s.Name != host.DefaultSize {
				continue
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", name, suite, marks, s.Name, sizeColumns(s))
			name, suite, marks = "", "", "" // once is enough
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprint(w, "\nlanes: mean active lanes of a warp instruction; memory: fraction of warp instructions that access memory\n")
	for _, table := range traces.Tables {
		fmt.Fprintf(w, "%s: %s\n", table.Mark, table.Name)
	}
	if !everySize {
		fmt.Fprint(w, "other sizes (tiny, paper, ...): warptape workload list --sizes; parameters: warptape workload show WORKLOAD\n")
	}
	return nil
}

// figureColumns are the columns of figures, aligned to the right.
const figureColumns = "%8s\t%7s\t%7s\t%9s\t%5s\t%6s\t%9s\t%8s"

// sizeColumns are the cells of a size's figures.
func sizeColumns(s *traces.Size) string {
	f := s.Figures
	if f == nil {
		return s.Unmeasured
	}
	return fmt.Sprintf(figureColumns,
		numbers.Short(f.Launches), numbers.Short(f.ThreadBlocks), numbers.Short(f.Threads), numbers.Short(f.WarpInstructions),
		fmt.Sprintf("%.2f", f.MeanActiveLanes()), fmt.Sprintf("%.3f", f.MemoryIntensity()),
		numbers.Short(f.BytesToDevice)+"B", numbers.Short(f.BytesToHost)+"B")
}
