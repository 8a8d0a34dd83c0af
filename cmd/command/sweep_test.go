// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/sweep"
	"github.com/warptape/warptape/trace/store/registrytest"
)

const smallPlan = "traces: [TRACE]\nmachines: [gtx480]\nparameters: {dram.queue: [8, 16, 32], sm.max_warps: [4, 48]}\n"

func planFile(t *testing.T, trace string) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), "small.yaml"), strings.ReplaceAll(smallPlan, "TRACE", trace))
}

func recordedTrace(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../traces/recorded/spmv.wtape")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPreparedSweepsAreWorkedOnInParts, and status adds the parts up.
func TestPreparedSweepsAreWorkedOnInParts(t *testing.T) {
	root := filepath.Join(t.TempDir(), "r")
	good(t, "sweep", planFile(t, recordedTrace(t)), "--results", root, "--prepare")
	status := func() sweep.Status {
		t.Helper()
		var list []sweep.Status
		if err := json.Unmarshal([]byte(good(t, "sweep", "status", root, "--json")), &list); err != nil || len(list) != 1 {
			t.Fatal(err, list)
		}
		return list[0]
	}
	if s := status(); s.Points != 6 || s.Missing != 6 {
		t.Errorf("%+v", s)
	}
	good(t, "sweep", "work", root, "small", "--shard", "0/2", "--quiet")
	if s := status(); s.Done+s.Refused != 3 || s.Missing != 3 {
		t.Errorf("%+v", s)
	}
	good(t, "sweep", "work", root, "small", "--shard", "1/2", "--memory", "300MiB", "--quiet")
	if s := status(); s.Done != 3 || s.Refused != 3 || len(s.Processes) != 0 {
		t.Errorf("%+v", s)
	}
	if text := good(t, "sweep", "status", root, "--name", "small"); !strings.Contains(text, "3 of 6 points") {
		t.Error(text)
	}
}

// TestANodePullsTracesByTheirDigests from a real registry.
func TestANodePullsTracesByTheirDigests(t *testing.T) {
	registry := registrytest.Start(t, false)
	t.Setenv("WARPTAPE_STORE", t.TempDir()) // which has no trace
	trace := filepath.Join(t.TempDir(), "here.wtape")
	text, err := os.ReadFile(recordedTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trace, text, 0o666); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "r")
	good(t, "sweep", planFile(t, trace), "--results", root, "--prepare")
	name := registry.Host + "/team/traces"
	good(t, "push", trace, name+":spmv", "--quiet")
	if err := os.Remove(trace); err != nil { // on another node it is not there
		t.Fatal(err)
	}
	bad(t, commandline.ExitFailed, "name where it is with --pull", "sweep", "work", root, "small", "--quiet")
	bad(t, commandline.ExitFailed, "team/others", "sweep", "work", root, "small", "--pull", registry.Host+"/team/others", "--quiet")
	if said := good(t, "sweep", "work", root, "small", "--pull", name, "--quiet"); !strings.Contains(said, "3 made") {
		t.Error(said)
	}
}

// TestWrongSweepCommandsSayWhatIsWrong.
func TestWrongSweepCommandsSayWhatIsWrong(t *testing.T) {
	root, plan := filepath.Join(t.TempDir(), "r"), planFile(t, recordedTrace(t))
	bad(t, commandline.ExitFailed, "is not a folder of results", "sweep", "status", root)
	good(t, "sweep", plan, "--results", root, "--prepare")
	for _, c := range []struct {
		code    int
		message string
		args    []string
	}{
		{commandline.ExitFailed, `has no sweep nosuch; it has ["small"]`, []string{"work", root, "nosuch"}},
		{commandline.ExitFailed, `has no sweep nosuch`, []string{"status", root, "--name", "nosuch"}},
		{commandline.ExitUsage, "missing argument NAME", []string{"work", root}},
		{commandline.ExitUsage, "unexpected argument", []string{"status", root, "more"}},
		{commandline.ExitUsage, "--shard", []string{"work", root, "small", "--shard", "2/2"}},
		{commandline.ExitUsage, "--memory", []string{"work", root, "small", "--memory", "1MiB"}},
		{commandline.ExitUsage, "--memory", []string{plan, "--memory", "lots"}},
		{commandline.ExitUsage, "--pull", []string{"work", root, "small", "--pull", "saxpy"}},
		{commandline.ExitUsage, "--workers", []string{plan, "--workers", "-1"}},
		{commandline.ExitUsage, "there are local and slurm", []string{plan, "--executor", "lsf"}},
		{commandline.ExitUsage, "needs --executor slurm", []string{plan, "--tasks", "3"}},
		{commandline.ExitUsage, "must be from 1 to", []string{plan, "--executor", "slurm", "--tasks", "0"}},
		{commandline.ExitUsage, "leave one of them out", []string{plan, "--executor", "slurm", "--shard", "0/2"}},
		{commandline.ExitFailed, "HOST:PORT", []string{plan, "--results", root, "--serve", "8080"}},
	} {
		bad(t, c.code, c.message, append([]string{"sweep"}, c.args...)...)
	}
}

// TestResultsOfOtherVersionsAreRefused by everything that reads them, and stay as they are.
func TestResultsOfOtherVersionsAreRefused(t *testing.T) {
	root, plan := filepath.Join(t.TempDir(), "r"), planFile(t, recordedTrace(t))
	good(t, "sweep", plan, "--results", root, "--quiet")
	manifest := filepath.Join(root, "sweeps", "small", "manifest.json")
	whole, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	write(t, manifest, strings.Replace(string(whole), `"schema":1`, `"schema":99`, 1))
	bad(t, commandline.ExitFailed, "has schema 99", "sweep", "status", root)
	bad(t, commandline.ExitFailed, "has schema 99", "sweep", "work", root, "small")
	write(t, manifest, string(whole[:len(whole)/2]))
	bad(t, commandline.ExitFailed, "is damaged", "sweep", "status", root)
	write(t, filepath.Join(root, "results.json"), `{"warptape_results":2}`)
	points := pointsIn(t, root)
	for _, args := range [][]string{{"status", root}, {"work", root, "small"}, {plan, "--results", root}} {
		bad(t, commandline.ExitFailed, "has results in layout 2, and this version reads layout 1", append([]string{"sweep"}, args...)...)
	}
	if pointsIn(t, root) != points {
		t.Error("points are gone")
	}
}
