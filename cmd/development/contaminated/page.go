// SPDX-License-Identifier: Apache-2.0

// Package contaminated writes docs/contamination.md: a kernel before and after
// contamination, and what contamination costs, counted over workloads.
package contaminated

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

//go:embed page.md.tmpl
var text string

//go:embed scale.ptx
var example string

// counted are the workloads whose overhead the page has: streaming, arithmetic, shared
// memory, divergence, irregular addresses, atomics.
var countedWorkloads = []string{"saxpy", "black-scholes", "sgemm", "reduction", "hotspot", "divergence-nested", "bfs", "spmv", "pointer-chase", "image-histogram", "transpose"}

// card is the machine of the model: what one Tesla V100 SXM2 can do by its data sheet and
// "NVIDIA Tesla V100 GPU Architecture" (WP-08608-001), and a link of PCI Express 3.0 x16.
var card = struct{ Issue, Memory, Link float64 }{
	Issue:  80 * 4 * 1.53e9, // warp instructions a second
	Memory: 900e9,           // bytes a second
	Link:   16e9,
}

// row is a workload's line, in what a reader compares.
type row struct {
	Workload                                             string
	AddedPerInstruction, AddedPerVisit, BytesPerVisit    string
	BytesPerThread, Coalesced, LogOfMemory, Slower, Wait string
}

// Write writes the page.
func Write(b *bytes.Buffer) error {
	straight, err := rewritten(contamination.Straight)
	if err != nil {
		return err
	}
	segments, err := rewritten(contamination.Segments)
	if err != nil {
		return err
	}
	var rows []row
	for _, name := range countedWorkloads {
		o, err := count(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, o.row())
	}
	var others []row
	for i := range kinds {
		o, err := kinds[i].count()
		if err != nil {
			return fmt.Errorf("%s: %w", kinds[i].Name, err)
		}
		others = append(others, o.row())
	}
	return page.Write(b, text, map[string]any{
		"Before": example, "Straight": between(straight, "// added: registers of the log", ""), "Boundary": between(segments, "// added: the boundary before basic block 1", "_run_scale_1:"),
		"Rows": rows, "Kinds": others, "Issue": fmt.Sprintf("%.0f", card.Issue/1e9), "Memory": fmt.Sprintf("%.0f", card.Memory/1e9), "Link": fmt.Sprintf("%.0f", card.Link/1e9),
	})
}

// rewritten is the example after contamination.
func rewritten(mode contamination.Mode) (string, error) {
	m, err := ptx.Parse("scale.ptx", []byte(example))
	if err != nil {
		return "", err
	}
	k, err := contaminator.Contaminate(m.Kernels[0])
	if err != nil {
		return "", err
	}
	r, err := contamination.Rewrite([]*contaminator.Kernel{k}, contamination.Options{Mode: mode})
	if err != nil {
		return "", err
	}
	return string(r.Text), nil
}

// between is a part of a text, from the line of one mark to that of another.
func between(text, from, to string) string {
	at := strings.Index(text, from)
	at = strings.LastIndexByte(text[:at], '\n') + 1
	text = text[at:]
	if to != "" {
		end := strings.Index(text, to)
		text = text[:end+len(to)] + "\n"
	}
	return text
}

// row computes the figures of a workload and what the model says. The kernel takes as long
// as issue or memory does, whichever takes longer. So does the contaminated one, which
// issues more and also moves the log, and 32 bytes, a sector, for each atomic on a cursor.
func (o *overhead) row() row {
	const sector = 32
	per := func(a, b uint64) float64 { return float64(a) / float64(max(b, 1)) }
	native := max(float64(o.Instructions)/card.Issue, float64(o.AccessBytes)/card.Memory)
	moved := float64(o.LogBytes + sector*o.Atomics)
	after := max(float64(o.Instructions+o.Added)/card.Issue, (float64(o.AccessBytes)+moved)/card.Memory)
	return row{
		Workload:            o.Workload,
		AddedPerInstruction: fmt.Sprintf("%.1f", per(o.Added, o.Instructions)),
		AddedPerVisit:       fmt.Sprintf("%.0f", per(o.Added, o.Visits)),
		BytesPerVisit:       fmt.Sprintf("%.1f", per(o.LogBytes, o.Visits)),
		BytesPerThread:      fmt.Sprintf("%.2f", per(o.LogBytes, o.ThreadVisits)),
		Coalesced:           fmt.Sprintf("%.0f %%", 100*per(o.Coalesced, o.Accesses)),
		LogOfMemory:         fmt.Sprintf("%.0f %%", 100*per(o.LogBytes, o.AccessBytes)),
		Slower:              fmt.Sprintf("%.1f", after/native),
		Wait:                fmt.Sprintf("%.1f", (after+float64(o.LogBytes)/card.Link)/native),
	}
}
