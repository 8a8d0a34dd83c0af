// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
)

const (
	keyA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	keyB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func executor(t *testing.T) *Executor {
	t.Helper()
	store, err := results.Create(filepath.Join(t.TempDir(), "r"))
	if err != nil {
		t.Fatal(err)
	}
	return &Executor{
		Store: store, Manifest: &results.Manifest{Name: "x"}, Work: []string{"warptape", "sweep", "work", "it's", "x"},
		shards: [][]string{{keyA, keyB}}, tasks: []task{{job: "7", tries: 1, missing: 2}},
	}
}

// has puts a file where the store has the result of a key.
func has(t *testing.T, e *Executor, key string) {
	t.Helper()
	path := filepath.Join(e.Store.Root(), "points", key[:2], key+".json.zst")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestWhatTheClusterTookGoesAgain, and what ended by itself does not.
func TestWhatTheClusterTookGoesAgain(t *testing.T) {
	for _, c := range []struct {
		state  State
		exit   string
		again  bool
		reason string
	}{
		{"NODE_FAIL", "", true, ""},
		{"PREEMPTED", "", true, ""},
		{"TIMEOUT", "0:0", true, ""},
		{"BOOT_FAIL", "", true, ""},
		{"", "", true, ""},
		{"FAILED", "0:9", true, ""},
		{"COMPLETED", "0:0", true, ""}, // without its points: its results are lost
		{"FAILED", "1:0", false, "FAILED"},
		{"CANCELLED", "0:15", false, "repeat the command"},
		{"OUT_OF_MEMORY", "0:125", false, "--mem"},
	} {
		e := executor(t)
		if again := e.decide(0, c.state, c.exit); again != c.again || !strings.Contains(e.tasks[0].reason, c.reason) || (c.reason == "") != (e.tasks[0].reason == "") {
			t.Errorf("%s %s: goes again: %v; %s", c.state, c.exit, again, e.tasks[0].reason)
		}
		// With all of its points it need not.
		e = executor(t)
		has(t, e, keyA)
		has(t, e, keyB)
		if again := e.decide(0, c.state, c.exit); again {
			t.Errorf("%s with all points goes again", c.state)
		}
	}
}

// TestATaskThatBringsNothingIsGivenUp after some tries; one that brings points goes on.
func TestATaskThatBringsNothingIsGivenUp(t *testing.T) {
	e := executor(t)
	tries := 1
	for ; e.decide(0, "PREEMPTED", ""); tries++ {
		e.tasks[0].tries++ // as submit does
		e.tasks[0].missing = e.missing(0)
	}
	if tries != Tries || !strings.Contains(e.tasks[0].reason, "no point in 4 tries") {
		t.Errorf("%d tries; %q", tries, e.tasks[0].reason)
	}
	e = executor(t)
	e.tasks[0].tries = Tries
	has(t, e, keyA)
	if !e.decide(0, "PREEMPTED", "") || e.tasks[0].tries != 0 {
		t.Errorf("%+v", e.tasks[0])
	}
}

// TestStatesAreRead as squeue, sacct and scontrol write them.
func TestStatesAreRead(t *testing.T) {
	q := parseQueue("12|0|RUNNING|warptape-x-00-2\n12|1|PREEMPTED|warptape-x-00-2\n9|N/A|RUNNING|bash\n13|1|PENDING|warptape-y-00-2\nnonsense\n", "warptape-x-00-")
	want := queue{{"12", 0, 2, "RUNNING"}, {"12", 1, 2, "PREEMPTED"}}
	if d := cmp.Diff(want, q, cmp.AllowUnexported(queued{})); d != "" {
		t.Error(d)
	}
	if a := q.active(); len(a) != 1 || a[0].shard != 0 || q.state("12", 1) != "PREEMPTED" || q.state("12", 7) != "" {
		t.Errorf("%+v", a)
	}
	for text, want := range map[string][2]string{"COMPLETED|0:0\n": {"COMPLETED", "0:0"}, "REQUEUED|0:0\nCANCELLED by 1000|0:15\n": {"CANCELLED", "0:15"}} {
		if s, exit, ok := parseAccount(text); !ok || string(s) != want[0] || exit != want[1] {
			t.Errorf("%q: %s %s %v", text, s, exit, ok)
		}
	}
	if _, _, ok := parseAccount("\n"); ok {
		t.Error("nothing is taken for a state")
	}
	if s, exit, ok := parseJob("JobId=2 JobState=FAILED Reason=NonZeroExitCode Requeue=0 ExitCode=0:9 RunTime=00:00:07"); !ok || s != failedState || exit != "0:9" {
		t.Errorf("%s %s %v", s, exit, ok)
	}
}

func TestRangesAreThoseOfSbatch(t *testing.T) {
	for want, list := range map[string][]int{"0": {0}, "0-3,7": {0, 1, 2, 3, 7}, "1,3-4": {1, 3, 4}} {
		if got := ranges(list); got != want {
			t.Errorf("%v: %s", list, got)
		}
	}
}

// TestTheScriptRuns in a shell: workers, memory and shard are those of the task.
func TestTheScriptRuns(t *testing.T) {
	e := executor(t)
	e.Work[0] = "echo"
	e.Setup = "export GREETING=hello"
	for want, environment := range map[string][]string{
		"sweep work it's x --workers 1 --shard 0/1":                  {"SLURM_ARRAY_TASK_ID=0"},
		"sweep work it's x --workers 8 --memory=3276MiB --shard 0/1": {"SLURM_ARRAY_TASK_ID=0", "SLURM_CPUS_PER_TASK=8", "SLURM_MEM_PER_NODE=4096"},
		"sweep work it's x --workers 2 --shard 3/1":                  {"SLURM_ARRAY_TASK_ID=3", "SLURM_CPUS_PER_TASK=2", "SLURM_MEM_PER_NODE=100"},
	} {
		c := exec.Command("sh", "-c", e.script())
		c.Env = append(environment, "PATH="+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%v: %s", err, out)
		}
	}
	e.Work = append(e.Work, "--workers", "3", "--memory", "1GiB")
	if s := e.script(); strings.Contains(s, "SLURM_CPUS") || strings.Contains(s, "SLURM_MEM") {
		t.Error(s)
	}
}

// TestAMissingSlurmIsSaid.
func TestAMissingSlurmIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := executor(t).Run(t.Context()); err == nil {
		t.Error("a sweep ran")
	}
	if _, err := command(t.Context(), "", "squeue"); err == nil || !strings.Contains(err.Error(), "not installed here") {
		t.Error(err)
	}
}
