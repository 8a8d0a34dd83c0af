// SPDX-License-Identifier: Apache-2.0

package contaminator

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// referenceKernels parses compiler output that lies in the parser's testdata.
func referenceKernels(t testing.TB) []*ptx.Kernel {
	t.Helper()
	var files []string
	for _, folder := range []string{"reference", "clang", "nvcc-style"} {
		list, err := filepath.Glob("../ptx/testdata/" + folder + "/*.ptx")
		if err != nil || len(list) == 0 {
			t.Fatalf("no PTX in %s: %v", folder, err)
		}
		files = append(files, list...)
	}
	var kernels []*ptx.Kernel
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ptx.Parse(file, text)
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, m.Kernels...)
	}
	return kernels
}

func TestCompilerOutputContaminates(t *testing.T) {
	kernels := referenceKernels(t)
	for _, k := range kernels {
		c, err := Contaminate(k)
		if err != nil {
			t.Errorf("%s: %v", k.Module.File, err)
			continue
		}
		checkStatic(t, c)
	}
	if len(kernels) < 20 {
		t.Errorf("only %d kernels", len(kernels))
	}
}

// checkStatic: the instruction table belongs to the body line by line, and what
// it names is inside its own counts.
func checkStatic(t *testing.T, k *Kernel) {
	t.Helper()
	s := k.Static
	if len(s.Instructions) != len(k.PTX.Body) || len(s.Blocks) != len(k.Segments) {
		t.Fatalf("%s: %d rows for %d instructions, %d blocks for %d segments", s.Name, len(s.Instructions), len(k.PTX.Body), len(s.Blocks), len(k.Segments))
	}
	for i := range s.Instructions {
		row, in := &s.Instructions[i], &k.PTX.Body[i]
		if int(row.Line) != in.Line || row.Opcode != in.Op.String() || len(row.Modifiers)+len(row.Types) != len(in.Suffixes) {
			t.Errorf("%s: row %d is %+v, the instruction %s", s.Name, i, row, ptx.Format(in))
		}
		if row.Class.IsMemory() != (row.LaneBytes > 0) || row.Class.IsMemory() != (row.Space != trace.SpaceNone) {
			t.Errorf("%s: %s has space %s and %d bytes a lane", s.Name, ptx.Format(in), row.Space, row.LaneBytes)
		}
		for _, r := range row.Writes(row.Reads(nil)) {
			count := s.RegistersPerThread
			if r.File == trace.FilePredicate {
				count = s.PredicatesPerThread
			}
			if r.Words == 0 || uint32(r.Number)+uint32(r.Words) > count || r.Virtual == "" {
				t.Errorf("%s: %s names register %+v of %d", s.Name, ptx.Format(in), r, count)
			}
		}
	}
	for i, b := range s.Blocks {
		for _, next := range append([]uint32{b.PostDominator}, b.Successors...) {
			if next != trace.NoBlock && int(next) >= len(s.Blocks) {
				t.Errorf("%s: block %d names block %d", s.Name, i, next)
			}
		}
	}
}
