package traces_test

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/traces"
)

// example is the Python block of a text in docs.
func example(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile("../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```python\n")
	program, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("%s has no Python block", file)
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
		"saxpy.star": {Data: example(t, "host-programs.md")},
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

func TestTheExampleInTheWorkloadTextLoads(t *testing.T) {
	p, err := host.Load(fstest.MapFS{"dot.star": {Data: example(t, "adding-a-workload.md")}}, "dot.star")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Sizes()) != 4 {
		t.Errorf("%d sizes", len(p.Sizes()))
	}
}
