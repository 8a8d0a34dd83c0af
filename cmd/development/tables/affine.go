// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"slices"

	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/timing/affine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/traces"
)

//go:embed affine.md.tmpl
var affinePage string

// affineExample is a workload of docs/affine.md; About is Markdown.
type affineExample struct {
	Workload, About string
	Streams         string // of its kernels
}

var affineExamples = []affineExample{
	{Workload: "saxpy", About: "Everything but the arithmetic is affine: the affine warp computes three addresses and a predicate once for all warps."},
	{Workload: "pathfinder", About: "`min` and `max` of affine values, a loop whose predicate is affine, and shared memory."},
	{Workload: "spmv", About: "Row pointers are read from memory, and so the loop over a row, its loads and its predicate stay with the warps."},
}

// WriteAffine writes docs/affine.md.
func WriteAffine(b *bytes.Buffer) error {
	examples := slices.Clone(affineExamples)
	for i := range examples {
		if err := examples[i].compile(); err != nil {
			return err
		}
	}
	var coverage bytes.Buffer
	if err := writeAffineTable(&coverage); err != nil {
		return err
	}
	return page.Write(b, affinePage, map[string]any{"Examples": examples, "Coverage": coverage.String()})
}

// compile fills in the streams.
func (x *affineExample) compile() error {
	w, err := traces.Find(x.Workload)
	if err != nil {
		return err
	}
	kernels, err := staticKernels(w)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for i, k := range kernels {
		if i > 0 {
			b.WriteByte('\n')
		}
		if err := affine.Compile(k).Print(&b); err != nil {
			return err
		}
	}
	x.Streams = b.String()
	return nil
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
