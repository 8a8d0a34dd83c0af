// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestTraceSliceMergeAndDiffWorkTogether(t *testing.T) {
	path := recordedTiny(t, "bfs")
	folder := t.TempDir()
	a, b, both := filepath.Join(folder, "a.wtape"), filepath.Join(folder, "b.wtape"), filepath.Join(folder, "both.wtape")
	good(t, "trace", "slice", path, "--launches", "0-1", "-o", a)
	good(t, "trace", "slice", path, "--launches", "2-", "-o", b)
	good(t, "trace", "merge", a, b, "-o", both)
	for _, p := range []string{a, b, both} {
		good(t, "trace", "verify", p)
	}
	if out := good(t, "trace", "diff", path, path); out != "no difference\n" {
		t.Errorf("a trace differs from itself: %s", out)
	}
	o := warptape(t, "trace", "diff", path, both)
	if o.code != commandline.ExitFailed || !strings.Contains(o.stdout, "host event") || !strings.Contains(o.stderr, "the traces differ") {
		t.Errorf("diff: %+v", o)
	}
	bad(t, commandline.ExitUsage, `--launches "4-2"`, "trace", "slice", path, "--launches", "4-2", "-o", a)
	bad(t, commandline.ExitFailed, "exists already", "trace", "slice", path, "-o", a)
	bad(t, commandline.ExitFailed, "no thread block", "trace", "slice", path, "--blocks", "999999", "-o", filepath.Join(folder, "none.wtape"))
	bad(t, commandline.ExitUsage, "missing argument", "trace", "merge", "-o", filepath.Join(folder, "none.wtape"))
	if got := files(t, folder); len(got) != 3 {
		t.Errorf("left behind: %v", got)
	}
}

func TestTraceStatsPrintsTablesAndJSON(t *testing.T) {
	path := recordedTiny(t, "spmv")
	out := good(t, "trace", "stats", path)
	for _, line := range []string{"active lanes", "segments per global access", "reuse distance", "footprint", "ld.global"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	var report struct {
		WarpInstructions uint64 `json:"warp_instructions"`
		Lines            []any  `json:"lines"`
	}
	if err := json.Unmarshal([]byte(good(t, "trace", "stats", path, "--json")), &report); err != nil || report.WarpInstructions == 0 || len(report.Lines) == 0 {
		t.Errorf("%+v, %v", report, err)
	}
}
