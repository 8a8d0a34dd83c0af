// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/traces"
)

// tree is a source tree with nothing but a catalogue file; nil leaves that out.
func tree(t *testing.T, c *traces.Catalogue) (root, path string) {
	t.Helper()
	root = t.TempDir()
	path = filepath.Join(root, "traces", traces.CatalogueFile)
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return root, path
	}
	text, err := c.Text()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return root, path
}

func read(t *testing.T, path string) *traces.Catalogue {
	t.Helper()
	c, err := readFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func digest(t *testing.T, name string) string {
	t.Helper()
	w, err := traces.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := w.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOnlyWhatHasChangedIsMeasured(t *testing.T) {
	invented := []traces.Size{{Name: "tiny", Figures: &traces.Figures{Launches: 12345}}}
	root, path := tree(t, &traces.Catalogue{Workloads: []traces.Entry{
		{Name: "hotspot", Digest: "an older one", Sizes: invented},
		{Name: "no-longer-there"},
		{Name: "saxpy", Digest: digest(t, "saxpy"), Sizes: invented},
	}})
	update := func(args ...string) *traces.Catalogue {
		t.Helper()
		if err := run(t.Context(), append([]string{"-root", root, "-sizes", "tiny", "-only", "saxpy,hotspot,bfs"}, args...)); err != nil {
			t.Fatal(err)
		}
		return read(t, path)
	}
	c := update()
	var names []string
	for _, e := range c.Workloads {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"bfs", "hotspot", "saxpy"}, names); diff != "" {
		t.Error(diff)
	}
	if got := c.Find("saxpy").Size("tiny").Figures.Launches; got != 12345 {
		t.Errorf("saxpy was measured again: %d launches", got)
	}
	if got := c.Find("hotspot").Size("tiny").Figures.Launches; got != 3 {
		t.Errorf("hotspot has %d launches, its source says 3", got)
	}
	if e := c.Find("saxpy"); e.Suite != "BLAS" || len(e.Tables) != 2 {
		t.Errorf("saxpy is described as %+v", e)
	}
	if got := update("-all").Find("saxpy").Size("tiny").Figures.Launches; got != 1 {
		t.Errorf("with -all saxpy has %d launches", got)
	}
}

func TestSizesThatAreNotAskedForStay(t *testing.T) {
	invented := []traces.Size{{Name: "paper", Figures: &traces.Figures{Launches: 12345}}}
	root, path := tree(t, &traces.Catalogue{Workloads: []traces.Entry{{Name: "saxpy", Digest: digest(t, "saxpy"), Sizes: invented}}})
	if err := run(t.Context(), []string{"-root", root, "-sizes", "tiny", "-only", "saxpy", "-all"}); err != nil {
		t.Fatal(err)
	}
	e := read(t, path).Find("saxpy")
	if len(e.Sizes) != 2 || e.Size("tiny").Figures.Launches != 1 || e.Size("paper").Figures.Launches != 12345 {
		t.Errorf("got %+v", e.Sizes)
	}
}

func TestASizeThatTakesTooLongSaysSo(t *testing.T) {
	root, path := tree(t, &traces.Catalogue{})
	if err := run(t.Context(), []string{"-root", root, "-sizes", "small", "-only", "sgemm", "-limit", "1ms"}); err != nil {
		t.Fatal(err)
	}
	want := []traces.Size{{Name: "small", Unmeasured: "a run takes longer than 1ms"}}
	if diff := cmp.Diff(want, read(t, path).Find("sgemm").Sizes); diff != "" {
		t.Error(diff)
	}
}

func TestAnInterruptedUpdateLeavesAWholeFile(t *testing.T) {
	root, path := tree(t, &traces.Catalogue{})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := run(ctx, []string{"-root", root, "-sizes", "small"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	read(t, path)
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}

func TestCheckNamesWhatIsStale(t *testing.T) {
	committed, err := traces.ReadCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tracetest.Draw(t, []struct {
		name   string
		change func(*traces.Catalogue)
		want   []string
	}{
		{"digest", func(c *traces.Catalogue) { c.Find("saxpy").Digest = "x" }, []string{"saxpy: has changed", "make figures"}},
		{"suite", func(c *traces.Catalogue) { c.Find("saxpy").Suite = "x" }, []string{"saxpy: has changed"}},
		{"tables", func(c *traces.Catalogue) { c.Find("saxpy").Tables = nil }, []string{"saxpy: has changed"}},
		{"counts", func(c *traces.Catalogue) { c.Find("saxpy").Size("tiny").Figures.Threads++ }, []string{"saxpy: tiny does", "-all -only saxpy"}},
		{"no entry", func(c *traces.Catalogue) { c.Find("saxpy").Name = "saxpya" }, []string{"saxpya is no workload", "saxpy: has no entry"}},
		{"no paper", func(c *traces.Catalogue) { e := c.Find("saxpy"); e.Sizes = e.Sizes[:1] }, []string{"saxpy: has nothing of size demo"}},
		{"no size", func(c *traces.Catalogue) { c.Find("saxpy").Sizes = nil }, []string{"saxpy: has nothing of size tiny"}},
	}, 1) {
		t.Run(c.name, func(t *testing.T) {
			text, err := committed.Text()
			if err != nil {
				t.Fatal(err)
			}
			changed, err := traces.ParseCatalogue("copy", text)
			if err != nil {
				t.Fatal(err)
			}
			c.change(changed)
			root, path := tree(t, changed)
			err = run(t.Context(), []string{"-root", root, "-check"})
			for _, want := range append(c.want, path) {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	root, _ := tree(t, nil)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-only", "saxpi"}, `no workload "saxpi"`},
		{[]string{"saxpy"}, `unexpected argument "saxpy"`},
		{[]string{"-root", root}, "name it with -root"},
		{[]string{"-root", root, "-check"}, "name it with -root"},
	} {
		err := run(t.Context(), c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v", c.args, err)
		}
	}
	if err := run(t.Context(), []string{"-root", root}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestRatesAreOfTheFilesThatWereWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	var out strings.Builder
	want := selection{workloads: []string{"bfs", "saxpy"}, sizes: []string{"tiny"}}
	if err := printRates(t.Context(), &out, want, folder); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, "saxpy-tiny.wtape"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || !strings.HasPrefix(strings.TrimSpace(lines[1]), "bfs") {
		t.Fatalf("got\n%s", out.String())
	}
	saxpy := strings.Fields(lines[2])
	r := rate{instructions: 2524, bytes: info.Size()}
	if diff := cmp.Diff([]string{"saxpy", "tiny", "2524"}, saxpy[:3]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{fmt.Sprint(r.bytes), fmt.Sprintf("%.3f", r.bytesPerInstruction())}, saxpy[4:6]); diff != "" {
		t.Error(diff)
	}
}

func TestMeansOfRates(t *testing.T) {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 8, 1, ' ', 0)
	printMeans(w, []rate{
		{instructions: 1e6, bytes: 4e6, elapsed: time.Second},
		{instructions: 9e6, bytes: 9e6, elapsed: time.Second},
	})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "together 10000000 2.00 13000000 1.300 5.00\ngeometric mean 2.000 3.00"
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestWritingIsMeasuredForEachWorkload(t *testing.T) {
	var out strings.Builder
	want := selection{workloads: []string{"bfs", "saxpy"}, sizes: []string{"tiny"}}
	if err := printWriting(t.Context(), &out, want, 1); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || !strings.HasPrefix(strings.TrimSpace(lines[1]), "bfs") {
		t.Errorf("got\n%s", out.String())
	}
}

func TestShareOfWriting(t *testing.T) {
	var c writingCost
	for _, s := range []time.Duration{5 * time.Second, 4 * time.Second} {
		c.recorded.least(spent{s, 3 * s})
		c.dropped.least(spent{s - 3*time.Second, s})
	}
	if c.share() != 0.75 || c.longer() != 3 {
		t.Errorf("share %g, %g times as long", c.share(), c.longer())
	}
}
