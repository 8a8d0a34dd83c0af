package tables

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/traces"
)

const workloadsIntroduction = `Every workload has a folder under ` + "`traces/`" + ` with its CUDA C, its PTX, its host program, and a README that says where it
comes from, what its grids are and how its result is checked. ` + "`warptape workload show WORKLOAD`" + ` prints the parameters of
its sizes, ` + "`warptape record WORKLOAD --size SIZE`" + ` records one.
`

const sizesIntroduction = `
## Sizes

Exact counts of a run of each size, with the seed 1: kernel launches, thread blocks, threads, executed warp instructions, the
mean number of lanes that are active in one (32 without divergence), the fraction of warp instructions that access memory, and
the bytes that the host copies to the device and back. ` + "`small`" + ` is the size that is recorded when none is asked for.

| workload | size | launches | blocks | threads | warp instructions | lanes | memory | bytes to device | bytes to host |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`

// WriteWorkloads writes docs/workloads.md.
func WriteWorkloads(b *bytes.Buffer) error {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return err
	}
	b.WriteString("# Workloads\n\n" + page.Note + workloadsIntroduction)
	b.WriteString("\nA mark stands for the table of a paper that the workload appears in:\n\n")
	for _, t := range traces.Tables {
		fmt.Fprintf(b, "- %s: %s (%s)\n", t.Mark, t.Name, t.Paper)
	}
	b.WriteString("\n| workload | what it computes | suite | tables |\n| --- | --- | --- | --- |\n")
	for i := range catalogue.Workloads {
		if err := writeWorkloadRow(b, &catalogue.Workloads[i]); err != nil {
			return err
		}
	}
	b.WriteString(sizesIntroduction)
	for i := range catalogue.Workloads {
		e := &catalogue.Workloads[i]
		for j := range e.Sizes {
			writeSizeRow(b, e.Name, &e.Sizes[j])
		}
	}
	return nil
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
