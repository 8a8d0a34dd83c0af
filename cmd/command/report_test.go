// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

const spmvTrace = "../../traces/recorded/spmv.wtape"

// pageData is what a page holds, as far as tests look at it.
type pageData struct {
	Sections []struct{ ID string }
	Datasets []struct {
		Rows    string
		Columns []struct {
			Name    string
			Words   []string
			Index   []int
			Numbers []*float64
		}
	}
}

func readPage(t *testing.T, path string) (page pageData) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), `id="data">`)
	data, _, end := strings.Cut(rest, "</script>")
	if !strings.HasPrefix(string(text), "<!DOCTYPE html>") || !ok || !end {
		t.Fatalf("%s: is no page", path)
	}
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		t.Fatal(err)
	}
	return page
}

// numbersOf are the numbers of a column by the words of another one, of the first dataset
// that has both.
func (p *pageData) numbersOf(words, numbers string) map[string]float64 {
	for _, d := range p.Datasets {
		by := map[string]float64{}
		for _, w := range d.Columns {
			for _, n := range d.Columns {
				if w.Name != words || n.Name != numbers {
					continue
				}
				for row, i := range w.Index {
					if v := n.Numbers[row]; v != nil {
						by[w.Words[i]] = *v
					}
				}
			}
		}
		if len(by) > 0 {
			return by
		}
	}
	return nil
}

func TestReportOfASweep(t *testing.T) {
	dir := t.TempDir()
	results, page := filepath.Join(dir, "results"), filepath.Join(dir, "page.html")
	bad(t, commandline.ExitFailed, "is not a folder of results", "report", results)
	good(t, "sweep", spmvTrace, "--arch", "gtx480", "--set", "l1.bytes=16KiB,32KiB", "--name", "one", "--results", results, "-q")
	said := good(t, "report", results, "-o", page)
	if !strings.Contains(said, "report of sweep one") {
		t.Error(said)
	}
	data := readPage(t, page)
	if by := data.numbersOf("axis l1.bytes", "cycles"); len(by) != 2 || by["16KiB"] <= 0 {
		t.Errorf("%v", by)
	}
	bad(t, commandline.ExitFailed, "exists already; use --force", "report", results, "-o", page)
	good(t, "report", results, "-o", page, "--force", "--details", "all")

	measured := filepath.Join(dir, "hw.csv")
	if err := os.WriteFile(measured, []byte("workload,l1.bytes,cycles\nspmv,16384,9000\nspmv,32768,8000\nspmv,65536,7000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	good(t, "report", results, "-o", page, "--force", "--measured", measured)
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "Correlation with measurements") || !strings.Contains(string(text), "Rows without a match") {
		t.Error("the page does not compare the results with measurements", err)
	}
	bad(t, commandline.ExitUsage, "--rename goes with --measured", "report", results, "-o", page, "--force", "--rename", "a=b")

	bad(t, commandline.ExitFailed, `has no sweep two; it has ["one"]`, "report", results, "-o", filepath.Join(dir, "b.html"), "--sweep", "two")
	bad(t, commandline.ExitUsage, "there are reference, all and none", "report", results, "-o", filepath.Join(dir, "b.html"), "--details", "some")
	good(t, "sweep", spmvTrace, "--arch", "gtx480", "--name", "two", "--results", results, "-q")
	bad(t, commandline.ExitUsage, "choose one with --sweep: one, two", "report", results, "-o", filepath.Join(dir, "b.html"))
	if _, err := os.Stat(filepath.Join(dir, "b.html")); err == nil {
		t.Error("a report that failed left a file")
	}
}

// TestWhatIfsAreReplays: their times are those of replays of the machines that they name.
func TestWhatIfsAreReplays(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.html"), filepath.Join(dir, "b.html")
	args := []string{"replay", spmvTrace, "--arch", "gtx480", "--what-if", "perfect-memory,registers,gto", "-q", "--report"}
	said := good(t, append(args, a)...)
	if said != good(t, "replay", spmvTrace, "--arch", "gtx480", "-q") {
		t.Error("the table is another one with a report")
	}
	page := readPage(t, a)
	cycles := page.numbersOf("overlays", "cycles")
	if len(cycles) != 3 { // gto is what the machine has
		t.Errorf("%v", cycles)
	}
	for what, spec := range map[string]string{"as it is": "gtx480", "perfect memory: no latency, no limit of bandwidth": "gtx480+perfect-memory", "twice the registers": "gtx480+set(sm.registers=65536)"} {
		file := filepath.Join(dir, "r.json")
		good(t, "replay", spmvTrace, "--arch", spec, "--json", file, "-q", "--force")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var results []struct{ Total struct{ Cycles float64 } }
		if err := json.Unmarshal(text, &results); err != nil {
			t.Fatal(err)
		}
		if want := results[0].Total.Cycles; cycles[what] != want || want == 0 {
			t.Errorf("%s: %g cycles in the report, %g in a replay", what, cycles[what], want)
		}
	}
	speedup := page.numbersOf("overlays", "metric speed-up")
	perfect := "perfect memory: no latency, no limit of bandwidth"
	if want := cycles["as it is"] / cycles[perfect]; math.Abs(speedup[perfect]/want-1) > 1e-5 {
		t.Errorf("a speed-up of %g, and %g by cycles", speedup[perfect], want)
	}
	good(t, append(args, b)...)
	first, _ := os.ReadFile(a)
	second, _ := os.ReadFile(b)
	if strings.ReplaceAll(string(first), "a.html", "b.html") != string(second) {
		t.Error("two reports of the same replays differ")
	}
	if label := `\u003e%s\u003c/text\u003e`; !strings.Contains(string(first), fmt.Sprintf(label, "SM 0")) || strings.Contains(string(first), fmt.Sprintf(label, "SM 1")) {
		t.Error("the page has no picture of SM 0, or one of another")
	}
}

func TestWrongReportsOfReplaysAreRefused(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	replay := func(args ...string) []string {
		return append([]string{"replay", spmvTrace, "--arch", "gtx480", "-q"}, args...)
	}
	bad(t, commandline.ExitUsage, "--what-if luck: there are all, none, perfect-memory, ", replay("--report", page, "--what-if", "luck")...)
	bad(t, commandline.ExitUsage, "--what-if: needs --report", replay("--what-if", "all")...)
	bad(t, commandline.ExitUsage, "--source: needs --report", replay("--source", ".")...)
	bad(t, commandline.ExitUsage, "name it .html", replay("--report", "page.txt")...)
	bad(t, commandline.ExitUsage, "--report needs a replay", replay("--report", page, "--cached")...)
	bad(t, commandline.ExitUsage, "does not go with --timeline", replay("--report", page, "--timeline", page+".pftrace")...)
	bad(t, commandline.ExitFailed, "no such file", replay("--report", page, "--source", filepath.Join(t.TempDir(), "gone"))...)
	write(t, page, "mine")
	bad(t, commandline.ExitFailed, "exists already", replay("--report", page)...)
}

// TestATraceCannotNameFilesOutsideTheSourceFolder.
func TestATraceCannotNameFilesOutsideTheSourceFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secret.cu"), "secret")
	folder := filepath.Join(dir, "sources")
	if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "sub", "k.cu"), "kernel")
	write(t, filepath.Join(folder, "top.cu"), "top")
	if err := os.Symlink(filepath.Join(dir, "secret.cu"), filepath.Join(folder, "link.cu")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := &singleReport{sources: root}
	for file, want := range map[string]string{
		"sub/k.cu": "kernel", "/elsewhere/top.cu": "top", "../secret.cu": "", filepath.Join(dir, "secret.cu"): "", "link.cu": "", "": "", "sub": "", "gone.cu": "",
	} {
		if got, ok := s.source(file); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", file, got, ok)
		}
	}
}

func TestWordsOfRepeatableCommandsAreQuoted(t *testing.T) {
	for word, want := range map[string]string{"a.wtape": "a.wtape", "gtx480+lrr": "gtx480+lrr", "buddy(members=4)": "'buddy(members=4)'", "it's": `'it'\''s'`, "": "''"} {
		if got := quoted(word); got != want {
			t.Errorf("%s gives %s, want %s", word, got, want)
		}
	}
}
