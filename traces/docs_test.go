// SPDX-License-Identifier: Apache-2.0

package traces_test

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

// example is the first block of a language in a text in docs.
func example(t *testing.T, file, language string) []byte {
	t.Helper()
	text, err := os.ReadFile("../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```"+language+"\n")
	program, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("%s has no block of %s", file, language)
	}
	return []byte(program)
}

func TestTheExampleInTheHostProgramsTextRuns(t *testing.T) {
	saxpy, err := traces.Find("saxpy")
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := fs.ReadFile(saxpy.Files, "saxpy.ptx")
	if err != nil {
		t.Fatal(err)
	}
	p, err := host.Load(fstest.MapFS{
		"saxpy.star": {Data: example(t, "host-programs.md", "python")},
		"saxpy.ptx":  {Data: kernel},
	}, "saxpy.star")
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Run(context.Background(), host.Options{Size: "tiny"})
	if err != nil || result.Checks != 1 {
		t.Errorf("%d checks, %v", result.Checks, err)
	}
}

// The kernel in the text is compiled with those of the workloads, to testdata.
func TestTheExampleInTheWorkloadTextRuns(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if diff := cmp.Diff(string(read("dot.cu")), string(example(t, "adding-a-workload.md", "c++"))); diff != "" {
		t.Errorf("(-testdata +text)\n%s", diff)
	}
	p, err := host.Load(fstest.MapFS{
		"dot.star": {Data: example(t, "adding-a-workload.md", "python")},
		"dot.ptx":  {Data: read("dot.ptx")},
	}, "dot.star")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sizes()) != 3 || p.About().Suite != "Warptape" {
		t.Errorf("%d sizes, %+v", len(p.Sizes()), p.About())
	}
	for _, size := range []string{"tiny", "small"} {
		result, err := p.Run(context.Background(), host.Options{Size: size})
		if err != nil || result.Checks != 1 {
			t.Errorf("%s: %d checks, %v", size, result.Checks, err)
		}
	}
}
