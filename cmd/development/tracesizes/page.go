// SPDX-License-Identifier: Apache-2.0

package tracesizes

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/traces"
)

//go:embed page.md.tmpl
var pageTemplate string

// pageData is what the page says of all workloads.
type pageData struct {
	Rows           string
	Count          int
	Exported       int     // those of them that Accel-Sim files can hold
	Mean           float64 // bytes per warp instruction of the files, geometric
	MeanOverStream float64 // the text under xz over the stream, geometric
	Targets        []sizeTarget
	XZTarget, Met  int
	Missed         []string
	Floors         []floorRow
}

// WritePage writes docs/trace-size.md.
func WritePage(b *bytes.Buffer) error {
	sizes, err := traces.ReadFileSizes()
	if err != nil {
		return err
	}
	var rows bytes.Buffer
	var logs, streamLogs float64
	exported := 0
	for i := range sizes.Workloads {
		s := &sizes.Workloads[i]
		each := func(bytes int64) float64 { return float64(bytes) / float64(s.WarpInstructions) }
		text := "- | - | - | - | -"
		if s.NoExport == "" {
			exported++
			streamLogs += math.Log(float64(s.XZ) / float64(s.Stream))
			text = fmt.Sprintf("%.1f | %.3f | %.3f | %.3f | %.1f", each(s.Text), each(s.Gzip), each(s.XZ), each(s.Zstd), float64(s.XZ)/float64(s.Stream))
		}
		fmt.Fprintf(&rows, "| %s | %s | %.3f | %.3f | %.3f | %.3f | %s | %.0f |\n", s.Name, numbers.Grouped(s.WarpInstructions),
			each(s.File), each(s.Stream), each(s.Fast), each(s.Small), text, s.DecodeRate)
		logs += math.Log(each(s.File))
	}
	n := float64(max(1, len(sizes.Workloads)))
	data := pageData{
		Rows: rows.String(), Count: len(sizes.Workloads), Exported: exported, Mean: math.Exp(logs / n), MeanOverStream: math.Exp(streamLogs / float64(max(1, exported))),
		Targets: measuredTargets(sizes), XZTarget: xzTarget, Floors: floorRows(sizes),
	}
	data.Met, data.Missed = xzTargets(sizes)
	return page.Write(b, pageTemplate, data)
}

// sizeTarget is the bytes per warp instruction that the format promises of a
// workload, and what they are.
type sizeTarget struct {
	Workload       string
	Most, Measured float64
}

var sizeTargets = []sizeTarget{
	{Workload: "saxpy", Most: 0.05}, {Workload: "sgemm", Most: 0.05}, {Workload: "transpose", Most: 0.05}, {Workload: "bfs", Most: 2}, {Workload: "spmv", Most: 2},
}

// xzTarget is how many times smaller a stream should be than the text under xz.
const xzTarget = 3

func measuredTargets(sizes *traces.FileSizes) []sizeTarget {
	var list []sizeTarget
	for _, t := range sizeTargets {
		if s := sizes.Find(t.Workload); s != nil {
			t.Measured = float64(s.File) / float64(s.WarpInstructions)
			list = append(list, t)
		}
	}
	return list
}

// xzTargets counts the streams that meet xzTarget and names the others.
func xzTargets(sizes *traces.FileSizes) (met int, missed []string) {
	for i := range sizes.Workloads {
		s := &sizes.Workloads[i]
		if s.NoExport != "" {
			continue
		}
		if float64(s.XZ) >= xzTarget*float64(s.Stream) {
			met++
		} else {
			missed = append(missed, fmt.Sprintf("%s %.2f", s.Name, float64(s.XZ)/float64(s.Stream)))
		}
	}
	return met, missed
}
