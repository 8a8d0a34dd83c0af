// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
)

// resultsOf reads what replay --json wrote.
func resultsOf(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// A fast replay is that of the sample which suits the machine: its measured errors are those
// of docs/sampling.md. It has the whole trace's digest, the interval, and the truth in it.
func TestAFastReplayIsThatOfTheSampleForTheMachine(t *testing.T) {
	tracetest.Nightly(t)
	folder := t.TempDir()
	whole, part := filepath.Join(folder, "whole.wtape"), filepath.Join(folder, "part.wtape")
	good(t, "record", "saxpy", "--set", "n=4194304", "-o", whole, "-q")
	exact := resultsOf(t, good(t, "replay", whole, "-a", "gtx480", "-q", "--json", "-"))[0]
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	fast := resultsOf(t, good(t, "replay", whole, "-a", "gtx480", "-a", "gtx480+lrr", "-q", "--fast", "--json", "-"))
	if left := files(t, temporary); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	good(t, "trace", "sample", whole, "--sample", "auto,for=gtx480", "-o", part)
	want := resultsOf(t, good(t, "replay", part, "-a", "gtx480", "-a", "gtx480+lrr", "-q", "--json", "-"))
	for i := range want {
		sampled := want[i]["sampled"].(map[string]any)
		sampled["policy"] = "fast: " + sampled["policy"].(string)
		want[i]["trace_digest"] = exact["trace_digest"]
	}
	if diff := cmp.Diff(want, fast); diff != "" {
		t.Errorf("other results than of the sample: %s", diff)
	}
	cycles := exact["total"].(map[string]any)["cycles"].(float64)
	interval := fast[0]["total"].(map[string]any)["uncertainty"].(map[string]any)
	if low, high := interval["cycles_low"].(float64), interval["cycles_high"].(float64); cycles < low || cycles > high {
		t.Errorf("%g cycles, outside %g to %g", cycles, low, high)
	}
	table := good(t, "replay", whole, "-a", "gtx480", "-q", "--fast", "--full-check", whole)
	for _, label := range []string{"(fast:", "± ", "full check"} {
		if !strings.Contains(table, label) {
			t.Errorf("no %q in\n%s", label, table)
		}
	}
}

func TestAFastReplayOfAShortProgramIsExact(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole.wtape")
	good(t, "record", "saxpy", "--size", "tiny", "-o", whole, "-q")
	exact := good(t, "replay", whole, "-a", "gtx480", "-q", "--json", "-")
	if fast := good(t, "replay", whole, "-a", "gtx480", "-q", "--fast", "--json", "-"); fast != exact {
		t.Error("other bytes than those of an exact replay")
	}
}

func TestFastIsRefusedWhereItWouldBeWrong(t *testing.T) {
	folder := t.TempDir()
	whole, part := filepath.Join(folder, "whole.wtape"), filepath.Join(folder, "part.wtape")
	good(t, "record", "saxpy", "--set", "n=65536", "-o", whole, "-q")
	good(t, "trace", "sample", whole, "--sample", "fraction=0.5,min=100", "-o", part)
	for _, flag := range []string{"cached", "cpu=S1", "timeline=" + filepath.Join(folder, "x.pftrace"), "report=" + filepath.Join(folder, "x.html")} {
		name, _, _ := strings.Cut(flag, "=")
		bad(t, commandline.ExitUsage, "--"+name+" needs an exact replay", "replay", whole, "-a", "gtx480", "-q", "--fast", "--"+flag)
	}
	bad(t, commandline.ExitUsage, "not on gtx480+buddy: buddy: how many thread blocks", "replay", whole, "-a", "gtx480+buddy", "-q", "--fast")
	bad(t, commandline.ExitUsage, "cores of the kind", "replay", whole, "-a", "eesi", "-q", "--fast")
	bad(t, commandline.ExitFailed, "is a sample already", "replay", part, "-a", "gtx480", "-q", "--fast")
	spinning := filepath.Join(folder, "spinning.wtape")
	good(t, "record", "atomics-contention", "--size", "tiny", "-o", spinning, "-q")
	bad(t, commandline.ExitFailed, "depends on timing", "replay", spinning, "-a", "gtx480", "-q", "--fast")
	if _, err := os.Stat(filepath.Join(folder, "x.pftrace")); err == nil {
		t.Error("a refused replay wrote a timeline")
	}
}
