package tables

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/traces"
)

//go:embed affine_intro.md
var affineIntro string

// affineExamples are the kernels of docs/affine.md.
var affineExamples = []struct{ workload, about string }{
	{"saxpy", "Everything but the arithmetic is affine: the affine warp computes three addresses and a predicate once for all warps."},
	{"pathfinder", "`min` and `max` of affine values, a loop whose predicate is affine, and shared memory."},
	{"spmv", "Row pointers are read from memory, and so the loop over a row, its loads and its predicate stay with the warps."},
}

// WriteAffine writes docs/affine.md.
func WriteAffine(b *bytes.Buffer) error {
	b.WriteString("# Decoupled affine computation\n\n" + page.Note + affineIntro)
	for _, x := range affineExamples {
		w, err := traces.Find(x.workload)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n```text\n", x.workload, x.about)
		kernels, err := staticKernels(w)
		if err != nil {
			return err
		}
		for i, k := range kernels {
			if i > 0 {
				b.WriteByte('\n')
			}
			if err := affine.Compile(k).Print(b); err != nil {
				return err
			}
		}
		b.WriteString("```\n")
	}
	return writeAffineTable(b)
}

// staticKernels gives the static parts of a workload's kernels, as a trace has them.
func staticKernels(w traces.Workload) ([]*trace.Kernel, error) {
	files, err := fs.Glob(w.Files, "*.ptx")
	if err != nil {
		return nil, err
	}
	var out []*trace.Kernel
	for _, file := range files {
		text, err := fs.ReadFile(w.Files, file)
		if err != nil {
			return nil, err
		}
		m, err := ptx.Parse(file, text)
		if err != nil {
			return nil, err
		}
		for _, k := range m.Kernels {
			c, err := contaminator.Contaminate(k)
			if err != nil {
				return nil, err
			}
			out = append(out, c.Static)
		}
	}
	return out, nil
}

// writeAffineTable counts, per workload, what the compiler decouples.
func writeAffineTable(b *bytes.Buffer) error {
	b.WriteString("\n## The catalogue\n\nShares of the instructions in the text of each workload's kernels; what they are of a run: `warptape affine FILE.wtape --measure`.\n\n" +
		"| workload | instructions | on scalars and thread numbers | not in the non-affine stream | global and local loads | affine |\n| --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, w := range traces.List() {
		kernels, err := staticKernels(w)
		if err != nil {
			return err
		}
		var c affine.Coverage
		for _, k := range kernels {
			s := affine.Compile(k).Static()
			c.Add(&s)
		}
		fmt.Fprintf(b, "| %s | %d | %s | %s | %d | %s |\n", w.Name, c.Static, numbers.Share(c.StaticAffine, c.Static), numbers.Share(c.StaticRemoved, c.Static), c.StaticLoads, numbers.Share(c.StaticAffineLoads, c.StaticLoads))
	}
	return nil
}
