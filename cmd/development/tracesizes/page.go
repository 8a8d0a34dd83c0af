package tracesizes

import (
	"bytes"
	"fmt"
	"math"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/traces"
)

const traceSizeIntroduction = `Bytes per warp instruction of every workload's trace at size ` + "`small`" + `, beside the same run as Accel-Sim files (` + "`trace export\naccelsim`" + `): as text, and all of the text at once through ` + "`gzip -9`, `xz -9` and `zstd -3`" + `, so that a compressor finds what its window
holds of earlier launches (` + "`xz -9`" + ` has 64 MiB). ` + "`make sizes`" + ` measures, into ` + "`traces/sizes.json`" + `.

*File* is all of the trace at the level ` + "`default`" + `. *Stream* is its chunks alone: what the warps did, which is what the Accel-Sim text
has; that text has neither operands and post-dominators nor the host's timeline, which take most of a trace of a few kilobytes.
*xz over stream* is how many times smaller the stream is than the text under ` + "`xz -9`" + `. *Fast* and *small* are files at the other levels. *Decode*
is million warp instructions per second of processor time on one core of the machine that measured, a virtual one that others
shared: take it as a lower bound, and compare rows.

| trace | warp instructions | file | stream | fast | small | text | gzip | xz | zstd | xz over stream | decode |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`

// WritePage writes docs/trace-size.md.
func WritePage(b *bytes.Buffer) error {
	sizes, err := traces.ReadFileSizes()
	if err != nil {
		return err
	}
	b.WriteString("# Trace sizes\n\n" + page.Note + traceSizeIntroduction)
	var logs, streamLogs float64
	for i := range sizes.Workloads {
		s := &sizes.Workloads[i]
		each := func(bytes int64) float64 { return float64(bytes) / float64(s.WarpInstructions) }
		fmt.Fprintf(b, "| %s | %s | %.3f | %.3f | %.3f | %.3f | %.1f | %.3f | %.3f | %.3f | %.1f | %.0f |\n", s.Name, numbers.Grouped(s.WarpInstructions),
			each(s.File), each(s.Stream), each(s.Fast), each(s.Small), each(s.Text), each(s.Gzip), each(s.XZ), each(s.Zstd),
			float64(s.XZ)/float64(s.Stream), s.DecodeRate)
		logs += math.Log(each(s.File))
		streamLogs += math.Log(float64(s.XZ) / float64(s.Stream))
	}
	n := float64(max(1, len(sizes.Workloads)))
	fmt.Fprintf(b, "\nGeometric means of %d: %.4f bytes per warp instruction for the file; xz over stream %.1f.\n", len(sizes.Workloads), math.Exp(logs/n), math.Exp(streamLogs/n))
	writeSizeTargets(b, sizes, math.Exp(logs/n))
	writeSizeFloors(b, sizes)
	return nil
}

// sizeTargets are the bytes per warp instruction that the format promises.
var sizeTargets = []struct {
	workload string
	most     float64
}{{"saxpy", 0.05}, {"sgemm", 0.05}, {"transpose", 0.05}, {"bfs", 2}, {"spmv", 2}}

// xzTarget is how many times smaller a stream should be than the text under xz.
const xzTarget = 3

func writeSizeTargets(b *bytes.Buffer, sizes *traces.FileSizes, mean float64) {
	b.WriteString("\n## Targets\n\n| what | target | measured |\n| --- | ---: | ---: |\n")
	fmt.Fprintf(b, "| geometric mean of the files | 0.25 | %.4f |\n", mean)
	for _, t := range sizeTargets {
		if s := sizes.Find(t.workload); s != nil {
			fmt.Fprintf(b, "| %s | %g | %.3f |\n", t.workload, t.most, float64(s.File)/float64(s.WarpInstructions))
		}
	}
	met := 0
	var missed []string
	for i := range sizes.Workloads {
		if s := &sizes.Workloads[i]; float64(s.XZ) >= xzTarget*float64(s.Stream) {
			met++
		} else {
			missed = append(missed, fmt.Sprintf("%s %.2f", s.Name, float64(s.XZ)/float64(s.Stream)))
		}
	}
	fmt.Fprintf(b, "| streams at least %d times smaller than text under xz -9 | %d | %d |\n\nSmaller than that:", xzTarget, len(sizes.Workloads), met)
	for i, m := range missed {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + m)
	}
	b.WriteString(".\n")
}
