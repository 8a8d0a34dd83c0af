// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// sweptFolder is a folder of results that a test may change: a copy of one that is made once.
func sweptFolder(t *testing.T) string {
	t.Helper()
	swept.Do(func() {
		root, err := os.MkdirTemp("", "warptape-swept-")
		if err != nil {
			t.Fatal(err)
		}
		afterTests = append(afterTests, func() { os.RemoveAll(root) })
		sweptOnce = filepath.Join(root, "study")
		good(t, "sweep", "../../traces/recorded/spmv.wtape", "--arch", "gtx480,v100", "--set", "l1.bytes=16KiB,32KiB",
			"--reference", "l1.bytes=16KiB", "--metric", "speedup=reference.time_ns / time_ns", "--name", "l1", "--results", sweptOnce, "--quiet")
	})
	folder := filepath.Join(t.TempDir(), "study")
	if err := os.CopyFS(folder, os.DirFS(sweptOnce)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// sweptOnce is the folder that sweptFolder copies.
var (
	swept     sync.Once
	sweptOnce string
)

func TestResultsAreListedShownAndExported(t *testing.T) {
	folder := sweptFolder(t)
	if out := good(t, "results", "list", folder); !strings.Contains(out, "l1 ") || !strings.Contains(out, "4 results, 0 of them of no sweep") {
		t.Errorf("list:\n%s", out)
	}
	var list listedResults
	if err := json.Unmarshal([]byte(good(t, "results", "list", folder, "--json")), &list); err != nil || len(list.Sweeps) != 1 || list.Sweeps[0].Done != 4 || list.Points != 4 {
		t.Errorf("list --json: %+v, %v", list, err)
	}
	shown := good(t, "results", "show", folder, "--sort", "-speedup")
	for _, want := range []string{"sweep: l1\n", "trace: spmv\n", "machine", "l1.bytes", "32768", "speedup"} {
		if !strings.Contains(shown, want) {
			t.Errorf("show has no %q:\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "state") {
		t.Errorf("all points are done, and show says so:\n%s", shown)
	}
	exported := good(t, "results", "export", folder, "--columns", "key,machine,cycles")
	lines := strings.Split(strings.TrimSpace(exported), "\r\n")
	if len(lines) != 5 || lines[0] != "key,machine,cycles" {
		t.Fatalf("export:\n%s", exported)
	}
	key, _, _ := strings.Cut(lines[1], ",")
	if one := good(t, "results", "show", folder, key[:20]); !strings.Contains(one, key) || !strings.Contains(one, "issue_slots") {
		t.Errorf("show KEY:\n%s", one)
	}
	for _, format := range []string{"csv", "parquet", "json"} {
		file := filepath.Join(t.TempDir(), "table."+format)
		good(t, "results", "export", folder, "-o", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if out := good(t, "results", "export", folder, "-o", "-", "--format", format); out != string(text) {
			t.Errorf("%s: standard output has other bytes than the file", format)
		}
		bad(t, commandline.ExitFailed, "exists already", "results", "export", folder, "-o", file)
	}
}

// TestTablesOfResultsFitTheTerminal, and say what they have no room for.
func TestTablesOfResultsFitTheTerminal(t *testing.T) {
	folder := sweptFolder(t)
	for _, columns := range []string{"40", "80", "200"} {
		t.Setenv("COLUMNS", columns)
		out := good(t, "results", "show", folder)
		if missing := strings.Contains(out, "no room for"); missing != (columns == "40") {
			t.Errorf("%s columns:\n%s", columns, out)
		}
	}
}

func TestFoldersOfResultsAreCheckedAndTidied(t *testing.T) {
	folder := sweptFolder(t)
	if out := good(t, "results", "check", folder); out != "results 4, failures 0, sweeps 1, traces 1: faults 0\n" {
		t.Errorf("check: %s", out)
	}
	if out := good(t, "results", "gc", folder, "--unused-for", "0d"); !strings.Contains(out, "removed: results 0,") {
		t.Errorf("gc takes what a sweep names: %s", out)
	}
	if err := os.RemoveAll(filepath.Join(folder, "sweeps", "l1")); err != nil {
		t.Fatal(err)
	}
	if out := good(t, "results", "gc", folder, "--unused-for", "0d", "--dry-run"); !strings.Contains(out, "would remove: results 4,") {
		t.Errorf("gc --dry-run: %s", out)
	}
	points, err := filepath.Glob(filepath.Join(folder, "points", "*", "*"))
	if err != nil || len(points) != 4 {
		t.Fatalf("%v, %v", points, err)
	}
	write(t, points[0], "no")
	bad(t, commandline.ExitFailed, points[0]+": is damaged", "results", "check", folder)
	if out := good(t, "results", "gc", folder, "--unused-for", "0d"); !strings.Contains(out, "removed: results 4,") {
		t.Errorf("gc: %s", out)
	}
	if !json.Valid([]byte(good(t, "results", "schema"))) {
		t.Error("the schema is not JSON")
	}
}

func TestWrongRequestsForResultsAreRefused(t *testing.T) {
	folder := sweptFolder(t)
	bad(t, commandline.ExitFailed, "is not a folder of results", "results", "list", t.TempDir())
	bad(t, commandline.ExitFailed, `it has ["l1"]`, "results", "export", folder, "--sweep", "l2")
	bad(t, commandline.ExitUsage, "did you mean cycles?", "results", "export", folder, "--columns", "cycle")
	bad(t, commandline.ExitUsage, "csv, parquet, json", "results", "export", folder, "-o", "table.xls")
	bad(t, commandline.ExitUsage, "the table has the columns", "results", "show", folder, "--sort", "speed")
	bad(t, commandline.ExitFailed, "no result has a key", "results", "show", folder, "zz")
	bad(t, commandline.ExitUsage, "--unused-for", "results", "gc", folder, "--unused-for", "long")
	bad(t, commandline.ExitUsage, "unexpected argument", "results", "gc", folder, "other")
}
